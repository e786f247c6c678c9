/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The product of two sparse matrices.
 */
#ifndef TULLE_SPGEMM_H
#define TULLE_SPGEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "status.h"
#include "types.h"

/** Options of tulle_spgemm; zero-initialise for the defaults. */
typedef struct tulle_spgemm_options {
    bool unsorted;         /**< true: the columns of a row of C may stand in any order, which may be
                                faster; with D they rise all the same */
    bool index_given;      /**< true: C has the index type `index`, or the call fails; false: C's
                                columns have the wider index type of A and B (and of D and mask),
                                and its offsets have 64 bits where 32 cannot count its entries */
    tulle_index index;     /**< index type of C where index_given is true */
    const tulle_mat *D;    /**< D of C := the product + beta D; NULL: the product alone. Shape and
                                value type are C's, format and index type any, columns in any order
                                and repeated */
    tulle_scalar beta;     /**< factor beta of D; made with tulle_num or tulle_at */
    const tulle_mat *mask; /**< mask of the product, which is computed only at the places where the
                                mask has an entry, whatever the entry's value; NULL: everywhere.
                                Shape is C's, value type, format and index type any, columns in any
                                order and repeated */
} tulle_spgemm_options;

/** Sizes and times of a product by tulle_spgemm. Times in milliseconds. */
typedef struct tulle_spgemm_report {
    const char *kernel;      /**< name of the kernel; static storage */
    char params[96];         /**< parameters of the kernel, "" where it has none */
    int64_t products;        /**< number of multiplications: for each entry of A, the entries of B's
                                  row. With a mask, a row of A counts only if the same row of the
                                  mask has an entry, and some of the multiplications that are counted
                                  are not made. If tulle_spgemm_galerkin works in groups of rows,
                                  multiplications that it repeats count each time */
    int64_t nnz;             /**< number of entries of C */
    int64_t bound_bytes;     /**< largest number of bytes of the place's memory that the call may
                                  have needed, as known before C's entries were counted; blocks that
                                  the context kept from earlier may be larger than what was asked
                                  for, and are not in it */
    int64_t predicted_bytes; /**< part of bound_bytes that was left when C's entries had been
                                  counted and C had no memory yet */
    int64_t peak_bytes;      /**< largest number of bytes of the place's memory that the call
                                  held at a time, C included, operands not */
    int64_t pieces;          /**< number of pieces that C was made in: several only where the
                                  context's cap does not let it be made at once. Of
                                  tulle_spgemm_galerkin the pieces of both products are counted
                                  together, so that each group of C's rows has two or more */
    double operands_ms;      /**< time of bringing A and B into sorted CSR with one index type, in
                                milliseconds */
    double analysis_ms; /**< time of counting the multiplications of each row and sorting rows by
                           kind, in milliseconds */
    double count_ms;    /**< time of counting the entries of each row of C; for a kernel that
                             computes C before it has memory for C, time of that computation; in
                             milliseconds */
    double allocate_ms; /**< time of getting memory for C, in milliseconds */
    double compute_ms;  /**< time of computing columns and values, or of moving them into C, in
                           milliseconds */
    double finish_ms;   /**< time of computing statistics of C, in milliseconds */
    double add_ms;      /**< time of adding D, with C's statistics, in milliseconds; 0 without D */
    double total_ms;    /**< time of the whole call, in milliseconds */
} tulle_spgemm_report;

/**
 * Bounds of the work and memory of a product; see tulle_spgemm_forecast and
 * tulle_spgemm_galerkin_forecast.
 */
typedef struct tulle_spgemm_bounds {
    const char *kernel; /**< name of the kernel that would make the product; static storage */
    char params[96];    /**< parameters of the kernel, "" where it has none */
    int64_t products;   /**< number of multiplications, as the report counts them, of a triple
                             product those of both; -1: not known under the context's cap */
    int64_t nnz;        /**< largest number of entries that C may have; -1: not known */
    int64_t bytes;      /**< largest number of bytes of the place's memory that the call may
                             need, with C and without A and B: bound_bytes of its report */
} tulle_spgemm_bounds;

TULLE_BEGIN

/** tulle_spgemm with the size of its options in bytes: bindings for other languages call it. */
TULLE_API tulle_status tulle_spgemm_sized(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                          tulle_scalar alpha, const tulle_mat *A,
                                          const tulle_mat *B, const tulle_spgemm_options *options,
                                          size_t options_size, tulle_spgemm_report *report,
                                          tulle_mat **C);

