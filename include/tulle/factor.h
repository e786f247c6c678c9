/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Factors of sparse matrices, complete and incomplete, of scalars and of small dense blocks, and
 * solving with them.
 *
 * Let A' be P R A C P^T: A (n x n, CSR or BSR) with rows and columns scaled by the diagonal
 * matrices R and C and put in the order P, each of which may be left out. Then A' is about L U, or
 * L L^T, on a pattern that is chosen beforehand; entries that come up off that pattern are dropped,
 * so that on it (L U)_ij = A'_ij. With BSR all entries are blocks, L has identities on its
 * diagonal, and diagonal blocks of U are factorised with row exchanges inside the block, none
 * across blocks.
 *
 *     tulle_factor_create(ctx, A, &(tulle_factor_options){.fill = 0}, &F);     ILU(0)
 *     tulle_factor_solve(ctx, TULLE_N, tulle_num(1), F, b, x);                 x := (L U)^-1 b
 *     ... A gets new values ...
 *     tulle_factor_update(ctx, F, A);                                          no analysis again
 */
#ifndef TULLE_FACTOR_H
#define TULLE_FACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "reorder.h"
#include "status.h"
#include "trisolve.h"
#include "types.h"
#include "vec.h"

/** Factors L and U of a matrix, and what was found out of its pattern. */
typedef struct tulle_factor tulle_factor;

/** Kinds of factors of A. */
typedef enum tulle_factor_kind {
    TULLE_LU = 0,      /**< L U, L with ones (identities) on its diagonal */
    TULLE_CHOLESKY = 1 /**< L L^T, of symmetric A, of which one triangle is read; CSR alone */
} tulle_factor_kind;

/** Parts of A that are read. */
typedef enum tulle_reads {
    TULLE_READS_ALL = 0,   /**< all of A; for TULLE_CHOLESKY, the entries of P A P^T's lower
                                triangle */
    TULLE_READS_LOWER = 1, /**< lower triangle: A is symmetric, and entries (i, j) with j <= i
                                stand for (j, i), too. Of BSR, whole diagonal blocks are read */
    TULLE_READS_UPPER = 2  /**< upper triangle: A is symmetric, and entries (i, j) with j >= i
                                stand for (j, i), too. Of BSR, whole diagonal blocks are read */
} tulle_reads;

/**
 * The value of tulle_factor_options.fill that keeps all fill: the factors of A' are exact but for
 * rounding.
 */
enum { TULLE_FILL_ALL = -1 };

/** Options of a factorisation; zeros are the defaults: ILU(0) of A as it is. */
typedef struct tulle_factor_options {
    tulle_factor_kind kind; /**< kind of the factors */
    /**
     * Fill that is kept. 0: none; the factors have A's pattern and the diagonal. k: entries of
     * level k at most. Entries of A have level 0; an entry that comes up from l_ik u_kj has the sum
     * of the levels of these two, plus 1. TULLE_FILL_ALL: all fill, as if A's pattern were
     * symmetric.
     */
    int fill;
    tulle_reads reads;          /**< part of A that is read */
    const tulle_order *order;   /**< order P, for BSR of block rows; NULL: none. Copied */
    const tulle_vec *row_scale; /**< scaling R of the rows: n numbers of A's type in the
                                       context's memory, copied. NULL: ones */
    const tulle_vec *col_scale; /**< scaling C of the columns: n numbers of A's type in the
                                       context's memory, copied. NULL: ones */
    /** TULLE_LU: this share of what is dropped from a row, from 0 to 1, is taken off its diagonal
     * (block): with 1 it is modified ILU, and L U has the row sums of A'. */
    double modified;
    double shift; /**< diagonal entries of A' are multiplied by 1 + shift */
    /** Bound of tiny pivots, which are reported. A pivot is tiny unless it is larger than `tiny`
     * times the largest number of its (block) row of A', or than `tiny` itself where that row has
     * only zeros. 0: no pivot is tiny. For TULLE_CHOLESKY the pivot before its square root is
     * compared. */
    double tiny;
    /** true: the bound with which a tiny pivot was compared replaces the pivot, which keeps its
     * sign; `tiny` must be above 0. The bound is then at least the smallest normal number of the
     * factors' type, so that one can divide by it. false: a tiny pivot stays. */
    bool boost;
    bool inverted; /**< true: diagonal blocks of U (BSR) are stored inverted, so that solving is
                        faster, with an error that grows with the condition of these blocks */
    bool single;   /**< true: factors are stored and computed in f32 whatever A's type, and serve
                        f64 solves, too */
} tulle_factor_options;

