/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the row of every entry from offsets, on the CPU. */
#include "core/access.h"
#include "core/place.h"
#include "core/threads/sizes.h"
#include "format/functions.h"

/* Number of rows that a thread takes at a time; their lengths may differ much. */
enum { BLOCK = 1024 };

tulle_status tulle__cpu_expand_offsets(const tulle__place *place, const tulle__pattern_view *csr,
                                       void *rows_of) {
    int64_t offset_size = tulle_offset_size(csr->index), size = tulle_index_size(csr->index);
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, csr->rows + csr->nnz);
#pragma omp parallel for num_threads(threads) schedule(dynamic, BLOCK)
    for (int64_t row = 0; row < csr->rows; row++) {
        int64_t end = tulle__get(csr->offsets, offset_size, row + 1);
        for (int64_t k = tulle__get(csr->offsets, offset_size, row); k < end; k++) {
            tulle__put(rows_of, size, k, row);
        }
    }
    return TULLE_OK;
}
