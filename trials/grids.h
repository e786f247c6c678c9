/* SPDX-License-Identifier: Apache-2.0 */
/* Many small matrices for tasks that run together: each a cube of points with their six neighbours,
 * in full blocks of as many rows as the multivectors have columns, with a dominant diagonal. All
 * have the same numbers, each in memory of its own, with a pattern of its own. */
#ifndef TRIAL_GRIDS_H
#define TRIAL_GRIDS_H

#include "trials/batch.h"

/* Matrices of a problem on grids, beside its vectors (trial_vectors.more). */
typedef struct trial_grids {
    int64_t count, points, block; /* number of matrices; block rows, and rows of a block, of each */
    int64_t blocks;               /* number of blocks of each */
    int32_t *offsets, *columns;   /* pattern of each matrix, by blocks */
    double *values;               /* values of each matrix, exact in f32, in the order of BSR */
    tulle_mat **A;
    tulle_vec **x, **y; /* the matrices' rows of the problem's x and y */
    void *more;         /* the operation's own, which it gives up itself */
} trial_grids;

/* Opens a problem on about given.n points, as many as the nearest cube has: makes the matrices, x
 * at random, and y, which is not read; sets info's rows and the fewest bytes, of each matrix, x and
 * y once. expect: computes what is due in y; NULL: the operation has a check of its own. */
tulle_status trial_grids_open(trial_problem *problem, const trial_given *given,
                              trial_expect *expect);
void trial_grids_close(trial_problem *problem);

trial_grids *trial_grids_of(const trial_problem *problem);

/* The pattern of so many points in the order of the cube that is nearest, whose last plane may be
 * part of one, or stand before others: columns from `first` on. Returns how many blocks there are,
 * up to TRIAL_GRID_NEIGHBOURS a point. */
enum { TRIAL_GRID_NEIGHBOURS = 7 };
int64_t trial_grid_pattern(int64_t points, int64_t first, int32_t *offsets, int32_t *columns);

/* Returns number `slot` of a matrix of blocks, exact in f32. diagonal: true for a number on the
 * diagonal, which is larger than the sum of the magnitudes of the others in its row. */
double trial_grid_number(int64_t slot, int64_t block, bool diagonal);

/* Returns number (r, c) of block e. */
static inline double trial_grids_value(const trial_grids *g, int64_t e, int64_t r, int64_t c) {
    return g->values[(e * g->block + r) * g->block + c];
}

#endif
