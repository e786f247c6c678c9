/* SPDX-License-Identifier: Apache-2.0 */
#include "core/access.h"
#include "format/functions.h"

tulle_status tulle__cpu_list_heads(const tulle__place *place, tulle_index index, int64_t count,
                                   const void *rows_of, void *order, void *offsets, void *ranks,
                                   int64_t *host_heads) {
    int64_t size = tulle_index_size(index), heads = 0, before = -1;
    (void)place;
    for (int64_t e = 0; e < count; e++) {
        int64_t row = tulle__get(rows_of, size, e);
        if (row != before) {
            tulle__put(order, size, heads, row);
            if (offsets) tulle__put(offsets, tulle_offset_size(index), heads, e);
            heads++;
            before = row;
        }
        if (ranks) tulle__put(ranks, size, e, heads - 1);
    }
    if (offsets) tulle__put(offsets, tulle_offset_size(index), heads, count);
    *host_heads = heads;
    return TULLE_OK;
}