/**
 * C := alpha op(A) op(B) + beta D
 *
 * D is given in the options, and may be left out. A^T A and A A^T are op_A and op_B of one matrix
 * given twice, whose transpose the caller need not have.
 *
 * Shapes: op(A) m x l, op(B) l x n, C and D m x n; all of one value type. A and B may
 * be in any format, with different index types, their columns in any order and repeated. An operand
 * that is not CSR with the common index type, and a B whose columns do not rise, is first
 * converted, in memory of the context that the call gives back. Of operands that are a pattern
 * alone (tulle_mat_options) every entry is 1, so that C of two such counts the products that meet
 * in each of its entries.
 *
 * Hypersparse operands: a product has three kinds of rows and columns, the rows of C, the columns
 * of C, and the columns of op(A), which are the rows of op(B). A kind takes memory for its entries
 * alone if there are at least 2^30 of its rows or columns, fewer than one in sixteen of them can
 * have an entry, and no operand has a table of all of them (CSR has a table of its rows; DCSR and
 * COO have no tables). C is in DCSR if the rows of C are such a kind, else in CSR.
 *
 * C is a new CSR matrix of the context, with an entry wherever a product meets, also where the sum
 * is zero, or D has one; the columns of each row rise (options: unsorted). alpha == 0 and beta == 0
 * keep the pattern, and propagate Inf and NaN. With D the product is made first, without the
 * statistics of a finished matrix, then added to D as tulle_add does, and freed: its memory comes
 * on top of C's.
 *
 * In blocks: where A and B are BSR without padding, blocks of op(A) have as many columns as those
 * of op(B) have rows, and the options have neither D nor a mask, C is a BSR matrix without padding,
 * with blocks of the rows of op(A)'s and the columns of op(B)'s. It has the entries and the bits
 * that it has as CSR, from the pattern of blocks alone, and each number of a block is read once
 * for a row of numbers. A kernel of the operation "blocks" computes the values, and a kernel for
 * products without a mask the pattern. Under a cap on memory the pattern may be made in pieces, and
 * C's values must fit beside it. Blocks with padding, and blocks of 1 x 1, are multiplied as CSR.
 *
 * With a mask, given in the options, the product is op(A) op(B) at the places where the mask has an
 * entry, and has an entry at those of these places where a product meets: C := alpha (op(A) op(B))
 * on the mask + beta D, where D is not masked. Each value has the bits that it has without a mask.
 * Memory follows the entries of the mask, never those of the whole product. The number of triangles
 * of a graph is the sum of the entries of (L L) on L, where L is the part of the adjacency matrix
 * below the diagonal (tulle_mat_part), as a pattern alone; examples/triangles.c counts them.
 * Kernels of masked products are an operation of their own, "masked" (tulle_kernel_info): a kernel
 * that is forced for products without a mask is not asked. tulle_spgemm_update does not take C of a
 * masked product, because C may lack entries of the whole product.
 *
 * The kernel: the one that was forced (advanced.h), else the first of the default kernels that
 * takes the call, else a reference kernel, which takes all calls that are left.
 *
 * Error: |C - exact| <= gamma(p_ij + 1) |alpha| (|A| |B|)_ij + (p_ij + 1) (1 + |alpha|) s, p_ij the
 * products that meet in entry (i, j), s the smallest positive number; with repeated columns in B,
 * p_ij counts their products, too. The sum is multiplied by alpha. With D: <= gamma(n_ij + 1)
 * (|alpha| |A| |B| + |beta| |D|)_ij + (n_ij + 1) (1 + |alpha|) s, n_ij the larger of p_ij + 1 and
 * the entries that D has in place (i, j), |D| of repeated ones the sum of their magnitudes.
 *
 * Deterministic: bitwise, for any number of threads, each entry adding its products in the order of
 * A's row; but for a kernel that is forced and says it is not (tulle_kernel_info), which the
 * repeatable setting refuses. Only the sign of a zero depends on the kernel that is chosen: where
 * all products of an entry are -0, a CPU's kernels, spgemm_esc and spgemm_bhsparse store -0, and a
 * GPU's others, which add to 0, may store 0.
 *
 * Under a cap on the context's memory, a product that does not fit is made in pieces, rows of A
 * and, where one row takes too much, columns of B: C has the same bits, of a repeatable kernel
 * (unsorted columns may stand in another order), and all is counted twice. C must fit and, beside
 * it, the memory for some columns of a single row: some kilobytes, on a CPU a hundred for each
 * thread, and for each entry of A's row 8 bytes with 32-bit indices, 16 with 64-bit ones, 12 with
 * TULLE_I64_I32. With D, where the whole product does not fit beside C, groups of C's rows are
 * multiplied and added to those of D, first to count them and then into C: a row of the product and
 * of the sum must then fit beside C. Operands and D that are converted first are converted as a
 * whole. A kernel that is forced to make all rows at once, as it was published (spgemm_esc:slice=0,
 * spgemm_bhsparse:slice=0), does not take pieces: the call fails.
 *
 * @param options NULL for the defaults.
 * @param report  sizes and times of the call; NULL: not wanted. With it, the call waits for the
 *                device between its phases, to time them.
 *
 * Synchronises: yes: for the sizes of the work and of C, and for C's statistics; more often where
 * operands are converted, or with a report.
 * Progress is told when a phase ends, on a CPU also every few million products, and cancelling
 * leaves A, B and D as they were. Source: F. Gustavson, Two fast algorithms for sparse matrices,
 * 1978; on a GPU each kernel names its own.
 *
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH,
 * TULLE_TOO_LARGE (the index type that was asked for cannot hold C, which is said before C is
 * allocated; op(A), op(B), D or the mask is no CSR matrix yet, and no memory has room for a table
 * of its rows), TULLE_UNSUPPORTED (the forced kernel cannot), TULLE_OUT_OF_MEMORY (where no piece
 * of the product, or C, fits below the context's cap, the record tells a cap that suffices, if the
 * call came far enough to know one; where memory before pieces does not fit, for operands that are
 * converted or P^T, it tells how much was in use and how much more was asked for; without a cap, on
 * a CPU, also where C, once its entries are counted, takes more than this machine's available
 * memory), TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 */
