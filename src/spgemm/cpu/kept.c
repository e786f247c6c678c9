/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/cpu/kept.h"

#include <string.h>

#include "core/context.h"

enum { MOST_BYTES = 128 << 20 };

static int64_t bytes_of_entry(const tulle__spgemm_task *task) {
    return tulle_index_size(task->index) + tulle_type_size(task->type);
}

tulle_status tulle__spgemm_kept_make(const tulle__spgemm_task *task,
                                     const tulle__spgemm_chunks *chunks, tulle__spgemm_kept *kept) {
    *kept = (tulle__spgemm_kept){.chunks = 0};
    if (task->place->ctx->pool.cap > 0) return TULLE_OK;
    const int64_t most = MOST_BYTES / bytes_of_entry(task);
    while (kept->chunks < chunks->count && chunks->before[kept->chunks + 1] <= most) {
        kept->chunks++;
    }
    const int64_t entries = chunks->before[kept->chunks];
    tulle_status status = tulle__alloc(
        task->place->ctx, (size_t)(entries * tulle_type_size(task->type)), &kept->values);
    if (status == TULLE_OK) {
        status = tulle__alloc(task->place->ctx, (size_t)(entries * tulle_index_size(task->index)),
                              &kept->cols);
    }
    if (status != TULLE_OK) tulle__spgemm_kept_free(task, kept);
    return status;
}

void tulle__spgemm_kept_free(const tulle__spgemm_task *task, tulle__spgemm_kept *kept) {
    tulle__free(task->place->ctx, kept->values);
    tulle__free(task->place->ctx, kept->cols);
    *kept = (tulle__spgemm_kept){.chunks = 0};
}

int64_t tulle__spgemm_kept_bytes(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                                 const tulle__spgemm_kept *kept) {
    return chunks->before[kept->chunks] * bytes_of_entry(task);
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
