/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/marks_of.h"

#include "matrix/build.h"
#include "matrix/functions.h"
#include "matrix/marks.h"

typedef struct tulle__kept_marks {
    tulle__derived base;
    void *data;
} tulle__kept_marks;

static void free_marks(tulle__derived *derived) {
    tulle__free(derived->ctx, ((tulle__kept_marks *)derived)->data);
}

static const tulle__owner marks = {.free = free_marks};

static tulle_status fill(tulle_ctx *ctx, tulle__pattern *pattern, void **data) {
    tulle__pattern_view view = tulle__view_of(pattern);
    size_t bytes = 0;
    int64_t count = tulle__mark_count(view.rows, view.nnz);
    TULLE__TRY(tulle__size(count, tulle_offset_size(view.index), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, data));
    return ctx->backend->matrix->mark_rows(&ctx->place, &view, *data);
}

tulle_status tulle__marks_make(tulle_ctx *ctx, tulle__pattern *pattern, bool wait) {
    if (ctx->kind == TULLE_CPU) return TULLE_OK;
    tulle_status status = TULLE_OK;
    tulle__kept_marks *made = NULL;
    if (pattern->format == TULLE_CSR) {
        made = tulle__derived_new(ctx, sizeof *made, &marks);
        if (!made) return TULLE_OUT_OF_MEMORY;
        status = fill(ctx, pattern, &made->data);
    }
    if (status == TULLE_OK && wait) {
        status = ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
    }
    if (made && status == TULLE_OK) tulle__derived_put(pattern, &made->base);
    if (made && status != TULLE_OK) tulle__derived_release(&made->base);
    return status;
}

const void *tulle__marks_of(const tulle__pattern *pattern) {
    if (!tulle__derived_ever(pattern, &marks)) return NULL;
    pthread_mutex_t *lock = (pthread_mutex_t *)&pattern->lock;
    pthread_mutex_lock(lock);
    const tulle__derived *found = tulle__derived_first(pattern, &marks);
    pthread_mutex_unlock(lock);
    return found ? ((const tulle__kept_marks *)found)->data : NULL;
}

int64_t tulle__marks_bytes(const tulle__pattern *pattern) {
    if (!tulle__marks_of(pattern)) return 0;
    return tulle__mark_count(pattern->rows, pattern->nnz) * tulle_offset_size(pattern->index);
}
