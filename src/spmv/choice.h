/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that choice.c, alternatives.c and explain.c share: questions about a call that
 * nobody makes. */
#ifndef TULLE_SPMV_CHOICE_H
#define TULLE_SPMV_CHOICE_H

#include "spmv/select.h"
#include "tulle/advanced.h"

/* Checks that the public function may ask about op(A) in the context. */
tulle_status tulle__choice_check(const char *function, const tulle_ctx *ctx, tulle_trans op,
                                 const tulle_mat *A);

/* Finds the selection that the call would run on, which tulle__spmv_unselect gives up;
 * TULLE_UNSUPPORTED, without a record, where no kernel takes it; or TULLE_OUT_OF_MEMORY. */
tulle_status tulle__choice_find(const tulle_ctx *ctx, const tulle_mat *A,
                                const tulle__spmv_call *call, tulle__spmv_selection *selection);

#endif
