/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/marks.h"

#include "gpu/loop.cuh"
#include "matrix/functions.h"

GPU_KERNEL void mark_rows(const void *offsets, int64_t size, int64_t rows, int64_t nnz,
                          void *marks) {
    int64_t count = tulle__mark_count(rows, nnz);
    for (int64_t m = gpu::loop_first(); m < count; m += gpu::loop_stride()) {
        tulle__put(marks, size, m, tulle__mark_at(offsets, size, rows, nnz, m));
    }
}

tulle_status GPU_SYMBOL(mark_rows)(const tulle__place *place, const tulle__pattern_view *csr,
                                   void *marks) {
    return gpu::launch(place, mark_rows, gpu::loop_grid(tulle__mark_count(csr->rows, csr->nnz)),
                       csr->offsets, tulle_offset_size(csr->index), csr->rows, csr->nnz, marks);
}
