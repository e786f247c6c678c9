/* SPDX-License-Identifier: Apache-2.0 */
#include "format/draft.h"

void **tulle__array_at(tulle__pattern_arrays *arrays, int k) {
#define A(number, member, field, item, words) &arrays->member,
    void **const all[TULLE__ARRAYS] = {TULLE__EACH_ARRAY(A)};
#undef A
    return all[k];
}

const void **tulle__view_array(tulle__pattern_view *view, int k) {
#define A(number, member, field, item, words) &view->member,
    const void **const all[TULLE__ARRAYS] = {TULLE__EACH_ARRAY(A)};
#undef A
    return all[k];
}

int64_t tulle__array_count(const tulle_mat_lengths *n, int k) {
#define A(number, member, field, item, words) n->field,
    const int64_t all[TULLE__ARRAYS] = {TULLE__EACH_ARRAY(A)};
#undef A
    return all[k];
}

int64_t tulle__array_item(tulle_index index, int k) {
#define A(number, member, field, item, words) item,
    const int64_t all[TULLE__ARRAYS] = {TULLE__EACH_ARRAY(A)};
#undef A
    return all[k];
}

/* Computes the sizes of the arrays in bytes; the values come last. */
static tulle_status sizes_of(const tulle__draft *d, size_t bytes[TULLE__ARRAYS + 1]) {
    const tulle_mat_lengths n = tulle__counts(d->format, d->rows, d->cols, &d->storage);
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        TULLE__TRY(
            tulle__size(tulle__array_count(&n, k), tulle__array_item(d->index, k), 0, &bytes[k]));
    }
    return tulle__size(n.values, tulle_type_size(d->type), 0, &bytes[TULLE__ARRAYS]);
}

static tulle_status alloc_all(tulle__draft *d) {
    size_t bytes[TULLE__ARRAYS + 1];
    void *arrays[TULLE__ARRAYS + 1];
    TULLE__TRY(sizes_of(d, bytes));
    const tulle_status status =
        tulle__alloc_all(d->ctx, d->together, bytes, TULLE__ARRAYS + 1, arrays);
    for (int k = 0; k < TULLE__ARRAYS; k++) *tulle__array_at(&d->arrays, k) = arrays[k];
    d->values = arrays[TULLE__ARRAYS];
    return status;
}

tulle_status tulle__draft_alloc(tulle__draft *draft) {
    draft->arrays = (tulle__pattern_arrays){0};
    draft->values = NULL;
    if (tulle__has(draft->format, TULLE__LIST))
        draft->storage = (tulle_storage){.stored = draft->nnz};
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
#define A(number, member, field, item, words) .member = draft->arrays.member,
    return (tulle__pattern_view){.rows = draft->rows,
                                 .cols = draft->cols,
                                 .nnz = draft->nnz,
                                 .format = draft->format,
                                 .index = draft->index,
                                 .storage = draft->storage,
                                 TULLE__EACH_ARRAY(A)};
#undef A
}
