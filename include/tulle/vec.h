/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Vectors and multivectors: n x k numbers, row- or column-major, with a leading dimension; a vector
 * has k = 1. First the object, then operations of iterative methods beside sparse products: sums,
 * norms, inner products, and products with small dense matrices. The operations take columns one by
 * one, so that a function for vectors is one for all columns of a multivector at once.
 *
 * Operands of one call may differ in layout and leading dimension. Unless a function says
 * otherwise, its output may be one of its inputs (the same array, layout and leading dimension),
 * and overlaps none in another way. No operation allocates in a call that is like an earlier one in
 * the same context, and none but tulle_vec_qr waits unless a result goes to the host: so a call can
 * be captured in a CUDA graph, which then uses the context's workspace, as tulle_spmv does
 * (spmv.h). Bitwise repeatable, on a CPU for any number of threads; on a GPU the bits are those of
 * shape, layouts and types alone.
 */
#ifndef TULLE_VEC_H
#define TULLE_VEC_H

#include <stdint.h>

#include "context.h"
#include "export.h"
#include "status.h"
#include "types.h"

/** A multivector; a vector is one with k = 1. */
typedef struct tulle_vec tulle_vec;

/** Shape and place of a multivector. */
typedef struct tulle_vec_info {
    int64_t rows;          /**< number of rows, n */
    int64_t cols;          /**< number of columns, k */
    int64_t ld;            /**< leading dimension, in elements */
    tulle_type type;       /**< type of the numbers */
    tulle_layout layout;   /**< order of the numbers in memory */
    tulle_backend backend; /**< kind of place where the multivector lives */
    int64_t bytes;         /**< bytes of the array, gaps between columns or rows included */
    void *data;            /**< the array, in the memory where the multivector lives */
} tulle_vec_info;

TULLE_BEGIN

/**
 * A multivector of n x k numbers of the context's memory, not initialised.
 *
 * @param ld leading dimension, or 0 for the smallest (n column-major, k row-major).
 *
 * Does not synchronise. Errors: TULLE_INVALID_ARGUMENT, TULLE_TOO_LARGE, TULLE_OUT_OF_MEMORY.
 */
TULLE_API tulle_status tulle_vec_create_columns(tulle_ctx *ctx, tulle_type type, int64_t rows,
                                                int64_t cols, tulle_layout layout, int64_t ld,
                                                tulle_vec **X);

/** A vector of n numbers: tulle_vec_create_columns with k = 1, column-major. */
TULLE_API tulle_status tulle_vec_create(tulle_ctx *ctx, tulle_type type, int64_t n, tulle_vec **x);

/**
 * Makes a multivector around an array of the caller. The array is in the context's memory, is
 * aligned to its type, and outlives the multivector. Errors: as tulle_vec_create_columns.
 */
TULLE_API tulle_status tulle_vec_wrap(tulle_ctx *ctx, tulle_type type, int64_t rows, int64_t cols,
                                      tulle_layout layout, int64_t ld, void *data, tulle_vec **X);

/**
 * Points a multivector that tulle_vec_wrap made at another array of the caller, of the same shape,
 * layout and leading dimension. A binding for another language so calls a function again and again
 * without making a multivector each time. Work in flight goes on with the old array, and so does a
 * CUDA graph. Does not synchronise. Errors: TULLE_INVALID_ARGUMENT (X or data NULL, data not
 * aligned to the type, a multivector whose memory is the context's); X then stays as it was.
 */
TULLE_API tulle_status tulle_vec_point(tulle_vec *X, void *data);

/** Gives up a multivector; NULL is fine. */
TULLE_API void tulle_vec_destroy(tulle_vec *X);

/** Tells shape and place of a multivector. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_vec_describe(const tulle_vec *X, tulle_vec_info *info);

/**
 * Copies the caller's host array, of the same layout and with leading dimension @a ld (0: the
 * smallest), into the multivector. Synchronises: yes.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_vec_write(tulle_ctx *ctx, tulle_vec *X, const void *host, int64_t ld);

/** Copies the multivector to the caller's host array; otherwise as tulle_vec_write. */
TULLE_API tulle_status tulle_vec_read(tulle_ctx *ctx, const tulle_vec *X, void *host, int64_t ld);

/**
 * Sets every number to @a value. Does not synchronise.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_vec_fill(tulle_ctx *ctx, tulle_vec *X, double value);

/**
 * Sets every number to a random one of (-1, 1), the same for the same seed on every device.
 * Does not synchronise. Errors: as tulle_vec_fill.
 */
