/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_SPMV_DISPATCH_H
#define TULLE_SPMV_DISPATCH_H

#include "matrix/matrix.h"
#include "tulle/dense.h"

/* Makes the context's workspace large enough for every unplanned product with A that the context
 * would serve now, so that tulle_spmv allocates nothing later. */
tulle_status tulle__spmv_reserve(tulle_ctx *ctx, const tulle_mat *A);

/* tulle_spmv by one kernel with its parameters, eligible for A, instead of a choice;
 * TULLE_UNSUPPORTED where it is not the kernel's case: then y is as it was. */
tulle_status tulle__spmv_with(tulle_ctx *ctx, const tulle__spmv_spec *spec, tulle_trans op,
                              tulle_scalar alpha, const tulle_mat *A, const tulle_dense *x,
                              tulle_scalar beta, tulle_dense *y);

#endif
