/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the row of every entry from offsets, on the GPU. Entries are shared out evenly, however
 * long the rows are. */
#include "format/functions.h"
#include "gpu/loop.cuh"

template <class Offset, class Index>
GPU_KERNEL void expand(const Offset *offsets, int64_t rows, int64_t nnz, Index *rows_of) {
    gpu::warp_stretch mine(nnz);
    int64_t row = 0;
    for (int64_t k = mine.begin + gpu::lane(); k < mine.end; k += gpu::warp_lanes) {
        row = gpu::row_of_entry(offsets, rows, k, row);
        rows_of[k] = static_cast<Index>(row);
    }
}

template <class Offset, class Index>
static tulle_status expand_offsets(const tulle__place *place, const tulle__pattern_view *csr,
                                   void *rows_of) {
    return gpu::launch(place, expand<Offset, Index>, gpu::loop_grid(csr->nnz),
                       static_cast<const Offset *>(csr->offsets), csr->rows, csr->nnz,
                       static_cast<Index *>(rows_of));
}

tulle_status GPU_SYMBOL(expand_offsets)(const tulle__place *place, const tulle__pattern_view *csr,
                                        void *rows_of) {
    switch (csr->index) {
        case TULLE_I32:
            return expand_offsets<int32_t, int32_t>(place, csr, rows_of);
        case TULLE_I64_I32:
            return expand_offsets<int64_t, int32_t>(place, csr, rows_of);
        default:
            return expand_offsets<int64_t, int64_t>(place, csr, rows_of);
    }
}
