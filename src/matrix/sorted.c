/* SPDX-License-Identifier: Apache-2.0 */
/* CSR matrices from entries in any order, on any device. */
#include "matrix/build.h"

tulle_status tulle__places_of(tulle_ctx *ctx, const tulle_mat *A, tulle__places *e) {
    const tulle__pattern *p = A->pattern;
    *e = (tulle__places){.rows_of = p->rows_of.data, .cols_of = p->cols_of.data};
    if (p->format == TULLE_COO) return TULLE_OK;
    tulle__pattern_view view = tulle__view_of(p);
    if (p->format == TULLE_CSC) view.rows = p->cols;
    TULLE__TRY(tulle__alloc(ctx, tulle__bytes(p->nnz, tulle_index_size(p->index)), &e->scratch));
    tulle_status status = ctx->backend->expand_offsets(&ctx->place, &view, e->scratch);
    if (status != TULLE_OK) {
        tulle__free(ctx, e->scratch);
        e->scratch = NULL;
        return status;
    }
    *(p->format == TULLE_CSR ? &e->rows_of : &e->cols_of) = e->scratch;
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
    tulle_status status = ctx->backend->coo_to_csr(&ctx->place, job);
    if (status == TULLE_OK) status = keep_first(&draft, nnz);
    if (status == TULLE_OK) status = tulle__progress(ctx, "sorting entries", job->nnz, job->nnz);
    if (status != TULLE_OK) {
        tulle__draft_free(&draft);
        return status;
    }
    return tulle__draft_finish(&draft, NULL, A);
}
