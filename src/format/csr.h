/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_FORMAT_CSR_H
#define TULLE_FORMAT_CSR_H

#include "format/parts.h"

SLOTS_FUNCTION void tulle__csr_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    n->offsets = e->rows + 1;
}

SLOTS_FUNCTION void tulle__csr_start(const tulle__pattern_view *v, tulle__walk *w) {
    w->at = tulle__offset_at(v, w->p);
    w->step = 1;
    w->places = tulle__offset_at(v, w->p + 1) - w->at;
}
#define tulle__csr_next tulle__plain_next
#define tulle__csr_slots tulle__plain_slots
#define tulle__csr_slot tulle__plain_slot
#define tulle__csr_facts tulle__plain_facts
#define tulle__csr_fault tulle__plain_fault

#endif
