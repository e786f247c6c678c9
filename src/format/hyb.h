/* SPDX-License-Identifier: Apache-2.0 */
/* The fragments of HYB and CSR+COO: the first entries of a row are in ELL or CSR, the others in a
 * tail. */
#ifndef TULLE_FORMAT_HYB_H
#define TULLE_FORMAT_HYB_H

#include "format/csr.h"

SLOTS_FUNCTION void tulle__hyb_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    n->rows = e->s->stored - e->s->head;
}

SLOTS_FUNCTION void tulle__hyb_start(const tulle__pattern_view *v, tulle__walk *w) {
    int64_t size = tulle_index_size(v->index), count = v->storage.stored - v->storage.head;
    w->tail = tulle__lower_bound(v->rows_of, size, 0, count, w->row);
    w->tail_end = tulle__lower_bound(v->rows_of, size, w->tail, count - w->tail, w->row + 1);
}

SLOTS_FUNCTION bool tulle__hyb_next(const tulle__pattern_view *v, tulle__walk *w) {
    if (tulle__plain_next(v, w)) return true;
    if (w->tail >= w->tail_end) return false;
    w->slot = v->storage.head + w->tail++;
    w->col = tulle__col_at(v, w->slot);
    return true;
}

/* Returns the number of entries of earlier rows that are in the head, which are not in the tail. */
SLOTS_FUNCTION int64_t tulle__clipped_at(const tulle__pattern_view *v, const tulle__row_slots *to) {
    return tulle__get(to->clipped, tulle_offset_size(v->index), to->row);
}
SLOTS_FUNCTION void tulle__hyb_slots(const tulle__pattern_view *v, tulle__row_slots *to) {
    to->width = v->storage.width;
    to->tail = v->storage.head + to->begin - tulle__clipped_at(v, to) - to->width;
}
#define tulle__hyb_slot tulle__plain_slot

SLOTS_FUNCTION void tulle__hyb_facts(const tulle__pattern_view *v, tulle__facts *f) {
    f->padded_below = v->storage.head;
    f->positions = v->storage.width > 0 ? v->storage.stride : 0;
    f->tailed = true;
}
#define tulle__hyb_fault tulle__plain_fault

SLOTS_FUNCTION void tulle__csr_coo_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    tulle__csr_counts(e, n);
    tulle__hyb_counts(e, n);
}
SLOTS_FUNCTION void tulle__csr_coo_start(const tulle__pattern_view *v, tulle__walk *w) {
    tulle__csr_start(v, w);
    tulle__hyb_start(v, w);
}
SLOTS_FUNCTION void tulle__csr_coo_slots(const tulle__pattern_view *v, tulle__row_slots *to) {
    tulle__hyb_slots(v, to);
    to->at = tulle__clipped_at(v, to);
    to->step = 1;
}
SLOTS_FUNCTION void tulle__csr_coo_facts(const tulle__pattern_view *v, tulle__facts *f) {
    f->last = v->storage.head;
    f->tailed = true;
}
#define tulle__csr_coo_next tulle__hyb_next
#define tulle__csr_coo_slot tulle__plain_slot
#define tulle__csr_coo_fault tulle__plain_fault

#endif
