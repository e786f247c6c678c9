/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Small functions of one or two sparse matrices, entry by entry.
 */
#ifndef TULLE_ALGEBRA_H
#define TULLE_ALGEBRA_H

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "status.h"
#include "vec.h"

TULLE_BEGIN

/**
 * Scales rows and columns in place: a_ij := r_i a_ij c_j
 *
 * Shapes: A m x n in CSR, r m x 1, c n x 1, with their numbers side by side in memory and of A's
 * type; r and c may be the same vector. The columns of A may stand in any order and may repeat:
 * each entry is scaled by itself. The pattern and all plans stay, as with tulle_mat_set_values;
 * what was made from the values (plans' copies) is made again.
 *
 * A borrowed array of values is never written: A then gets an array of its own, as
 * tulle_mat_set_values says.
 *
 * Error: r_i a_ij is computed first and its product with c_j second, both in f64; f32 values are
 * then rounded once more. Factors that are powers of two are exact unless a product leaves the
 * range of the type. NaN and Inf pass through, and 0 times Inf is NaN.
 *
 * @param row_scale r; NULL: ones
 * @param col_scale c; NULL: ones. Where both are NULL, nothing is computed
 *
 * Does not synchronise, unless memory for an array of A's own must come from the device.
 * Deterministic: bitwise, on every device. Errors: TULLE_INVALID_ARGUMENT (ctx or A is NULL; a
 * vector whose numbers are not side by side), TULLE_UNSUPPORTED (A is not in CSR: tulle_mat_convert
 * makes it so), TULLE_SPACE_MISMATCH, TULLE_SHAPE_MISMATCH, TULLE_TYPE_MISMATCH, TULLE_ALIASED (r
 * or c overlaps an array of A), TULLE_OUT_OF_MEMORY (A is then as it was), TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_scale(tulle_ctx *ctx, tulle_mat *A, const tulle_vec *row_scale,
                                       const tulle_vec *col_scale);

TULLE_END
#endif
