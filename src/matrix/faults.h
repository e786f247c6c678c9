/* SPDX-License-Identifier: Apache-2.0 */
/* What can be wrong with the arrays of a layout, one element at a time, so that any number of
 * threads can look; the fault with the lowest element is the one that is told. Checks are run one
 * after the other, and each may rely on those before it. Compiles as C17 and as CUDA C++. */
#ifndef TULLE_MATRIX_FAULTS_H
#define TULLE_MATRIX_FAULTS_H

#include "matrix/slots.h"

enum {
    TULLE__CHECK_OFFSETS,
    TULLE__CHECK_ORDER,
    TULLE__CHECK_PERMUTATION, /* by positions, of which each row's first is at hand */
    TULLE__CHECK_CODES,
    TULLE__CHECK_INDICES,
    TULLE__CHECK_PADDING,
    TULLE__CHECK_TAIL,
    TULLE__CHECK_LENGTHS,
    TULLE__CHECK_MASK,
    TULLE__CHECKS
};

typedef struct tulle__fault {
    int kind; /* TULLE__BAD_... */
    int64_t value;
} tulle__fault;

SLOTS_FUNCTION tulle__fault tulle__fault_if(bool bad, int kind, int64_t value) {
    tulle__fault fault = {bad ? kind : (int)TULLE__BAD_NONE, value};
    return fault;
}

/* What the last offset must be. */
SLOTS_FUNCTION int64_t tulle__last_offset(const tulle__pattern_view *v) {
    if (v->format == TULLE_CSR_COO) return v->storage.head;
    return v->format == TULLE_BSR ? tulle__bsr_blocks(&v->storage) : v->storage.stored;
}

/* How far the offsets may rise at a step: JDS, the diagonal before; others, as they like. */
SLOTS_FUNCTION int64_t tulle__most_rise(const tulle__pattern_view *v, int64_t i) {
    if (v->format != TULLE_JDS) return INT64_MAX;
    if (i == 0) return v->rows;
    int64_t before = tulle__offset_at(v, i - 1);
    return before < 0 ? 0 : tulle__offset_at(v, i) - before;
}

SLOTS_FUNCTION tulle__fault tulle__offset_fault(const tulle__pattern_view *v, int64_t i,
                                                int64_t last) {
    int64_t here = tulle__offset_at(v, i);
    if (i == 0 && here != 0) return tulle__fault_if(true, TULLE__BAD_OFFSET, here);
    if (i == last) return tulle__fault_if(here != tulle__last_offset(v), TULLE__BAD_OFFSET, here);
    int64_t next = tulle__offset_at(v, i + 1);
    if (here < 0 || next < here) return tulle__fault_if(true, TULLE__BAD_OFFSET, next);
    bool odd = tulle__is_sliced(v->format) && (next - here) % v->storage.slice != 0;
    return tulle__fault_if(odd || next - here > tulle__most_rise(v, i), TULLE__BAD_OFFSET, next);
}

/* Every other word of PACKED's mask says where in codes a line has its own. */
SLOTS_FUNCTION tulle__fault tulle__codes_fault(const tulle__pattern_view *v, int64_t i) {
    if (i % 2 == 0) return tulle__fault_if(false, TULLE__BAD_CODES, 0);
    uint32_t word = ((const uint32_t *)v->mask)[i];
    int kind = tulle__word_kind(word);
    int64_t end = tulle__word_place(word) + tulle__code_bytes(kind);
    return tulle__fault_if(kind > 0 && end > v->storage.coded / TULLE__PIECE, TULLE__BAD_CODES,
                           word);
}

/* The columns of a line of PACKED. */
SLOTS_FUNCTION tulle__fault tulle__line_fault(const tulle__pattern_view *v, int64_t line) {
    uint32_t entries = ((const uint32_t *)v->mask)[2 * line];
    for (int lane = 0; lane < TULLE__LINE; lane++) {
        int64_t col = tulle__packed_col(v, TULLE__LINE * line + lane);
        bool out = col < 0 || col >= v->cols;
        if ((entries >> lane & 1u) && out) return tulle__fault_if(true, TULLE__BAD_INDEX, col);
    }
    return tulle__fault_if(false, TULLE__BAD_INDEX, 0);
}

