/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_FORMAT_BSR_H
#define TULLE_FORMAT_BSR_H

#include "format/parts.h"

/* Largest block size of BSR. */
enum { TULLE__MOST_BLOCK = 16 };

/* Block sizes to choose from if the caller gives none; size 1 would be the entries themselves. */
#define TULLE__BLOCK_SIZES                                                                         \
    { 1, 2, 3, 4, 6, 8, 16 }
enum { TULLE__BLOCK_SIZE_COUNT = 7 };

/* Returns the number of words of a block's mask. */
TULLE_INLINE int64_t tulle__mask_words(int64_t block) {
    return tulle__ceil_div(block * block, 32);
}

/* Returns the number of blocks of a matrix; the cells of a block count as slots, padding
 * included. */
TULLE_INLINE int64_t tulle__bsr_blocks(const tulle_storage *s) {
    return s->block > 0 ? s->stored / (s->block * s->block) : 0;
}

/* Returns the index in the mask of the bit for a cell of a block. */
SLOTS_FUNCTION int64_t tulle__cell_bit(const tulle_storage *s, int64_t block, int64_t cell) {
    return 32 * block * tulle__mask_words(s->block) + cell;
}

SLOTS_FUNCTION void tulle__bsr_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    n->offsets = tulle__ceil_div(e->rows, e->s->block) + 1;
    n->cols = tulle__bsr_blocks(e->s);
    n->mask = e->s->full ? 0 : n->cols * tulle__mask_words(e->s->block);
}

SLOTS_FUNCTION void tulle__bsr_start(const tulle__pattern_view *v, tulle__walk *w) {
    int64_t b = v->storage.block;
    w->at = tulle__offset_at(v, w->p / b);
    w->places = (tulle__offset_at(v, w->p / b + 1) - w->at) * b;
}

SLOTS_FUNCTION bool tulle__bsr_next(const tulle__pattern_view *v, tulle__walk *w) {
    int64_t b = v->storage.block, r = w->row % b;
    while (w->k < w->places) {
        int64_t block = w->at + w->k / b, c = w->k % b;
        w->k++;
        w->slot = (block * b + r) * b + c;
        w->col = tulle__col_at(v, block) * b + c;
        if (v->storage.full || tulle__bit(v->mask, tulle__cell_bit(&v->storage, block, r * b + c)))
            return true;
    }
    return false;
}

SLOTS_FUNCTION void tulle__bsr_slots(const tulle__pattern_view *v, tulle__row_slots *to) {
    int64_t b = v->storage.block;
    to->at = to->row % b;
    to->first = to->found = tulle__offset_at(v, to->row / b);
    to->end = tulle__offset_at(v, to->row / b + 1);
}

SLOTS_FUNCTION int64_t tulle__bsr_slot(const tulle__pattern_view *v, tulle__row_slots *to,
                                       int64_t k, int64_t col) {
    int64_t b = v->storage.block;
    (void)k;
    return (tulle__find_slots(v, to, col / b) * b + to->at) * b + col % b;
}

SLOTS_FUNCTION void tulle__bsr_facts(const tulle__pattern_view *v, tulle__facts *f) {
    f->last = tulle__bsr_blocks(&v->storage);
    f->end = tulle__ceil_div(v->cols, v->storage.block);
    f->positions = tulle__ceil_div(v->rows, v->storage.block);
}

/* Returns a fault if the columns of the blocks of a block row do not ascend. */
SLOTS_FUNCTION tulle__fault tulle__block_row_fault(const tulle__pattern_view *v, int64_t row) {
    int64_t end = tulle__offset_at(v, row + 1);
    for (int64_t b = tulle__offset_at(v, row) + 1; b < end; b++) {
        if (tulle__col_at(v, b) <= tulle__col_at(v, b - 1)) {
            return tulle__fault_if(true, TULLE__BAD_ASCENT, tulle__col_at(v, b));
        }
    }
    return tulle__fault_if(false, TULLE__BAD_ASCENT, 0);
}

/* Returns the block row of a block: the first one that ends behind the block. */
SLOTS_FUNCTION int64_t tulle__row_of_block(const tulle__pattern_view *v, int64_t block) {
    int64_t rows = tulle__ceil_div(v->rows, v->storage.block);
    return tulle__lower_bound(v->offsets, tulle_offset_size(v->index), 1, rows, block + 1) - 1;
}

/* Returns a fault if word i of the mask has a bit for an entry outside the matrix. */
SLOTS_FUNCTION tulle__fault tulle__block_mask_fault(const tulle__pattern_view *v, int64_t i) {
    int64_t b = v->storage.block, words = tulle__mask_words(b), block = i / words;
    int64_t first_row = tulle__row_of_block(v, block) * b, first_col = tulle__col_at(v, block) * b;
    for (int bit = 0; bit < 32; bit++) {
        int64_t cell = 32 * (i % words) + bit;
        bool out = cell >= b * b || first_row + cell / b >= v->rows || first_col < 0 ||
                   first_col + cell % b >= v->cols;
        if (out && tulle__bit(v->mask, 32 * i + bit)) {
            return tulle__fault_if(true, TULLE__BAD_MASK, bit);
        }
    }
    return tulle__fault_if(false, TULLE__BAD_MASK, 0);
}

SLOTS_FUNCTION bool tulle__bsr_fault(const tulle__pattern_view *v, int check, int64_t i,
                                     tulle__fault *fault) {
    if (check == TULLE__CHECK_PADDING) *fault = tulle__block_row_fault(v, i);
    if (check == TULLE__CHECK_MASK) *fault = tulle__block_mask_fault(v, i);
    return check == TULLE__CHECK_PADDING || check == TULLE__CHECK_MASK;
}

#endif
