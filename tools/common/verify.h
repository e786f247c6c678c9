/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a product against the naive definition in long double. */
#ifndef TOOL_VERIFY_H
#define TOOL_VERIFY_H

#include "tools/common/csr.h"

/* The worst entry of a result, in units of the error bound of tulle/spmv.h. */
typedef struct tool_error_found {
    double units;     /* at most 1: the result is right */
    int64_t row;      /* row of that entry; -1 for an empty result */
    int64_t column;   /* column of that entry in a multivector */
    double got, want; /* value of that entry, and the right value */
} tool_error_found;

/* Returns |got - want| over the bound gamma(n) mass + n (1 + |alpha|) s, with n roundings and s the
 * type's smallest positive number. Where the sums may overflow or are not finite, only NaN where a
 * number is due, or a number where none can be, is wrong. peak: the largest magnitude that the sums
 * may reach. */
double tool_error_units(tulle_type type, int64_t roundings, long double alpha, long double mass,
                        long double peak, long double want, long double got);

/* Holds the right op(A) x, to be compared with any number of results. */
typedef struct tool_reference tool_reference;

/* Returns the bytes of a reference for a result of `count` entries; at most INT64_MAX. */
int64_t tool_reference_bytes(int64_t count);

/* Computes a reference. x is on the host and of A's type. Fails with TULLE_CANCELLED alone. */
tulle_status tool_reference_create(const tool_csr *A, tulle_trans op, const void *x,
                                   tool_reference **reference);

/* Returns the worst entry of y, which should be alpha op(A) x + beta y0; y and y0 are on the host
 * and of A's type; y0 may be NULL when beta is 0. */
tool_error_found tool_reference_compare(const tool_reference *reference, double alpha, double beta,
                                        const void *y0, const void *y);

/* Holds the norms |b| and |b - op(A) x|, where b is y above; with without_mean, only the part of b
 * counts that is orthogonal to constants. */
typedef struct tool_residual {
    double b, residual;
} tool_residual;
tool_residual tool_reference_residual(const tool_reference *reference, const void *b,
                                      bool without_mean);

/* Frees a reference; NULL is allowed. */
void tool_reference_destroy(tool_reference *reference);

/* Checks y = alpha op(A) x + beta y0. All vectors are on the host and of A's type, `vectors` of
 * each one after another; y0 may be NULL when beta is 0. Fails with TULLE_CANCELLED alone. */
tulle_status tool_verify(const tool_csr *A, tulle_trans op, int64_t vectors, double alpha,
                         const void *x, double beta, const void *y0, const void *y,
                         tool_error_found *found);

#endif
