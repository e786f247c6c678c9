/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the slots of a row's entries in the formats that are laid out row by row
 * (tulle/formats.h), for both directions of conversion: the fragments of all formats combined. The
 * switches take the same branch for a whole launch. COO and CSC are made by sorting instead. */
#ifndef TULLE_FORMAT_SLOTS_H
#define TULLE_FORMAT_SLOTS_H

#include "format/formats.h"

/* Returns the number of positions that have a row. */
TULLE_INLINE int64_t tulle__positions(const tulle__pattern_view *v) {
    return tulle__has(v->format, TULLE__COMPRESSED) ? v->storage.heads : v->rows;
}

/* Returns the number of parts that layout_offsets counts (format/functions.h): slices, diagonals,
 * block rows, or rows. */
TULLE_INLINE int64_t tulle__layout_parts(const tulle__pattern_view *laid) {
    tulle_mat_lengths n = tulle__counts(laid->format, laid->rows, laid->cols, &laid->storage);
    return n.offsets > 0 ? n.offsets - 1 : laid->rows;
}

SLOTS_FUNCTION tulle__walk tulle__walk_start(const tulle__pattern_view *v, int64_t p) {
    tulle__walk w = {p, tulle__row_at(v, p), 0, p, v->storage.stride, v->storage.width, 0, 0, 0, 0};
    switch (v->format) {
#define F(number, name, ...)                                                                       \
    case TULLE_##number:                                                                           \
        tulle__##name##_start(v, &w);                                                              \
        break;
        TULLE__EACH_FORMAT(F)
#undef F
    }
    return w;
}

SLOTS_FUNCTION bool tulle__walk_next(const tulle__pattern_view *v, tulle__walk *w) {
    switch (v->format) {
#define F(number, name, ...)                                                                       \
    case TULLE_##number:                                                                           \
        return tulle__##name##_next(v, w);
        TULLE__EACH_FORMAT(F)
#undef F
    }
    return false;
}

/* Returns the slots for the entries of the row at position p, whose first entry in the CSR is
 * `begin`. clipped: see layout_offsets in format/functions.h. */
SLOTS_FUNCTION tulle__row_slots tulle__row_slots_of(const tulle__pattern_view *v,
                                                    const void *clipped, int64_t p, int64_t row,
                                                    int64_t begin) {
    tulle__row_slots to = {p,         row, begin, clipped,          row, v->storage.stride,
                           INT64_MAX, 0,   0,     v->storage.width, 0};
    switch (v->format) {
#define F(number, name, ...)                                                                       \
    case TULLE_##number:                                                                           \
        tulle__##name##_slots(v, &to);                                                             \
        break;
        TULLE__EACH_FORMAT(F)
#undef F
    }
    return to;
}

SLOTS_FUNCTION int64_t tulle__own_slot(const tulle__pattern_view *v, tulle__row_slots *to,
                                       int64_t k, int64_t col) {
    switch (v->format) {
#define F(number, name, ...)                                                                       \
    case TULLE_##number:                                                                           \
        return tulle__##name##_slot(v, to, k, col);
        TULLE__EACH_FORMAT(F)
#undef F
    }
    return -1;
}

/* Returns the slot for entry k of the row, in column col. */
SLOTS_FUNCTION int64_t tulle__slot_for(const tulle__pattern_view *v, tulle__row_slots *to,
                                       int64_t k, int64_t col) {
    int64_t own = tulle__own_slot(v, to, k, col);
    if (own >= 0) return own;
    return k < to->width ? to->at + k * to->step : to->tail + k;
}

/* Returns the index of the mask's bit for a slot: by block in formats with blocks, else the slot
 * itself. */
SLOTS_FUNCTION int64_t tulle__bit_of_slot(const tulle__pattern_view *v, int64_t slot) {
    int64_t cells = tulle__block_cells(&v->storage);
    return cells == 0 ? slot : tulle__cell_bit(&v->storage, slot / cells, slot % cells);
}

/* Stores column and row of an entry in the arrays of a layout, except the mask; arrays that are
 * NULL are left out. */
SLOTS_FUNCTION void tulle__settle(const tulle__pattern_view *v, const tulle__pattern_arrays *out,
                                  int64_t row, int64_t col, int64_t slot) {
    int64_t size = tulle_index_size(v->index);
    if (!out->cols_of || tulle__has(v->format, TULLE__SINGLE)) return;
    tulle__put(out->cols_of, size, slot, col);
    if (out->rows_of && slot >= v->storage.head) {
        tulle__put(out->rows_of, size, slot - v->storage.head, row);
    }
}

#endif
