/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one problem as a table for people, the fastest right one marked. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench/row.h"

/* Says it where timings scatter, so many of all, and what to set. */
void bench_report_scatter(const bench_place *place, int scattered, int count, FILE *file);

void bench_report(const bench_row *rows, int count, FILE *file);

#endif
