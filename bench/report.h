/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the rows of one problem as a table for people, the fastest right one marked. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench/row.h"

/* Says that timings scatter, where `scattered` of `count` do, and which settings help. */
void bench_report_scatter(const bench_place *place, int scattered, int count, FILE *file);

void bench_report(const bench_row *rows, int count, FILE *file);

#endif
