/* SPDX-License-Identifier: Apache-2.0 */
/* Multivectors on the host with all that lies between their numbers, and the same on a place.
 */
#ifndef TESTS_BLOCKS_H
#define TESTS_BLOCKS_H

#include "reference.h"
#include "tulle/tulle.h"

typedef struct {
    int64_t rows, cols, ld;
    tulle_layout layout;
    tulle_type type;
    int64_t count;   /* of numbers, gaps included */
    double *numbers; /* exact in the type */
} host_block;

/* The leading dimension is `gap` more than the smallest; every number and gap is NaN. */
host_block host_block_make(int64_t rows, int64_t cols, tulle_layout layout, int64_t gap,
                           tulle_type type);
void host_block_free(host_block *b);

double *host_block_at(const host_block *b, int64_t i, int64_t j);

/* Column j in the block's type; the caller frees it. */
void *host_block_column(const host_block *b, int64_t j);

/* Whether all gaps are still NaN. */
int host_block_gaps_kept(const host_block *b);

/* The largest error of Y over all its columns, in bounds; p's own vectors do not count. */
double host_block_error(const zoo_matrix *m, product p, const host_block *x, const host_block *y0,
                        const host_block *y);

typedef struct {
    tulle_vec *whole; /* a vector of all numbers */
    tulle_vec *block; /* around its array */
} place_block;

place_block place_block_make(tulle_ctx *ctx, const host_block *b);
void place_block_read(tulle_ctx *ctx, const place_block *from, host_block *to);
void place_block_free(place_block *b);

#endif