TULLE_API tulle_status tulle_vec_random(tulle_ctx *ctx, tulle_vec *X, uint64_t seed);

/**
 * The place for results, one for each column: host numbers, for which the call waits, or an array
 * in the context's memory, of the operation's type. Make one with tulle_to_num or tulle_to_at.
 */
typedef struct tulle_result {
    double *number; /**< numbers on the host, where address is NULL */
    void *address;  /**< array in the context's memory, or NULL */
} tulle_result;

/** Results as numbers on the host, which hold those of f32 exactly. Makes the call wait. */
TULLE_INLINE tulle_result tulle_to_num(double *number) {
    tulle_result r;
    r.number = number;
    r.address = 0;
    return r;
}

/** Results in the context's memory, written when the operation runs. They overlap no operand. */
TULLE_INLINE tulle_result tulle_to_at(void *address) {
    tulle_result r;
    r.number = 0;
    r.address = address;
    return r;
}

/**
 * Y := alpha X + Y, n x k both.
 *
 * Error: |Y - exact| <= gamma(2) (|alpha X| + |Y0|) + s, element by element, gamma(n) = n u / (1 -
 * n u), u the unit roundoff, s the smallest positive number of the type. alpha == 0 still
 * propagates Inf and NaN of X.
 *
 * Does not synchronise. Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH,
 * TULLE_TYPE_MISMATCH, TULLE_ALIASED (Y overlaps X and is not X, or a scalar by address),
 * TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_vec_axpy(tulle_ctx *ctx, tulle_scalar alpha, const tulle_vec *X,
                                      tulle_vec *Y);

/**
 * Y := alpha X + beta Y. With beta == 0, Y is not read: NaN there does not matter.
 * Error: |Y - exact| <= gamma(2) (|alpha X| + |beta Y0|) + 2 s. Otherwise as tulle_vec_axpy.
 */
TULLE_API tulle_status tulle_vec_axpby(tulle_ctx *ctx, tulle_scalar alpha, const tulle_vec *X,
                                       tulle_scalar beta, tulle_vec *Y);

/** X := alpha X, each number rounded once. alpha == 0 keeps NaN. Otherwise as tulle_vec_axpy. */
TULLE_API tulle_status tulle_vec_scale(tulle_ctx *ctx, tulle_scalar alpha, tulle_vec *X);

/**
 * Y := X, into another layout or leading dimension too, and from f32 to f64 (exact) or back (each
 * number rounded once). Otherwise as tulle_vec_axpy.
 */
TULLE_API tulle_status tulle_vec_copy(tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y);

/** Z := X Y, element by element, each rounded once. Otherwise as tulle_vec_axpy. */
TULLE_API tulle_status tulle_vec_multiply(tulle_ctx *ctx, const tulle_vec *X, const tulle_vec *Y,
                                          tulle_vec *Z);

/**
 * Z := X / Y, element by element, each rounded once; division by 0 gives Inf or NaN, as IEEE 754
 * has it. Otherwise as tulle_vec_axpy.
 */
TULLE_API tulle_status tulle_vec_divide(tulle_ctx *ctx, const tulle_vec *X, const tulle_vec *Y,
                                        tulle_vec *Z);

/**
 * result[c] := the inner product of the columns c of X and Y (n x k both, possibly the same); 0
 * where n is 0.
 *
 * Summed in f64, for f32 too, in pieces of some thousands of numbers, whose number and order the
 * shape alone gives. Error: |result - exact| <= u |exact| + gamma(m) |X|^T |Y| + n s, u the unit
 * roundoff of the type, gamma(m) and s those of f64, m <= 600 + n / 2^11.
 *
 * Synchronises where the results go to the host. Errors: as tulle_vec_axpy (TULLE_ALIASED: the
 * results overlap X or Y), and TULLE_OUT_OF_MEMORY where the workspace grows.
 */
TULLE_API tulle_status tulle_vec_dot(tulle_ctx *ctx, const tulle_vec *X, const tulle_vec *Y,
                                     tulle_result result);

/**
 * Y := alpha X + Y, and result[c] := the inner product of column c of Z and of the new Y; Z may be
 * Y: then it is the square of its norm. One pass over the arrays where two calls need two; the same
 * bits as of tulle_vec_axpy and then tulle_vec_dot. Otherwise as these; the results must not
 * overlap alpha either (TULLE_ALIASED).
 */
