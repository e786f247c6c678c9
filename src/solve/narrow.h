/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a matrix with other numbers: rounded to f32, times a power of 2, or times -1. */
#ifndef TULLE_SOLVE_NARROW_H
#define TULLE_SOLVE_NARROW_H

#include "tulle/facts.h"

/* Makes A times `scale`, a power of 2, in f32. The scale is 1 unless A's largest number is far
 * from 1, so that few numbers leave the range of f32. A is in f64 and in a format with values that
 * are multiplied one by one. */
tulle_status tulle__narrow(tulle_ctx *ctx, const tulle_mat *A, const tulle_facts *facts,
                           tulle_mat **narrow, double *scale);

/* Makes a copy of A times *scale, a power of 2 that brings the largest number of A to 1 or above,
 * and below 2; where A has no such number, or the scale is 1, A gets one more owner. */
tulle_status tulle__near_one(tulle_ctx *ctx, tulle_mat *A, tulle_mat **copy, double *scale);

/* Makes -A, in the format and the type of A. */
tulle_status tulle__negated(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **copy);

#endif
