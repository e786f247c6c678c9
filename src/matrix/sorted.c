/* SPDX-License-Identifier: Apache-2.0 */
/* CSR and DCSR matrices from entries in any order, on any device. */
#include "matrix/build.h"
#include "matrix/functions.h"

/* The type of items of 4 or 8 bytes, whatever they are. */
static tulle_type item_type(int64_t size) {
    return size == 4 ? TULLE_F32 : TULLE_F64;
}

static tulle_status alloc_items(tulle_ctx *ctx, int64_t count, int64_t size, void **array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    return tulle__alloc(ctx, bytes, array);
}

/* Finds the row of each entry of a DCSR matrix: the order, at the entry's position. */
static tulle_status expand_heads(tulle_ctx *ctx, const tulle__pattern *p, void *rows_of) {
    const tulle__format_functions *format = ctx->backend->format;
    int64_t size = tulle_index_size(p->index);
    tulle__pattern_view heads = tulle__view_of(p);
    heads.rows = p->storage.heads;
    void *positions = NULL;
    TULLE__TRY(alloc_items(ctx, p->nnz, sizeof(int64_t), &positions));
    tulle_status status = format->expand_offsets(&ctx->place, &heads, rows_of);
    if (status == TULLE_OK) {
        status = format->convert_indices(&ctx->place, p->nnz, size, rows_of, 8, positions, 0);
    }
    if (status == TULLE_OK) {
        status = format->gather_values(&ctx->place, p->nnz, item_type(size), positions,
                                       p->order.data, rows_of);
    }
    tulle__free(ctx, positions);
    return status;
}

static tulle_status expand(tulle_ctx *ctx, const tulle__pattern *p, void *indices) {
    tulle__pattern_view view = tulle__view_of(p);
    if (p->nnz == 0) return TULLE_OK;
    if (tulle__has(p->format, TULLE__COMPRESSED)) return expand_heads(ctx, p, indices);
    if (p->format == TULLE_CSC) view.rows = p->cols;
    return ctx->backend->format->expand_offsets(&ctx->place, &view, indices);
}

tulle_status tulle__places_of(tulle_ctx *ctx, const tulle_mat *A, tulle__places *e) {
    const tulle__pattern *p = A->pattern;
    *e = (tulle__places){.rows_of = p->rows_of.data, .cols_of = p->cols_of.data};
    if (p->format == TULLE_COO) return TULLE_OK;
    TULLE__TRY(alloc_items(ctx, p->nnz, tulle_index_size(p->index), &e->scratch));
    tulle_status status = expand(ctx, p, e->scratch);
    if (status != TULLE_OK) {
        tulle__free(ctx, e->scratch);
        e->scratch = NULL;
        return status;
    }
    *(p->format == TULLE_CSC ? &e->cols_of : &e->rows_of) = e->scratch;
    return TULLE_OK;
}

static tulle_status shorten(tulle_ctx *ctx, void **array, int64_t count, int64_t size) {
    void *exact;
    TULLE__TRY(tulle__alloc(ctx, tulle__bytes(count, size), &exact));
    tulle_status status = ctx->backend->copy(&ctx->place, exact, *array, tulle__bytes(count, size));
    tulle__free(ctx, status == TULLE_OK ? *array : exact);
    if (status == TULLE_OK) *array = exact;
    return status;
}

/* Gives back the room of entries that were summed away. */
static tulle_status keep_first(tulle__draft *draft, int64_t nnz) {
    if (nnz == draft->nnz) return TULLE_OK;
    draft->nnz = draft->storage.stored = nnz;
    TULLE__TRY(shorten(draft->ctx, &draft->arrays.cols_of, nnz, tulle_index_size(draft->index)));
    return shorten(draft->ctx, &draft->values, nnz, tulle_type_size(draft->type));
}

tulle_status tulle__sorted_csr(tulle_ctx *ctx, tulle__coo_to_csr *job, tulle_mat **A) {
    tulle__draft draft = {.ctx = ctx,
                          .rows = job->rows,
                          .cols = job->cols,
                          .nnz = job->nnz,
                          .format = TULLE_CSR,
                          .index = job->index,
                          .type = job->type};
    int64_t nnz = 0;
    TULLE__TRY(tulle__progress(ctx, "sorting entries", 0, job->nnz));
    TULLE__TRY(tulle__draft_alloc(&draft));
    job->offsets = draft.arrays.offsets;
    job->out_cols = draft.arrays.cols_of;
    job->out_values = draft.values;
    job->perm = NULL;
    job->host_nnz = &nnz;
    tulle_status status = ctx->backend->matrix->coo_to_csr(&ctx->place, job);
    if (status == TULLE_OK) status = keep_first(&draft, nnz);
    if (status == TULLE_OK) status = tulle__progress(ctx, "sorting entries", job->nnz, job->nnz);
    if (status != TULLE_OK) {
        tulle__draft_free(&draft);
        return status;
    }
    return tulle__draft_finish(&draft, NULL, A);
}

/* Source of a DCSR: entries by rows, in no order of their columns. */
typedef struct by_rows {
    void *rows_of, *cols_of, *values; /* rows, columns and values, of the index type of the
                                         result */
    void *order, *ranks;              /* rows that have entries, and rank of each entry's row:
                                         see list_heads in format/functions.h */
    void *perm, *spare, *ends;
    int64_t heads;
} by_rows;

