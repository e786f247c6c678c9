/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the fields that belong to one operation (trials/field.h), in a row's JSON and for
 * people. */
#ifndef BENCH_ROW_VALUES_H
#define BENCH_ROW_VALUES_H

#include <cjson/cJSON.h>

#include "bench/row.h"

/* Adds the values, of which those that are not known are null. */
void bench_values_add(cJSON *json, const bench_row *row);

/* Prints a table of the values that any of the rows has, from the fields in the report's list
 * "rows"; adds a list of the table's rows to the report. */
void bench_values_say(cJSON *report, const bench_row *rows, int count);

#endif
