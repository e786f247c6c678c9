/* SPDX-License-Identifier: Apache-2.0 */
/* Products on the CPU: a task is what a plain call is, by one thread. */
#ifndef TULLE_BATCH_CPU_PRODUCT_H
#define TULLE_BATCH_CPU_PRODUCT_H

#include "batch/batch.h"

/* The kernel for a product and what it is given: on a CPU the one that the rule picks for the plain
 * call; on a GPU, whose tasks threads of the CPU may take, the CPU's reference. */
tulle_status tulle__batch_product_task(tulle_ctx *ctx, const tulle__recorded *r,
                                       tulle__task_host *host);

tulle_status tulle__batch_product_by_one(const tulle__place *alone, const tulle__batch_job *job,
                                         const tulle__task *t);

#endif
