/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one problem as a table for people, the fastest right one marked. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "bench/row.h"

void bench_report(const bench_row *rows, int count, FILE *file);

#endif
