/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/build.h"
#include "matrix/marks.h"

void tulle__array_release(tulle_ctx *ctx, tulle__array *array) {
    if (!array->data) return;
    if (array->ownership == TULLE_COPY) tulle__free(ctx, array->data);
    if (array->ownership == TULLE_TAKE) array->release(array->user, array->data);
}

tulle__pattern_view tulle__view_of(const tulle__pattern *pattern) {
    return (tulle__pattern_view){.rows = pattern->rows,
                                 .cols = pattern->cols,
                                 .nnz = pattern->nnz,
                                 .format = pattern->format,
                                 .index = pattern->index,
                                 .offsets = pattern->offsets.data,
                                 .rows_of = pattern->rows_of.data,
                                 .cols_of = pattern->cols_of.data,
                                 .order = pattern->order.data,
                                 .lengths = pattern->lengths.data,
                                 .mask = pattern->mask.data,
                                 .codes = pattern->codes.data,
                                 .storage = pattern->storage};
}

static tulle__array handed(const void *data, const tulle__array *way) {
    tulle__array array = *way;
    array.data = (void *)data;
    return array;
}

/* Waits, so that whoever has the pattern may read it whatever its own stream has done: kernels that
 * start early rely on that (gpu/gpu.cuh). */
static tulle_status make_marks(tulle_ctx *ctx, const tulle__pattern_view *view, void **marks) {
    *marks = NULL;
    if (ctx->kind == TULLE_CPU) return TULLE_OK;
    if (view->format == TULLE_CSR) {
        size_t bytes = 0;
        int64_t count = tulle__mark_count(view->rows, view->nnz);
        TULLE__TRY(tulle__size(count, tulle_offset_size(view->index), 0, &bytes));
        TULLE__TRY(tulle__alloc(ctx, bytes, marks));
    }
    tulle_status status = *marks ? ctx->backend->mark_rows(&ctx->place, view, *marks) : TULLE_OK;
    if (status == TULLE_OK) {
        status = ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
    }
    if (status != TULLE_OK) tulle__free(ctx, *marks);
    return status;
}

tulle_status tulle__pattern_make(tulle_ctx *ctx, const tulle__pattern_view *view,
                                 const tulle__array *way, const tulle__stats *stats,
                                 tulle__pattern **pattern) {
    tulle__pattern *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    atomic_init(&made->owners, 1);
    made->ctx = ctx;
    made->rows = view->rows;
    made->cols = view->cols;
    made->nnz = view->nnz;
    made->format = view->format;
    made->index = view->index;
    made->storage = view->storage;
    if (made->storage.stored == 0) made->storage.stored = view->nnz;
    tulle__pattern_view arrays = *view;
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        made->arrays[k] = handed(*tulle__view_array(&arrays, k), way);
    }
    made->stats = *stats;
    tulle_status status = make_marks(ctx, view, &made->marks);
    if (status != TULLE_OK) {
        tulle__host_free(ctx, made);
        return status;
    }
    pthread_mutex_init(&made->building, NULL);
    pthread_mutex_init(&made->lock, NULL);
    tulle__ctx_retain(ctx);
    *pattern = made;
    return TULLE_OK;
}

void tulle__pattern_retain(tulle__pattern *pattern) {
    atomic_fetch_add(&pattern->owners, 1);
}

void tulle__pattern_release(tulle__pattern *pattern) {
    if (!pattern || atomic_fetch_sub(&pattern->owners, 1) > 1) return;
    tulle_ctx *ctx = pattern->ctx;
    tulle__plans_release(pattern);
    for (int k = 0; k < TULLE__ARRAYS; k++) tulle__array_release(ctx, &pattern->arrays[k]);
    tulle__free(ctx, pattern->marks);
    pthread_mutex_destroy(&pattern->lock);
    pthread_mutex_destroy(&pattern->building);
    tulle__host_free(ctx, pattern);
    tulle__ctx_release(ctx);
}
