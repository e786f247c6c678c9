/* SPDX-License-Identifier: Apache-2.0 */
/* The fragments of ELL and ELL-R; see format/parts.h. */
#ifndef TULLE_FORMAT_ELL_H
#define TULLE_FORMAT_ELL_H

#include "format/parts.h"

SLOTS_FUNCTION void tulle__ell_facts(const tulle__pattern_view *v, tulle__facts *f) {
    f->padded_below = INT64_MAX;
    f->positions = v->storage.width > 0 ? v->storage.stride : 0;
}
#define tulle__ell_counts tulle__plain_counts
#define tulle__ell_start tulle__plain_start
#define tulle__ell_next tulle__plain_next
#define tulle__ell_slots tulle__plain_slots
#define tulle__ell_slot tulle__plain_slot
#define tulle__ell_fault tulle__plain_fault

SLOTS_FUNCTION void tulle__ellr_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    n->lengths = e->rows;
}
SLOTS_FUNCTION bool tulle__ellr_fault(const tulle__pattern_view *v, int check, int64_t row,
                                      tulle__fault *fault) {
    if (check != TULLE__CHECK_LENGTHS) return false;
    tulle__walk w = {row, row, 0, row, v->storage.stride, v->storage.width, 0, 0, 0, 0};
    int64_t count = 0, length = tulle__get(v->lengths, tulle_index_size(v->index), row);
    while (tulle__plain_next(v, &w)) count++;
    *fault = tulle__fault_if(length != count, TULLE__BAD_LENGTH, length);
    return true;
}
#define tulle__ellr_start tulle__plain_start
#define tulle__ellr_next tulle__plain_next
#define tulle__ellr_slots tulle__plain_slots
#define tulle__ellr_slot tulle__plain_slot
#define tulle__ellr_facts tulle__ell_facts

#endif
