/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_FACTOR_REFUSE_H
#define TULLE_FACTOR_REFUSE_H

#include "factor/object.h"

/* Fails with TULLE_ZERO_PIVOT if the computation of F's values from A's met a bad pivot, or if they
 * are beyond f32; the message says what is wrong with A, and where. Waits for the device. */
tulle_status tulle__factor_refuse(const char *function, tulle_ctx *ctx, const tulle_factor *F,
                                  const tulle_mat *A);

#endif
