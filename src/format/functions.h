/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that every back end has for formats; see core/place.h. */
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
    /* expand.*: computes the row of each entry. */                                                \
    F(expand_offsets, (const tulle__place *place, const tulle__pattern_view *csr, void *rows_of))  \
    /* layout.*, fill.*, bsr.* (laid: rows, cols, format, index and storage of the                 \
     * result, and what is filled of its arrays), walk.* */                                        \
    /* Orders the rows by falling length within windows, stably: order[p], of the index type. */   \
    F(order_rows,                                                                                  \
      (const tulle__place *place, const tulle__pattern_view *csr, int64_t window, void *order))    \
    /* Computes where the parts of a layout start. SELL, PACKED: slices, by laid->order. JDS:      \
     * diagonals, by laid->order. BSR: block rows; the columns of csr must ascend. HYB,            \
     * CSR+COO: rows, as if none had more than `width` entries. host_last: the last offset         \
     * (waits). */                                                                                 \
    F(layout_offsets, (const tulle__place *place, const tulle__pattern_view *csr,                  \
                       const tulle__pattern_view *laid, void *offsets, int64_t *host_last))        \
    /* Lists j - i of all entries, ascending and without repetition, of the index type of csr;     \
     * only counts them where there are more than `most` (waits). */                               \
    F(find_diagonals, (const tulle__place *place, const tulle__pattern_view *csr, int64_t most,    \
                       void *diagonals, int64_t *host_count))                                      \
    /* Counts the blocks with entries for each of TULLE__BLOCK_SIZES (format/bsr.h). The           \
     * columns of csr must ascend; offsets[0] may be any number (waits). */                        \
    F(count_blocks,                                                                                \
      (const tulle__place *place, const tulle__pattern_view *csr, int64_t *host_counts))           \
    /* Lists the block columns of each block row, for the offsets of laid; the columns of csr      \
     * must ascend. */                                                                             \
    F(list_blocks, (const tulle__place *place, const tulle__pattern_view *csr,                     \
                    const tulle__pattern_view *laid, void *cols_of))                               \
    /* Puts every entry of the CSR into its slot of values, and fills cols_of (all -1 before),     \
     * rows_of of tails, lengths, and mask (all 0 before), except arrays that are NULL; for        \
     * PACKED all are. clipped: for HYB and CSR+COO, the offsets of layout_offsets. */             \
    F(fill_layout, (const tulle__place *place, const tulle__pattern_view *csr, tulle_type type,    \
                    const void *csr_values, const tulle__pattern_view *laid, const void *clipped,  \
                    const tulle__pattern_arrays *out, void *values))                               \
    /* PACKED: counts pieces of 32 bytes of codes, for the rows of the CSR in the order of         \
     * laid. places: number of pieces before each slice, and in all; a slice that cannot be        \
     * packed counts as TULLE__UNPACKABLE (waits). */                                              \
    F(count_codes, (const tulle__place *place, const tulle__pattern_view *csr,                     \
                    const tulle__pattern_view *laid, int64_t *places, int64_t *host_pieces))       \
    /* PACKED: fills cols_of, mask and codes for the order and the offsets of laid. */             \
    F(pack_lines,                                                                                  \
      (const tulle__place *place, const tulle__pattern_view *csr, const tulle__pattern_view *laid, \
       const int64_t *places, const tulle__pattern_arrays *out))                                   \
    /* heads.*: for entries with ascending rows, lists the rows that have entries; where the       \
     * entries of each begin, and the end of the last (of the offset type); and for each entry     \
     * the number of listed rows before its own row. The last two may be NULL; order has room      \
     * for every entry, or for as many rows as there are. All numbers are of the index types       \
     * (waits). */                                                                                 \
    F(list_heads,                                                                                  \
      (const tulle__place *place, tulle_index index, int64_t count, const void *rows_of,           \
       void *order, void *offsets, void *ranks, int64_t *host_heads))                              \
    /* Checks that the arrays of a format other than COO and CSR are as tulle/formats.h says;      \
     * fills bad_row, bad_value and bad_kind (waits). */                                           \
    F(check_layout,                                                                                \
      (const tulle__place *place, const tulle__pattern_view *laid, tulle__stats *host_stats))      \
    /* Convert back to CSR, for formats that slots.h can walk: rows + 1 offsets (waits); then      \
     * the column and the slot of each entry. */                                                   \
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
