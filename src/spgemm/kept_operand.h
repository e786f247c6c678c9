/* SPDX-License-Identifier: Apache-2.0 */
/* An operand as kernels take it, kept for calls with other values, which then only have to be
 * put in place: that needs neither memory nor the host. */
#ifndef TULLE_SPGEMM_KEPT_OPERAND_H
#define TULLE_SPGEMM_KEPT_OPERAND_H

#include "spgemm/product.h"

typedef struct tulle__spgemm_kept_operand {
    tulle_mat *csr; /* owned operand, whose pattern nobody else has. NULL: nothing is kept */
    int64_t *perm;  /* place of each value of M in the operand, from the pool; NULL: the same
                       place */
} tulle__spgemm_kept_operand;

/* Keeps csr, as which op(M) was brought, if it is not M itself and each of its values is one of
 * M's. Waits. */
tulle_status tulle__spgemm_keep_operand(tulle_ctx *ctx, tulle_trans op, const tulle_mat *M,
                                        tulle_mat *csr, tulle__spgemm_kept_operand *kept);

/* Puts M's values into the kept operand, in stream order. */
tulle_status tulle__spgemm_renew_operand(tulle_ctx *ctx, const tulle_mat *M,
                                         const tulle__spgemm_kept_operand *kept);

void tulle__spgemm_drop_operand(tulle_ctx *ctx, tulle__spgemm_kept_operand *kept);
int64_t tulle__spgemm_operand_bytes(const tulle__spgemm_kept_operand *kept);

#endif