/* The columns, rows (CSC), block columns or diagonals by themselves. */
SLOTS_FUNCTION tulle__fault tulle__index_fault(const tulle__pattern_view *v, int64_t i) {
    if (v->format == TULLE_PACKED) return tulle__line_fault(v, i);
    int64_t size = tulle_index_size(v->index), least = 0, end = v->cols;
    const void *array = v->format == TULLE_CSC ? v->rows_of : v->cols_of;
    int64_t here = tulle__get(array, size, i);
    bool may_pad = v->format == TULLE_ELL || v->format == TULLE_ELLR || v->format == TULLE_SELL ||
                   v->format == TULLE_JDS_ELL || (v->format == TULLE_HYB && i < v->storage.head);
    if (may_pad) least = -1;
    if (v->format == TULLE_CSC) end = v->rows;
    if (v->format == TULLE_BSR) end = tulle__ceil_div(v->cols, v->storage.block);
    if (v->format == TULLE_DIA) least = 1 - v->rows;
    if (here < least || here >= end) return tulle__fault_if(true, TULLE__BAD_INDEX, here);
    bool falls = v->format == TULLE_DIA && i > 0 && tulle__get(array, size, i - 1) >= here;
    return tulle__fault_if(falls, TULLE__BAD_ASCENT, here);
}

/* Positions with padding: in ELL and SELL more than there are rows, since these are whole. BSR: its
 * block rows. */
TULLE_INLINE int64_t tulle__padded_positions(const tulle__pattern_view *v) {
    const tulle_storage *s = &v->storage;
    switch (v->format) {
        case TULLE_ELL:
        case TULLE_ELLR:
        case TULLE_HYB:
            return s->width > 0 ? s->stride : 0;
        case TULLE_SELL:
        case TULLE_PACKED:
            return tulle__ceil_div(v->rows, s->slice) * s->slice;
        case TULLE_JDS_ELL:
            return s->section_row[s->sections];
        case TULLE_BSR:
            return tulle__ceil_div(v->rows, s->block);
        default:
            return 0;
    }
}

SLOTS_FUNCTION tulle__fault tulle__block_row_fault(const tulle__pattern_view *v, int64_t row) {
    int64_t end = tulle__offset_at(v, row + 1);
    for (int64_t b = tulle__offset_at(v, row) + 1; b < end; b++) {
        if (tulle__col_at(v, b) <= tulle__col_at(v, b - 1)) {
            return tulle__fault_if(true, TULLE__BAD_ASCENT, tulle__col_at(v, b));
        }
    }
    return tulle__fault_if(false, TULLE__BAD_ASCENT, 0);
}

/* Entries come first, and positions without a row have none. */
SLOTS_FUNCTION tulle__fault tulle__padding_fault(const tulle__pattern_view *v, int64_t p) {
    if (v->format == TULLE_BSR) return tulle__block_row_fault(v, p);
    tulle__pattern_view places = *v;
    places.order = NULL;
    if (v->format == TULLE_HYB) places.format = TULLE_ELL;
    tulle__walk w = tulle__walk_start(&places, p);
    bool ended = p >= v->rows;
    for (int64_t k = 0; k < w.places; k++) {
        int64_t col = tulle__slot_col(v, w.at + k * w.step);
        if (ended && col >= 0) return tulle__fault_if(true, TULLE__BAD_PADDING, col);
        ended = ended || col < 0;
    }
    return tulle__fault_if(false, TULLE__BAD_PADDING, 0);
}

SLOTS_FUNCTION tulle__fault tulle__tail_fault(const tulle__pattern_view *v, int64_t t) {
    int64_t size = tulle_index_size(v->index), row = tulle__get(v->rows_of, size, t);
    bool falls = t > 0 && tulle__get(v->rows_of, size, t - 1) > row;
    return tulle__fault_if(falls || row < 0 || row >= v->rows, TULLE__BAD_TAIL, row);
}

