/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU context that reads and writes for another one. */
#ifndef TULLE_IO_FILE_HOST_H
#define TULLE_IO_FILE_HOST_H

#include "core/context.h"

/* ctx itself where it is a CPU; else a CPU context with all threads of the machine and the same
 * host memory, progress and log. */
TULLE_API tulle_status tulle__host_context(tulle_ctx *ctx, tulle_ctx **cpu);

/* Gives it up again. */
TULLE_API void tulle__host_context_done(tulle_ctx *ctx, tulle_ctx *cpu);

#endif
