/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_FORMAT_DIA_H
#define TULLE_FORMAT_DIA_H

#include "format/parts.h"

SLOTS_FUNCTION void tulle__dia_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    n->cols = e->s->width;
    n->mask = e->s->stored / 32;
}

SLOTS_FUNCTION bool tulle__dia_next(const tulle__pattern_view *v, tulle__walk *w) {
    while (w->k < w->places) {
        int64_t d = w->k++;
        w->slot = d * v->storage.stride + w->row;
        w->col = w->row + tulle__col_at(v, d);
        if (tulle__bit(v->mask, w->slot)) return true;
    }
    return false;
}
#define tulle__dia_start tulle__plain_start

SLOTS_FUNCTION int64_t tulle__dia_slot(const tulle__pattern_view *v, tulle__row_slots *to,
                                       int64_t k, int64_t col) {
    (void)k;
    return tulle__find_slots(v, to, col - to->row) * to->step + to->at;
}
#define tulle__dia_slots tulle__plain_slots

SLOTS_FUNCTION void tulle__dia_facts(const tulle__pattern_view *v, tulle__facts *f) {
    f->least = 1 - v->rows;
    f->ascending = true;
}

/* Sets a fault if word i of the mask has a bit for an entry outside the matrix; returns true if the
 * format has a check of its own. */
SLOTS_FUNCTION bool tulle__dia_fault(const tulle__pattern_view *v, int check, int64_t i,
                                     tulle__fault *fault) {
    if (check != TULLE__CHECK_MASK) return false;
    *fault = tulle__fault_if(false, TULLE__BAD_MASK, 0);
    for (int bit = 0; bit < 32 && fault->kind == TULLE__BAD_NONE; bit++) {
        int64_t slot = 32 * i + bit, row = slot % v->storage.stride;
        int64_t col = row + tulle__col_at(v, slot / v->storage.stride);
        bool out = row >= v->rows || col < 0 || col >= v->cols;
        *fault = tulle__fault_if(out && tulle__bit(v->mask, slot), TULLE__BAD_MASK, bit);
    }
    return true;
}

#endif