/** Properties of factors. */
typedef struct tulle_factor_info {
    int64_t rows;           /**< number of rows, n */
    int block;              /**< number of rows of a block; 1: scalars */
    tulle_factor_kind kind; /**< kind of the factors */
    tulle_type type;        /**< type of the stored numbers */
    int64_t nnz_a;          /**< number of entries (blocks) of A */
    int64_t nnz_l;          /**< number of entries (blocks) of L, its diagonal not counted where
                                 it is ones */
    int64_t nnz_u;          /**< number of entries (blocks) of U, diagonal counted; 0 for
                                 TULLE_CHOLESKY */
    int64_t levels;         /**< number of rows of the longest chain of rows that wait for one
                                 another */
    int64_t bytes;          /**< bytes of the context's memory that the factors hold */
    double analysis_ms;     /**< time of finding the pattern, in milliseconds; 0: the analysis is
                                 shared with other factors */
    double flops;           /**< number of floating-point operations of computing the values, with
                                 TULLE_FILL_ALL; else 0: not counted */
} tulle_factor_info;

/** Pivots that the last computation of values met. Rows are A's, from 0. */
typedef struct tulle_factor_report {
    int64_t tiny;     /**< number of pivots that were tiny, though not bad; with boost, those
                           that it changed */
    int64_t tiny_row; /**< row of the first tiny pivot in the order of F, or -1 */
    int64_t bad;      /**< number of pivots that were zero, Inf or NaN, or, for TULLE_CHOLESKY,
                           negative */
    int64_t bad_row;  /**< row of the first bad pivot in the order of F, or -1 */
} tulle_factor_report;

TULLE_BEGIN

/** tulle_factor_create with the size of its options in bytes: bindings for other languages call it.
 */
TULLE_API tulle_status tulle_factor_create_sized(tulle_ctx *ctx, const tulle_mat *A,
                                                 const tulle_factor_options *options,
                                                 size_t options_size, tulle_factor **F);

/**
 * Finds the pattern of the factors and computes them. options NULL: all zeros.
 *
 * The kernel: the one that was forced (advanced.h), else the first of the default kernels that
 * takes the call, else a reference kernel, which takes all calls that are left.
 *
 * Error: |A' - L U| <= gamma(m + 2) |L| |U| + (m + 2) (1 + p) s on the pattern, m the rows that go
 * before, gamma(n) = n u / (1 - n u), u the unit roundoff and s the smallest positive number of the
 * factors' type, p, below the diagonal, the size of the pivot of the entry's column, or of the
 * largest number of its diagonal block, by which is divided, elsewhere 0. Of blocks m is twice the
 * scalar rows, |U| has in all of a diagonal block its largest number times the block size, and
 * where these are stored inverted, their largest condition goes on top. A' is meant as rounded to
 * that type; pivots that are boosted are perturbations of it on its diagonal, and so are the
 * numbers that modified takes off.
 *
 * Bitwise repeatable, for any number of threads. Synchronises: yes. Errors: TULLE_INVALID_ARGUMENT
 * (options), TULLE_SHAPE_MISMATCH (A is not square; P, R or C have not n numbers),
 * TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH (R or C), TULLE_UNSUPPORTED (A's format, or blocks that
 * are not square; TULLE_CHOLESKY of blocks; an entry stands twice, the record names the row),
 * TULLE_ZERO_PIVOT (a pivot is zero, Inf, NaN, or, for TULLE_CHOLESKY, negative, and is not
 * boosted: the record names A's row; where A has Inf or NaN, the first row with these, and where
 * A's numbers are beyond f32, which options.single asks for, the record says so), TULLE_TOO_LARGE,
 * TULLE_OUT_OF_MEMORY, TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 *
 * Source: ILU(k): J. A. Meijerink and H. A. van der Vorst 1977, I. Gustafsson 1978 (modified ILU);
 * Y. Saad, "Iterative Methods for Sparse Linear Systems", chapter 10. Blocks: I. Afanasyev and
 * others, "Accelerating industrial applications: the development of basic GPU kernels for the new
 * block AMG algorithms" (2015), section 3.4.
 */
