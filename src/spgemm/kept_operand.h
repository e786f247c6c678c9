/* SPDX-License-Identifier: Apache-2.0 */
/* An operand is kept in the form that kernels take, for calls with other values. Such a call copies
 * the values into the kept operand, for which it needs neither memory nor the host. */
#ifndef TULLE_SPGEMM_KEPT_OPERAND_H
#define TULLE_SPGEMM_KEPT_OPERAND_H

#include "spgemm/product.h"

typedef struct tulle__spgemm_kept_operand {
    tulle_mat *csr; /* owned operand with a pattern that no other matrix has; NULL: nothing is
                       kept */
    int64_t *perm;  /* for each value of the operand, its index among the values of M, from the
                       pool; NULL: the same index */
} tulle__spgemm_kept_operand;

/* Keeps csr, the operand that was made from op(M), unless csr is M itself or one of its values is a
 * sum of several values of M. Waits. */
tulle_status tulle__spgemm_keep_operand(tulle_ctx *ctx, tulle_trans op, const tulle_mat *M,
                                        tulle_mat *csr, tulle__spgemm_kept_operand *kept);

/* Queues the copy of the values of M to their places in the kept operand. */
tulle_status tulle__spgemm_renew_operand(tulle_ctx *ctx, const tulle_mat *M,
                                         const tulle__spgemm_kept_operand *kept);

void tulle__spgemm_drop_operand(tulle_ctx *ctx, tulle__spgemm_kept_operand *kept);
int64_t tulle__spgemm_operand_bytes(const tulle__spgemm_kept_operand *kept);

#endif
