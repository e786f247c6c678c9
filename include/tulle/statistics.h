/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * How many bytes a product moves: at the least, through cache lines, and by the kernels' models.
 * For those who compare bandwidths and choose formats. Not included by tulle.h; may change in any
 * release.
 */
#ifndef TULLE_STATISTICS_H
#define TULLE_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "status.h"

/** Bytes of a cache line: what a GPU fetches at a time. */
enum { TULLE_LINE_BYTES = 128 };

/** What a product y = alpha A x + beta y moves; see tulle_mat_traffic. */
typedef struct tulle_traffic {
    int64_t rows_per_block;  /**< rows that a thread block works on */
    int64_t blocks;          /**< thread blocks */
    int64_t minimal_bytes;   /**< each input read once, each output written once */
    int64_t effective_bytes; /**< the sum of the three below */
    int64_t matrix_bytes;    /**< lines of offsets, columns and values */
    int64_t x_bytes;         /**< lines of x */
    int64_t y_bytes;         /**< lines of y; twice where y is read too */
} tulle_traffic;

/** What a product would run on; see tulle_spmv_forecast. */
typedef struct tulle_forecast {
    const char *kernel;    /**< name; static storage */
    char params[96];       /**< "coop=8,repeat=1,block=128", or "" */
    int64_t minimal_bytes; /**< each input read once, each output written once */
    int64_t kernel_bytes;  /**< what the algorithm itself loads and stores */
    double cost_bytes;     /**< the kernel's model: what a plain copy would move in the same time */
} tulle_forecast;

TULLE_BEGIN

/**
 * Counts what a product of a CSR matrix moves when every thread block works on @a rows_per_block
 * consecutive rows, as spmv_csr_vector does.
 *
 * Effective bytes are the estimate of Reguly and Giles, "Efficient sparse matrix-vector
 * multiplication on cache-based GPUs" (InPar 2012; slides, "Bandwidth estimation"): the distinct
 * lines of 128 bytes that each block touches, without sharing between blocks and with an infinite
 * cache within a block, where every array begins with a line of its own:
 *
 *     effective = 128 * sum over blocks of (lines of offsets + of columns + of values + of x + of
 * y)
 *
 * Minimal bytes take whole arrays, without lines: (rows + 1) offsets, nnz columns and values, cols
 * numbers of x, rows numbers of y. Where many columns are empty, the effective bytes can be fewer.
 * The count is exact and the same on every device.
 *
 * @param rows_per_block at least 1; or 0 for what the rule "reguly_giles" takes: blocks of 128
 *                       threads, the next power of two above the square root of the mean row length
 *                       of them to a row, repeated while at least 1500 blocks remain.
 * @param beta_zero      whether y is only written.
 *
 * Synchronises: yes. Deterministic. Takes about the time of a conversion, and scratch of up to 256
 * MB (more where one block's lines need it: at most a quarter of x, or 32 bytes an entry).
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_UNSUPPORTED (a format other than
 * CSR: convert it), TULLE_TOO_LARGE (the bytes of x pass 64 bits), TULLE_OUT_OF_MEMORY,
 * TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_traffic(tulle_ctx *ctx, const tulle_mat *A, int64_t rows_per_block,
                                         bool beta_zero, tulle_traffic *traffic);

/**
 * What the context's rule would run y = A x on, if there were a matrix like this: the question
 * behind the choice of a format, asked before anything is converted.
 *
 * @param like      shape, nnz, format, index, type, row statistics and storage of the matrix; a
 *                  description by tulle_mat_describe, with another format and the storage that it
 *                  would have (tulle/formats.h). Where it lives and its plans are not looked at.
 * @param beta_zero whether y is only written.
 *
 * Does not synchronise. Deterministic. Costs of one device compare with each other.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_TOO_LARGE, TULLE_UNSUPPORTED (the rule has no kernel for
 * it).
 */
TULLE_API tulle_status tulle_spmv_forecast(tulle_ctx *ctx, const tulle_mat_info *like,
                                           bool beta_zero, tulle_forecast *forecast);

TULLE_END
#endif
