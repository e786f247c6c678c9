/* SPDX-License-Identifier: Apache-2.0 */
/* What every back end does with formats; see core/place.h. */
#ifndef TULLE_FORMAT_FUNCTIONS_H
#define TULLE_FORMAT_FUNCTIONS_H

#include "core/place.h"
#include "format/view.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__FORMAT_FUNCTIONS(F)                                                                 \
    /* convert.* (to may be from where the sizes agree) */                                         \
    F(convert_indices, (const tulle__place *place, int64_t count, int64_t from_size,               \
                        const void *from, int64_t to_size, void *to, int64_t add))                 \
    F(convert_values, (const tulle__place *place, int64_t count, tulle_type from_type,             \
                       const void *from, tulle_type to_type, void *to))                            \
    F(gather_values, (const tulle__place *place, int64_t count, tulle_type type,                   \
                      const int64_t *perm, const void *from, void *to))                            \
    /* expand.*: the row of each entry. */                                                         \
    F(expand_offsets, (const tulle__place *place, const tulle__pattern_view *csr, void *rows_of))  \
    /* layout.*, fill.*, bsr.* (laid: rows, cols, format, index and storage of the                 \
     * result, and what is filled of its arrays), walk.* */                                        \
    /* Rows by falling length within windows, stably: order[p], of the index type. */              \
    F(order_rows,                                                                                  \
      (const tulle__place *place, const tulle__pattern_view *csr, int64_t window, void *order))    \
    /* laid->format SELL, PACKED: where each slice starts, laid->order used. JDS: where each       \
     * diagonal starts, laid->order used. BSR: where each block row starts, the csr's columns      \
     * rising. HYB, CSR+COO: what rows + 1 offsets would be if no row had more than `width`        \
     * entries. host_last: the last offset (waits). */                                             \
    F(layout_offsets, (const tulle__place *place, const tulle__pattern_view *csr,                  \
                       const tulle__pattern_view *laid, void *offsets, int64_t *host_last))        \
    /* Ascending j - i of all entries, of the csr's index type; only counted where there are more  \
     * than `most` (waits). */                                                                     \
    F(find_diagonals, (const tulle__place *place, const tulle__pattern_view *csr, int64_t most,    \
                       void *diagonals, int64_t *host_count))                                      \
    /* How many blocks of each of TULLE__BLOCK_SIZES (format/bsr.h) have entries, the csr's        \
     * columns rising and offsets[0] any number (waits). */                                        \
    F(count_blocks,                                                                                \
      (const tulle__place *place, const tulle__pattern_view *csr, int64_t *host_counts))           \
    /* The block columns of each block row, for laid's offsets; the csr's columns rise. */         \
    F(list_blocks, (const tulle__place *place, const tulle__pattern_view *csr,                     \
                    const tulle__pattern_view *laid, void *cols_of))                               \
    /* Puts every entry of the CSR into its slot of values, and fills cols_of (all -1 before),     \
     * tails' rows_of, lengths, mask (all 0 before), but none that is NULL; for PACKED, all are.   \
     * clipped: for HYB and CSR+COO, see layout_offsets. */                                        \
    F(fill_layout, (const tulle__place *place, const tulle__pattern_view *csr, tulle_type type,    \
                    const void *csr_values, const tulle__pattern_view *laid, const void *clipped,  \
                    const tulle__pattern_arrays *out, void *values))                               \
    /* PACKED, from the rows of the CSR in laid's order. places: how many pieces of 32 bytes of    \
     * codes stand before each slice, and in all; a slice that cannot be packed counts as          \
     * TULLE__UNPACKABLE (waits). */                                                               \
    F(count_codes, (const tulle__place *place, const tulle__pattern_view *csr,                     \
                    const tulle__pattern_view *laid, int64_t *places, int64_t *host_pieces))       \
    /* Fills cols_of, mask and codes, whose order and offsets laid has. */                         \
    F(pack_lines,                                                                                  \
      (const tulle__place *place, const tulle__pattern_view *csr, const tulle__pattern_view *laid, \
       const int64_t *places, const tulle__pattern_arrays *out))                                   \
    /* heads.*: of entries with ascending rows, those rows; where the entries of each begin, and   \
     * their end (of the offset type); and for each entry, how many such rows stand before its     \
     * own. The last two may be NULL; order has room for every entry, or for as many as there are. \
     * All of the index types (waits). */                                                          \
    F(list_heads,                                                                                  \
      (const tulle__place *place, tulle_index index, int64_t count, const void *rows_of,           \
       void *order, void *offsets, void *ranks, int64_t *host_heads))                              \
    /* Whether the arrays of a format other than COO and CSR are what tulle/formats.h says; fills  \
     * bad_row, bad_value and bad_kind (waits). */                                                 \
    F(check_layout,                                                                                \
      (const tulle__place *place, const tulle__pattern_view *laid, tulle__stats *host_stats))      \
    /* The way back, for formats that slots.h can walk: rows + 1 offsets (waits); then the column  \
     * and the slot of each entry. */                                                              \
    F(walk_offsets, (const tulle__place *place, const tulle__pattern_view *laid, void *offsets,    \
                     int64_t *host_nnz))                                                           \
    F(walk_entries, (const tulle__place *place, const tulle__pattern_view *laid,                   \
                     const void *offsets, void *cols_of, int64_t *slots))

typedef struct tulle__format_functions {
    TULLE__FORMAT_FUNCTIONS(TULLE__MEMBER)
} tulle__format_functions;

TULLE__FORMAT_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
