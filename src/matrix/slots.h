/* SPDX-License-Identifier: Apache-2.0 */
/* Where the entries of a row lie in the formats that are laid out row by row (tulle/formats.h): the
 * one place that knows, for both directions of conversion. Compiles as C17 and as CUDA C++. COO and
 * CSC are not among them; they are sorted instead. */
#ifndef TULLE_MATRIX_SLOTS_H
#define TULLE_MATRIX_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/backend.h"
#include "matrix/access.h"
#include "matrix/counts.h"
#include "matrix/packed.h"

#if defined(TULLE_GPU_NAMESPACE)
#define SLOTS_FUNCTION GPU_FUNCTION
#else
#define SLOTS_FUNCTION static inline
#endif

SLOTS_FUNCTION int64_t tulle__offset_at(const tulle__pattern_view *v, int64_t i) {
    return tulle__get(v->offsets, tulle_offset_size(v->index), i);
}

SLOTS_FUNCTION int64_t tulle__col_at(const tulle__pattern_view *v, int64_t i) {
    return tulle__get(v->cols_of, tulle_index_size(v->index), i);
}

/* The column in a slot that has one of its own, or -1. */
SLOTS_FUNCTION int64_t tulle__slot_col(const tulle__pattern_view *v, int64_t slot) {
    return v->format == TULLE_PACKED ? tulle__packed_col(v, slot) : tulle__col_at(v, slot);
}

/* The row at position p. */
SLOTS_FUNCTION int64_t tulle__row_at(const tulle__pattern_view *v, int64_t p) {
    return v->order ? tulle__get(v->order, tulle_index_size(v->index), p) : p;
}

