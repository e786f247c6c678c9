/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of PACKED (tulle/formats.h): their kinds, words and codes. Compiles as C17 and as CUDA
 * C++. */
#ifndef TULLE_MATRIX_PACKED_H
#define TULLE_MATRIX_PACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/backend.h"
#include "matrix/access.h"
#include "matrix/counts.h"

/* Codes are counted in pieces of 32 bytes, so that a line of any kind begins at a whole one. */
enum { TULLE__PIECE = 32 };

/* Place and kind share a word; fewer pieces than this have places. */
#define TULLE__PIECES (INT64_C(1) << 30)

/* What a slice counts for where a line has columns that no code reaches: more than all that a
 * matrix may have, and so little that sums do not wrap. */
#define TULLE__UNPACKABLE (INT64_C(1) << 32)

/* A line to be packed. */
typedef struct tulle__line {
    int64_t base;
    int kind; /* -1: there is none for it */
} tulle__line;

/* Bytes of a code, which are the pieces of a line as well. */
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

/* Entries whose column less their lane is the same number. */
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

/* The column in a slot; -1 for padding. Sums wrap, so that a base out of range is a column out of
 * range. */
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

#endif
