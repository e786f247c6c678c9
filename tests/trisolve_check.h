/* SPDX-License-Identifier: Apache-2.0 */
/* op(T) X = alpha B, T a triangle of A, against the definition: the residual in long double, number
 * by number, within its bound. */
#ifndef TESTS_TRISOLVE_CHECK_H
#define TESTS_TRISOLVE_CHECK_H

#include "columns.h"
#include "entries.h"
#include "tulle/trisolve.h"

typedef struct {
    tulle_part part;
    tulle_diag diag;
    tulle_trans op;
    double alpha;
    tulle_type stored, type; /* of A, and of B and X */
    tulle_index index;
    int64_t block; /* 0: CSR */
    int64_t vectors;
    bool in_place;
    lie b, x; /* in place: x's counts */
} trisolve_setting;

/* Whether the kernel is for scalars alone. */
bool trisolve_takes_no_blocks(const char *spec);

/* Setting number i of those that the kernel takes: a fixed choice at random, of kinds, types and
 * shapes. */
trisolve_setting trisolve_setting_number(const char *spec, uint64_t i);

/* The matrix cropped to a square, with one diagonal entry in each row, first or last of it, beside
 * which the others are small; without: with none, and entries that are small beside 1. */
entries trisolve_usable(const entries *any, bool with_diagonal);

/* The matrix as the setting has it. Blocks hold no repeated entries, so that e becomes the sums. */
tulle_mat *trisolve_matrix(tulle_ctx *ctx, entries *e, const trisolve_setting *s);

/* Numbers of B for it. */
columns trisolve_numbers(const entries *e, const trisolve_setting *s);

/* X of one call. */
columns trisolve_solve(tulle_ctx *ctx, const tulle_mat *A, const columns *B,
                       const trisolve_setting *s);

/* Whether an entry is T's, as the setting reads it. */
bool trisolve_has(const trisolve_setting *s, int64_t row, int64_t col);

/* Fails where a number is outside its bound. */
void trisolve_check(const entries *e, const columns *B, const columns *X, const trisolve_setting *s,
                    const char *what);

/* All of it. */
void trisolve_try(tulle_ctx *ctx, const entries *any, const trisolve_setting *s, const char *what);

/* Calls test with each kernel forced, with all values of its parameters one at a time beside its
 * own others, or with its own alone; number: of the call. */
typedef void (*trisolve_spec_test)(tulle_ctx *ctx, const char *where, const char *spec,
                                   uint64_t number);
void trisolve_each_spec(tulle_ctx *ctx, const char *where, bool parameters,
                        trisolve_spec_test test);

#endif
