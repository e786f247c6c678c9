/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/build.h"
#include "matrix/derived.h"
#include "matrix/marks_of.h"

void tulle__array_release(tulle_ctx *ctx, tulle__array *array) {
    if (!array->data) return;
    if (array->lent) tulle__give_back(ctx, array->data);
    if (array->ownership == TULLE_COPY) tulle__free(ctx, array->data);
    if (array->ownership == TULLE_TAKE) array->release(array->user, array->data);
}

tulle__pattern_view tulle__view_of(const tulle__pattern *pattern) {
#define A(number, member, field, item, words) .member = pattern->member.data,
    return (tulle__pattern_view){.rows = pattern->rows,
                                 .cols = pattern->cols,
                                 .nnz = pattern->nnz,
                                 .format = pattern->format,
                                 .index = pattern->index,
                                 .storage = pattern->storage,
                                 TULLE__EACH_ARRAY(A)};
#undef A
}

static tulle__array handed(const void *data, const tulle__array *way) {
    tulle__array array = *way;
    array.data = (void *)data;
    return array;
}

/* Frees the struct alone. */
static void dispose(tulle__pattern *pattern) {
    pthread_mutex_destroy(&pattern->lock);
    pthread_mutex_destroy(&pattern->building);
    tulle__host_free(pattern->ctx, pattern);
}

tulle_status tulle__pattern_make(tulle_ctx *ctx, const tulle__pattern_view *view,
                                 const tulle__array *way, const tulle__stats *stats,
                                 tulle__pattern **pattern) {
    tulle__pattern *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    static atomic_uint_fast64_t serial;
    atomic_init(&made->owners, 1);
    made->serial = atomic_fetch_add(&serial, 1);
    made->ctx = ctx;
    made->rows = view->rows;
    made->cols = view->cols;
    made->nnz = view->nnz;
    made->format = view->format;
    made->index = view->index;
    made->storage = view->storage;
    if (made->storage.stored == 0) made->storage.stored = view->nnz;
    made->storage.block_cols = tulle__block_cols(&made->storage);
    tulle__pattern_view arrays = *view;
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        made->arrays[k] = handed(*tulle__view_array(&arrays, k), way);
    }
    if (stats) made->stats = *stats;
    pthread_mutex_init(&made->building, NULL);
    pthread_mutex_init(&made->lock, NULL);
    tulle_status status = tulle__marks_make(ctx, made, stats != NULL);
    if (status != TULLE_OK) {
        dispose(made);
        return status;
    }
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
    tulle__derived_forget(pattern, NULL);
    for (int k = 0; k < TULLE__ARRAYS; k++) tulle__array_release(ctx, &pattern->arrays[k]);
    dispose(pattern);
    tulle__ctx_release(ctx);
}
