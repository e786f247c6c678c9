/* SPDX-License-Identifier: Apache-2.0 */
/* The tasks that the published kernels of a GPU take, and the data that they need of these
 * (published/supported.c). */
#ifndef TULLE_BATCH_SUPPORTED_H
#define TULLE_BATCH_SUPPORTED_H

#include "batch/batch.h"

/* TULLE_UNSUPPORTED, and the record says which task, why, and what takes it, unless all tasks are
 * of the kinds and shapes that paper 3 has kernels for. */
tulle_status tulle__batch_published_supports(const tulle_batch *batch);

/* A task's lines of blocks, kept with its pattern; made, waiting, the first time. */
tulle_status tulle__batch_published_lines(tulle_ctx *ctx, const tulle__recorded *r,
                                          tulle__task *task);

#endif
