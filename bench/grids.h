/* SPDX-License-Identifier: Apache-2.0 */
/* Many small matrices for tasks that run together: each a cube of points with their six neighbours,
 * in full blocks of as many rows as the multivectors have columns, with a dominant diagonal. All
 * have the same numbers, each in memory of its own, with a pattern of its own. */
#ifndef BENCH_GRIDS_H
#define BENCH_GRIDS_H

#include "bench/batch.h"

/* What such a problem has beside its vectors (bench_vectors.more). */
typedef struct bench_grids {
    int64_t count, points, block; /* of matrices; block rows and rows of a block of one */
    int64_t blocks;               /* of one */
    int32_t *offsets, *columns;   /* of one, by blocks */
    double *values;               /* of one, each exact in f32, as BSR has them */
    tulle_mat **A;
    tulle_dense **x, **y; /* the rows of the problem's x and y that are theirs */
    void *more;           /* the operation's own, which it gives up itself */
} bench_grids;

/* given.n: points, of which the nearest cube is taken. x is random, y is not read; then sets info's
 * rows, and so do the fewest bytes: each matrix, x and y once. */
tulle_status bench_grids_open(bench_problem *problem, const bench_given *given);
void bench_grids_close(bench_problem *problem);

bench_grids *bench_grids_of(const bench_problem *problem);

/* Number (r, c) of block e. */
static inline double bench_grids_value(const bench_grids *g, int64_t e, int64_t r, int64_t c) {
    return g->values[(e * g->block + r) * g->block + c];
}

#endif
