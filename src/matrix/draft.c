/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/build.h"

static tulle_status alloc_items(tulle_ctx *ctx, int64_t count, int64_t size, void **pointer) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    return tulle__alloc(ctx, bytes, pointer);
}

static tulle_status alloc_all(tulle__draft *d) {
    int64_t index_size = tulle_index_size(d->index);
    if (d->format == TULLE_CSR) {
        TULLE__TRY(alloc_items(d->ctx, d->rows + 1, tulle_offset_size(d->index), &d->offsets));
    } else {
        TULLE__TRY(alloc_items(d->ctx, d->nnz, index_size, &d->rows_of));
    }
    TULLE__TRY(alloc_items(d->ctx, d->nnz, index_size, &d->cols_of));
    return alloc_items(d->ctx, d->nnz, tulle_type_size(d->type), &d->values);
}

tulle_status tulle__draft_alloc(tulle__draft *draft) {
    draft->offsets = draft->rows_of = draft->cols_of = draft->values = NULL;
    tulle_status status = alloc_all(draft);
    if (status != TULLE_OK) tulle__draft_free(draft);
    return status;
}

void tulle__draft_free(tulle__draft *draft) {
    tulle__free(draft->ctx, draft->values);
    tulle__free(draft->ctx, draft->cols_of);
    tulle__free(draft->ctx, draft->rows_of);
    tulle__free(draft->ctx, draft->offsets);
    draft->offsets = draft->rows_of = draft->cols_of = draft->values = NULL;
}

tulle__pattern_view tulle__draft_view(const tulle__draft *draft) {
    return (tulle__pattern_view){.rows = draft->rows,
                                 .cols = draft->cols,
                                 .nnz = draft->nnz,
                                 .format = draft->format,
                                 .index = draft->index,
                                 .offsets = draft->offsets,
                                 .rows_of = draft->rows_of,
                                 .cols_of = draft->cols_of};
}

tulle_status tulle__draft_finish(tulle__draft *draft, const tulle__stats *stats, tulle_mat **A) {
    tulle__pattern_view view = tulle__draft_view(draft);
    tulle_status status = tulle__mat_adopt(draft->ctx, &view, draft->type, draft->values, stats, A);
    if (status != TULLE_OK) tulle__draft_free(draft);
    return status;
}
