/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "core/context.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/available.h"
#include "core/options.h"
#include "core/place_name.h"
#include "core/print.h"

/* Alignment of host blocks in bytes, the size from which they are in huge pages, since touching
 * new memory page by page takes longer than a product with it, and a page. */
enum { HOST_ALIGNMENT = 64, LARGE_BLOCK = 4 << 20, PAGE = 4096 };

/* A block is not aligned to huge pages: of such a block the C library would give the memory back
 * to the system each time, where it keeps that of others for the next block. */
static void *default_allocate(void *user, size_t bytes, void *stream) {
    (void)user;
    (void)stream;
    void *pointer = NULL;
    if (posix_memalign(&pointer, HOST_ALIGNMENT, bytes) != 0) return NULL;
    const size_t before = PAGE - (uintptr_t)pointer % PAGE; /* up to the first whole page */
    if (bytes >= LARGE_BLOCK) madvise((char *)pointer + before, bytes - before, MADV_HUGEPAGE);
    return pointer;
}

static void default_release(void *user, void *pointer, size_t bytes, void *stream) {
    (void)user;
    (void)bytes;
    (void)stream;
    free(pointer);
}

static const tulle_allocator default_host = {default_allocate, default_release, NULL};

bool tulle__is_promised(const tulle_allocator *source) {
    return source->allocate == default_allocate;
}

/* The backend's own memory as a tulle_allocator; user is the context. */
static void *backend_allocate(void *user, size_t bytes, void *stream) {
    (void)stream;
    tulle_ctx *ctx = user;
    void *pointer = NULL;
    ctx->allocate_status = ctx->backend->allocate(ctx->place.device, bytes, &pointer);
    return ctx->allocate_status == TULLE_OK ? pointer : NULL;
}

static void backend_release(void *user, void *pointer, size_t bytes, void *stream) {
    (void)bytes;
    (void)stream;
    tulle_ctx *ctx = user;
    ctx->backend->release(ctx->place.device, pointer);
}

static void *lending_allocate(void *user, size_t bytes, void *stream) {
    tulle_ctx *ctx = user;
    void *pointer = ctx->callers.allocate(ctx->callers.user, bytes, stream);
    if (pointer) tulle__lend(ctx, pointer, bytes);
    return pointer;
}

static void lending_release(void *user, void *pointer, size_t bytes, void *stream) {
    tulle_ctx *ctx = user;
    tulle__give_back(ctx, pointer);
    ctx->callers.release(ctx->callers.user, pointer, bytes, stream);
}

/* The context's memory: the caller's allocator, else the C library's or the device's own. Blocks of
 * a GPU are kept for reuse, since taking memory there stops the device. */
static void init_pool(tulle_ctx *ctx, const tulle_ctx_options *options) {
    tulle_allocator device = {backend_allocate, backend_release, ctx};
    bool on_cpu = ctx->kind == TULLE_CPU;
    const tulle_allocator *source = on_cpu ? &ctx->host : &device;
    if (!on_cpu && options->device) source = options->device;
    tulle_allocator lending = {lending_allocate, lending_release, ctx};
    if (ctx->kind == TULLE_EMULATED && options->device) {
        ctx->callers = *options->device;
        source = &lending;
    }
    tulle__pool_init(&ctx->pool, source, &ctx->host, options->memory_cap, ctx->kind == TULLE_CUDA);
}

static tulle_status start(tulle_ctx *ctx, const tulle__place_name *name,
                          const tulle_ctx_options *options) {
    TULLE__TRY(ctx->backend->open(name->ordinal, &ctx->place.device));
    TULLE__TRY(ctx->backend->describe(ctx->place.device, &ctx->info));
    ctx->place.threads = 1;
    if (ctx->kind == TULLE_CPU) {
        ctx->place.threads = name->threads > 0 ? name->threads : tulle__cpu_threads();
        ctx->info.threads = ctx->place.threads;
        return TULLE_OK;
    }
    TULLE__TRY(ctx->backend->stream_create(ctx->place.device, &ctx->own_stream));
    ctx->place.stream = options->stream ? options->stream : ctx->own_stream;
    tulle__pool_set_stream(&ctx->pool, ctx->place.stream);
    return TULLE_OK;
}

tulle_status tulle_ctx_create_sized(const char *where, const tulle_ctx_options *options,
                                    size_t options_size, tulle_ctx **ctx) {
    TULLE__NEED(ctx);
    *ctx = NULL;
    TULLE__NEED(where);
    tulle_ctx_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    options = &own;
    tulle__place_name name;
    TULLE__TRY(tulle__place_name_parse(where, &name));
    if (name.kind == TULLE_CPU && options->stream) {
        return TULLE__BAD("options", "a CPU context has no stream");
    }
    const tulle__backend *backend = NULL;
    TULLE__TRY(tulle__backend_open(__func__, "where", name.kind, &backend));

    const tulle_allocator *host = options->host ? options->host : &default_host;
    tulle_ctx *made = host->allocate(host->user, sizeof *made, NULL);
    if (!made) {
        return tulle__fail(TULLE_OUT_OF_MEMORY, __func__, NULL, -1, "no memory for a context");
    }
    memset(made, 0, sizeof *made);
    atomic_init(&made->owners, 1);
    made->kind = name.kind;
    made->ordinal = name.ordinal;
    made->backend = backend;
    made->host = *host;
    made->place.ctx = made;
    init_pool(made, options);
    tulle_status status = start(made, &name, options);
    if (status != TULLE_OK) {
        tulle__ctx_release(made);
        return status;
    }
    *ctx = made;
    return TULLE_OK;
}

void tulle__ctx_retain(tulle_ctx *ctx) {
    atomic_fetch_add(&ctx->owners, 1);
}

void tulle__ctx_release(tulle_ctx *ctx) {
    if (!ctx || atomic_fetch_sub(&ctx->owners, 1) > 1) return;
    tulle_allocator host = ctx->host;
    tulle__free(ctx, ctx->workspace);
    if (ctx->landing) ctx->backend->host_release(ctx->place.device, ctx->landing);
    tulle__pool_close(&ctx->pool);
    if (ctx->own_stream) ctx->backend->stream_destroy(ctx->place.device, ctx->own_stream);
    if (ctx->place.device) ctx->backend->close(ctx->place.device);
    host.release(host.user, ctx, sizeof *ctx, NULL);
}

void tulle_ctx_destroy(tulle_ctx *ctx) {
    if (!ctx) return;
    ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
    /* Takes the context's own stream: objects may outlive the caller's hold on the context and
     * with it his stream. */
    ctx->place.stream = ctx->own_stream;
    tulle__pool_set_stream(&ctx->pool, ctx->own_stream);
    tulle__ctx_release(ctx);
}

bool tulle__same_space(const tulle_ctx *a, const tulle_ctx *b) {
    return a == b || (a->kind == b->kind && a->ordinal == b->ordinal);
}

tulle_status tulle__progress(tulle_ctx *ctx, const char *what, int64_t done, int64_t total) {
    if (!ctx->progress || ctx->progress(ctx->progress_user, what, done, total) == 0) {
        return TULLE_OK;
    }
    return tulle__fail(TULLE_CANCELLED, NULL, NULL, -1, "%s was cancelled", what);
}

void tulle__log(tulle_ctx *ctx, int level, const char *format, ...) {
    if (!ctx->log) return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    tulle__print_v(line, sizeof line, format, arguments);
    va_end(arguments);
    ctx->log(ctx->log_user, level, line);
}
