/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The product of two sparse matrices.
 */
#ifndef TULLE_SPGEMM_H
#define TULLE_SPGEMM_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "status.h"
#include "types.h"

/** What tulle_spgemm may do; zero-initialise for the defaults. */
typedef struct tulle_spgemm_options {
    bool unsorted;    /**< the columns of a row of C may stand in any order, which may be faster */
    bool index_given; /**< C has the index type below, or the call fails; else C's columns are those
                           of the wider of A and B, and its offsets have 64 bits where 32 cannot
                           count its entries */
    tulle_index index; /**< of C, where index_given says so */
} tulle_spgemm_options;

/** What a product took; see tulle_spgemm. Times in milliseconds. */
typedef struct tulle_spgemm_report {
    const char *kernel;  /**< name; static storage */
    char params[96];     /**< of the kernel, "" where it has none */
    int64_t products;    /**< multiplications: for each entry of A, the entries of B's row */
    int64_t nnz;         /**< entries of C */
    int64_t bound_bytes; /**< the most memory of the place that the call may have needed, as known
                              before C's entries were counted; blocks that the context kept from
                              earlier may be larger than what was asked for, and are not in it */
    int64_t peak_bytes;  /**< the most that it held at a time, C included, A and B not */
    double operands_ms;  /**< bringing A and B into sorted CSR with one index type */
    double analysis_ms;  /**< counting the products of each row, sorting rows by kind */
    double count_ms;     /**< counting the entries of each row of C */
    double allocate_ms;  /**< getting memory for C */
    double compute_ms;   /**< columns and values */
    double finish_ms;    /**< statistics of C */
    double total_ms;     /**< all of the call */
} tulle_spgemm_report;

TULLE_BEGIN

/**
 * C := alpha op(A) op(B)
 *
 * Shapes: op(A) m x l, op(B) l x n, C m x n; A and B of one value type, which is C's. A and B may
 * be in any format, with different index types, their columns in any order and repeated. What is
 * not CSR with one index type, and a B whose columns do not rise, is first converted, in memory of
 * the context that the call gives back.
 *
 * C is a new CSR matrix of the context, with an entry wherever a product meets, also where the sum
 * is zero; the columns of each row rise (options: unsorted). alpha == 0 keeps the pattern, and
 * propagates Inf and NaN.
 *
 * Error: |C - exact| <= gamma(p_ij + 1) |alpha| (|A| |B|)_ij + (p_ij + 1) (1 + |alpha|) s, p_ij the
 * products that meet in entry (i, j), s the smallest positive number; with repeated columns in B,
 * p_ij counts their products, too. The sum is multiplied by alpha.
 *
 * Deterministic: bitwise, for any number of threads, each entry adding its products in the order of
 * A's row; but for a kernel that is forced and says it is not (tulle_kernel_info), which the
 * repeatable setting refuses.
 *
 * @param options NULL for the defaults.
 * @param report  what the call took; NULL: not wanted. With it, the call waits for the device
 *                between its phases, to time them.
 *
 * Synchronises: yes: for the sizes of the work and of C, and for C's statistics; more often where
 * operands are converted, or with a report.
 * Progress is told, and cancelling leaves A and B as they were. Source: F. Gustavson, Two fast
 * algorithms for sparse matrices, 1978; on a GPU each kernel names its own.
 *
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH,
 * TULLE_TOO_LARGE (the index type that was asked for cannot hold C, which is said before C is
 * allocated), TULLE_UNSUPPORTED (the forced kernel cannot), TULLE_OUT_OF_MEMORY, TULLE_CANCELLED,
 * TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_spgemm(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                    tulle_scalar alpha, const tulle_mat *A, const tulle_mat *B,
                                    const tulle_spgemm_options *options,
                                    tulle_spgemm_report *report, tulle_mat **C);

TULLE_END
#endif