TULLE_HOST_INLINE tulle_status tulle_factor_create(tulle_ctx *ctx, const tulle_mat *A,
                                                   const tulle_factor_options *options,
                                                   tulle_factor **F) {
    return tulle_factor_create_sized(ctx, A, options, sizeof(tulle_factor_options), F);
}

/**
 * The factors of another matrix with the pattern of F's (tulle_mat_with_values), with F's options
 * and F's analysis, which both share. Otherwise as tulle_factor_create; also TULLE_INVALID_ARGUMENT
 * where the pattern is another.
 */
TULLE_API tulle_status tulle_factor_create_like(tulle_ctx *ctx, const tulle_factor *F,
                                                const tulle_mat *A, tulle_factor **G);

/**
 * Computes F's values anew from A's, A having the pattern that F was made from. R and C stay.
 *
 * Neither synchronises nor allocates, nor looks at pivots: ask tulle_factor_status. May be captured
 * in a CUDA graph, which then uses the context's workspace. Errors: TULLE_INVALID_ARGUMENT (another
 * pattern), TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH (A had another type), TULLE_CANCELLED (on a
 * CPU; F's values are then of no use until another update), TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_factor_update(tulle_ctx *ctx, tulle_factor *F, const tulle_mat *A);

/**
 * Reports the pivots of the last computation of F's values. Synchronises: yes. Errors:
 * TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_factor_status(tulle_ctx *ctx, const tulle_factor *F,
                                           tulle_factor_report *report);

/** Describes F. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_factor_describe(const tulle_factor *F, tulle_factor_info *info);

/**
 * X := alpha op(M)^-1 B, M being R^-1 P^T L U P C^-1, which is about A, as L U is about
 * A' = P R A C P^T: so M^-1 = C P^T (L U)^-1 P R. B and X are n x k in any layouts, possibly the
 * same array. f32 factors take f64 B and X.
 *
 * Neither synchronises nor allocates after the first call with this op and k: may then be captured.
 * One solve at a time for one F. Otherwise, and errors, as tulle_trisolve.
 */
TULLE_API tulle_status tulle_factor_solve(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                                          tulle_factor *F, const tulle_vec *B, tulle_vec *X);

/**
 * Finds now what the first solve with op would find: the levels of L's and U's rows, O(n + entries)
 * on the context's device, kept with F's pattern. A second call finds nothing anew.
 *
 * Synchronises: yes. Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY,
 * TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_factor_analyse(tulle_ctx *ctx, tulle_trans op, tulle_factor *F);

/** Solves with one factor, without the order and the scalings of F: X := alpha op(L)^-1 B for part
 * TULLE_LOWER, X := alpha op(U)^-1 B for TULLE_UPPER. For TULLE_CHOLESKY U is L^T. Otherwise as
 * tulle_factor_solve. */
TULLE_API tulle_status tulle_factor_solve_part(tulle_ctx *ctx, tulle_part part, tulle_trans op,
                                               tulle_scalar alpha, tulle_factor *F,
                                               const tulle_vec *B, tulle_vec *X);

/**
 * Copies of L and of U as matrices of F's block size and type: L with its ones (of TULLE_CHOLESKY:
 * with its diagonal), U with its diagonal; blocks of U's diagonal multiplied out, or inverted back,
 * in f64, and rounded. Of blocks the last one is whole, with ones beyond A's rows. Either may be
 * NULL; U must be for TULLE_CHOLESKY. Made by the host.
 * Synchronises: yes. Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY,
 * TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_factor_export(tulle_ctx *ctx, const tulle_factor *F, tulle_mat **L,
                                           tulle_mat **U);

/** Gives up factors; NULL is fine. They go with their last owner: operators made from them keep
 * them. Synchronises as tulle_mat_destroy. */
TULLE_API void tulle_factor_destroy(tulle_factor *F);

TULLE_END
#endif
