/* SPDX-License-Identifier: Apache-2.0 */
#include "dense/dense.h"

#include "format/draft.h"
#include "matrix/matrix.h"

/* Returns true when runs of both multivectors alternate in one array: leading dimension and layout
 * are the same, and the distance of the runs, modulo the leading dimension, is so large that no run
 * of one overlaps a run of the other. */
static bool interleaved(const tulle_vec *a, const tulle_vec *b) {
    if (a->ld != b->ld || a->layout != b->layout || a->type != b->type) return false;
    int64_t period = a->ld * tulle_type_size(a->type), size = tulle_type_size(a->type);
    int64_t apart = (int64_t)((uintptr_t)b->data - (uintptr_t)a->data) % period;
    if (apart < 0) apart += period;
    return tulle__dense_run(a->rows, a->cols, a->layout) * size <= apart &&
           tulle__dense_run(b->rows, b->cols, b->layout) * size <= period - apart;
}

bool tulle__dense_overlap(const tulle_vec *a, const tulle_vec *b) {
    return tulle__overlap(a->data, (int64_t)tulle__dense_bytes(a), b->data,
                          (int64_t)tulle__dense_bytes(b)) &&
           !interleaved(a, b);
}

const char *tulle__dense_overlaps_matrix(const tulle_vec *X, const tulle_mat *A) {
#define A(number, member, field, item, words) words,
    static const char *const names[TULLE__ARRAYS] = {TULLE__EACH_ARRAY(A)};
#undef A
    const tulle__pattern *p = A->pattern;
    const int64_t size = (int64_t)tulle__dense_bytes(X);
    tulle_mat_lengths n = tulle__counts(p->format, p->rows, p->cols, &p->storage);
    int64_t values = n.values * tulle_type_size(A->type);
    if (tulle__overlap(X->data, size, A->values.data, values)) return "the values of A";
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        int64_t bytes = tulle__array_count(&n, k) * tulle__array_item(p->index, k);
        if (tulle__overlap(X->data, size, p->arrays[k].data, bytes)) return names[k];
    }
    return NULL;
}
