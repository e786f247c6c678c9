/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a matrix in f32, for the inner iterations of mixed precision. */
#ifndef TULLE_SOLVE_NARROW_H
#define TULLE_SOLVE_NARROW_H

#include "tulle/facts.h"

/* Makes A times `scale`, a power of 2, in f32. The scale is 1 unless A's largest number is far
 * from 1, so that few numbers leave the range of f32. A is in f64 and in a format with values that
 * are multiplied one by one. */
tulle_status tulle__narrow(tulle_ctx *ctx, const tulle_mat *A, const tulle_facts *facts,
                           tulle_mat **narrow, double *scale);

#endif
