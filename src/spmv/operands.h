/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the operands of tulle_spmv and tulle_spmm. */
#ifndef TULLE_SPMV_OPERANDS_H
#define TULLE_SPMV_OPERANDS_H

#include "dense/dense.h"
#include "matrix/matrix.h"

/* The operands of y := alpha op(A) x + beta y, and the names of the two multivectors in messages.
 */
typedef struct tulle__operands {
    const char *function;
    tulle_ctx *ctx;
    tulle_trans op;
    const tulle_mat *A;
    tulle_scalar alpha, beta;
    const tulle_vec *x, *y;
    const char *x_name, *y_name;
} tulle__operands;

/* Checks spaces, rows, types, and that the context is A's. Columns are the caller's to check. */
tulle_status tulle__check_operands(const tulle__operands *o);

/* Returns TULLE_ALIASED where y overlaps anything that is read. */
tulle_status tulle__check_apart(const tulle__operands *o);

#endif
