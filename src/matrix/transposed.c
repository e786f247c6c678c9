/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/transposed.h"

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

/* The transposed pattern around its arrays, by way of a matrix without values. */
static tulle_status adopt_pattern(tulle_ctx *ctx, const tulle__pattern *p, void *offsets,
                                  void *cols_of, tulle__pattern **pattern) {
    tulle__pattern_view view = {.rows = p->cols,
                                .cols = p->rows,
                                .nnz = p->nnz,
                                .format = TULLE_CSR,
                                .index = p->index,
                                .offsets = offsets,
                                .cols_of = cols_of};
    tulle_mat *carrier = NULL;
    TULLE__TRY(tulle__mat_adopt(ctx, &view, TULLE_F32, NULL, NULL, &carrier));
    *pattern = carrier->pattern;
    tulle__pattern_retain(*pattern);
    tulle_mat_destroy(carrier);
    return TULLE_OK;
}

static tulle_status make_pattern(const tulle__pattern *p, tulle__transposed *made) {
    tulle_ctx *ctx = p->ctx;
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

static tulle_status need_pattern(tulle__pattern *p) {
    if (p->transposed) return TULLE_OK;
    tulle__transposed *made = tulle__host_alloc(p->ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    tulle_status status = make_pattern(p, made);
    if (status != TULLE_OK) {
        tulle__host_free(p->ctx, made);
        return status;
    }
    pthread_mutex_lock(&p->lock);
    p->transposed = made;
    pthread_mutex_unlock(&p->lock);
    return TULLE_OK;
}

tulle_status tulle__plans_new_values(tulle_ctx *ctx, tulle_mat *A) {
    if (!A->transposed_values) return TULLE_OK;
    return ctx->backend->gather_values(&ctx->place, A->pattern->nnz, A->type,
                                       A->pattern->transposed->perm, A->values.data,
                                       A->transposed_values);
}

tulle_status tulle__transposed_make(tulle_ctx *ctx, tulle_mat *A) {
    TULLE__TRY(need_pattern(A->pattern));
    if (A->transposed_values) return TULLE_OK;
    size_t bytes = 0;
    TULLE__TRY(tulle__size(A->pattern->nnz, tulle_type_size(A->type), 0, &bytes));
    TULLE__TRY(tulle__alloc(A->ctx, bytes, &A->transposed_values));
    return tulle__plans_new_values(ctx, A);
}

int64_t tulle__transposed_bytes(const tulle__pattern *pattern) {
    const tulle__transposed *t = pattern->transposed;
    if (!t) return 0;
    return (t->pattern->rows + 1) * tulle_offset_size(t->pattern->index) +
           t->pattern->nnz * (tulle_index_size(t->pattern->index) + (int64_t)sizeof(int64_t));
}
