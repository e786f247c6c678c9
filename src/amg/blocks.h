/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of blocks: BSR without padding. */
#ifndef TULLE_AMG_BLOCKS_H
#define TULLE_AMG_BLOCKS_H

#include "amg/block_jobs.h"
#include "matrix/build.h"
#include "tulle/vec.h"

/* Returns a matrix of blocks as jobs take it. */
tulle__amg_blocks tulle__amg_blocks_of(const tulle_mat *A);

/* Brings A into blocks of tall x wide, whose cells without an entry become zeros; a matrix that is
 * so already gets one more owner. */
tulle_status tulle__amg_in_blocks(tulle_ctx *ctx, tulle_mat *A, int tall, int wide,
                                  tulle_mat **blocks);

/* Allocates a matrix of blocks of tall x wide, in the index type and the value type of `like`. */
tulle_status tulle__amg_draft_blocks(tulle_ctx *ctx, const tulle__amg_blocks *like, int64_t rows,
                                     int64_t cols, int64_t blocks, int tall, int wide,
                                     tulle__draft *draft);

/* Makes the matrix of a draft whose arrays are filled, or frees them where `status` is a failure,
 * which is returned then (waits). */
tulle_status tulle__amg_finish_blocks(tulle_status status, tulle__draft *draft, tulle_mat **A);

/* *to := left B right on B's pattern, where left and right have square blocks by rows, or are NULL;
 * *to is kept where it has the pattern and the type. */
tulle_status tulle__amg_scale(tulle_ctx *ctx, const tulle_mat *B, const tulle_vec *left,
                              const tulle_vec *right, tulle_type type, int64_t *unfit,
                              tulle_mat **to);

#endif
