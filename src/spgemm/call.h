/* SPDX-License-Identifier: Apache-2.0 */
/* What a call was given, of tulle_spgemm and its relatives. */
#ifndef TULLE_SPGEMM_CALL_H
#define TULLE_SPGEMM_CALL_H

#include "matrix/operand.h"
#include "tulle/spgemm.h"

typedef struct tulle__spgemm_call {
    const char *function;
    tulle_trans op_A, op_B;
    const tulle_mat *A, *B;
} tulle__spgemm_call;

/* Operands, their places, types and shapes. */
tulle_status tulle__spgemm_check(const tulle_ctx *ctx, const tulle__spgemm_call *call);

/* Whether memory can hold what CSR has for each row, and the operands and D (NULL: there is none)
 * have not. */
tulle_status tulle__spgemm_check_tables(const tulle_ctx *ctx, const tulle__spgemm_call *call,
                                        const tulle_mat *D);

/* Bytes of what a product has for each row of C: offsets, and, where it is made at once, the 64-bit
 * numbers in which a kernel counts. */
double tulle__spgemm_tables_of_c(const tulle_ctx *ctx, int64_t rows, tulle_index index);

/* What is asked of a C of this shape and type, and what it is given. */
tulle_status tulle__spgemm_check_options(const char *function, const tulle_ctx *ctx,
                                         const tulle_spgemm_options *options, tulle_type type,
                                         int64_t rows, int64_t cols);

#endif
