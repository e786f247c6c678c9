/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Layouts of the arrays of each format.
 *
 * Notation: R rows, C columns, N entries; i a row, j a column. Index arrays (rows, cols, order,
 * lengths) have the index type's column size, offsets its offset size, mask is uint32_t, codes are
 * bytes, aligned to 4. A slot is a place in values; a slot that holds no entry is padding: its
 * column is -1 and its value is never looked at, so that Inf and NaN in x do not reach y through
 * it. All numbers count from 0.
 *
 * COO      rows[N], cols[N], values[N].
 * CSR      offsets[R + 1], cols[N], values[N].
 * CSC      offsets[C + 1], rows[N], values[N], column by column.
 * ELL      cols and values[width * stride]; entry k of row i in slot k * stride + i; stride is R
 *          rounded up to a multiple of 32. A row's entries come before its padding.
 * ELL-R    ELL, and lengths[R].
 * SELL     rows stand in positions, sorted by falling length within windows of `window` positions:
 *          order[p] is the row at position p (order NULL: p itself). A slice is `slice` positions;
 *          offsets[s] is its first slot; entry k of position p in slot
 *          offsets[p / slice] + k * slice + p % slice. The last slice is whole, with padding.
 * HYB      slots below `head` = width * stride are an ELL of the first `width` entries of each row;
 *          further entries follow as COO, row by row: rows[t], cols[head + t], values[head + t].
 * CSR+COO  slots below `head` are a CSR (offsets[R + 1]) of the first `width` entries of each row;
 *          the rest as in HYB.
 * JDS      order[R]: the row at position p, by falling length; entry k of position p in slot
 *          offsets[k] + p; offsets[width + 1], width the longest row. No padding.
 * JDS-ELL  order as in JDS; section s has the positions from section_row[s] to section_row[s + 1],
 *          its entries k of position p in slot section_at[s] + k * h + p - section_row[s], h the
 *          section's rows rounded up to a multiple of 32. Rows without entries are in no section.
 * DIA      cols[width]: the diagonals j - i, ascending; entry (i, i + cols[d]) in slot
 *          d * stride + i, stride as in ELL; bit i % 32 of mask[d * stride / 32 + i / 32] tells an
 *          entry from padding. Holds no repeated entries.
 * BSR      blocks of r x c, r = `block` and c = `block_cols`; offsets[ceil(R / r) + 1] and cols
 *          (block columns, ascending in a block row) count blocks; cell (i, j) of block b in slot
 *          (b * r + i) * c + j. full: every cell is an entry and there is no mask; else bit q % 32
 *          of mask[b * w + q / 32], q = i * c + j and w = ceil(r c / 32), tells an entry from
 *          padding. Holds no repeated entries.
 * PACKED   offsets, order, values as in SELL with slices of 32. A line is the slots of a slice with
 *          the same k: line l has the slots 32 l to 32 l + 31, lanes 0 to 31. Bit i of mask[2 l] is
 *          set where lane i holds an entry; mask[2 l + 1] = place * 4 + kind. Its column is
 *          cols[l] + n: kind 0: n = i; kinds 1, 2 and 3: n is the little-endian number of 1, 2 or 4
 *          bytes at codes[32 * place + i * that]. A conversion takes kind 0 where it fits all
 *          entries of the line, or else the smallest that does, cols[l] being the least column.
 * DCSR     a CSR of the `heads` rows that have entries: order[heads], ascending, is the row at each
 *          position; the entries of position p stand from offsets[p] to offsets[p + 1],
 *          offsets[heads + 1]; cols[N], values[N]. Takes no memory for rows without entries.
 *
 * Sources: GPU Teaching Kit, sparse formats (ELL, COO, HYB, JDS and its sections); Bell and Garland
 * 2009 (DIA, ELL, HYB); Vazquez et al. 2011 (ELL-R); Kreutzer et al. 2014 (SELL-C-sigma); Saad
 * (JDS, BSR); Kourtis, Goumas and Koziris 2008 (columns as small differences: PACKED);
 * Buluc and Gilbert 2008 (doubly compressed: DCSR).
 */
#ifndef TULLE_FORMATS_H
#define TULLE_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include "types.h"

/** Most sections of a JDS-ELL matrix: one for each bit length of a row length. */
enum { TULLE_SECTIONS = 33 };

/** The numbers of a layout; those that a format does not have are 0. */
typedef struct tulle_storage {
    int64_t stored; /**< number of slots: values kept, padding included */
    int64_t width;  /**< ELL, ELL-R, JDS: entries of the longest row; HYB, CSR+COO: most entries
                         of a row that stay in the first part; DIA: number of diagonals */
    int64_t stride; /**< ELL, ELL-R, HYB, DIA: slots between neighbours of a row */
    int64_t head;   /**< HYB, CSR+COO: slots of the first part; stored - head entries follow */
    int64_t slice;  /**< SELL, PACKED (32): positions of a slice */
    int64_t window; /**< SELL, PACKED: positions that are sorted together; 1: none */
    int64_t coded;  /**< PACKED: bytes of codes, a multiple of 32; the codes of a line end there */
    int64_t block;  /**< BSR: rows of a block, and its columns unless block_cols gives these */
    bool full;      /**< BSR: no cell is padding, and there is no mask */
    int sections;   /**< JDS-ELL: number of sections */
    int64_t section_row[TULLE_SECTIONS + 1]; /**< JDS-ELL: first position of each section, and
                                                  the end */
    int64_t section_at[TULLE_SECTIONS + 1];  /**< JDS-ELL: first slot of each section, and the
                                                  end */
    int64_t heads;                           /**< DCSR: number of rows that have entries */
    int64_t block_cols; /**< BSR: columns of a block; given as 0: as many as rows */
} tulle_storage;

/** The arrays of a matrix, in the memory where it lives; owned by the matrix. NULL where the format
 * has none, or where it would be empty. */
typedef struct tulle_mat_arrays {
    const void *offsets; /**< starts of rows, columns, slices or positions, as the head of
                              formats.h has it for each format */
    const void *rows;    /**< row indices, as the head of formats.h has it */
    const void *cols;    /**< column indices, block columns, or diagonals */
    const void *order;   /**< the row at each position */
    const void *lengths; /**< entries of each row */
    const void *mask;    /**< uint32_t: bits of the slots that hold an entry; for PACKED also the
                              kinds of lines */
    const void *codes;   /**< uint8_t: columns of PACKED, as the head of formats.h has it */
    const void *values;  /**< one value for each slot */
} tulle_mat_arrays;

/**
 * Options of tulle_mat_convert_with: the layout of its result; zero-initialise for the defaults.
 */
typedef struct tulle_convert_options {
    unsigned flags; /**< TULLE_SUM_DUPLICATES (DIA and BSR always do) */
    int64_t slice;  /**< SELL: 1 to 1024; default 32. PACKED: 32 */
    int64_t window; /**< SELL, PACKED: 1 (rows stay in place) or a multiple of the slice; default 32
                       slices where that saves a twentieth of the slots, else 1 */
    int64_t width; /**< HYB: default the length that a third of the rows reach; CSR+COO: default two
                        standard deviations above the mean length */
    int64_t block; /**< BSR: 1 to 16; default that of 1, 2, 3, 4, 6, 8 and 16 which takes the fewest
                        bytes */
    double fill;   /**< most slots for each entry, padding included; default 10. Up to 65536 slots
                        are always fine */
    int64_t block_cols; /**< BSR: columns of a block, 1 to 16, beside `block`, its rows; default as
                             many as rows */
} tulle_convert_options;

#endif
