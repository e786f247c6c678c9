/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_FACTOR_REFUSE_H
#define TULLE_FACTOR_REFUSE_H

#include "factor/object.h"

/* TULLE_ZERO_PIVOT where the values of F, which are A's, met a bad pivot, or are beyond f32: what
 * is wrong with A, and where. Waits. */
tulle_status tulle__factor_refuse(const char *function, tulle_ctx *ctx, const tulle_factor *F,
                                  const tulle_mat *A);

#endif
