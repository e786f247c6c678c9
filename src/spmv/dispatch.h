/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_SPMV_DISPATCH_H
#define TULLE_SPMV_DISPATCH_H

#include "matrix/matrix.h"

/* Makes the context's workspace large enough for every unplanned product with A that the context
 * would serve now, so that tulle_spmv allocates nothing later. */
tulle_status tulle__spmv_reserve(tulle_ctx *ctx, const tulle_mat *A);

#endif
