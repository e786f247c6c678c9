/* SPDX-License-Identifier: Apache-2.0 */
/* How many elements each array of a pattern has (tulle/formats.h), and what they take. */
#ifndef TULLE_MATRIX_COUNTS_H
#define TULLE_MATRIX_COUNTS_H

#include "tulle/matrix.h"

/* Formats whose entries are a list, with nothing between them: these are sorted into each other;
 * the others are laid out row by row (slots.h). */
TULLE_INLINE bool tulle__is_list(tulle_format format) {
    return format == TULLE_COO || format == TULLE_CSR || format == TULLE_CSC;
}

/* Formats whose slots are those of SELL. */
TULLE_INLINE bool tulle__is_sliced(tulle_format format) {
    return format == TULLE_SELL || format == TULLE_PACKED;
}

/* The largest block of BSR. */
enum { TULLE__MOST_BLOCK = 16 };

/* Sizes that are looked at where none is given; blocks of one entry are the entries. */
#define TULLE__BLOCK_SIZES                                                                         \
    { 1, 2, 3, 4, 6, 8, 16 }
enum { TULLE__BLOCK_SIZE_COUNT = 7 };

TULLE_INLINE int64_t tulle__ceil_div(int64_t count, int64_t block) {
    return count / block + (count % block != 0);
}

/* Lanes of a line, and positions of a slice, of PACKED. */
enum { TULLE__LINE = 32 };

/* Words of a BSR block's mask. */
TULLE_INLINE int64_t tulle__mask_words(int64_t block) {
    return tulle__ceil_div(block * block, 32);
}

/* Blocks of a BSR matrix, padding counted in cells. */
TULLE_INLINE int64_t tulle__bsr_blocks(const tulle_storage *s) {
    return s->block > 0 ? s->stored / (s->block * s->block) : 0;
}

TULLE_INLINE tulle_mat_lengths tulle__counts(tulle_format format, int64_t rows, int64_t cols,
                                             const tulle_storage *s) {
    tulle_mat_lengths n = {0, 0, s->stored, 0, 0, 0, 0, s->stored};
    switch (format) {
        case TULLE_COO:
            n.rows = s->stored;
            break;
        case TULLE_CSR:
            n.offsets = rows + 1;
            break;
        case TULLE_CSC:
            n.offsets = cols + 1;
            n.rows = s->stored;
            n.cols = 0;
            break;
        case TULLE_ELL:
            break;
        case TULLE_ELLR:
            n.lengths = rows;
            break;
        case TULLE_SELL:
            n.offsets = tulle__ceil_div(rows, s->slice) + 1;
            n.order = s->window > 1 ? rows : 0;
            break;
        case TULLE_HYB:
            n.rows = s->stored - s->head;
            break;
        case TULLE_CSR_COO:
            n.offsets = rows + 1;
            n.rows = s->stored - s->head;
            break;
        case TULLE_JDS:
            n.offsets = s->width + 1;
            n.order = rows;
            break;
        case TULLE_JDS_ELL:
            n.order = rows;
            break;
        case TULLE_DIA:
            n.cols = s->width;
            n.mask = s->stored / 32;
            break;
        case TULLE_BSR:
            n.offsets = tulle__ceil_div(rows, s->block) + 1;
            n.cols = tulle__bsr_blocks(s);
            n.mask = s->full ? 0 : n.cols * tulle__mask_words(s->block);
            break;
        case TULLE_PACKED:
            n.offsets = tulle__ceil_div(rows, TULLE__LINE) + 1;
            n.order = s->window > 1 ? rows : 0;
            n.cols = s->stored / TULLE__LINE;
            n.mask = 2 * n.cols;
            n.codes = s->coded;
            break;
    }
    return n;
}

/* Bytes of everything but the values. */
TULLE_INLINE int64_t tulle__structure_bytes(const tulle_mat_lengths *n, tulle_index index) {
    return n->offsets * tulle_offset_size(index) + n->mask * 4 + n->codes +
           (n->rows + n->cols + n->order + n->lengths) * tulle_index_size(index);
}

#endif
