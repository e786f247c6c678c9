/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU context that reads and writes files on behalf of any context. */
#ifndef TULLE_IO_FILE_HOST_H
#define TULLE_IO_FILE_HOST_H

#include "core/context.h"

/* Returns ctx itself if ctx is a CPU context; else a new CPU context with all threads of the
 * machine, and the host memory functions, progress function and log of ctx. */
TULLE_API tulle_status tulle__host_context(tulle_ctx *ctx, tulle_ctx **cpu);

/* Destroys the context cpu unless cpu is ctx itself. */
TULLE_API void tulle__host_context_done(tulle_ctx *ctx, tulle_ctx *cpu);

#endif
