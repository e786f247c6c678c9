/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The status that calls return, and the record of the last failure.
 */
#ifndef TULLE_STATUS_H
#define TULLE_STATUS_H

#include <stdint.h>

#include "export.h"

/**
 * Every status: name, number, text.
 *
 * Zero is success. Positive: a clean failure, inputs unchanged, outputs NULL or safe to destroy.
 * Negative: the context is lost (a device fault); destroy it and what lives in it.
 */
#define TULLE_STATUSES(X)                                                                          \
    X(TULLE_OK, 0, "success")                                                                      \
    X(TULLE_INVALID_ARGUMENT, 1, "an argument is not valid")                                       \
    X(TULLE_OUT_OF_MEMORY, 2, "out of memory")                                                     \
    X(TULLE_SHAPE_MISMATCH, 3, "the shapes do not fit together")                                   \
    X(TULLE_SPACE_MISMATCH, 4, "the objects live in different memory spaces")                      \
    X(TULLE_TYPE_MISMATCH, 5, "the value types differ")                                            \
    X(TULLE_ALIASED, 6, "the output overlaps an input")                                            \
    X(TULLE_INVALID_MATRIX, 7, "the matrix arrays are not valid")                                  \
    X(TULLE_UNSUPPORTED, 8, "this combination is not supported")                                   \
    X(TULLE_NOT_FOUND, 9, "no such name")                                                          \
    X(TULLE_NO_DEVICE, 10, "no usable device")                                                     \
    X(TULLE_NEEDS_PLAN, 11, "the repeatable setting needs a plan here (tulle_mat_optimize)")       \
    X(TULLE_CANCELLED, 12, "cancelled by the progress callback")                                   \
    X(TULLE_TOO_LARGE, 13, "a size is too large")                                                  \
    X(TULLE_IO_ERROR, 14, "a file cannot be read or written")                                      \
    X(TULLE_PARSE_ERROR, 15, "a file is not in the format that it should be in")                   \
    X(TULLE_ZERO_PIVOT, 16, "a pivot is zero")                                                     \
    X(TULLE_INVALID_MESH, 17, "finite elements cannot stand on the mesh")                          \
    X(TULLE_PEER_FAILED, 18, "another process failed or did not answer in time")                   \
    X(TULLE_DEVICE_FAULT, -1, "a device fault: the context is lost")

/** The status that every fallible call returns. */
typedef enum tulle_status {
/** @cond */
#define X(name, number, text) name = number,
    /** @endcond */
    TULLE_STATUSES(X)
#undef X
} tulle_status;

/** The last failure on this thread; valid until the next failing call of the same thread. */
typedef struct tulle_error {
    tulle_status status;  /**< status of the last failing call */
    const char *function; /**< public function that failed, or "" */
    const char *argument; /**< name of the argument at fault, or "" */
    int64_t row;          /**< row of the matrix at fault (0-based), or -1 */
    const char *file;     /**< file at fault, or "" */
    int64_t line;         /**< line of that file (1-based), or 0 */
    const char *message;  /**< message of one line for people: what is wrong and what to do; where a
                               file is at fault, it begins with "FILE:LINE: " */
} tulle_error;

TULLE_BEGIN

/** The name of a status, e.g. "TULLE_OUT_OF_MEMORY"; "TULLE_UNKNOWN" for any other number. */
TULLE_API const char *tulle_status_name(tulle_status status);

/** One line of text for a status. Static storage. */
TULLE_API const char *tulle_status_text(tulle_status status);

/**
 * The record of the last failing call on this thread (status TULLE_OK: none yet). Thread-local
 * storage, never NULL; a successful call leaves it alone.
 */
TULLE_API const tulle_error *tulle_last_error(void);

TULLE_END
#endif
