/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <string.h>

#include "core/available.h"
#include "core/context.h"
#include "core/room.h"

/* The C library's memory, as tulle_allocator has it; aligned for vectors and cache lines. */
enum { HOST_ALIGNMENT = 64 };

tulle_status tulle__size(int64_t a, int64_t b, int64_t c, size_t *bytes) {
    size_t product;
    if (a < 0 || b < 0 || c < 0 || __builtin_mul_overflow((size_t)a, (size_t)b, &product) ||
        __builtin_add_overflow(product, (size_t)c, bytes) || *bytes > (size_t)PTRDIFF_MAX) {
        return tulle__fail(TULLE_TOO_LARGE, NULL, NULL, -1,
                           "%lld items of %lld bytes pass the address space", (long long)a,
                           (long long)b);
    }
    return TULLE_OK;
}

/* Tells the emulator that memory which a pool gives out again counts as new: nothing has been
 * written to it. */
static tulle_status renew(tulle_ctx *ctx, size_t bytes, void **pointer) {
    if (!ctx->pool.keeps) return TULLE_OK;
    tulle_status status =
        ctx->backend->watch(ctx->place.device, *pointer, bytes, TULLE__WATCH_UNWRITTEN);
    if (status == TULLE_OK) return TULLE_OK;
    tulle__free(ctx, *pointer);
    *pointer = NULL;
    return status;
}

static tulle_status no_memory(tulle_ctx *ctx, size_t bytes, bool capped) {
    if (ctx->allocate_status < 0) return ctx->allocate_status;
    char wanted[TULLE__HUMAN], held[TULLE__HUMAN], limit[TULLE__HUMAN];
    tulle__human_bytes((double)bytes, wanted);
    tulle__human_bytes((double)tulle__pool_usage(&ctx->pool).in_use, held);
    if (capped) {
        return tulle__fail(TULLE_OUT_OF_MEMORY, NULL, NULL, -1,
                           "%s more would pass the context's cap of %s (%s are in use)", wanted,
                           tulle__human_bytes((double)ctx->pool.cap, limit), held);
    }
    char words[TULLE__ROOM_TEXT];
    if (tulle__is_promised(&ctx->pool.source) &&
        tulle__host_room_for((double)bytes, words) != TULLE_OK) {
        return tulle__fail(TULLE_OUT_OF_MEMORY, NULL, NULL, -1, "an array takes %s (%s are in use)",
                           words, held);
    }
    return tulle__fail(TULLE_OUT_OF_MEMORY, NULL, NULL, -1, "no %s left on %s (%s are in use)",
                       wanted, ctx->info.name, held);
}

tulle_status tulle__alloc(tulle_ctx *ctx, size_t bytes, void **pointer) {
    *pointer = NULL;
    if (bytes == 0) return TULLE_OK;
    bool capped = false;
    *pointer = tulle__pool_get(&ctx->pool, bytes, &capped);
    return *pointer ? renew(ctx, bytes, pointer) : no_memory(ctx, bytes, capped);
}

/* Alignment of a part of a block in bytes, as of blocks that a GPU gives. */
static const size_t part_alignment = 256;

static size_t part_bytes(size_t bytes) {
    return (bytes + part_alignment - 1) / part_alignment * part_alignment;
}

/* A GPU takes some 50 us for each request, however small (measured on an H100), so several arrays
 * share one. Under a cap the block stays taken until the last of them is freed, so they must be
 * small. Elsewhere a pool keeps nothing, and each array is a block of its own. */
size_t tulle__together(const tulle_ctx *ctx, const size_t bytes[], int count) {
    static const size_t most = (size_t)64 << 20;
    size_t all = 0;
    if (!ctx->pool.keeps) return 0;
    for (int k = 0; k < count; k++) {
        if (bytes[k] > most) return 0;
        all += part_bytes(bytes[k]);
    }
    return all <= most ? all : 0;
}

