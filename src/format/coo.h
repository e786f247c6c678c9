/* SPDX-License-Identifier: Apache-2.0 */
/* COO and CSC, the formats that are made by sorting and not row by row. */
#ifndef TULLE_FORMAT_COO_H
#define TULLE_FORMAT_COO_H

#include "format/parts.h"

SLOTS_FUNCTION void tulle__coo_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    n->rows = e->s->stored;
}
#define tulle__coo_start tulle__plain_start
#define tulle__coo_next tulle__plain_next
#define tulle__coo_slots tulle__plain_slots
#define tulle__coo_slot tulle__plain_slot
#define tulle__coo_facts tulle__plain_facts
#define tulle__coo_fault tulle__plain_fault

SLOTS_FUNCTION void tulle__csc_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    n->offsets = e->cols + 1;
    n->rows = e->s->stored;
    n->cols = 0;
}
SLOTS_FUNCTION void tulle__csc_facts(const tulle__pattern_view *v, tulle__facts *f) {
    f->by_rows = true;
    f->end = v->rows;
}
#define tulle__csc_start tulle__plain_start
#define tulle__csc_next tulle__plain_next
#define tulle__csc_slots tulle__plain_slots
#define tulle__csc_slot tulle__plain_slot
#define tulle__csc_fault tulle__plain_fault

#endif
