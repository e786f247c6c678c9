/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The product of a sparse matrix and a vector.
 */
#ifndef TULLE_SPMV_H
#define TULLE_SPMV_H

#include <stddef.h>

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "status.h"
#include "types.h"
#include "vec.h"

TULLE_BEGIN

/**
 * y := alpha op(A) x + beta y
 *
 * Shapes: A m x n; x n and y m for TULLE_N, x m and y n for TULLE_T; x and y are vectors (k = 1) of
 * A's value type, apart from each other in memory. With beta == 0, y is not read: NaN there does
 * not matter. alpha == 0 still propagates Inf and NaN of A and x.
 *
 * The kernel: the one that was forced (advanced.h), else the plan's, else the rule's, else the
 * format's reference kernel, which takes all calls that are left.
 *
 * Error: |y - exact| <= gamma(n_i + 2) (|alpha| |A| |x| + |beta| |y0|) + (n_i + 2) (1 + |alpha|) s,
 * number by number, n_i the entries of the row of op(A), gamma(n) = n u / (1 - n u), u the unit
 * roundoff, s the smallest positive number of the type (2^-149 or 2^-1074), where neither |A| |x|
 * nor the terms with alpha and beta overflow. The last term is the error of underflow: entries are
 * multiplied by x first and by alpha afterwards, for TULLE_T too, so that alpha x or alpha A may
 * be as small as they like, while products of A and x below the normal numbers lose bits that a
 * large alpha makes visible.
 *
 * On a CPU with AVX-512 the first call of a process that chooses a kernel also finds out whether
 * vectors of 512 bits or of 256 are faster, except under the repeatable setting: from the user's
 * cache file (tune.h), or in 200 microseconds of measuring, which it adds to such a file. Both add
 * in the same order, so that no result depends on the width.
 *
 * Does not synchronise, unless its first call enlarges the workspace. Allocates nothing from the
 * second call for the same A and op on, nor in the first one after tulle_spmv_reserve or the
 * building of a plan for it in the same context; then it can be captured in a CUDA graph. Such a
 * graph uses the context's workspace, the plan and the arrays: while it lives, make no larger
 * product in the context, trim nothing and forget no plan. On a CPU one of the first products
 * TULLE_T may allocate again: shares of columns, which change no bits (src/spmv/README.md).
 * Deterministic: TULLE_N, bitwise, for any number of threads; TULLE_T of CSR with a plan. On a GPU
 * an unplanned TULLE_T, and TULLE_N of CSC and of COO whose rows do not ascend, may use atomics;
 * under the repeatable setting these fail instead, with TULLE_NEEDS_PLAN (CSR) or
 * TULLE_UNSUPPORTED.
 *
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH,
 * TULLE_ALIASED (y overlaps x, the matrix, or alpha or beta by address), TULLE_UNSUPPORTED (no
 * kernel for this combination, or the forced one cannot), TULLE_NEEDS_PLAN, TULLE_OUT_OF_MEMORY,
 * TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_spmv(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                                  const tulle_mat *A, const tulle_vec *x, tulle_scalar beta,
                                  tulle_vec *y);

/**
 * Makes the context's workspace large enough for tulle_spmv with op(A) as it would be served now,
 * and settles its kernel, so that the first product allocates nothing: before it is captured in a
 * CUDA graph, or where it must not fail for want of memory.
 *
 * May synchronise, where the workspace grows. Errors: TULLE_INVALID_ARGUMENT,
 * TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_spmv_reserve(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A);

/**
 * Says in words what tulle_spmv would run op(A) x on now, with beta == 0, and why: the matrix, the
 * kernel with its parameters and who chose it, the bytes that it moves, the time that the machine
 * needs for the fewest bytes (where tulle_ctx_copy_bandwidth, advanced.h, has measured it), the
 * plan, and the costs of the other kernels by their models. English, lines of at most 100
 * characters, each with its end; for people: the words may change in any release.
 *
 * @param text   @a room bytes, filled as far as they go and always ended by a 0; NULL where room
 *               is 0.
 * @param length how many bytes the whole text has, without the 0: when it is not below @a room, the
 *               text was cut. May be NULL.
 *
 * Does not synchronise, measures nothing but the width of vectors, as tulle_spmv does. Errors:
 * those of tulle_spmv that do not need x and y, and TULLE_OUT_OF_MEMORY.
 */
TULLE_API tulle_status tulle_spmv_explain(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                                          char *text, size_t room, size_t *length);

TULLE_END
#endif
