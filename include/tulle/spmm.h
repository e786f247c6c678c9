/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The product of a sparse matrix and a multivector.
 */
#ifndef TULLE_SPMM_H
#define TULLE_SPMM_H

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "status.h"
#include "types.h"
#include "vec.h"

TULLE_BEGIN

/**
 * Y := alpha op(A) X + beta Y
 *
 * Shapes: A m x n; X n x k and Y m x k for TULLE_N, X m x k and Y n x k for TULLE_T, any k >= 0; of
 * A's value type. Each of X and Y is row- or column-major, with any leading dimension; numbers
 * between its columns or rows are neither read nor written. Both row-major and both column-major
 * are fast; row-major is fastest where k is not small, since an entry of A then reads neighbours.
 * With beta == 0, Y is not read: NaN there does not matter. alpha == 0 still propagates Inf and NaN
 * of A and X.
 *
 * A in CSR or BSR: kernels for multivectors ("tulle kernels" has them as spmm_...), which read A
 * once for as many columns as the registers hold; the one that was forced (advanced.h), else the
 * plan's, else the rule's, else the format's reference kernel. BSR of full square blocks
 * goes through the matrix units for doubles of a GPU, f32 too. TULLE_T of BSR, and TULLE_N on a GPU
 * where block rows are of uneven lengths, use a list of block columns or rows, which the first such
 * call makes; the pattern keeps the list (plan_bytes of tulle_mat_info; Afanasyev and others, YSC
 * 2015). A in another format: X and Y must be column-major, and each column is a tulle_spmv. k
 * = 1 with X and Y as tulle_spmv takes them is tulle_spmv, with the same kernel and bitwise.
 *
 * Error: |Y - exact| <= gamma(n_i + 2) (|alpha| |A| |X| + |beta| |Y0|) + (n_i + 2) (1 + |alpha|) s,
 * number by number, in the words of tulle_spmv.
 *
 * Does not synchronise, but where that list is made. Deterministic: on a CPU, bitwise, for any
 * number of threads; on a GPU TULLE_N, TULLE_T of BSR, and TULLE_T of CSR with a plan, while an
 * unplanned TULLE_T of CSR may use atomics; under the repeatable setting that fails instead, with
 * TULLE_NEEDS_PLAN. A column's bits may depend on k, on its place in the multivector and on the
 * layouts. Other formats: as tulle_spmv.
 *
 * Memory: tulle_spmv_reserve is for tulle_spmv only, since the workspace of tulle_spmm grows with
 * k. The first call may enlarge the workspace, or make that list; later ones that need no more
 * allocate nothing. So before such a call is captured in a CUDA graph, make it once outside; the
 * rules of tulle_spmv for graphs then hold, and no call may enlarge the workspace while the graph
 * lives.
 *
 * X and Y may alternate in one array, as the columns of a row-major one, as long as no number is in
 * both: then layout and leading dimension are the same.
 *
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH,
 * TULLE_ALIASED (Y overlaps X, the matrix, or alpha or beta by address), TULLE_UNSUPPORTED (no
 * kernel for this combination, or the forced one cannot; a row-major multivector and A in neither
 * CSR nor BSR), TULLE_NEEDS_PLAN, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_spmm(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                                  const tulle_mat *A, const tulle_vec *X, tulle_scalar beta,
                                  tulle_vec *Y);

TULLE_END
#endif
