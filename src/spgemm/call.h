/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a call of tulle_spgemm or its relatives, and their checks. */
#ifndef TULLE_SPGEMM_CALL_H
#define TULLE_SPGEMM_CALL_H

#include "matrix/operand.h"
#include "tulle/spgemm.h"

typedef struct tulle__spgemm_call {
    const char *function;
    tulle_trans op_A, op_B;
    const tulle_mat *A, *B;
    const tulle_mat *R; /* transpose of B in sorted CSR, for a triple product; NULL: it is made */
    /* Lengths of the rows of A P and of C of a triple product, [2]: used where they are known, else
     * taken; NULL: neither. */
    struct tulle__spgemm_lengths *lengths;
    tulle__pattern
        *like; /* pattern of C, used where its lengths are known; NULL: C gets a new one */
} tulle__spgemm_call;

/* Checks that the operands A and B are in the context's memory, and that their types and shapes
 * fit. */
tulle_status tulle__spgemm_check(const tulle_ctx *ctx, const tulle__spgemm_call *call);

/* Checks that memory can hold the tables of rows that CSR has, and that the operands, D and the
 * mask have not. options NULL: there is neither. */
tulle_status tulle__spgemm_check_tables(const tulle_ctx *ctx, const tulle__spgemm_call *call,
                                        const tulle_spgemm_options *options);

/* Does tulle__spgemm_check_tables for the arguments of a triple product. */
tulle_status tulle__spgemm_check_triple_tables(const char *function, const tulle_ctx *ctx,
                                               const tulle_mat *A, const tulle_mat *P,
                                               const tulle_mat *D);

/* Checks the options for a C of this shape and type, and the scalars, D and the mask. */
tulle_status tulle__spgemm_check_options(const char *function, const tulle_ctx *ctx,
                                         const tulle_spgemm_options *options, tulle_type type,
                                         int64_t rows, int64_t cols);

/* Fails for a triple product that is given a mask. */
tulle_status tulle__spgemm_check_unmasked(const char *function,
                                          const tulle_spgemm_options *options);

#endif
