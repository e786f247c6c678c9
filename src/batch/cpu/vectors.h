/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_BATCH_CPU_VECTORS_H
#define TULLE_BATCH_CPU_VECTORS_H

#include "batch/task.h"

/* A task on vectors and multivectors, by the calling thread. */
tulle_status tulle__batch_vectors_by_one(const tulle__place *alone, const tulle__batch_job *job,
                                         const tulle__task *t);

#endif
