/* SPDX-License-Identifier: Apache-2.0 */
/* The fragments of PACKED: a SELL whose columns are in lines, each with a kind, words and codes. */
#ifndef TULLE_FORMAT_PACKED_H
#define TULLE_FORMAT_PACKED_H

#include "format/sell.h"

/* Number of lanes of a line, and of positions of a slice. */
enum { TULLE__LINE = 32 };

/* Bytes of a piece. Codes are counted in pieces, so that a line of any kind begins at a whole
 * piece. */
enum { TULLE__PIECE = 32 };

/* Limit of the number of pieces that have places: place and kind share a word. */
#define TULLE__PIECES (INT64_C(1) << 30)

/* Number of pieces that stands for a slice in which a line has columns too far for all codes. It is
 * more than a matrix may have, and so small that sums do not wrap. */
#define TULLE__UNPACKABLE (INT64_C(1) << 32)

/* A line that is to be packed. */
typedef struct tulle__line {
    int64_t base;
    int kind; /* kind of the line's codes; -1: no code is wide enough */
} tulle__line;

/* Returns the bytes of a code of a kind, which is also the number of pieces of a line. */
TULLE_INLINE int tulle__code_bytes(int kind) {
    return kind == 3 ? 4 : kind;
}

TULLE_INLINE uint32_t tulle__line_word(int64_t place, int kind) {
    return (uint32_t)place << 2 | (uint32_t)kind;
}

TULLE_INLINE int tulle__word_kind(uint32_t word) {
    return (int)(word & 3u);
}

TULLE_INLINE int64_t tulle__word_place(uint32_t word) {
    return (int64_t)(word >> 2);
}

/* Returns the line for entries for which column minus lane is the same number. */
TULLE_INLINE tulle__line tulle__diagonal_line(int64_t base) {
    tulle__line line = {base, 0};
    return line;
}

TULLE_INLINE tulle__line tulle__coded_line(int64_t least, int64_t most) {
    int64_t span = most - least;
    tulle__line line = {least, -1};
    if (span <= UINT32_MAX) line.kind = 3;
    if (span <= UINT16_MAX) line.kind = 2;
    if (span <= UINT8_MAX) line.kind = 1;
    return line;
}

TULLE_INLINE uint32_t tulle__code_get(const void *codes, int kind, int64_t place, int lane) {
    if (kind == 1) return ((const uint8_t *)codes)[32 * place + lane];
    if (kind == 2) return ((const uint16_t *)codes)[16 * place + lane];
    return ((const uint32_t *)codes)[8 * place + lane];
}

TULLE_INLINE void tulle__code_put(void *codes, int kind, int64_t place, int lane, uint32_t code) {
    if (kind == 1) ((uint8_t *)codes)[32 * place + lane] = (uint8_t)code;
    if (kind == 2) ((uint16_t *)codes)[16 * place + lane] = (uint16_t)code;
    if (kind == 3) ((uint32_t *)codes)[8 * place + lane] = code;
}

/* Returns the column in a slot, or -1 for padding. Sums wrap, so that a base out of range gives a
 * column out of range. */
TULLE_INLINE int64_t tulle__packed_col(const tulle__pattern_view *v, int64_t slot) {
    const uint32_t *mask = (const uint32_t *)v->mask;
    int64_t line = slot / TULLE__LINE;
    int lane = (int)(slot % TULLE__LINE);
    if (!(mask[2 * line] >> lane & 1u)) return -1;
    uint32_t word = mask[2 * line + 1], code = (uint32_t)lane;
    int kind = tulle__word_kind(word);
    if (kind > 0) code = tulle__code_get(v->codes, kind, tulle__word_place(word), lane);
    uint64_t base = (uint64_t)tulle__get(v->cols_of, tulle_index_size(v->index), line);
    return (int64_t)(base + code);
}

SLOTS_FUNCTION void tulle__packed_counts(const tulle__extent *e, tulle_mat_lengths *n) {
    tulle__sell_counts(e, n);
    n->cols = e->s->stored / TULLE__LINE;
    n->mask = 2 * n->cols;
    n->codes = e->s->coded;
}

SLOTS_FUNCTION bool tulle__packed_next(const tulle__pattern_view *v, tulle__walk *w) {
    if (w->k >= w->places) return false;
    w->slot = w->at + w->k * w->step;
    w->col = tulle__packed_col(v, w->slot);
    w->k = w->col < 0 ? w->places : w->k + 1;
    return w->col >= 0;
}
#define tulle__packed_start tulle__sell_start
#define tulle__packed_slots tulle__sell_slots
#define tulle__packed_slot tulle__sell_slot

SLOTS_FUNCTION void tulle__packed_facts(const tulle__pattern_view *v, tulle__facts *f) {
    tulle__sell_facts(v, f);
    f->coded = true;
}

/* Checks a word of the mask; every other word has the place of a line in codes. */
SLOTS_FUNCTION tulle__fault tulle__codes_fault(const tulle__pattern_view *v, int64_t i) {
    if (i % 2 == 0) return tulle__fault_if(false, TULLE__BAD_CODES, 0);
    uint32_t word = ((const uint32_t *)v->mask)[i];
    int kind = tulle__word_kind(word);
    int64_t end = tulle__word_place(word) + tulle__code_bytes(kind);
    return tulle__fault_if(kind > 0 && end > v->storage.coded / TULLE__PIECE, TULLE__BAD_CODES,
                           word);
}

/* Checks the columns of a line. */
SLOTS_FUNCTION tulle__fault tulle__line_fault(const tulle__pattern_view *v, int64_t line) {
    uint32_t there = ((const uint32_t *)v->mask)[2 * line];
    for (int lane = 0; lane < TULLE__LINE; lane++) {
        int64_t col = tulle__packed_col(v, TULLE__LINE * line + lane);
        bool out = col < 0 || col >= v->cols;
        if ((there >> lane & 1u) && out) return tulle__fault_if(true, TULLE__BAD_INDEX, col);
    }
    return tulle__fault_if(false, TULLE__BAD_INDEX, 0);
}

SLOTS_FUNCTION bool tulle__packed_fault(const tulle__pattern_view *v, int check, int64_t i,
                                        tulle__fault *fault) {
    if (check == TULLE__CHECK_CODES) *fault = tulle__codes_fault(v, i);
    if (check == TULLE__CHECK_INDICES) *fault = tulle__line_fault(v, i);
    return check == TULLE__CHECK_CODES || check == TULLE__CHECK_INDICES;
}

#endif
