/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Small functions of one or two sparse matrices, entry by entry.
 */
#ifndef TULLE_ALGEBRA_H
#define TULLE_ALGEBRA_H

#include <stdint.h>

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "status.h"
#include "trisolve.h"
#include "types.h"
#include "vec.h"

/** Numbers of a row or column that tulle_mat_sums computes. */
typedef enum tulle_sum_kind {
    TULLE_SUM_VALUES = 0, /**< sum of a_ij */
    TULLE_SUM_SIZES = 1,  /**< sum of |a_ij| */
    TULLE_SUM_LARGEST = 2 /**< largest |a_ij|; NaN where one is NaN */
} tulle_sum_kind;

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

/**
 * y_i := sum_j op(A)_ij, or sum_j |op(A)_ij|, or max_j |op(A)_ij|
 *
 * Rows of A for TULLE_N, columns for TULLE_T; 0 for a row or column without entries.
 *
 * Shapes: A m x n in any format; y with as many numbers as op(A) has rows, side by side in memory
 * and of A's type. An operand that is not CSR, or is transposed, is first converted into CSR, in
 * memory of the context that the call gives back; its columns may stand in any order. A repeated
 * entry counts each time by itself, also for |a_ij|.
 *
 * Error: sums are computed in f64 and rounded to A's type: |y_i - exact| <= u |exact| + 2 gamma(k)
 * s_i, u the unit roundoff of A's type, k the entries of the row and s_i the sum of their sizes,
 * gamma(k) = k v / (1 - k v) with v = 2^-53; in f32 half of the smallest positive number more. The
 * largest size is exact. NaN and Inf pass through as IEEE 754 adds them.
 *
 * Ownership: y stays the caller's. Deterministic: bitwise, for any number of threads; CPU and GPU
 * add in different orders.
 *
 * Does not synchronise for TULLE_N and A in CSR; otherwise the conversion does. Errors:
 * TULLE_INVALID_ARGUMENT (a NULL, a bad op or kind, numbers of y that are not side by side),
 * TULLE_SPACE_MISMATCH, TULLE_SHAPE_MISMATCH, TULLE_TYPE_MISMATCH, TULLE_ALIASED (y overlaps an
 * array of A), TULLE_TOO_LARGE (offsets of all rows of a CSR copy), TULLE_OUT_OF_MEMORY,
 * TULLE_CANCELLED (while A is converted), TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_sums(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                                      tulle_sum_kind kind, tulle_vec *y);

/**
 * B := the entries (i, j) of A with j <= i + offset (TULLE_LOWER) or j >= i + offset (TULLE_UPPER)
 *
 * B is a new CSR matrix of the context with A's shape, value type and index type; the entries of a
 * row stay in A's order, and repeated ones stay repeated. An offset of 0 keeps the diagonal, of -1
 * leaves it out of the lower part; any offset is fine, also one beyond the matrix.
 *
 * Shapes: A m x n, in any format; what is not CSR is first converted into CSR, in memory of the
 * context that the call gives back. Beside that the call holds one offset for each entry of A on a
 * GPU, and 8 bytes for each row on a CPU.
 *
 * Ownership: *B is the caller's (tulle_mat_destroy), and NULL after a failure. Synchronises: yes,
 * for the size of B and its statistics. Deterministic: bitwise, as values are only copied. Progress
 * is told, and cancelling leaves A as it was. Errors: TULLE_INVALID_ARGUMENT (a NULL, a bad part),
 * TULLE_SPACE_MISMATCH, TULLE_TOO_LARGE (offsets of all rows of a CSR copy), TULLE_OUT_OF_MEMORY,
 * TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_part(tulle_ctx *ctx, const tulle_mat *A, tulle_part part,
                                      int64_t offset, tulle_mat **B);

/**
 * C := A .* B, entry by entry: c_ij = a_ij b_ij
 *
 * Shapes: A, B and C m x n; A and B of one value type, which is C's. A and B may be in any format,
 * with different index types, their columns in any order and repeated, and may be the same matrix.
 * An operand that is not CSR with ascending columns and the common index type is first converted,
 * in memory of the context that the call gives back; repeated entries become their sum, in their
 * order.
 *
 * C is a new CSR matrix of the context, with an entry where both A and B have one, also where the
 * product is zero; the columns of each row ascend. It has the wider index type of A and B. An entry
 * that only one of them has is multiplied by an absent one and is absent, even if it is NaN or Inf;
 * otherwise NaN and Inf pass through.
 *
 * Error: each product is rounded once. Beside C and converted operands the call holds one offset
 * for each entry of the operand with fewer entries on a GPU, and 8 bytes for each row on a CPU.
 *
 * Ownership: *C is the caller's (tulle_mat_destroy), and NULL after a failure. Synchronises: yes,
 * for the size of C and its statistics. Deterministic: bitwise, on every device. Progress is told,
 * and cancelling leaves A and B as they were. Errors: TULLE_INVALID_ARGUMENT (a NULL),
 * TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH, TULLE_SHAPE_MISMATCH, TULLE_TOO_LARGE (offsets of all
 * rows of a CSR copy), TULLE_OUT_OF_MEMORY, TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_multiply(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B,
                                          tulle_mat **C);

TULLE_END
#endif
