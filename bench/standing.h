/* SPDX-License-Identifier: Apache-2.0 */
/* How tulle stands against the best peer of each matrix, over a set of them. */
#ifndef BENCH_STANDING_H
#define BENCH_STANDING_H

#include "bench/made.h"

typedef struct bench_stand {
    tulle_type type;
    bool pooled;
    const char *class;
    double ratio; /* how many times as fast; 0: there is no right peer, or none of tulle's */
    char matrix[256];
} bench_stand;

typedef struct bench_standing {
    bench_stand *item;
    int count, room;
} bench_standing;

/* Notes what the rows of one matrix in one type come to: in each series what tulle takes by itself,
 * or the best of its kernels that were asked for, against the fastest peer that is right and makes
 * all of C. */
void bench_standing_add(bench_standing *standing, const bench_made *rows, int count);

/* The geometric mean and the least of each type, series and class. */
void bench_standing_print(const bench_standing *standing, FILE *file);

void bench_standing_free(bench_standing *standing);

#endif
