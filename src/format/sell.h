/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_FORMAT_SELL_H
#define TULLE_FORMAT_SELL_H

#include "format/parts.h"

SLOTS_FUNCTION void tulle__sell_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    n->offsets = tulle__ceil_div(e->rows, e->s->slice) + 1;
    n->order = e->s->window > 1 ? e->rows : 0;
}

SLOTS_FUNCTION void tulle__sell_start(const tulle__pattern_view *v, tulle__walk *w) {
    int64_t slice = v->storage.slice;
    w->at = tulle__offset_at(v, w->p / slice);
    w->step = slice;
    w->places = (tulle__offset_at(v, w->p / slice + 1) - w->at) / slice;
    w->at += w->p % slice;
}
#define tulle__sell_next tulle__plain_next

SLOTS_FUNCTION void tulle__sell_slots(const tulle__pattern_view *v, tulle__row_slots *to) {
    int64_t slice = v->storage.slice;
    to->at = tulle__offset_at(v, to->p / slice) + to->p % slice;
    to->step = slice;
}
#define tulle__sell_slot tulle__plain_slot

SLOTS_FUNCTION void tulle__sell_facts(const tulle__pattern_view *v, tulle__facts *f) {
    f->unit = v->storage.slice;
    f->padded_below = INT64_MAX;
    f->positions = tulle__ceil_div(v->rows, v->storage.slice) * v->storage.slice;
}
#define tulle__sell_fault tulle__plain_fault

#endif