TULLE_HOST_INLINE tulle_status tulle_spgemm(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                            tulle_scalar alpha, const tulle_mat *A,
                                            const tulle_mat *B, const tulle_spgemm_options *options,
                                            tulle_spgemm_report *report, tulle_mat **C) {
    return tulle_spgemm_sized(ctx, op_A, op_B, alpha, A, B, options, sizeof(tulle_spgemm_options),
                              report, C);
}

/** tulle_spgemm_forecast with the size of its options in bytes: bindings for other languages call
 * it. */
TULLE_API tulle_status tulle_spgemm_forecast_sized(
    tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B, const tulle_mat *A, const tulle_mat *B,
    const tulle_spgemm_options *options, size_t options_size, tulle_spgemm_bounds *bounds);

/**
 * Forecasts C := alpha op(A) op(B) + beta D by tulle_spgemm: the work, and bounds of C's entries
 * and of memory
 *
 * Shapes, operands and options: as for tulle_spgemm. The kernel that would run does the first of
 * its phases, which counts products, and stops; D is converted as tulle_spgemm would; nothing is
 * kept. C has at most an entry for each product, or for each entry of the mask, and each entry of
 * D, and at most rows times columns. tulle_spgemm then needs at most bytes, unless other kernels
 * are forced or the cap changes in between; blocks that the context kept from earlier may be larger
 * than the requests, and are not in it. Where bytes is all that the context's cap leaves, the
 * product is made in pieces; products and nnz are -1 where it does not even leave the memory for
 * counting products.
 *
 * Synchronises: yes. Deterministic. Can be cancelled as tulle_spgemm.
 *
 * Errors: as tulle_spgemm.
 */
TULLE_HOST_INLINE tulle_status tulle_spgemm_forecast(tulle_ctx *ctx, tulle_trans op_A,
                                                     tulle_trans op_B, const tulle_mat *A,
                                                     const tulle_mat *B,
                                                     const tulle_spgemm_options *options,
                                                     tulle_spgemm_bounds *bounds) {
    return tulle_spgemm_forecast_sized(ctx, op_A, op_B, A, B, options, sizeof(tulle_spgemm_options),
                                       bounds);
}

/** tulle_spgemm_galerkin with the size of its options in bytes: bindings for other languages call
 * it. */
TULLE_API tulle_status tulle_spgemm_galerkin_sized(tulle_ctx *ctx, tulle_scalar alpha,
                                                   const tulle_mat *A, const tulle_mat *P,
                                                   const tulle_spgemm_options *options,
                                                   size_t options_size, tulle_spgemm_report *report,
                                                   tulle_mat **C);

