/* SPDX-License-Identifier: Apache-2.0 */
/* Calls drawn at random, on matrices that are small and random, against their definitions. Each
 * says whether the library took what was drawn; it fails the test where the answer is wrong, and
 * where the library fails for another reason. */
#ifndef TESTS_RANDOM_LAUNCH_H
#define TESTS_RANDOM_LAUNCH_H

#include "zoo.h"

/* kernel: that is forced; NULL for an operation that has none to choose from. */
typedef bool (*random_launch)(tulle_ctx *ctx, uint64_t *state, const char *kernel);

bool random_spmv(tulle_ctx *ctx, uint64_t *state, const char *kernel);
bool random_spmm(tulle_ctx *ctx, uint64_t *state, const char *kernel);
bool random_spgemm(tulle_ctx *ctx, uint64_t *state, const char *kernel);
bool random_trisolve(tulle_ctx *ctx, uint64_t *state, const char *kernel);
bool random_factor(tulle_ctx *ctx, uint64_t *state, const char *kernel);
bool random_add(tulle_ctx *ctx, uint64_t *state, const char *kernel);
bool random_transpose(tulle_ctx *ctx, uint64_t *state, const char *kernel);
bool random_vectors(tulle_ctx *ctx, uint64_t *state, const char *kernel);

/* A number from 0 to limit - 1. */
int64_t random_below(uint64_t *state, int64_t limit);

/* Rows of random lengths, most short and some long, with columns that never repeat in a row. */
zoo_matrix random_matrix(uint64_t *state, int64_t most_side);

/* The matrix in the format of a kernel for products; NULL: that does not take it. */
tulle_mat *random_in_format(tulle_ctx *ctx, const zoo_matrix *m, const char *kernel,
                            tulle_index index, tulle_type type);

/* Whether a product by the kernel may be tried: where it needs a plan, one is made. */
bool random_is_ready(tulle_ctx *ctx, tulle_mat *A, tulle_trans op, const char *kernel);

/* Whether a call was taken; fails where it failed otherwise. */
bool random_is_taken(tulle_status status, const char *what);

#endif
