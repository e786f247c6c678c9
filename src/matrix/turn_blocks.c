/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/turn_blocks.h"

#include "matrix/functions.h"
#include "matrix/turn.h"

tulle__pattern_view tulle__blocks_view(const tulle__pattern *pattern) {
    const tulle_storage *s = &pattern->storage;
    const bool scalars = pattern->format == TULLE_CSR;
    const int64_t tall = scalars ? 1 : tulle__block_rows(s);
    const int64_t wide = scalars ? 1 : tulle__block_cols(s);
    return (tulle__pattern_view){.rows = tulle__ceil_div(pattern->rows, tall),
                                 .cols = tulle__ceil_div(pattern->cols, wide),
                                 .nnz = scalars ? pattern->nnz : tulle__bsr_blocks(s),
                                 .format = TULLE_CSR,
                                 .index = pattern->index,
                                 .offsets = pattern->offsets.data,
                                 .cols_of = pattern->cols_of.data};
}

static tulle__block_turning turning_of(const tulle__pattern *p, const int64_t *perm) {
    return (tulle__block_turning){.blocks = tulle__bsr_blocks(&p->storage),
                                  .tall = (int)tulle__block_rows(&p->storage),
                                  .wide = (int)tulle__block_cols(&p->storage),
                                  .perm = perm};
}

static tulle_status turn_values(tulle_ctx *ctx, const tulle_mat *A, const int64_t *perm,
                                void *values) {
    tulle__block_turning job = turning_of(A->pattern, perm);
    job.type = A->type;
    job.values = A->values.data;
    job.out_values = values;
    return job.blocks > 0 ? ctx->backend->matrix->turn_blocks(&ctx->place, &job) : TULLE_OK;
}

static tulle_status turn_mask(tulle_ctx *ctx, const tulle__pattern *p, const int64_t *perm,
                              void *mask) {
    tulle__block_turning job = turning_of(p, perm);
    job.mask = p->mask.data;
    job.out_mask = mask;
    if (p->storage.full || job.blocks == 0) return TULLE_OK;
    return ctx->backend->matrix->turn_blocks(&ctx->place, &job);
}

static tulle_status turn_pattern(tulle_ctx *ctx, const tulle__pattern_view *blocks, tulle__draft *d,
                                 int64_t *perm) {
    const tulle__turning job = {.csr = blocks,
                                .type = TULLE_F32, /* there are no values */
                                .offsets = d->arrays.offsets,
                                .out_cols = d->arrays.cols_of,
                                .perm = perm,
                                .way = tulle__turn_way(ctx)};
    return ctx->backend->matrix->turn_csr(&ctx->place, &job);
}

static tulle_status fill(tulle_ctx *ctx, const tulle_mat *A, tulle__draft *d, int64_t *perm) {
    const tulle__pattern_view blocks = tulle__blocks_view(A->pattern);
    TULLE__TRY(turn_pattern(ctx, &blocks, d, perm));
    TULLE__TRY(turn_mask(ctx, A->pattern, perm, d->arrays.mask));
    TULLE__TRY(turn_values(ctx, A, perm, d->values));
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

static tulle__draft draft_of(tulle_ctx *ctx, const tulle_mat *A) {
    const tulle__pattern *p = A->pattern;
    tulle_storage storage = p->storage;
    storage.block = tulle__block_cols(&p->storage);
    storage.block_cols = tulle__block_rows(&p->storage);
    return (tulle__draft){.ctx = ctx,
                          .rows = p->cols,
                          .cols = p->rows,
                          .nnz = p->nnz,
                          .format = TULLE_BSR,
                          .index = p->index,
                          .type = A->type,
                          .storage = storage};
}

static tulle_status make(tulle_ctx *ctx, const tulle_mat *A, int64_t *perm, tulle_mat **T) {
    tulle__draft draft = draft_of(ctx, A);
    tulle__stats stats;
    TULLE__TRY(tulle__draft_alloc(&draft));
    tulle_status status = fill(ctx, A, &draft, perm);
    if (status == TULLE_OK) {
        tulle__pattern_view view = tulle__draft_view(&draft);
        status = tulle__layout_stats(ctx, &view, draft.type, draft.values, &stats);
    }
    if (status == TULLE_OK) return tulle__draft_finish(&draft, &stats, T);
    tulle__draft_free(&draft);
    return status;
}

tulle_status tulle__turn_bsr(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **T, int64_t **perm) {
    void *found = NULL;
    size_t bytes = 0;
    *T = NULL;
    TULLE__TRY(tulle__size(tulle__bsr_blocks(&A->pattern->storage), sizeof **perm, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &found));
    const tulle_status status = make(ctx, A, found, T);
    if (status == TULLE_OK && perm) {
        *perm = found;
    } else {
        tulle__free(ctx, found);
    }
    return status;
}

tulle_status tulle__turn_values(tulle_ctx *ctx, const tulle_mat *A, const int64_t *perm,
                                tulle_mat *T) {
    return turn_values(ctx, A, perm, T->values.data);
}
