/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_SPMV_DISPATCH_H
#define TULLE_SPMV_DISPATCH_H

#include "core/kernel.h"
#include "matrix/matrix.h"
#include "tulle/vec.h"

/* Runs tulle_spmv by one kernel with its parameters, eligible for A, instead of a choice;
 * TULLE_UNSUPPORTED where the kernel does not take the case: then y is as it was. */
tulle_status tulle__spmv_with(tulle_ctx *ctx, const tulle__spec *spec, tulle_trans op,
                              tulle_scalar alpha, const tulle_mat *A, const tulle_vec *x,
                              tulle_scalar beta, tulle_vec *y);

#endif
