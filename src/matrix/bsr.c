/* SPDX-License-Identifier: Apache-2.0 */
/* BSR: a CSR of the square blocks that have an entry. Which blocks: the entries, divided by the
 * block size, as a COO matrix whose repeated entries become one. */
#include "matrix/layout.h"

/* What the block structure is found with; all but offsets and cols is scratch. */
typedef struct blocks {
    int64_t size, count;
    void *offsets, *cols; /* of blocks */
    void *rows_of, *cols_of, *values;
} blocks;

static void drop(tulle_ctx *ctx, const blocks *b) {
    tulle__free(ctx, b->values);
    tulle__free(ctx, b->cols_of);
    tulle__free(ctx, b->rows_of);
    tulle__free(ctx, b->cols);
    tulle__free(ctx, b->offsets);
}

static tulle_status alloc_blocks(tulle__layout_job *job, blocks *b) {
    const tulle__pattern *csr = tulle__job_csr(job);
    int64_t index_size = tulle_index_size(csr->index), rows = tulle__ceil_div(csr->rows, b->size);
    size_t indices = tulle__bytes(csr->nnz, index_size), offsets = 0, values = 0;
    TULLE__TRY(tulle__size(rows + 1, tulle_offset_size(csr->index), 0, &offsets));
    TULLE__TRY(tulle__size(csr->nnz, tulle_type_size(job->csr->type), 0, &values));
    TULLE__TRY(tulle__alloc(job->ctx, offsets, &b->offsets));
    TULLE__TRY(tulle__alloc(job->ctx, indices, &b->cols));
    TULLE__TRY(tulle__alloc(job->ctx, indices, &b->rows_of));
    TULLE__TRY(tulle__alloc(job->ctx, indices, &b->cols_of));
    return tulle__alloc(job->ctx, values, &b->values);
}

static tulle_status find(tulle__layout_job *job, blocks *b) {
    const tulle__pattern *csr = tulle__job_csr(job);
    tulle__pattern_view view = tulle__view_of(csr);
    const tulle__place *place = &job->ctx->place;
    const tulle__backend *backend = job->ctx->backend;
    int64_t size = tulle_index_size(csr->index);
    TULLE__TRY(alloc_blocks(job, b));
    TULLE__TRY(backend->expand_offsets(place, &view, b->rows_of));
    TULLE__TRY(backend->divide_indices(place, csr->nnz, size, b->rows_of, b->size, b->rows_of));
    TULLE__TRY(backend->divide_indices(place, csr->nnz, size, view.cols_of, b->size, b->cols_of));
    tulle__coo_to_csr sort = {.rows = tulle__ceil_div(csr->rows, b->size),
                              .cols = tulle__ceil_div(csr->cols, b->size),
                              .nnz = csr->nnz,
                              .in_index_size = size,
                              .index = csr->index,
                              .type = job->csr->type,
                              .rows_of = b->rows_of,
                              .cols_of = b->cols_of,
                              .values = job->csr->values.data,
                              .sum_duplicates = true,
                              .offsets = b->offsets,
                              .out_cols = b->cols,
                              .out_values = b->values,
                              .host_nnz = &b->count};
    return backend->coo_to_csr(place, &sort);
}

static tulle_status find_blocks(tulle__layout_job *job, int64_t size, blocks *b) {
    *b = (blocks){.size = size};
    tulle_status status = find(job, b);
    if (status != TULLE_OK) drop(job->ctx, b);
    return status;
}

/* Bytes of the layout: what a product must read of it. */
static double bytes_of(const tulle__layout_job *job, const blocks *b) {
    double cells = (double)b->size * (double)b->size;
    bool full = (double)b->count * cells <= (double)job->draft.nnz;
    double mask = full ? 0 : 4 * (double)tulle__mask_words(b->size);
    double offsets = (double)job->draft.rows / (double)b->size;
    return (double)b->count * (cells * (double)tulle_type_size(job->draft.type) + mask +
                               (double)tulle_index_size(job->draft.index)) +
           offsets * (double)tulle_offset_size(job->draft.index);
}

static tulle_status choose(tulle__layout_job *job, blocks *best) {
    static const int sizes[] = {1, 2, 3, 4, 6, 8, 16};
    *best = (blocks){0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        blocks b;
        tulle_status status = find_blocks(job, sizes[i], &b);
        if (status != TULLE_OK) {
            drop(job->ctx, best);
            return status;
        }
        bool better = best->size == 0 || bytes_of(job, &b) < bytes_of(job, best);
        drop(job->ctx, better ? best : &b);
        if (better) *best = b;
    }
    return TULLE_OK;
}

static tulle_status plan(tulle__layout_job *job, const blocks *b) {
    tulle__draft *d = &job->draft;
    tulle_storage *s = &d->storage;
    const tulle__backend *backend = job->ctx->backend;
    s->block = b->size;
    TULLE__TRY(tulle__slots(job, b->count, b->size * b->size, &s->stored));
    s->full = s->stored == d->nnz;
    TULLE__TRY(tulle__layout_alloc(job));
    int64_t rows = tulle__ceil_div(d->rows, b->size);
    TULLE__TRY(backend->copy(&job->ctx->place, d->arrays.offsets, b->offsets,
                             tulle__bytes(rows + 1, tulle_offset_size(d->index))));
    return backend->copy(&job->ctx->place, d->arrays.cols_of, b->cols,
                         tulle__bytes(b->count, tulle_index_size(d->index)));
}

tulle_status tulle__plan_bsr(tulle__layout_job *job) {
    int64_t size = job->options.block;
    if (size < 0 || size > TULLE__MOST_BLOCK) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, job->function, "options", -1,
                           "options: block is %lld; it must be 1 to %d, or 0 for the default",
                           (long long)size, TULLE__MOST_BLOCK);
    }
    blocks b;
    TULLE__TRY(size > 0 ? find_blocks(job, size, &b) : choose(job, &b));
    tulle_status status = plan(job, &b);
    drop(job->ctx, &b);
    return status;
}
