/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/block_lines_of.h"

#include "matrix/build.h"
#include "matrix/functions.h"
#include "matrix/turn.h"
#include "matrix/turn_blocks.h"

typedef struct kept_lines {
    tulle__derived base;
    tulle_trans op;
    int64_t bytes;
    tulle__block_lines lines;
} kept_lines;

static void free_lines(tulle__derived *derived) {
    const tulle__block_lines *l = &((kept_lines *)derived)->lines;
    void *const arrays[] = {l->order, l->offsets, l->others, l->slots};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        tulle__free(derived->ctx, arrays[i]);
    }
}

static int64_t lines_bytes(const tulle__derived *derived) {
    return ((const kept_lines *)derived)->bytes;
}

static const tulle__owner all_lines = {.free = free_lines, .bytes = lines_bytes};

static tulle_status make_array(kept_lines *made, int64_t count, int64_t size, void **array) {
    size_t bytes = 0;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    TULLE__TRY(tulle__alloc(made->base.ctx, bytes, array));
    made->bytes += (int64_t)bytes;
    return TULLE_OK;
}

static tulle_status fill_columns(tulle_ctx *ctx, const tulle__pattern_view *blocks,
                                 const tulle__block_lines *lines) {
    const tulle__backend *backend = ctx->backend;
    tulle__turning job = {.csr = blocks,
                          .type = TULLE_F32, /* there are no values */
                          .offsets = lines->offsets,
                          .out_cols = lines->others,
                          .way = tulle__turn_way(ctx)};
    size_t bytes = 0;
    void *perm = NULL;
    TULLE__TRY(tulle__size(blocks->nnz, sizeof *job.perm, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &perm));
    job.perm = perm;
    tulle_status status = backend->matrix->turn_csr(&ctx->place, &job);
    if (status == TULLE_OK) {
        status =
            backend->format->convert_indices(&ctx->place, blocks->nnz, sizeof *job.perm, perm,
                                             tulle_offset_size(blocks->index), lines->slots, 0);
    }
    tulle__free(ctx, perm);
    return status;
}

/* Makes block columns of the block rows in `blocks`. */
static tulle_status turn(tulle_ctx *ctx, kept_lines *made, tulle__pattern_view *blocks) {
    tulle__block_lines *lines = &made->lines;
    const int64_t offset = tulle_offset_size(blocks->index),
                  index = tulle_index_size(blocks->index);
    TULLE__TRY(make_array(made, blocks->cols + 1, offset, &lines->offsets));
    TULLE__TRY(make_array(made, blocks->nnz, index, &lines->others));
    TULLE__TRY(make_array(made, blocks->nnz, offset, &lines->slots));
    TULLE__TRY(fill_columns(ctx, blocks, lines));
    const int64_t columns = blocks->cols;
    blocks->cols = blocks->rows;
    blocks->rows = columns;
    blocks->offsets = lines->offsets;
    blocks->cols_of = lines->others;
    return TULLE_OK;
}

static tulle_status fill(tulle_ctx *ctx, kept_lines *made, const tulle__pattern *pattern) {
    tulle__pattern_view blocks = tulle__blocks_view(pattern);
    tulle__block_lines *lines = &made->lines;
    if (made->op == TULLE_T) TULLE__TRY(turn(ctx, made, &blocks));
    lines->count = blocks.rows;
    TULLE__TRY(make_array(made, blocks.rows, tulle_index_size(blocks.index), &lines->order));
    if (blocks.rows > 0) {
        TULLE__TRY(
            ctx->backend->format->order_rows(&ctx->place, &blocks, blocks.rows, lines->order));
    }
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

static kept_lines *find(tulle__pattern *pattern, tulle_trans op) {
    if (!tulle__derived_ever(pattern, &all_lines)) return NULL;
    pthread_mutex_lock(&pattern->lock);
    tulle__derived *d = tulle__derived_first(pattern, &all_lines);
    while (d && ((kept_lines *)d)->op != op) d = tulle__derived_next(d);
    pthread_mutex_unlock(&pattern->lock);
    return (kept_lines *)d;
}

/* Makes the lines. The caller holds `building`. */
static tulle_status make(tulle_ctx *ctx, tulle__pattern *pattern, tulle_trans op,
                         kept_lines **kept) {
    kept_lines *made = tulle__derived_new(ctx, sizeof *made, &all_lines);
    if (!made) return TULLE_OUT_OF_MEMORY;
    made->op = op;
    tulle_status status = fill(ctx, made, pattern);
    if (status != TULLE_OK) {
        tulle__derived_release(&made->base);
        return status;
    }
    pthread_mutex_lock(&pattern->lock);
    tulle__derived_put(pattern, &made->base);
    pthread_mutex_unlock(&pattern->lock);
    *kept = made;
    return TULLE_OK;
}

tulle_status tulle__block_lines_of(tulle_ctx *ctx, tulle__pattern *pattern, tulle_trans op,
                                   const tulle__block_lines **lines) {
    tulle_status status = TULLE_OK;
    kept_lines *found = find(pattern, op);
    if (!found) {
        pthread_mutex_lock(&pattern->building);
        found = find(pattern, op);
        if (!found) status = make(ctx, pattern, op, &found);
        pthread_mutex_unlock(&pattern->building);
    }
    if (status == TULLE_OK) *lines = &found->lines;
    return status;
}