TULLE_API tulle_status tulle_vec_axpy_dot(tulle_ctx *ctx, tulle_scalar alpha, const tulle_vec *X,
                                          tulle_vec *Y, const tulle_vec *Z, tulle_result result);

/**
 * result[c] := the 2-norm of column c; 0 where n is 0, Inf or NaN where the column has one.
 *
 * Squares neither overflow nor vanish: in f64 large and small numbers have scaled sums of their own
 * (J. L. Blue, "A portable Fortran program to find the Euclidean norm of a vector", 1978), in the
 * same pass. Error: |result - exact| <= (3 u + gamma(m) / 2) exact + s, m as for tulle_vec_dot.
 * Otherwise as tulle_vec_dot.
 */
TULLE_API tulle_status tulle_vec_norm2(tulle_ctx *ctx, const tulle_vec *X, tulle_result result);

/** result[c] := the largest |x| of column c, exactly; NaN where it has one. As tulle_vec_dot. */
TULLE_API tulle_status tulle_vec_norm_max(tulle_ctx *ctx, const tulle_vec *X, tulle_result result);

/**
 * Y := alpha X A + beta Y: X n x k1, A k1 x k2, Y n x k2, all dense, of one type and in the
 * context's memory. Any k1 and k2; up to 32 X is read once. With beta == 0, Y is not read.
 *
 * Error: |Y - exact| <= gamma(k1 + 3) (|alpha| |X| |A| + |beta| |Y0|) + (k1 + 2) (1 + |alpha|) s,
 * plus, for each further 32 of k1, gamma(2) of the same. Y overlaps none of the others.
 *
 * Does not synchronise. Errors: as tulle_vec_axpy. Source: DAXPY of I. Afanasyev and others,
 * "Accelerating industrial applications: the development of basic GPU kernels for the new block AMG
 * algorithms" (2015).
 */
TULLE_API tulle_status tulle_vec_combine(tulle_ctx *ctx, tulle_scalar alpha, const tulle_vec *X,
                                         const tulle_vec *A, tulle_scalar beta, tulle_vec *Y);

/**
 * R := alpha X^T Z + beta R: X n x k1, Z n x k2, possibly the same, R k1 x k2, all dense, of one
 * type and in the context's memory. Any k1 and k2; up to 32 X and Z are read once. With beta == 0,
 * R is not read.
 *
 * Sums are in f64; a CPU adds up 128 rows at a time in the type. Error: |R - exact| <= gamma(700)
 * |alpha| |X|^T |Z| + gamma(3) |beta| |R0| + (n + 2) (1 + |alpha|) s, and for n above 2^22, in f64,
 * gamma(n / 2^13) of the same more. R overlaps none of the others.
 *
 * Does not synchronise. Errors: as tulle_vec_dot. Source: DOT of the same paper.
 */
TULLE_API tulle_status tulle_vec_inner(tulle_ctx *ctx, tulle_scalar alpha, const tulle_vec *X,
                                       const tulle_vec *Z, tulle_scalar beta, tulle_vec *R);

/**
 * X = Q R: X n x k with n >= k, k from 1 to 32, becomes Q, whose columns are orthonormal; R k x k
 * gets the upper triangular factor, and zeros below its diagonal.
 *
 * A column that depends on those before it, to 1000 k u of its length, has 0 on R's diagonal, and
 * some other vector, orthogonal to all, in its place in Q. Where X has NaN or Inf, it stays as it
 * is, and R may be any numbers. Columns may have numbers anywhere in the type, subnormal ones, too;
 * a number of R that is beyond its ends, since a column's length is, is Inf.
 *
 * Error, u the unit roundoff and s the smallest positive number of the type: |Q^T Q - I| <= 30 k u
 * in each number, and for each column x of X |x - Q r| <= 30 k u |x| + k s in the 2-norm, and 1000
 * k u |x| more for one that depends. Numbers of R are rounded to whole multiples of s.
 *
 * @param rank how many columns do not depend on those before them; -1 where X has NaN or Inf; may
 *             be NULL
 *
 * Synchronises: yes. Takes memory for another X, and for one more where columns are much alike.
 * Bitwise repeatable. Errors: as tulle_vec_dot; TULLE_SHAPE_MISMATCH. Sources: T. Fukaya and
 * others, "CholeskyQR2" (2014); where X is ill-conditioned, Gram-Schmidt's method column by column,
 * twice.
 */
TULLE_API tulle_status tulle_vec_qr(tulle_ctx *ctx, tulle_vec *X, tulle_vec *R, int *rank);

TULLE_END
#endif
