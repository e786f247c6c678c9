/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers for operators that take vectors one by one: they loop over the columns of multivectors,
 * and compute diagonals. */
#ifndef TULLE_OPERATOR_COLUMNS_H
#define TULLE_OPERATOR_COLUMNS_H

#include "operator/linop.h"

/* The job for one column: y := alpha op(L) x + beta y; or, if there is no x, alpha times L's
 * diagonal + beta y. The scalars are in the device's memory. */
typedef struct tulle__column {
    tulle_ctx *ctx;
    tulle_trans op;
    bool diagonal;
    tulle_scalar alpha, beta;
    const void *x;
    void *y;
    int64_t x_step, y_step;
} tulle__column;

typedef tulle_status tulle__column_act(const tulle_linop *L, const tulle__column *c);

/* The functions `apply` and `diagonal` of a kind of operators (tulle__linop_kind), made from its
 * function for one column. */
tulle_status tulle__columns_apply(tulle_ctx *ctx, const tulle_linop *L, tulle_trans op,
                                  tulle_scalar alpha, const tulle_vec *X, tulle_scalar beta,
                                  tulle_vec *Y, tulle__column_act *act);
tulle_status tulle__columns_diagonal(tulle_ctx *ctx, const tulle_linop *L, tulle_vec *d,
                                     tulle__column_act *act);

/* Fails with TULLE_UNSUPPORTED if sums are atomic and the context asks for results that repeat.
 * what: the subject of the message, such as "atomic sums do". */
tulle_status tulle__check_atomic(const char *function, const tulle_ctx *ctx, bool atomic,
                                 const char *what);

#endif
