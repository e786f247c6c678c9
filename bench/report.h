/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench/row.h"

/* Prints the rows of one problem as a table for people, and the phases of calls that make matrices;
 * of the rows with a pool, and of those without, the fastest right one is marked. */
void bench_report(const bench_row *rows, int count);

#endif
