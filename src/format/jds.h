/* SPDX-License-Identifier: Apache-2.0 */
/* The fragments of JDS and JDS-ELL; see format/parts.h. */
#ifndef TULLE_FORMAT_JDS_H
#define TULLE_FORMAT_JDS_H

#include "format/parts.h"

SLOTS_FUNCTION void tulle__jds_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    n->offsets = e->s->width + 1;
    n->order = e->rows;
}

SLOTS_FUNCTION bool tulle__jds_next(const tulle__pattern_view *v, tulle__walk *w) {
    if (w->k >= w->places) return false;
    w->slot = tulle__offset_at(v, w->k) + w->p;
    if (w->slot >= tulle__offset_at(v, w->k + 1)) return false;
    w->col = tulle__col_at(v, w->slot);
    w->k++;
    return true;
}
#define tulle__jds_start tulle__plain_start

SLOTS_FUNCTION int64_t tulle__jds_slot(const tulle__pattern_view *v, tulle__row_slots *to,
                                       int64_t k, int64_t col) {
    (void)col;
    return tulle__offset_at(v, k) + to->at;
}
SLOTS_FUNCTION void tulle__jds_slots(const tulle__pattern_view *v, tulle__row_slots *to) {
    (void)v;
    to->at = to->p;
}

SLOTS_FUNCTION void tulle__jds_facts(const tulle__pattern_view *v, tulle__facts *f) {
    (void)v;
    f->slowing = true;
}
#define tulle__jds_fault tulle__plain_fault

/* The section of a JDS-ELL matrix that has position p: its rows with padding, and its width. */
typedef struct tulle__section {
    int64_t first_row, at, stride, width;
} tulle__section;

SLOTS_FUNCTION tulle__section tulle__section_number(const tulle_storage *s, int i) {
    tulle__section section = {0, 0, 0, 0};
    section.first_row = s->section_row[i];
    section.at = s->section_at[i];
    section.stride = tulle__stride_of(s->section_row[i + 1] - s->section_row[i]);
    if (section.stride > 0) {
        section.width = (s->section_at[i + 1] - s->section_at[i]) / section.stride;
    }
    return section;
}

SLOTS_FUNCTION tulle__section tulle__section_of(const tulle_storage *s, int64_t p) {
    for (int i = 0; i < s->sections; i++) {
        if (p < s->section_row[i + 1]) return tulle__section_number(s, i);
    }
    tulle__section none = {0, 0, 0, 0};
    return none;
}

SLOTS_FUNCTION void tulle__jds_ell_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    n->order = e->rows;
}

SLOTS_FUNCTION void tulle__jds_ell_start(const tulle__pattern_view *v, tulle__walk *w) {
    tulle__section section = tulle__section_of(&v->storage, w->p);
    w->at = section.at + w->p - section.first_row;
    w->step = section.stride;
    w->places = section.width;
}
#define tulle__jds_ell_next tulle__plain_next

SLOTS_FUNCTION void tulle__jds_ell_slots(const tulle__pattern_view *v, tulle__row_slots *to) {
    tulle__section section = tulle__section_of(&v->storage, to->p);
    to->at = section.at + to->p - section.first_row;
    to->step = section.stride;
}
#define tulle__jds_ell_slot tulle__plain_slot

SLOTS_FUNCTION void tulle__jds_ell_facts(const tulle__pattern_view *v, tulle__facts *f) {
    f->padded_below = INT64_MAX;
    f->positions = v->storage.section_row[v->storage.sections];
}
#define tulle__jds_ell_fault tulle__plain_fault

#endif
