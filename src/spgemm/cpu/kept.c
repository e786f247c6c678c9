/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/cpu/kept.h"

#include <string.h>

#include "core/context.h"

/* LARGEST_ON_HEAP: bytes above which glibc maps each block anew. */
enum { MOST_BYTES = 128 << 20, LARGEST_ON_HEAP = 32 << 20, ALIGNMENT = 64 };

static int64_t bytes_of_entry(const tulle__spgemm_task *task) {
    return tulle_index_size(task->index) + tulle_type_size(task->type);
}

/* Bytes of the values, up to where an array of columns may begin. */
static size_t values_bytes(const tulle__spgemm_task *task, int64_t entries) {
    return ((size_t)(entries * tulle_type_size(task->type)) + ALIGNMENT - 1) / ALIGNMENT *
           ALIGNMENT;
}

/* Both arrays are one block where that can come from the C library's heap: freed memory at its end
 * is kept there up to twice the largest block that was freed, and otherwise given back, so that
 * each call would touch new pages. */
static tulle_status make(const tulle__spgemm_task *task, int64_t entries,
                         tulle__spgemm_kept *kept) {
    tulle_ctx *ctx = task->place->ctx;
    const size_t values = values_bytes(task, entries);
    const size_t cols = (size_t)(entries * tulle_index_size(task->index));
    const bool one = values + cols <= LARGEST_ON_HEAP;
    TULLE__TRY(tulle__alloc(ctx, one ? values + cols : values, &kept->values));
    if (!one) TULLE__TRY(tulle__alloc(ctx, cols, &kept->apart));
    kept->cols = !one ? kept->apart : kept->values ? (char *)kept->values + values : NULL;
    return TULLE_OK;
}

tulle_status tulle__spgemm_kept_make(const tulle__spgemm_task *task,
                                     const tulle__spgemm_chunks *chunks, tulle__spgemm_kept *kept) {
    *kept = (tulle__spgemm_kept){.chunks = 0};
    if (task->place->ctx->pool.cap > 0) return TULLE_OK;
    const int64_t most = MOST_BYTES / bytes_of_entry(task);
    while (kept->chunks < chunks->count && chunks->before[kept->chunks + 1] <= most) {
        kept->chunks++;
    }
    tulle_status status = make(task, chunks->before[kept->chunks], kept);
    if (status != TULLE_OK) tulle__spgemm_kept_free(task, kept);
    return status;
}

void tulle__spgemm_kept_free(const tulle__spgemm_task *task, tulle__spgemm_kept *kept) {
    tulle__free(task->place->ctx, kept->values);
    tulle__free(task->place->ctx, kept->apart);
    *kept = (tulle__spgemm_kept){.chunks = 0};
}

int64_t tulle__spgemm_kept_bytes(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                                 const tulle__spgemm_kept *kept) {
    const int64_t entries = chunks->before[kept->chunks];
    return (int64_t)values_bytes(task, entries) + entries * tulle_index_size(task->index);
}

/* to[at ...] := from[first ...] */
static void copy(void *to, int64_t at, const void *from, int64_t first, int64_t count,
                 int64_t size) {
    memcpy((char *)to + at * size, (const char *)from + first * size, (size_t)(count * size));
}

void tulle__spgemm_kept_copy(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                             const tulle__spgemm_kept *kept, int c) {
    int64_t at = chunks->offsets[chunks->first[c]], first = chunks->before[c];
    int64_t count = chunks->offsets[chunks->first[c + 1]] - at;
    if (count == 0) return;
    copy(task->c.cols_of, at, kept->cols, first, count, tulle_index_size(task->index));
    copy(task->c.values, at, kept->values, first, count, tulle_type_size(task->type));
}
