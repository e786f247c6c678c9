/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of operations on sparse matrices: op(A) in the form that kernels take. */
#ifndef TULLE_MATRIX_OPERAND_H
#define TULLE_MATRIX_OPERAND_H

#include "matrix/build.h"

/* The shape of op(A). */
static inline int64_t tulle__op_rows(tulle_trans op, const tulle_mat *A) {
    return op == TULLE_N ? A->pattern->rows : A->pattern->cols;
}
static inline int64_t tulle__op_cols(tulle_trans op, const tulle_mat *A) {
    return op == TULLE_N ? A->pattern->cols : A->pattern->rows;
}

static inline tulle_index tulle__wider(tulle_index a, tulle_index b) {
    return a > b ? a : b;
}

/* Checks the op of a public function's argument of that name. */
tulle_status tulle__check_op(const char *function, const char *name, tulle_trans op);

/* Checks A and B: both ops, their memory space, and that their value types are one. */
tulle_status tulle__check_pair(const char *function, const tulle_ctx *ctx, tulle_trans op_A,
                               tulle_trans op_B, const tulle_mat *A, const tulle_mat *B);

/* Checks that memory can hold the table of rows that op(A) needs as CSR and that A lacks. name:
 * name of the argument. */
tulle_status tulle__check_rows_fit(const char *function, const char *name, const tulle_ctx *ctx,
                                   tulle_trans op, const tulle_mat *A);

/* Returns the bytes of the table of rows that op(A) has as CSR and that A lacks; 0 for A NULL. */
double tulle__brought_table(tulle_trans op, const tulle_mat *A, tulle_index index);

/* Returns TULLE_TOO_LARGE if the available memory of this machine is less than `bytes`, the size
 * of all tables of rows of the operands and of a C with so many rows. It is called before the
 * first table is filled. */
tulle_status tulle__check_tables_room(const char *function, const tulle_ctx *ctx, double bytes,
                                      int64_t rows);

/* Brings op(A) into CSR; a matrix that is in CSR already gets one more owner instead. */
tulle_status tulle__operand_bring(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                                  tulle_index index, tulle_mat **csr);

/* Replaces a CSR by one whose columns ascend; repeated columns are added up in their order. On
 * failure *A becomes NULL. */
tulle_status tulle__operand_raise(tulle_ctx *ctx, tulle_mat **csr);

/* Tells the emulator that no kernel may write this matrix until no operand is watched. */
tulle_status tulle__operand_watch(tulle_ctx *ctx, const tulle_mat *A);
void tulle__operands_unwatch(tulle_ctx *ctx);

/* Lends a scalar of the caller's to the emulator, until it is given back. */
tulle_status tulle__scalar_lend(tulle_ctx *ctx, tulle_scalar scalar, tulle_type type);
void tulle__scalar_give_back(tulle_ctx *ctx, tulle_scalar scalar);

#endif