/* The first of count ascending indices, from `begin`, that is not below the number. */
SLOTS_FUNCTION int64_t tulle__lower_bound(const void *array, int64_t size, int64_t begin,
                                          int64_t count, int64_t number) {
    int64_t low = begin, high = begin + count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (tulle__get(array, size, middle) < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

SLOTS_FUNCTION bool tulle__bit(const uint32_t *mask, int64_t i) {
    return mask[i / 32] >> (i % 32) & 1u;
}

/* How many parts layout_offsets counts (core/backend.h): slices, diagonals, block rows, or rows. */
TULLE_INLINE int64_t tulle__layout_parts(const tulle__pattern_view *laid) {
    if (tulle__is_sliced(laid->format)) {
        return tulle__ceil_div(laid->rows, laid->storage.slice);
    }
    if (laid->format == TULLE_JDS) return laid->storage.width;
    if (laid->format == TULLE_BSR) return tulle__ceil_div(laid->rows, laid->storage.block);
    return laid->rows;
}

/* The bit of mask for a cell of a BSR block. */
SLOTS_FUNCTION int64_t tulle__cell_bit(const tulle_storage *s, int64_t block, int64_t r,
                                       int64_t c) {
    return 32 * block * tulle__mask_words(s->block) + r * s->block + c;
}

/* The section of a JDS-ELL matrix with position p, its rows with padding, and its width. */
typedef struct tulle__section {
    int64_t first_row, at, stride, width;
} tulle__section;

SLOTS_FUNCTION tulle__section tulle__section_number(const tulle_storage *s, int i) {
    tulle__section section = {0, 0, 0, 0};
    section.first_row = s->section_row[i];
    section.at = s->section_at[i];
    section.stride = tulle__ceil_div(s->section_row[i + 1] - s->section_row[i], 32) * 32;
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

/* A walk along the entries of the row at a position: tulle__walk_next gives col and slot of each.
 */
typedef struct tulle__walk {
    int64_t p, row;
    int64_t k;        /* entries, or places that may hold one, so far */
    int64_t at, step; /* slot of place k: at + k * step */
    int64_t places;
    int64_t tail, tail_end; /* HYB, CSR+COO */
    int64_t col, slot;
} tulle__walk;

SLOTS_FUNCTION void tulle__walk_tail(const tulle__pattern_view *v, tulle__walk *w) {
    int64_t size = tulle_index_size(v->index), count = v->storage.stored - v->storage.head;
    w->tail = tulle__lower_bound(v->rows_of, size, 0, count, w->row);
    w->tail_end = tulle__lower_bound(v->rows_of, size, w->tail, count - w->tail, w->row + 1);
}

SLOTS_FUNCTION tulle__walk tulle__walk_start(const tulle__pattern_view *v, int64_t p) {
    const tulle_storage *s = &v->storage;
    tulle__walk w = {p, tulle__row_at(v, p), 0, p, s->stride, s->width, 0, 0, 0, 0};
    switch (v->format) {
        case TULLE_HYB:
            tulle__walk_tail(v, &w);
            break;
        case TULLE_CSR_COO:
            tulle__walk_tail(v, &w);
            w.at = tulle__offset_at(v, p);
            w.step = 1;
            w.places = tulle__offset_at(v, p + 1) - w.at;
            break;
        case TULLE_CSR:
            w.at = tulle__offset_at(v, p);
            w.step = 1;
            w.places = tulle__offset_at(v, p + 1) - w.at;
            break;
        case TULLE_SELL:
        case TULLE_PACKED:
            w.at = tulle__offset_at(v, p / s->slice);
            w.step = s->slice;
            w.places = (tulle__offset_at(v, p / s->slice + 1) - w.at) / s->slice;
            w.at += p % s->slice;
            break;
        case TULLE_JDS_ELL: {
            tulle__section section = tulle__section_of(s, p);
            w.at = section.at + p - section.first_row;
            w.step = section.stride;
            w.places = section.width;
            break;
        }
        case TULLE_BSR:
            w.at = tulle__offset_at(v, p / s->block);
            w.places = (tulle__offset_at(v, p / s->block + 1) - w.at) * s->block;
            break;
        default:
            break;
    }
    return w;
}

SLOTS_FUNCTION bool tulle__walk_diagonals(const tulle__pattern_view *v, tulle__walk *w) {
    while (w->k < w->places) {
        int64_t d = w->k++;
        w->slot = d * v->storage.stride + w->row;
        w->col = w->row + tulle__col_at(v, d);
        if (tulle__bit((const uint32_t *)v->mask, w->slot)) return true;
    }
    return false;
}

SLOTS_FUNCTION bool tulle__walk_blocks(const tulle__pattern_view *v, tulle__walk *w) {
    int64_t b = v->storage.block, r = w->row % b;
    while (w->k < w->places) {
        int64_t block = w->at + w->k / b, c = w->k % b;
        w->k++;
        w->slot = (block * b + r) * b + c;
        w->col = tulle__col_at(v, block) * b + c;
        if (v->storage.full ||
            tulle__bit((const uint32_t *)v->mask, tulle__cell_bit(&v->storage, block, r, c))) {
            return true;
        }
    }
    return false;
}

SLOTS_FUNCTION bool tulle__walk_slots(const tulle__pattern_view *v, tulle__walk *w) {
    if (w->k < w->places) {
        w->slot = w->at + w->k * w->step;
        if (v->format == TULLE_JDS) {
            int64_t begin = tulle__offset_at(v, w->k);
            w->slot = begin + w->p;
            if (w->slot >= tulle__offset_at(v, w->k + 1)) return false;
        }
        w->col = tulle__slot_col(v, w->slot);
        w->k++;
        if (w->col >= 0) return true;
        w->k = w->places;
    }
    if (w->tail >= w->tail_end) return false;
    w->slot = v->storage.head + w->tail++;
    w->col = tulle__col_at(v, w->slot);
    return true;
}

SLOTS_FUNCTION bool tulle__walk_next(const tulle__pattern_view *v, tulle__walk *w) {
    if (v->format == TULLE_DIA) return tulle__walk_diagonals(v, w);
    if (v->format == TULLE_BSR) return tulle__walk_blocks(v, w);
    return tulle__walk_slots(v, w);
}

/* Where the entries of a row of a CSR matrix go. */
typedef struct tulle__row_slots {
    int64_t row;
    int64_t at, step;    /* slot of entry k < width: at + k * step */
    int64_t width, tail; /* slot of the others: tail + k */
    int64_t first, end;  /* DIA, BSR: the diagonals, or the blocks of the block row */
    int64_t found;       /* the one of the entry before */
} tulle__row_slots;

/* For the row at position p, whose first entry is `begin`. clipped: see layout_offsets in
 * core/backend.h. */
SLOTS_FUNCTION tulle__row_slots tulle__row_slots_of(const tulle__pattern_view *v,
                                                    const void *clipped, int64_t p, int64_t row,
                                                    int64_t begin) {
    const tulle_storage *s = &v->storage;
    tulle__row_slots to = {row, row, s->stride, INT64_MAX, 0, 0, s->width, 0};
    switch (v->format) {
        case TULLE_SELL:
        case TULLE_PACKED:
            to.at = tulle__offset_at(v, p / s->slice) + p % s->slice;
            to.step = s->slice;
            break;
        case TULLE_JDS:
            to.at = p;
            break;
        case TULLE_JDS_ELL: {
            tulle__section section = tulle__section_of(s, p);
            to.at = section.at + p - section.first_row;
            to.step = section.stride;
            break;
        }
        case TULLE_HYB:
        case TULLE_CSR_COO: {
            int64_t in_head = tulle__get(clipped, tulle_offset_size(v->index), row);
            to.width = s->width;
            to.tail = s->head + begin - in_head - s->width;
            if (v->format == TULLE_HYB) break;
            to.at = in_head;
            to.step = 1;
            break;
        }
        case TULLE_BSR:
            to.at = row % s->block;
            to.first = to.found = tulle__offset_at(v, row / s->block);
            to.end = tulle__offset_at(v, row / s->block + 1);
            break;
        default: /* ELL, ELL-R, DIA */
            break;
    }
    return to;
}

/* Finds a diagonal or block that is there: mostly the last one or the next. */
SLOTS_FUNCTION int64_t tulle__find_slots(const tulle__pattern_view *v, tulle__row_slots *to,
                                         int64_t number) {
    int64_t size = tulle_index_size(v->index), behind = to->found + 2;
    for (; to->found < behind && to->found < to->end; to->found++) {
        if (tulle__get(v->cols_of, size, to->found) == number) return to->found;
    }
    to->found = tulle__lower_bound(v->cols_of, size, to->first, to->end - to->first, number);
    return to->found;
}

/* The slot for entry k of the row, in column col. */
SLOTS_FUNCTION int64_t tulle__slot_for(const tulle__pattern_view *v, tulle__row_slots *to,
                                       int64_t k, int64_t col) {
    int64_t block = v->storage.block;
    switch (v->format) {
        case TULLE_JDS:
            return tulle__offset_at(v, k) + to->at;
        case TULLE_DIA:
            return tulle__find_slots(v, to, col - to->row) * to->step + to->at;
        case TULLE_BSR:
            return (tulle__find_slots(v, to, col / block) * block + to->at) * block + col % block;
        default:
            return k < to->width ? to->at + k * to->step : to->tail + k;
    }
}

/* The bit of mask for a slot: DIA's bits are numbered like its slots, BSR's by block. */
SLOTS_FUNCTION int64_t tulle__bit_of_slot(const tulle__pattern_view *v, int64_t slot) {
    if (v->format == TULLE_DIA) return slot;
    int64_t cells = v->storage.block * v->storage.block;
    return 32 * (slot / cells) * tulle__mask_words(v->storage.block) + slot % cells;
}

/* Writes down what the arrays say of an entry in its slot, all but the mask; arrays that are NULL
 * are not wanted. */
SLOTS_FUNCTION void tulle__settle(const tulle__pattern_view *v, const tulle__pattern_arrays *out,
                                  int64_t row, int64_t col, int64_t slot) {
    int64_t size = tulle_index_size(v->index);
    if (!out->cols_of || v->format == TULLE_DIA || v->format == TULLE_BSR) return;
    tulle__put(out->cols_of, size, slot, col);
    bool has_tail = v->format == TULLE_HYB || v->format == TULLE_CSR_COO;
    if (has_tail && slot >= v->storage.head) {
        tulle__put(out->rows_of, size, slot - v->storage.head, row);
    }
}

#endif