/**
 * C := alpha P^T A P + beta D
 *
 * A coarse matrix of a multigrid method (Galerkin's), from a caller who need not have P^T. D is
 * given in the options, and may be left out.
 *
 * Shapes: A n x n, P n x m, C and D m x m; there is no mask; all of one value type, in any format,
 * with different index types, columns in any order and repeated, as for tulle_spgemm. A P is made
 * first, without the statistics of a finished matrix, then P^T, then their product: all of these in
 * memory of the context that the call gives back. A kernel that is forced makes both products.
 *
 * C is as tulle_spgemm makes it of P^T and A P, with an entry wherever products p_ki a_kl p_lj
 * meet; its index type follows the same rule for A and P, but offsets have 64 bits also where 32
 * cannot count the entries of A P, unless index_given says otherwise.
 *
 * Error: |C - exact| <= gamma(p_ij + 2) |alpha| (|P|^T |A| |P|)_ij +
 * (p_ij + 2) (1 + |alpha|) (1 + |P|max) s, p_ij the products p_ki a_kl p_lj that meet in entry
 * (i, j), |P|max the largest magnitude in P, s the smallest positive number: entry (k, j) of A P
 * adds r of them, with r roundings, and C's entry adds q of these, with q + 1 more, where q + r <=
 * p_ij + 1; repeated columns of A and P add theirs, too. With D: <= gamma(n_ij + 1) (|alpha|
 * |P|^T |A| |P| + |beta| |D|)_ij + (n_ij + 1) (1 + |alpha|) (1 + |P|max) s, n_ij the larger of
 * p_ij + 2 and the entries that D has there. A is not taken for symmetric: C of a symmetric A is
 * so but for rounding.
 *
 * Deterministic: bitwise, for any number of threads, as tulle_spgemm; the same bits as those of
 * tulle_spgemm with A and P, and of tulle_spgemm with P transposed and that product.
 *
 * Under a cap on the context's memory each of the two products may be made in pieces, as
 * tulle_spgemm does. Where A P does not fit, or not beside P^T and C, groups of C's rows are made
 * one after the other, first to count them and then into C: of A P only the rows that the group
 * meets, once for each entry of P^T in it, so that some are computed several times. C has the same
 * bits. P^T and C must fit and, beside these, the memory for one row of C: the rows of A that it
 * meets, and their product with P. Offsets then have 64 bits only where C's entries ask for it.
 *
 * @param options NULL for the defaults.
 * @param report  sizes and times of both products together, with P^T; products: of both; NULL: not
 *                wanted. With it, the call waits for the device between its phases, to time them.
 *
 * Synchronises, progress, cancelling, source and errors: as tulle_spgemm.
 */
TULLE_HOST_INLINE tulle_status tulle_spgemm_galerkin(tulle_ctx *ctx, tulle_scalar alpha,
                                                     const tulle_mat *A, const tulle_mat *P,
                                                     const tulle_spgemm_options *options,
                                                     tulle_spgemm_report *report, tulle_mat **C) {
    return tulle_spgemm_galerkin_sized(ctx, alpha, A, P, options, sizeof(tulle_spgemm_options),
                                       report, C);
}

/** tulle_spgemm_galerkin_forecast with the size of its options in bytes: bindings for other
 * languages call it. */
TULLE_API tulle_status tulle_spgemm_galerkin_forecast_sized(tulle_ctx *ctx, const tulle_mat *A,
                                                            const tulle_mat *P,
                                                            const tulle_spgemm_options *options,
                                                            size_t options_size,
                                                            tulle_spgemm_bounds *bounds);

/**
 * Forecasts C := alpha P^T A P + beta D by tulle_spgemm_galerkin: the work, and bounds of C's
 * entries and of memory
 *
 * Shapes, operands and options: as for tulle_spgemm_galerkin. The multiplications of P^T (A P) can
 * be counted only when A P exists. So A P and P^T are made, as the call itself makes them, and
 * given back: the forecast takes the time and memory of the first product, not of the second. The
 * rest is as of tulle_spgemm_forecast: tulle_spgemm_galerkin then needs at most bytes; products and
 * nnz are -1 where the context's cap does not leave the memory for A P, P^T and counting products.
 *
 * Synchronises: yes. Deterministic. Can be cancelled as tulle_spgemm_galerkin.
 *
 * Errors: as tulle_spgemm_galerkin.
 */
TULLE_HOST_INLINE tulle_status tulle_spgemm_galerkin_forecast(tulle_ctx *ctx, const tulle_mat *A,
                                                              const tulle_mat *P,
                                                              const tulle_spgemm_options *options,
                                                              tulle_spgemm_bounds *bounds) {
    return tulle_spgemm_galerkin_forecast_sized(ctx, A, P, options, sizeof(tulle_spgemm_options),
                                                bounds);
}

