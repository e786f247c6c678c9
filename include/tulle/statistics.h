/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * How many bytes a product moves, at the least and by the kernels' models.
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