static tulle_status alloc_parts(tulle_ctx *ctx, size_t all, const size_t bytes[], int count,
                                void *pointers[]) {
    int parts = 0;
    bool capped = false;
    for (int k = 0; k < count; k++) parts += bytes[k] > 0;
    char *at = tulle__pool_get_parts(&ctx->pool, all, parts, &capped);
    if (!at) return no_memory(ctx, all, capped);
    void *const first = at;
    for (int k = 0; k < count; k++) {
        if (bytes[k] > 0) pointers[k] = at;
        at += part_bytes(bytes[k]);
    }
    tulle__pool_split(&ctx->pool, first, bytes, count, part_alignment);
    for (int k = 0; k < count; k++) {
        if (bytes[k] > 0) TULLE__TRY(renew(ctx, bytes[k], &pointers[k]));
    }
    return TULLE_OK;
}

tulle_status tulle__alloc_all(tulle_ctx *ctx, bool together, const size_t bytes[], int count,
                              void *pointers[]) {
    const size_t all = together ? tulle__together(ctx, bytes, count) : 0;
    for (int k = 0; k < count; k++) pointers[k] = NULL;
    if (all > 0) return alloc_parts(ctx, all, bytes, count, pointers);
    for (int k = 0; k < count; k++) TULLE__TRY(tulle__alloc(ctx, bytes[k], &pointers[k]));
    return TULLE_OK;
}

void tulle__free(tulle_ctx *ctx, void *pointer) {
    tulle__pool_put(&ctx->pool, pointer);
}

/* Header before the memory with its size, because release wants it. */
typedef union {
    size_t bytes;
    char room[HOST_ALIGNMENT];
} host_header;

void *tulle__host_alloc(tulle_ctx *ctx, size_t bytes) {
    size_t all = 0;
    host_header *header = NULL;
    if (!__builtin_add_overflow(bytes, sizeof *header, &all) &&
        !(tulle__is_promised(&ctx->host) && tulle__host_lacks(bytes))) {
        header = ctx->host.allocate(ctx->host.user, all, NULL);
    }
    if (!header) {
        char wanted[TULLE__HUMAN];
        tulle__fail(TULLE_OUT_OF_MEMORY, NULL, NULL, -1, "no %s left of host memory",
                    tulle__human_bytes((double)bytes, wanted));
        return NULL;
    }
    memset(header, 0, all);
    header->bytes = all;
    return header + 1;
}

void tulle__host_free(tulle_ctx *ctx, void *pointer) {
    if (!pointer) return;
    host_header *header = (host_header *)pointer - 1;
    ctx->host.release(ctx->host.user, header, header->bytes, NULL);
}

tulle_status tulle__lend(tulle_ctx *ctx, const void *array, size_t bytes) {
    return ctx->backend->watch(ctx->place.device, (void *)array, bytes, TULLE__WATCH_LENT);
}

void tulle__give_back(tulle_ctx *ctx, const void *array) {
    ctx->backend->watch(ctx->place.device, (void *)array, 0, TULLE__WATCH_RETURNED);
}

tulle_status tulle__workspace(tulle_ctx *ctx, size_t bytes, void **pointer) {
    if (bytes > ctx->workspace_bytes) {
        void *larger = NULL;
        TULLE__TRY(tulle__alloc(ctx, bytes, &larger));
        tulle__free(ctx, ctx->workspace);
        ctx->workspace = larger;
        ctx->workspace_bytes = bytes;
    }
    *pointer = ctx->workspace;
    if (!ctx->workspace) return TULLE_OK;
    char *beyond = (char *)ctx->workspace + bytes;
    TULLE__TRY(
        ctx->backend->watch(ctx->place.device, ctx->workspace, bytes, TULLE__WATCH_UNWRITTEN));
    return ctx->backend->watch(ctx->place.device, beyond, ctx->workspace_bytes - bytes,
                               TULLE__WATCH_CLOSED);
}

tulle_status tulle__landing(tulle_ctx *ctx, void **pointer) {
    if (!ctx->landing) {
        TULLE__TRY(
            ctx->backend->host_allocate(ctx->place.device, TULLE__LANDING_BYTES, &ctx->landing));
    }
    *pointer = ctx->landing;
    return TULLE_OK;
}

tulle_status tulle__copy_wait(tulle_ctx *ctx, void *to, const void *from, size_t bytes) {
    if (bytes == 0) return TULLE_OK;
    TULLE__TRY(ctx->backend->copy(&ctx->place, to, from, bytes));
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}
