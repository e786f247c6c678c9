/* SPDX-License-Identifier: Apache-2.0 */
/* Compares tulle with the best peer of each matrix, over a set of matrices. */
#ifndef BENCH_STANDING_H
#define BENCH_STANDING_H

#include "bench/row.h"

enum { BENCH_SERIES = 96 };

/* Compares tulle with the fastest peer on one matrix, by rows of one series: rows that are
 * comparable, such as those with a pool. */
typedef struct bench_stand {
    tulle_type type;
    char series[BENCH_SERIES]; /* "with a pool", or "trisolve as lower" */
    const char *class;
    /* the fastest peer's time over tulle's; 0: there is no right row of a peer, or none of
     * tulle's */
    double ratio;
    char matrix[256];
} bench_stand;

typedef struct bench_standing {
    bench_stand *item;
    int count, room;
} bench_standing;

/* Notes how the rows of one problem compare: in each series tulle's choice by itself, or the
 * best of its kernels that were asked for, against the fastest peer that is right and computes
 * the same. */
void bench_standing_add(bench_standing *standing, const bench_row *rows, int count);

/* Prints the geometric mean and the least ratio of each type, series and class. */
void bench_standing_print(const bench_standing *standing, FILE *file);

void bench_standing_free(bench_standing *standing);

#endif
