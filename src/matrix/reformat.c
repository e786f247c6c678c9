/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_convert and tulle_mat_transpose. */
#include "matrix/build.h"

/* A or its transpose as CSR, sorted, by way of its entries. */
static tulle_status sort_entries(tulle_ctx *ctx, const tulle_mat *A, tulle_index index,
                                 bool transpose, bool sum_duplicates, tulle_mat **B) {
    const tulle__pattern *p = A->pattern;
    const void *rows_of;
    void *scratch;
    TULLE__TRY(tulle__rows_of(ctx, A, &rows_of, &scratch));
    tulle__coo_to_csr job = {.rows = transpose ? p->cols : p->rows,
                             .cols = transpose ? p->rows : p->cols,
                             .nnz = p->nnz,
                             .in_index_size = tulle_index_size(p->index),
                             .index = index,
                             .type = A->type,
                             .rows_of = transpose ? p->cols_of.data : rows_of,
                             .cols_of = transpose ? rows_of : p->cols_of.data,
                             .values = A->values.data,
                             .sum_duplicates = sum_duplicates};
    tulle_status status = tulle__sorted_csr(ctx, &job, B);
    tulle__free(ctx, scratch);
    return status;
}

static tulle_status convert_rows(const tulle_mat *A, tulle__draft *d) {
    const tulle__pattern *p = A->pattern;
    tulle_ctx *ctx = d->ctx;
    const void *rows_of;
    void *scratch;
    TULLE__TRY(tulle__rows_of(ctx, A, &rows_of, &scratch));
    tulle_status status =
        ctx->backend->convert_indices(&ctx->place, p->nnz, tulle_index_size(p->index), rows_of,
                                      tulle_index_size(d->index), d->rows_of, 0);
    tulle__free(ctx, scratch);
    return status;
}

static tulle_status convert_offsets(const tulle_mat *A, tulle__draft *d) {
    const tulle__pattern *p = A->pattern;
    return d->ctx->backend->convert_indices(&d->ctx->place, p->rows + 1,
                                            tulle_offset_size(p->index), p->offsets.data,
                                            tulle_offset_size(d->index), d->offsets, 0);
}

static tulle_status convert_entries(const tulle_mat *A, tulle__draft *d) {
    const tulle__pattern *p = A->pattern;
    const tulle__backend *backend = d->ctx->backend;
    const tulle__place *place = &d->ctx->place;
    TULLE__TRY(backend->convert_indices(place, p->nnz, tulle_index_size(p->index), p->cols_of.data,
                                        tulle_index_size(d->index), d->cols_of, 0));
    return backend->convert_values(place, p->nnz, A->type, A->values.data, d->type, d->values);
}

/* The same entries in the same order: CSR to CSR, or anything to COO. */
static tulle_status keep_order(tulle_ctx *ctx, const tulle_mat *A, tulle_format format,
                               tulle_index index, tulle_mat **B) {
    const tulle__pattern *p = A->pattern;
    tulle__draft draft = {.ctx = ctx,
                          .rows = p->rows,
                          .cols = p->cols,
                          .nnz = p->nnz,
                          .format = format,
                          .index = index,
                          .type = A->type};
    TULLE__TRY(tulle__draft_alloc(&draft));
    tulle_status status =
        format == TULLE_CSR ? convert_offsets(A, &draft) : convert_rows(A, &draft);
    if (status == TULLE_OK) status = convert_entries(A, &draft);
    if (status == TULLE_OK) {
        status = ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
    }
    if (status != TULLE_OK) {
        tulle__draft_free(&draft);
        return status;
    }
    return tulle__draft_finish(&draft, &p->stats, B);
}

/* Sums duplicates by way of a sorted CSR matrix. */
static tulle_status sum_to_coo(tulle_ctx *ctx, const tulle_mat *A, tulle_index index,
                               tulle_mat **B) {
    tulle_mat *csr;
    TULLE__TRY(sort_entries(ctx, A, index, false, true, &csr));
    tulle_status status = keep_order(ctx, csr, TULLE_COO, index, B);
    tulle_mat_destroy(csr);
    return status;
}

tulle_status tulle_mat_convert(tulle_ctx *ctx, const tulle_mat *A, tulle_format format,
                               tulle_index index, unsigned flags, tulle_mat **B) {
    TULLE__NEED(B);
    *B = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    if (format != TULLE_COO && format != TULLE_CSR) {
        return TULLE__BAD("format", "format %d is not one of tulle_format", (int)format);
    }
    TULLE__TRY(tulle__check_index(__func__, index));
    bool sum = (flags & TULLE_SUM_DUPLICATES) != 0;
    if (flags & ~(unsigned)TULLE_SUM_DUPLICATES) {
        return TULLE__BAD("flags", "flags %#x has unknown bits", flags);
    }
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    const tulle__pattern *p = A->pattern;
    TULLE__TRY(tulle__check_sizes(__func__, p->rows, p->cols, p->nnz, index));
    bool sort = sum || (p->format == TULLE_COO && format == TULLE_CSR);
    if (sort) TULLE__TRY(tulle__check_offsets_fit(__func__, ctx, p->rows, index));
    if (!sort) return keep_order(ctx, A, format, index, B);
    return format == TULLE_CSR ? sort_entries(ctx, A, index, false, sum, B)
                               : sum_to_coo(ctx, A, index, B);
}

tulle_status tulle_mat_transpose(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B) {
    TULLE__NEED(B);
    *B = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    TULLE__TRY(tulle__check_offsets_fit(__func__, ctx, A->pattern->cols, A->pattern->index));
    return sort_entries(ctx, A, A->pattern->index, true, false, B);
}
