/* SPDX-License-Identifier: Apache-2.0 */
#include "amg/blocks.h"

#include <math.h>

#include "amg/amg.h"
#include "amg/functions.h"
#include "dense/dense.h"
#include "format/bsr.h"
#include "matrix/turn_blocks.h"

tulle__amg_blocks tulle__amg_blocks_of(const tulle_mat *A) {
    const tulle_storage *s = &A->pattern->storage;
    return (tulle__amg_blocks){.csr = tulle__blocks_view(A->pattern),
                               .tall = (int)tulle__block_rows(s),
                               .wide = (int)tulle__block_cols(s),
                               .type = A->type,
                               .values = A->values.data};
}

tulle_status tulle__amg_draft_blocks(tulle_ctx *ctx, const tulle__amg_blocks *like, int64_t rows,
                                     int64_t cols, int64_t blocks, int tall, int wide,
                                     tulle__draft *draft) {
    int64_t numbers;
    if (__builtin_mul_overflow(blocks, (int64_t)tall * wide, &numbers)) {
        return tulle__fail(TULLE_TOO_LARGE, NULL, NULL, -1,
                           "64 bits cannot count the numbers of %lld blocks of %d x %d",
                           (long long)blocks, tall, wide);
    }
    *draft = (tulle__draft){
        .ctx = ctx,
        .rows = rows,
        .cols = cols,
        .nnz = numbers,
        .format = TULLE_BSR,
        .index = like->csr.index,
        .type = like->type,
        .storage = {.stored = numbers, .block = tall, .block_cols = wide, .full = true}};
    return tulle__draft_alloc(draft);
}

static tulle_status find_stats(tulle_ctx *ctx, const tulle__pattern_view *view, const void *known,
                               tulle__stats *stats) {
    (void)known;
    return ctx->backend->matrix->rising_stats(&ctx->place, view, stats);
}

tulle_status tulle__amg_finish_blocks(tulle_status status, tulle__draft *draft, tulle_mat **A) {
    if (status == TULLE_OK) return tulle__draft_finish_by(draft, find_stats, NULL, A);
    tulle__draft_free(draft);
    return status;
}

/* Copies a matrix in BSR, its padding as zeros. */
static tulle_status fill_up(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **full) {
    const tulle__amg_blocks from = tulle__amg_blocks_of(A);
    const tulle__backend *backend = ctx->backend;
    const size_t offsets = (size_t)((from.csr.rows + 1) * tulle_offset_size(from.csr.index));
    const size_t columns = (size_t)(from.csr.nnz * tulle_index_size(from.csr.index));
    tulle__draft draft;
    TULLE__TRY(tulle__amg_draft_blocks(ctx, &from, A->pattern->rows, A->pattern->cols, from.csr.nnz,
                                       from.tall, from.wide, &draft));
    const tulle__amg_scaling job = {
        .B = from, .mask = A->pattern->mask.data, .type = A->type, .to = draft.values};
    tulle_status status =
        backend->copy(&ctx->place, draft.arrays.offsets, from.csr.offsets, offsets);
    if (status == TULLE_OK && columns > 0) {
        status = backend->copy(&ctx->place, draft.arrays.cols_of, from.csr.cols_of, columns);
    }
    if (status == TULLE_OK) status = backend->amg->amg_scale_blocks(&ctx->place, &job);
    return tulle__amg_finish_blocks(status, &draft, full);
}

static bool has_blocks(const tulle_mat *A, int tall, int wide) {
    const tulle_storage *s = &A->pattern->storage;
    return A->pattern->format == TULLE_BSR && s->full && tulle__block_rows(s) == tall &&
           tulle__block_cols(s) == wide;
}

tulle_status tulle__amg_in_blocks(tulle_ctx *ctx, tulle_mat *A, int tall, int wide,
                                  tulle_mat **blocks) {
    const tulle_convert_options options = {.block = tall, .block_cols = wide, .fill = HUGE_VAL};
    tulle_mat *padded = NULL;
    if (has_blocks(A, tall, wide)) {
        *blocks = tulle_mat_retain(A);
        return TULLE_OK;
    }
    TULLE__TRY(tulle_mat_convert_with(ctx, A, TULLE_BSR, A->pattern->index, &options, &padded));
    if (padded->pattern->storage.full) {
        *blocks = padded;
        return TULLE_OK;
    }
    const tulle_status status = fill_up(ctx, padded, blocks);
    tulle_mat_destroy(padded);
    return status;
}

tulle_status tulle__amg_scale(tulle_ctx *ctx, const tulle_mat *B, const tulle_vec *left,
                              const tulle_vec *right, tulle_type type, int64_t *unfit,
                              tulle_mat **to) {
    if (!*to || (*to)->pattern != B->pattern || (*to)->type != type) {
        tulle_mat *made = NULL;
        TULLE__TRY(tulle__amg_make_on(ctx, B->pattern, type, &made));
        tulle_mat_destroy(*to);
        *to = made;
    }
    const tulle__amg_scaling job = {.B = tulle__amg_blocks_of(B),
                                    .left = left ? left->data : NULL,
                                    .right = right ? right->data : NULL,
                                    .type = type,
                                    .to = (*to)->values.data,
                                    .unfit = unfit};
    return ctx->backend->amg->amg_scale_blocks(&ctx->place, &job);
}
