/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of interpolation in the making, on the host. */
#ifndef TULLE_AMG_PART_H
#define TULLE_AMG_PART_H

#include "amg/jobs.h"
#include "matrix/build.h"

/* Allocates an array of the place's memory; *pointer is a pointer to any type. */
tulle_status tulle__amg_take(tulle_ctx *ctx, int64_t count, size_t size, void *pointer);

/* Allocates the arrays of a part whose counts are known, for a matrix of split->csr.rows rows in
 * the index type of the level. */
tulle_status tulle__amg_draft_part(tulle_ctx *ctx, const tulle__amg_split *split, int64_t cols,
                                   int64_t entries, tulle__amg_part *part, tulle__draft *draft);

/* Makes the matrix of a draft whose arrays are filled; on failure the arrays are freed. */
tulle_status tulle__amg_finish_part(tulle__draft *draft, tulle_mat **A);

#endif
