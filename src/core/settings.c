/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/context.h"
#include "tulle/advanced.h"

tulle_status tulle_ctx_synchronize(tulle_ctx *ctx) {
    TULLE__NEED(ctx);
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

tulle_status tulle_ctx_set_stream(tulle_ctx *ctx, void *stream) {
    TULLE__NEED(ctx);
    if (ctx->kind == TULLE_CPU) {
        return tulle__fail(TULLE_UNSUPPORTED, __func__, "stream", -1, "a CPU has no streams");
    }
    TULLE__TRY(tulle_ctx_synchronize(ctx));
    ctx->place.stream = stream ? stream : ctx->own_stream;
    tulle__pool_set_stream(&ctx->pool, ctx->place.stream);
    return TULLE_OK;
}

void *tulle_ctx_stream(const tulle_ctx *ctx) {
    return ctx ? ctx->place.stream : NULL;
}

tulle_status tulle_ctx_set_repeatable(tulle_ctx *ctx, bool on) {
    TULLE__NEED(ctx);
    ctx->repeatable = on;
    return TULLE_OK;
}

tulle_status tulle_ctx_set_progress(tulle_ctx *ctx, tulle_progress_fn fn, void *user) {
    TULLE__NEED(ctx);
    ctx->progress = fn;
    ctx->progress_user = user;
    return TULLE_OK;
}

tulle_status tulle_ctx_set_log(tulle_ctx *ctx, tulle_log_fn fn, void *user) {
    TULLE__NEED(ctx);
    ctx->log = fn;
    ctx->log_user = user;
    return TULLE_OK;
}

tulle_status tulle_ctx_memory(const tulle_ctx *ctx, tulle_memory_usage *usage) {
    TULLE__NEED(ctx);
    TULLE__NEED(usage);
    *usage = tulle__pool_usage(&ctx->pool);
    usage->workspace = ctx->workspace_bytes;
    return TULLE_OK;
}

tulle_status tulle_ctx_reset_high(tulle_ctx *ctx) {
    TULLE__NEED(ctx);
    tulle__pool_reset_high(&ctx->pool);
    return TULLE_OK;
}

tulle_status tulle_ctx_trim(tulle_ctx *ctx) {
    TULLE__NEED(ctx);
    TULLE__TRY(tulle_ctx_synchronize(ctx));
    tulle__free(ctx, ctx->workspace);
    ctx->workspace = NULL;
    ctx->workspace_bytes = 0;
    tulle__pool_trim(&ctx->pool);
    return TULLE_OK;
}

tulle_status tulle_ctx_device(const tulle_ctx *ctx, tulle_device_info *info) {
    TULLE__NEED(ctx);
    TULLE__NEED(info);
    *info = ctx->info;
    return TULLE_OK;
}

tulle_status tulle_ctx_force_kernel(tulle_ctx *ctx, const char *spec) {
    TULLE__NEED(ctx);
    if (!spec) {
        memset(ctx->forced, 0, sizeof ctx->forced);
        return TULLE_OK;
    }
    tulle__spec parsed;
    int operation;
    TULLE__TRY(tulle__spec_parse(ctx->backend, __func__, spec, &parsed, &operation));
    ctx->forced[operation] = parsed;
    return TULLE_OK;
}

tulle_status tulle_ctx_flush_cache(tulle_ctx *ctx) {
    TULLE__NEED(ctx);
    return ctx->backend->flush_cache(&ctx->place);
}

tulle_status tulle_ctx_copy_bandwidth(tulle_ctx *ctx, double *gbs) {
    TULLE__NEED(ctx);
    TULLE__NEED(gbs);
    if (ctx->bandwidth <= 0) TULLE__TRY(ctx->backend->bandwidth(&ctx->place, &ctx->bandwidth));
    *gbs = ctx->bandwidth;
    return TULLE_OK;
}