SLOTS_FUNCTION tulle__fault tulle__length_fault(const tulle__pattern_view *v, int64_t row) {
    tulle__walk w = tulle__walk_start(v, row);
    int64_t count = 0;
    while (tulle__walk_next(v, &w)) count++;
    int64_t length = tulle__get(v->lengths, tulle_index_size(v->index), row);
    return tulle__fault_if(length != count, TULLE__BAD_LENGTH, length);
}

/* Word i of the mask has bits for entries inside the matrix only. */
SLOTS_FUNCTION tulle__fault tulle__mask_fault(const tulle__pattern_view *v, int64_t i) {
    const tulle_storage *s = &v->storage;
    uint32_t word = ((const uint32_t *)v->mask)[i];
    int64_t words = tulle__mask_words(s->block), b = s->block;
    int64_t row_of_block = 0, col_of_block = 0;
    if (v->format == TULLE_BSR) {
        int64_t rows = tulle__ceil_div(v->rows, b), low = 0, high = rows;
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (tulle__offset_at(v, middle + 1) <= i / words) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        row_of_block = low * b;
        col_of_block = tulle__col_at(v, i / words) * b;
    }
    for (int bit = 0; bit < 32; bit++) {
        if (!(word >> bit & 1u)) continue;
        int64_t row = 0, col = 0, cell = 32 * i + bit;
        if (v->format == TULLE_DIA) {
            row = cell % s->stride;
            col = row + tulle__col_at(v, cell / s->stride);
        } else {
            cell = 32 * (i % words) + bit;
            row = cell < b * b ? row_of_block + cell / b : v->rows;
            col = col_of_block + cell % b;
        }
        if (row >= v->rows || col < 0 || col >= v->cols) {
            return tulle__fault_if(true, TULLE__BAD_MASK, bit);
        }
    }
    return tulle__fault_if(false, TULLE__BAD_MASK, 0);
}

/* How many elements a check looks at; 0 where the format has nothing of the kind. */
TULLE_INLINE int64_t tulle__check_count(const tulle__pattern_view *v, int check) {
    tulle_mat_lengths n = tulle__counts(v->format, v->rows, v->cols, &v->storage);
    bool tailed = v->format == TULLE_HYB || v->format == TULLE_CSR_COO;
    switch (check) {
        case TULLE__CHECK_OFFSETS:
            return n.offsets;
        case TULLE__CHECK_ORDER:
        case TULLE__CHECK_PERMUTATION:
            return n.order;
        case TULLE__CHECK_CODES:
            return v->format == TULLE_PACKED ? n.mask : 0;
        case TULLE__CHECK_INDICES:
            return v->format == TULLE_CSC ? n.rows : n.cols;
        case TULLE__CHECK_PADDING:
            return tulle__padded_positions(v);
        case TULLE__CHECK_TAIL:
            return tailed ? n.rows : 0;
        case TULLE__CHECK_LENGTHS:
            return n.lengths;
        default:
            return v->format == TULLE_PACKED ? 0 : n.mask;
    }
}

/* firsts: for the permutation, the first position of each row. */
SLOTS_FUNCTION tulle__fault tulle__fault_at(const tulle__pattern_view *v, int check,
                                            const int64_t *firsts, int64_t i) {
    switch (check) {
        case TULLE__CHECK_OFFSETS:
            return tulle__offset_fault(v, i, tulle__check_count(v, check) - 1);
        case TULLE__CHECK_ORDER: {
            int64_t row = tulle__row_at(v, i);
            return tulle__fault_if(row < 0 || row >= v->rows, TULLE__BAD_ORDER, row);
        }
        case TULLE__CHECK_PERMUTATION: {
            int64_t row = tulle__row_at(v, i);
            return tulle__fault_if(firsts[row] != i, TULLE__BAD_ORDER, row);
        }
        case TULLE__CHECK_CODES:
            return tulle__codes_fault(v, i);
        case TULLE__CHECK_INDICES:
            return tulle__index_fault(v, i);
        case TULLE__CHECK_PADDING:
            return tulle__padding_fault(v, i);
        case TULLE__CHECK_TAIL:
            return tulle__tail_fault(v, i);
        case TULLE__CHECK_LENGTHS:
            return tulle__length_fault(v, i);
        default:
            return tulle__mask_fault(v, i);
    }
}

#endif