static void free_by_rows(tulle_ctx *ctx, by_rows *b) {
    void *const all[] = {b->ends,  b->spare,  b->perm,    b->ranks,
                         b->order, b->values, b->cols_of, b->rows_of};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tulle__free(ctx, all[i]);
}

static tulle_status alloc_by_rows(tulle_ctx *ctx, const tulle__coo_to_csr *job, by_rows *b) {
    int64_t n = job->nnz, size = tulle_index_size(job->index);
    TULLE__TRY(alloc_items(ctx, n, size, &b->rows_of));
    TULLE__TRY(alloc_items(ctx, n, size, &b->cols_of));
    TULLE__TRY(alloc_items(ctx, n, tulle_type_size(job->type), &b->values));
    TULLE__TRY(alloc_items(ctx, n, size, &b->order));
    TULLE__TRY(alloc_items(ctx, n, size, &b->ranks));
    TULLE__TRY(alloc_items(ctx, n, sizeof(int64_t), &b->perm));
    TULLE__TRY(alloc_items(ctx, n, sizeof(int64_t), &b->spare));
    return alloc_items(ctx, 2, sizeof(int64_t), &b->ends);
}

/* Sorts the rows as if they were the columns of a single row, so that no array is as large as
 * their number. */
static tulle_status sort_rows(tulle_ctx *ctx, const tulle__coo_to_csr *job, by_rows *b) {
    const tulle__format_functions *format = ctx->backend->format;
    const tulle__place *place = &ctx->place;
    int64_t n = job->nnz, size = tulle_index_size(job->index), sorted = 0;
    if (n == 0) return TULLE_OK;
    TULLE__TRY(ctx->backend->set_bytes(place, b->spare, 0, tulle__bytes(n, job->in_index_size)));
    tulle__coo_to_csr rows = {.rows = 1,
                              .cols = job->rows,
                              .nnz = n,
                              .in_index_size = job->in_index_size,
                              .index = job->index,
                              .type = TULLE_F32,
                              .rows_of = b->spare,
                              .cols_of = job->rows_of,
                              .offsets = b->ends,
                              .out_cols = b->rows_of,
                              .perm = b->perm,
                              .host_nnz = &sorted};
    TULLE__TRY(ctx->backend->matrix->coo_to_csr(place, &rows));
    TULLE__TRY(
        format->convert_indices(place, n, job->in_index_size, job->cols_of, size, b->spare, 0));
    TULLE__TRY(format->gather_values(place, n, item_type(size), b->perm, b->spare, b->cols_of));
    TULLE__TRY(format->gather_values(place, n, job->type, b->perm, job->values, b->values));
    return format->list_heads(place, job->index, n, b->rows_of, b->order, NULL, b->ranks,
                              &b->heads);
}

/* Makes the CSR of the rows that have entries, and the list of these rows. */
static tulle_status fill_heads(tulle_ctx *ctx, const tulle__coo_to_csr *job, const by_rows *b,
                               tulle__draft *d) {
    int64_t nnz = 0, size = tulle_index_size(job->index);
    tulle__coo_to_csr heads = {.rows = b->heads,
                               .cols = job->cols,
                               .nnz = job->nnz,
                               .in_index_size = size,
                               .index = job->index,
                               .type = job->type,
                               .rows_of = b->ranks,
                               .cols_of = b->cols_of,
                               .values = b->values,
                               .sum_duplicates = job->sum_duplicates,
                               .offsets = d->arrays.offsets,
                               .out_cols = d->arrays.cols_of,
                               .out_values = d->values,
                               .host_nnz = &nnz};
    if (b->heads > 0) {
        TULLE__TRY(ctx->backend->copy(&ctx->place, d->arrays.order, b->order,
                                      tulle__bytes(b->heads, size)));
    }
    TULLE__TRY(ctx->backend->matrix->coo_to_csr(&ctx->place, &heads));
    return keep_first(d, nnz);
}

static tulle_status make_dcsr(tulle_ctx *ctx, const tulle__coo_to_csr *job, by_rows *b,
                              tulle_mat **A) {
    TULLE__TRY(alloc_by_rows(ctx, job, b));
    TULLE__TRY(sort_rows(ctx, job, b));
    tulle__draft draft = {.ctx = ctx,
                          .rows = job->rows,
                          .cols = job->cols,
                          .nnz = job->nnz,
                          .format = TULLE_DCSR,
                          .index = job->index,
                          .type = job->type,
                          .storage = {.stored = job->nnz, .heads = b->heads}};
    TULLE__TRY(tulle__draft_alloc(&draft));
    tulle__stats stats;
    tulle_status status = fill_heads(ctx, job, b, &draft);
    tulle__pattern_view view = tulle__draft_view(&draft);
    if (status == TULLE_OK) {
        status = tulle__layout_stats(ctx, &view, draft.type, draft.values, &stats);
    }
    if (status != TULLE_OK) {
        tulle__draft_free(&draft);
        return status;
    }
    return tulle__draft_finish(&draft, &stats, A);
}

tulle_status tulle__sorted_dcsr(tulle_ctx *ctx, const tulle__coo_to_csr *job, tulle_mat **A) {
    by_rows b = {0};
    TULLE__TRY(tulle__progress(ctx, "sorting entries", 0, job->nnz));
    tulle_status status = make_dcsr(ctx, job, &b, A);
    free_by_rows(ctx, &b);
    if (status != TULLE_OK) return status;
    status = tulle__progress(ctx, "sorting entries", job->nnz, job->nnz);
    if (status != TULLE_OK) {
        tulle_mat_destroy(*A);
        *A = NULL;
    }
    return status;
}
