/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Bytes that a product moves, at the least and by the kernels' models: for those who compare
 * bandwidths and choose formats. Not included by tulle.h; may change in any release.
 */
#ifndef TULLE_STATISTICS_H
#define TULLE_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "status.h"

/** The kernel that a product would run on, and its costs; see tulle_spmv_forecast. */
typedef struct tulle_forecast {
    const char *kernel;    /**< name of the kernel; static storage */
    char params[96];       /**< parameters of the kernel, "coop=8,repeat=1,block=128", or "" */
    int64_t minimal_bytes; /**< bytes moved when each input is read once and each output written
                                once */
    int64_t kernel_bytes;  /**< bytes that the algorithm itself loads and stores */
    double cost_bytes;     /**< cost by the kernel's model: bytes that a plain copy would move in
                                the same time */
} tulle_forecast;

TULLE_BEGIN

/**
 * Finds the kernel that the context's rule would run y = A x on for a matrix that need not exist:
 * so formats can be compared before anything is converted.
 *
 * @param like      shape, nnz, format, index, type, row statistics and storage of the matrix; a
 *                  description by tulle_mat_describe, with another format and the storage that it
 *                  would have (tulle/formats.h). Where it lives and its plans are not looked at.
 * @param beta_zero true when y is only written.
 *
 * Does not synchronise. Deterministic. Costs of one device compare with each other.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_TOO_LARGE, TULLE_UNSUPPORTED (the rule has no kernel for
 * it).
 */
TULLE_API tulle_status tulle_spmv_forecast(tulle_ctx *ctx, const tulle_mat_info *like,
                                           bool beta_zero, tulle_forecast *forecast);

TULLE_END
#endif
