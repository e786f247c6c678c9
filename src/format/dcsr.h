/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_FORMAT_DCSR_H
#define TULLE_FORMAT_DCSR_H

#include "format/csr.h"

SLOTS_FUNCTION void tulle__dcsr_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    n->offsets = e->s->heads + 1;
    n->order = e->s->heads;
}

SLOTS_FUNCTION void tulle__dcsr_facts(const tulle__pattern_view *v, tulle__facts *f) {
    (void)v;
    f->compressed = true;
}
#define tulle__dcsr_start tulle__csr_start
#define tulle__dcsr_next tulle__plain_next
#define tulle__dcsr_slots tulle__plain_slots
#define tulle__dcsr_slot tulle__plain_slot
#define tulle__dcsr_fault tulle__plain_fault

#endif
