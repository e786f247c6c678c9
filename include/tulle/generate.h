/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Matrices of model problems, made in memory.
 */
#ifndef TULLE_GENERATE_H
#define TULLE_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "comm.h"
#include "context.h"
#include "dist.h"
#include "export.h"
#include "matrix.h"
#include "status.h"
#include "types.h"

/** Description of a generator. All strings have static storage. */
typedef struct tulle_generator_info {
    const char *name;    /**< its name, e.g. "p3d7" */
    const char *usage;   /**< form of its specification, e.g. "p3d7:NX[,NY,NZ]" */
    const char *summary; /**< summary in one line */
    const char *example; /**< a specification, e.g. "p3d7:200" */
    bool on_device;      /**< true when matrices are made directly in a GPU's memory */
} tulle_generator_info;

TULLE_BEGIN

/**
 * Makes a model matrix in CSR form from a specification: "NAME" or "NAME:number,number,...", or
 * "tile:NAME:k" (k diagonal copies of another specification).
 * The same specification, seed and value type give the same matrix on every device and for any
 * number of threads. The index type is TULLE_I32, or TULLE_I64_I32 from 2^31 entries on.
 *
 * Synchronises: yes. Errors: TULLE_INVALID_ARGUMENT (a NULL, a number out of range),
 * TULLE_NOT_FOUND (no such generator), TULLE_TOO_LARGE (also: more than this machine's available
 * memory, which the sizes alone tell), TULLE_OUT_OF_MEMORY (also: more than the context's cap),
 * TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_generate(tulle_ctx *ctx, const char *spec, uint64_t seed,
                                      tulle_type type, tulle_mat **A);

/**
 * Makes the matrix of tulle_generate with its rows shared evenly by processes (tulle_dist_share).
 * Each process makes its own rows alone, at its context's place, but for rmat, rail and tile, whose
 * rows do not stand for themselves: of these each process makes the whole matrix and keeps its
 * rows. All processes give the same specification, seed and type.
 *
 * Communicates. Synchronises: yes. Errors, in all processes: as tulle_generate and
 * tulle_dist_mat_create; TULLE_PEER_FAILED (an error of these in another process).
 */
TULLE_API tulle_status tulle_dist_generate(tulle_ctx *ctx, tulle_comm *comm, const char *spec,
                                           uint64_t seed, tulle_type type, tulle_dist_mat **A);

/**
 * k copies of A along the diagonal, as a new matrix in the same memory space; its index type is
 * A's, or the next that holds the sizes. Synchronises. Errors: TULLE_INVALID_ARGUMENT (k < 1),
 * TULLE_UNSUPPORTED (A is neither COO nor CSR), TULLE_SPACE_MISMATCH, TULLE_TOO_LARGE (also: more
 * than this machine's available memory), TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_tile(tulle_ctx *ctx, const tulle_mat *A, int64_t k, tulle_mat **B);

/** Number of generators. */
TULLE_API int tulle_generator_count(void);

/** Generator number @a i. Errors: TULLE_INVALID_ARGUMENT, TULLE_NOT_FOUND. */
TULLE_API tulle_status tulle_generator_describe(int i, tulle_generator_info *info);

TULLE_END
#endif
