/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of interpolation with the digits of f32, on a GPU. */
#include "amg/functions.h"
#include "amg/shorten_rules.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A thread has a row, as rows of P are short. */
template <class O>
GPU_KERNEL void shorten_rows(int64_t rows, const O *offsets, double *numbers) {
    for (int64_t i = loop_first(); i < rows; i += loop_stride()) {
        const O begin = load(offsets + i);
        tulle__amg_shorten_row(numbers + begin, load(offsets + i + 1) - begin);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_shorten)(const tulle__place *place, const tulle__pattern_view *P,
                                     double *numbers) {
    const gpu::grid all = gpu::loop_grid(P->rows);
    return tulle_offset_size(P->index) == 4
               ? gpu::launch(place, gpu::shorten_rows<int32_t>, all, P->rows,
                             static_cast<const int32_t *>(P->offsets), numbers)
               : gpu::launch(place, gpu::shorten_rows<int64_t>, all, P->rows,
                             static_cast<const int64_t *>(P->offsets), numbers);
}
