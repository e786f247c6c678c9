/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/build.h"

static tulle_status alloc_items(tulle_ctx *ctx, int64_t count, int64_t size, void **pointer) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    return tulle__alloc(ctx, bytes, pointer);
}

static tulle_status alloc_all(tulle__draft *d) {
    tulle_mat_lengths n = tulle__counts(d->format, d->rows, d->cols, &d->storage);
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        TULLE__TRY(alloc_items(d->ctx, tulle__array_count(&n, k), tulle__array_item(d->index, k),
                               tulle__array_at(&d->arrays, k)));
    }
    return alloc_items(d->ctx, n.values, tulle_type_size(d->type), &d->values);
}

tulle_status tulle__draft_alloc(tulle__draft *draft) {
    draft->arrays = (tulle__pattern_arrays){0};
    draft->values = NULL;
    if (tulle__is_list(draft->format)) draft->storage = (tulle_storage){.stored = draft->nnz};
    tulle_status status = alloc_all(draft);
    if (status != TULLE_OK) tulle__draft_free(draft);
    return status;
}

void tulle__draft_free(tulle__draft *draft) {
    tulle__free(draft->ctx, draft->values);
    draft->values = NULL;
    for (int k = TULLE__ARRAYS - 1; k >= 0; k--) {
        tulle__free(draft->ctx, *tulle__array_at(&draft->arrays, k));
        *tulle__array_at(&draft->arrays, k) = NULL;
    }
}

tulle__pattern_view tulle__draft_view(const tulle__draft *draft) {
    const tulle__pattern_arrays *a = &draft->arrays;
    return (tulle__pattern_view){.rows = draft->rows,
                                 .cols = draft->cols,
                                 .nnz = draft->nnz,
                                 .format = draft->format,
                                 .index = draft->index,
                                 .offsets = a->offsets,
                                 .rows_of = a->rows_of,
                                 .cols_of = a->cols_of,
                                 .order = a->order,
                                 .lengths = a->lengths,
                                 .mask = a->mask,
                                 .codes = a->codes,
                                 .storage = draft->storage};
}

tulle_status tulle__draft_finish(tulle__draft *draft, const tulle__stats *stats, tulle_mat **A) {
    tulle__pattern_view view = tulle__draft_view(draft);
    tulle_status status = tulle__mat_adopt(draft->ctx, &view, draft->type, draft->values, stats, A);
    if (status != TULLE_OK) tulle__draft_free(draft);
    return status;
}
