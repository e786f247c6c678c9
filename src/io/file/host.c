/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/host.h"

tulle_status tulle__host_context(tulle_ctx *ctx, tulle_ctx **cpu) {
    *cpu = ctx;
    if (ctx->kind == TULLE_CPU) return TULLE_OK;
    const tulle_ctx_options options = {.host = &ctx->host};
    TULLE__TRY(tulle_ctx_create("cpu", &options, cpu));
    TULLE__TRY(tulle_ctx_set_progress(*cpu, ctx->progress, ctx->progress_user));
    return tulle_ctx_set_log(*cpu, ctx->log, ctx->log_user);
}

void tulle__host_context_done(tulle_ctx *ctx, tulle_ctx *cpu) {
    if (cpu != ctx) tulle_ctx_destroy(cpu);
}
