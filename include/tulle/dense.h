/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Multivectors: n x k numbers, row- or column-major, with a leading dimension. A vector is k = 1.
 */
#ifndef TULLE_DENSE_H
#define TULLE_DENSE_H

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

TULLE_END
#endif
