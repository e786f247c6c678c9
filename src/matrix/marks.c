/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/marks.h"

#include "core/place.h"
#include "core/threads/sizes.h"
#include "matrix/functions.h"

tulle_status tulle__cpu_mark_rows(const tulle__place *place, const tulle__pattern_view *csr,
                                  void *marks) {
    int64_t size = tulle_offset_size(csr->index);
    int64_t count = tulle__mark_count(csr->rows, csr->nnz);
    const int threads = tulle__threads_for(place, TULLE__WORK_ROWS, count);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t m = 0; m < count; m++) {
        tulle__put(marks, size, m, tulle__mark_at(csr->offsets, size, csr->rows, csr->nnz, m));
    }
    return TULLE_OK;
}
