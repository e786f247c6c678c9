/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_FORMAT_BSR_H
#define TULLE_FORMAT_BSR_H

#include "format/parts.h"

/* Largest number of rows or columns of a block of BSR. */
enum { TULLE__MOST_BLOCK = 16 };

/* Sizes of square blocks to choose from if the caller gives none; size 1 would be the entries
 * themselves. */
#define TULLE__BLOCK_SIZES                                                                         \
    { 1, 2, 3, 4, 6, 8, 16 }
enum { TULLE__BLOCK_SIZE_COUNT = 7 };

/* Returns the number of rows of a block. */
TULLE_INLINE int64_t tulle__block_rows(const tulle_storage *s) {
    return s->block;
}

/* Returns the number of columns of a block; where none is given, there are as many as rows. */
TULLE_INLINE int64_t tulle__block_cols(const tulle_storage *s) {
    return s->block_cols > 0 ? s->block_cols : s->block;
}

/* Returns the number of cells of a block; 0 in a format without blocks. */
TULLE_INLINE int64_t tulle__block_cells(const tulle_storage *s) {
    return s->block * tulle__block_cols(s);
}

/* Returns true when blocks have as many rows as columns. */
TULLE_INLINE bool tulle__square_blocks(const tulle_storage *s) {
    return tulle__block_cols(s) == s->block;
}

/* Returns the number of words of the mask of a block with so many cells. */
TULLE_INLINE int64_t tulle__mask_words(int64_t cells) {
    return tulle__ceil_div(cells, 32);
}

/* Returns the number of blocks of a matrix; the cells of a block count as slots, padding
 * included. */
TULLE_INLINE int64_t tulle__bsr_blocks(const tulle_storage *s) {
    return s->block > 0 ? s->stored / tulle__block_cells(s) : 0;
}

/* Returns the index in the mask of the bit for a cell of a block. */
SLOTS_FUNCTION int64_t tulle__cell_bit(const tulle_storage *s, int64_t block, int64_t cell) {
    return 32 * block * tulle__mask_words(tulle__block_cells(s)) + cell;
}

SLOTS_FUNCTION void tulle__bsr_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    n->offsets = tulle__ceil_div(e->rows, e->s->block) + 1;
    n->cols = tulle__bsr_blocks(e->s);
    n->mask = e->s->full ? 0 : n->cols * tulle__mask_words(tulle__block_cells(e->s));
}

SLOTS_FUNCTION void tulle__bsr_start(const tulle__pattern_view *v, tulle__walk *w) {
    int64_t row = w->p / tulle__block_rows(&v->storage);
    w->at = tulle__offset_at(v, row);
    w->places = (tulle__offset_at(v, row + 1) - w->at) * tulle__block_cols(&v->storage);
}

SLOTS_FUNCTION bool tulle__bsr_next(const tulle__pattern_view *v, tulle__walk *w) {
    const tulle_storage *s = &v->storage;
    int64_t rows = tulle__block_rows(s), cols = tulle__block_cols(s), r = w->row % rows;
    while (w->k < w->places) {
        int64_t block = w->at + w->k / cols, c = w->k % cols;
        w->k++;
        w->slot = (block * rows + r) * cols + c;
        w->col = tulle__col_at(v, block) * cols + c;
        if (s->full || tulle__bit(v->mask, tulle__cell_bit(s, block, r * cols + c))) return true;
    }
    return false;
}

SLOTS_FUNCTION void tulle__bsr_slots(const tulle__pattern_view *v, tulle__row_slots *to) {
    int64_t rows = tulle__block_rows(&v->storage);
    to->at = to->row % rows;
    to->first = to->found = tulle__offset_at(v, to->row / rows);
    to->end = tulle__offset_at(v, to->row / rows + 1);
}

SLOTS_FUNCTION int64_t tulle__bsr_slot(const tulle__pattern_view *v, tulle__row_slots *to,
                                       int64_t k, int64_t col) {
    int64_t rows = tulle__block_rows(&v->storage), cols = tulle__block_cols(&v->storage);
    (void)k;
    return (tulle__find_slots(v, to, col / cols) * rows + to->at) * cols + col % cols;
}

SLOTS_FUNCTION void tulle__bsr_facts(const tulle__pattern_view *v, tulle__facts *f) {
    f->last = tulle__bsr_blocks(&v->storage);
    f->end = tulle__ceil_div(v->cols, tulle__block_cols(&v->storage));
    f->positions = tulle__ceil_div(v->rows, tulle__block_rows(&v->storage));
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
    int64_t rows = tulle__ceil_div(v->rows, tulle__block_rows(&v->storage));
    return tulle__lower_bound(v->offsets, tulle_offset_size(v->index), 1, rows, block + 1) - 1;
}

/* Returns a fault if word i of the mask has a bit for an entry outside the matrix. */
SLOTS_FUNCTION tulle__fault tulle__block_mask_fault(const tulle__pattern_view *v, int64_t i) {
    int64_t rows = tulle__block_rows(&v->storage), cols = tulle__block_cols(&v->storage);
    int64_t words = tulle__mask_words(rows * cols), block = i / words;
    int64_t first_row = tulle__row_of_block(v, block) * rows;
    int64_t first_col = tulle__col_at(v, block) * cols;
    for (int bit = 0; bit < 32; bit++) {
        int64_t cell = 32 * (i % words) + bit;
        bool out = cell >= rows * cols || first_row + cell / cols >= v->rows || first_col < 0 ||
                   first_col + cell % cols >= v->cols;
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
