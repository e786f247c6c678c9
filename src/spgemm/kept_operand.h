/* SPDX-License-Identifier: Apache-2.0 */
/* An operand as kernels take it, kept for calls that bring it other values: then these only have to
 * be put in place, which needs neither memory nor the host. */
#ifndef TULLE_SPGEMM_KEPT_OPERAND_H
#define TULLE_SPGEMM_KEPT_OPERAND_H

#include "spgemm/product.h"

typedef struct tulle__spgemm_kept_operand {
    tulle_mat *csr; /* owned; its pattern is nobody else's. NULL: nothing is kept */
    int64_t *perm;  /* of the pool: where each value is in the operand; NULL: in the same place */
} tulle__spgemm_kept_operand;

/* op(M) was brought as csr: keeps it, if it is not M itself, and each of its values is one of M's.
 * Waits. */
tulle_status tulle__spgemm_keep_operand(tulle_ctx *ctx, tulle_trans op, const tulle_mat *M,
                                        tulle_mat *csr, tulle__spgemm_kept_operand *kept);

/* Puts M's values into what is kept, in stream order. */
tulle_status tulle__spgemm_renew_operand(tulle_ctx *ctx, const tulle_mat *M,
                                         const tulle__spgemm_kept_operand *kept);

void tulle__spgemm_drop_operand(tulle_ctx *ctx, tulle__spgemm_kept_operand *kept);
int64_t tulle__spgemm_operand_bytes(const tulle__spgemm_kept_operand *kept);

#endif
