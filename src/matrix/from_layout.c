/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion to CSR from the formats that are laid out row by row. */
#include "matrix/functions.h"
#include "matrix/reformat.h"

/* Fills in columns and, by way of the slots, values. */
static tulle_status fill(tulle_ctx *ctx, const tulle_mat *A, tulle__draft *d) {
    tulle__pattern_view laid = tulle__view_of(A->pattern);
    int64_t *slots = NULL;
    size_t bytes = 0;
    TULLE__TRY(tulle__size(d->nnz, sizeof *slots, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, (void **)&slots));
    tulle_status status = ctx->backend->format->walk_entries(&ctx->place, &laid, d->arrays.offsets,
                                                             d->arrays.cols_of, slots);
    if (status == TULLE_OK) {
        status = ctx->backend->format->gather_values(&ctx->place, d->nnz, A->type, slots,
                                                     A->values.data, d->values);
    }
    if (status == TULLE_OK) {
        status = ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
    }
    tulle__free(ctx, slots);
    return status;
}

tulle_status tulle__walk_to_csr(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **csr) {
    const tulle__pattern *p = A->pattern;
    tulle__pattern_view laid = tulle__view_of(p);
    tulle__draft draft = {.ctx = ctx,
                          .rows = p->rows,
                          .cols = p->cols,
                          .nnz = p->nnz,
                          .format = TULLE_CSR,
                          .index = p->index,
                          .type = A->type};
    int64_t nnz = 0;
    TULLE__TRY(tulle__draft_alloc(&draft));
    tulle_status status =
        ctx->backend->format->walk_offsets(&ctx->place, &laid, draft.arrays.offsets, &nnz);
    if (status == TULLE_OK) status = fill(ctx, A, &draft);
    if (status != TULLE_OK) {
        tulle__draft_free(&draft);
        return status;
    }
    return tulle__draft_finish(&draft, &p->stats, csr);
}
