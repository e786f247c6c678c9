/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/transposed.h"

#include "matrix/build.h"

/* The entries of A as (column, row) pairs, sorted; perm says where each came from. */
static tulle_status sort_transposed(tulle_ctx *ctx, const tulle__pattern *p, void *offsets,
                                    void *cols_of, int64_t *perm) {
    tulle__pattern_view view = tulle__view_of(p);
    const void *rows_of = p->rows_of.data;
    void *expanded = NULL;
    if (p->format == TULLE_CSR) {
        size_t bytes = 0;
        TULLE__TRY(tulle__size(p->nnz, tulle_index_size(p->index), 0, &bytes));
        TULLE__TRY(tulle__alloc(ctx, bytes, &expanded));
        rows_of = expanded;
    }
    int64_t nnz = 0;
    tulle__coo_to_csr job = {.rows = p->cols,
                             .cols = p->rows,
                             .nnz = p->nnz,
                             .in_index_size = tulle_index_size(p->index),
                             .index = p->index,
                             .type = TULLE_F32,
                             .rows_of = p->cols_of.data,
                             .cols_of = rows_of,
                             .offsets = offsets,
                             .out_cols = cols_of,
                             .perm = perm,
                             .host_nnz = &nnz};
    tulle_status status = TULLE_OK;
    if (expanded) status = ctx->backend->expand_offsets(&ctx->place, &view, expanded);
    if (status == TULLE_OK) status = ctx->backend->coo_to_csr(&ctx->place, &job);
    tulle__free(ctx, expanded);
    return status;
}

static tulle_status adopt_pattern(tulle_ctx *ctx, const tulle__pattern *p, void *offsets,
                                  void *cols_of, tulle__pattern **pattern) {
    static const tulle__array from_pool = {.ownership = TULLE_COPY};
    tulle__pattern_view view = {.rows = p->cols,
                                .cols = p->rows,
                                .nnz = p->nnz,
                                .format = TULLE_CSR,
                                .index = p->index,
                                .offsets = offsets,
                                .cols_of = cols_of};
    tulle__stats stats;
    TULLE__TRY(ctx->backend->check_pattern(&ctx->place, &view, &stats));
    TULLE__TRY(tulle__check_stats(NULL, ctx, &view, &stats, 0));
    return tulle__pattern_make(ctx, &view, &from_pool, &stats, pattern);
}

static tulle_status make_pattern(tulle_ctx *ctx, const tulle__pattern *p, tulle__transposed *made) {
    size_t offsets_bytes = 0, index_bytes = 0, perm_bytes = 0;
    TULLE__TRY(tulle__size(p->cols + 1, tulle_offset_size(p->index), 0, &offsets_bytes));
    TULLE__TRY(tulle__size(p->nnz, tulle_index_size(p->index), 0, &index_bytes));
    TULLE__TRY(tulle__size(p->nnz, sizeof(int64_t), 0, &perm_bytes));
    void *offsets = NULL, *cols_of = NULL, *perm = NULL;
    tulle_status status = tulle__alloc(ctx, offsets_bytes, &offsets);
    if (status == TULLE_OK) status = tulle__alloc(ctx, index_bytes, &cols_of);
    if (status == TULLE_OK) status = tulle__alloc(ctx, perm_bytes, &perm);
    if (status == TULLE_OK) status = sort_transposed(ctx, p, offsets, cols_of, perm);
    if (status == TULLE_OK) status = adopt_pattern(ctx, p, offsets, cols_of, &made->pattern);
    if (status == TULLE_OK) {
        made->perm = perm;
        return TULLE_OK;
    }
    tulle__free(ctx, perm);
    tulle__free(ctx, cols_of);
    tulle__free(ctx, offsets);
    return status;
}

static tulle_status make_transposed(tulle_ctx *ctx, const tulle__pattern *p,
                                    tulle__transposed_parts *parts) {
    tulle__transposed *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    tulle_status status = make_pattern(ctx, p, made);
    if (status != TULLE_OK) {
        tulle__host_free(ctx, made);
        return status;
    }
    parts->transposed = made;
    parts->is_new = true;
    return TULLE_OK;
}

static tulle_status make_values(tulle_ctx *ctx, const tulle_mat *A,
                                tulle__transposed_parts *parts) {
    int64_t nnz = A->pattern->nnz;
    size_t bytes = 0;
    TULLE__TRY(tulle__size(nnz, tulle_type_size(A->type), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &parts->values));
    return ctx->backend->gather_values(&ctx->place, nnz, A->type, parts->transposed->perm,
                                       A->values.data, parts->values);
}

tulle_status tulle__transposed_make(tulle_ctx *ctx, const tulle_mat *A,
                                    tulle__transposed_parts *parts) {
    *parts = (tulle__transposed_parts){.transposed = A->pattern->transposed};
    if (!parts->transposed) TULLE__TRY(make_transposed(ctx, A->pattern, parts));
    tulle_status status = A->transposed_values ? TULLE_OK : make_values(ctx, A, parts);
    if (status != TULLE_OK) tulle__transposed_drop(ctx, parts);
    return status;
}

void tulle__transposed_keep(tulle_ctx *ctx, tulle_mat *A, const tulle__transposed_parts *parts) {
    if (parts->is_new) A->pattern->transposed = parts->transposed;
    if (!parts->values) return;
    tulle__ctx_retain(ctx);
    A->transposed_ctx = ctx;
    A->transposed_values = parts->values;
}

void tulle__transposed_drop(tulle_ctx *ctx, const tulle__transposed_parts *parts) {
    tulle__free(ctx, parts->values);
    if (parts->is_new) tulle__transposed_release(parts->transposed);
}

void tulle__transposed_release(tulle__transposed *transposed) {
    if (!transposed) return;
    tulle_ctx *ctx = transposed->pattern->ctx;
    tulle__ctx_retain(ctx);
    tulle__pattern_release(transposed->pattern);
    tulle__free(ctx, transposed->perm);
    tulle__host_free(ctx, transposed);
    tulle__ctx_release(ctx);
}

tulle_status tulle__plans_new_values(tulle_ctx *ctx, tulle_mat *A) {
    if (!A->transposed_values) return TULLE_OK;
    return ctx->backend->gather_values(&ctx->place, A->pattern->nnz, A->type,
                                       A->pattern->transposed->perm, A->values.data,
                                       A->transposed_values);
}

int64_t tulle__transposed_bytes(const tulle_mat *A) {
    const tulle__transposed *t = A->pattern->transposed;
    if (!t) return 0;
    int64_t nnz = t->pattern->nnz;
    int64_t values = A->transposed_values ? nnz * tulle_type_size(A->type) : 0;
    return (t->pattern->rows + 1) * tulle_offset_size(t->pattern->index) +
           nnz * (tulle_index_size(t->pattern->index) + (int64_t)sizeof(int64_t)) + values;
}