/**
 * C's values := those of alpha op(A) op(B), on the pattern that C has
 *
 * Shapes: as for tulle_spgemm, whose C this takes; of A and B, only values need be other ones. C's
 * pattern may have more entries than the product, which become zeros (0 or -0); its columns rise
 * (C was not made unsorted), it does not borrow its values, and it is neither A nor B.
 *
 * The first call for the patterns of A and B (and op_A, op_B) looks whether C has every entry of
 * the product, finds out how rows are shared out, and keeps that with C's pattern, in memory of the
 * context (tulle_mat_info: plan_bytes), until C's pattern is given up or operands of other patterns
 * come. Matrices of both value types may share these patterns; each type keeps its own. On a
 * GPU it lists the products of each entry, where there are at most 50 million, or fewer than ten
 * for each entry of C, and there is memory for it: six bytes for a product where entries have few,
 * else two, and eight for each run of neighbours in a row of B, and two for each entry of C; while
 * it lists, ten more for a product and twelve for an entry. Else it keeps a few bytes for each row.
 * Calls that follow multiply and add, and do nothing else: no entry is counted, no column stored or
 * sorted. On a CPU that may still be most of tulle_spgemm's time, where many products meet in each
 * entry.
 *
 * Error, and the bits of each value: as tulle_spgemm with its default kernel, of which this is the
 * second half. Deterministic: bitwise.
 *
 * C in BSR, as tulle_spgemm makes it in blocks, takes A and B that are multiplied in blocks; the
 * first call keeps transposes alone, each with the index of every block of it in the operand.
 *
 * An operand that is transposed (op is TULLE_T), or whose index type is not C's, is kept, too, as
 * CSR that kernels take, with where each of its values comes from: 8 bytes for each entry of a
 * transpose, beside its pattern and values. Calls that follow only put values into it.
 *
 * Synchronises: on the first call for these patterns; after it, only where an operand is brought
 * into CSR anew: it is not CSR, or repeated columns must be added up (in B, or in the A whose
 * transpose is B). Where none of this is so, a call after the first can be captured in a CUDA
 * graph, which uses the arrays of A, B and C, and the data kept with C's pattern. Plans of C are
 * told of the new values (tulle_mat_values_changed). Contexts that share C's pattern each keep
 * their own.
 *
 * Progress is told before values change; who cancels then leaves C as it was.
 *
 * Errors: as tulle_spgemm, and TULLE_INVALID_ARGUMENT (C lacks an entry of the product, and the
 * record has the row, C being as it was; C is A or B; C borrows its values), TULLE_ALIASED (C's
 * values share memory with those of A or B, or with alpha), TULLE_UNSUPPORTED (C is not CSR, its
 * columns do not rise, or have 32 bits where those of A or B have 64; C is BSR, and A and B are not
 * multiplied in such blocks).
 */
TULLE_API tulle_status tulle_spgemm_update(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                           tulle_scalar alpha, const tulle_mat *A,
                                           const tulle_mat *B, tulle_mat *C);

/**
 * C's values := those of alpha P^T A P, on the pattern that C has
 *
 * Shapes: as for tulle_spgemm_galerkin, whose C, without a D, this takes; of A and P, only values
 * need be other ones. C's pattern: as for tulle_spgemm_update.
 *
 * The first call for the patterns of A and P makes A P, and keeps it with C's pattern, and with
 * either pattern the data that tulle_spgemm_update keeps, of A P and of P^T (A P): P^T is part of
 * it. Calls that follow are the updates of both.
 *
 * Error, and the bits of each value: as tulle_spgemm_galerkin with its default kernel.
 * Deterministic: bitwise.
 *
 * Synchronises: on the first call for these patterns; after it, only where A or P is not CSR, or
 * P's columns repeat or do not rise. Where none of this is so, a call after the first can be
 * captured in a CUDA graph, as one of tulle_spgemm_update.
 *
 * Progress is told before values change; who cancels then leaves C as it was.
 *
 * Errors: as tulle_spgemm_update, with P in the place of B.
 */
TULLE_API tulle_status tulle_spgemm_galerkin_update(tulle_ctx *ctx, tulle_scalar alpha,
                                                    const tulle_mat *A, const tulle_mat *P,
                                                    tulle_mat *C);

TULLE_END
#endif
