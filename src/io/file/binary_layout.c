/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "format/bsr.h"
#include "io/file/binary.h"

/* Numbers of elements of the arrays, without the offset at the end; the last array is the order of
 * the rows, or the mask. */
typedef struct counts {
    int64_t offsets, cols, values, last;
} counts;

static counts counts_of(const tulle__binary_header *header) {
    if (header->version == TULLE__BINARY_BSR) {
        const tulle_storage s = tulle__binary_storage(header);
        const int64_t words = s.full ? 0 : tulle__mask_words(tulle__block_cells(&s));
        return (counts){tulle__ceil_div(header->rows, s.block), header->blocks, s.stored,
                        header->blocks * words};
    }
    const bool dcsr = header->version == TULLE__BINARY_DCSR;
    return (counts){dcsr ? header->heads : header->rows, header->nnz, header->nnz,
                    dcsr ? header->heads : 0};
}

bool tulle__binary_layout_of(const tulle__binary_header *header, tulle__binary_layout *layout) {
    const tulle_index index = (tulle_index)header->index;
    const int64_t value = header->pattern ? 0 : tulle_type_size(tulle__type_at((int)header->type));
    const bool bsr = header->version == TULLE__BINARY_BSR;
    const counts n = counts_of(header);
    const int64_t count[TULLE__SECTIONS] = {n.offsets, n.cols, n.values, n.last};
    const int64_t size[TULLE__SECTIONS] = {
        tulle_offset_size(index), tulle_index_size(index), value,
        bsr ? (int64_t)sizeof(uint32_t) : tulle_index_size(index)};
    const int64_t more[TULLE__SECTIONS] = {tulle_offset_size(index), 0, 0, 0};
    int64_t at = sizeof *header;
    for (int i = 0; i < TULLE__SECTIONS; i++) {
        int64_t *bytes = &layout->bytes[i];
        if (__builtin_mul_overflow(count[i], size[i], bytes) ||
            __builtin_add_overflow(*bytes, more[i], bytes))
            return false;
        layout->at[i] = at;
        int64_t end;
        if (__builtin_add_overflow(at, *bytes, &end) ||
            __builtin_add_overflow(end, TULLE__BINARY_ALIGNMENT - 1, &end))
            return false;
        at = end / TULLE__BINARY_ALIGNMENT * TULLE__BINARY_ALIGNMENT;
    }
    layout->end = at;
    return true;
}
