/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of an operation that has some (trials/figures.h), in a row's JSON and for people. */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include <cjson/cJSON.h>

#include "bench/row.h"

/* Adds the figures, of which those that are not known are null, and the parts. */
void bench_figures_add(cJSON *json, const bench_row *row);

/* Prints a table of the figures that any of the rows has, from the fields in the report's list
 * "rows". */
void bench_figures_say(const cJSON *report, const bench_row *rows, int count);

#endif
