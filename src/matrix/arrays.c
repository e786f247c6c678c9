/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a pattern by number, for code that treats all formats alike. */
#include "matrix/build.h"

void **tulle__array_at(tulle__pattern_arrays *arrays, int k) {
    void **const all[TULLE__ARRAYS] = {&arrays->offsets, &arrays->rows_of, &arrays->cols_of,
                                       &arrays->order,   &arrays->lengths, &arrays->mask,
                                       &arrays->codes};
    return all[k];
}

const void **tulle__view_array(tulle__pattern_view *view, int k) {
    const void **const all[TULLE__ARRAYS] = {&view->offsets, &view->rows_of, &view->cols_of,
                                             &view->order,   &view->lengths, &view->mask,
                                             &view->codes};
    return all[k];
}

int64_t tulle__array_count(const tulle_mat_lengths *n, int k) {
    const int64_t all[TULLE__ARRAYS] = {n->offsets, n->rows, n->cols, n->order,
                                        n->lengths, n->mask, n->codes};
    return all[k];
}

int64_t tulle__array_item(tulle_index index, int k) {
    if (k == TULLE__MASK) return 4;
    if (k == TULLE__CODES) return 1;
    return k == TULLE__OFFSETS ? tulle_offset_size(index) : tulle_index_size(index);
}
