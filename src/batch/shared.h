/* SPDX-License-Identifier: Apache-2.0 */
/* One queue of whole tasks for a GPU and a CPU's threads. */
#ifndef TULLE_BATCH_SHARED_H
#define TULLE_BATCH_SHARED_H

#include "batch/batch.h"

/* TULLE_BATCH_SHARED, on a GPU. The batch is scheduled. */
tulle_status tulle__batch_run_shared(tulle_batch *batch);

/* *on_host: a CPU's threads reach all arrays of a task, and have a kernel for it. */
tulle_status tulle__batch_task_on_host(tulle_ctx *ctx, const tulle__task *task, bool *on_host);

/* Forgets what was measured, and gives back the marks; the context's work is done. */
void tulle__batch_forget_shares(tulle_batch *batch);

/* A task by the calling thread of a CPU (cpu/tasks.c). */
tulle_status tulle__batch_run_by_one(const tulle__place *alone, const tulle__batch_job *job,
                                     const tulle__task *t);

#endif
