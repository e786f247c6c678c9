/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that take vectors one by one: columns of multivectors, and their diagonal. */
#ifndef TULLE_OPERATOR_COLUMNS_H
#define TULLE_OPERATOR_COLUMNS_H

#include "operator/linop.h"

/* y := alpha op(L) x + beta y for one column, or alpha times L's diagonal + beta y, for which there
 * is no x. The device has the scalars. */
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

/* `apply` and `diagonal` of a kind of operators (tulle__linop_kind), by what it does for a column.
 */
tulle_status tulle__columns_apply(tulle_ctx *ctx, const tulle_linop *L, tulle_trans op,
                                  tulle_scalar alpha, const tulle_vec *X, tulle_scalar beta,
                                  tulle_vec *Y, tulle__column_act *act);
tulle_status tulle__columns_diagonal(tulle_ctx *ctx, const tulle_linop *L, tulle_vec *d,
                                     tulle__column_act *act);

/* TULLE_UNSUPPORTED if sums are atomic and the context's are to repeat. what: "atomic sums do". */
tulle_status tulle__check_atomic(const char *function, const tulle_ctx *ctx, bool atomic,
                                 const char *what);

#endif
