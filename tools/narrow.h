/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_NARROW_H
#define TOOL_NARROW_H

#include "tulle/tulle.h"

/* A copy in f32 of a matrix in CSR or DCSR, in f64: scale A, where scale is 1, or the power of 2
 * that brings A's largest number near 1, if that is far from it. What is then below f32's least
 * number becomes 0, as rounding to f32 takes more from the largest. */
tulle_status tool_narrow(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **narrow, double *scale);

#endif
