/* SPDX-License-Identifier: Apache-2.0 */
/* The diagonal of a smoother, on a GPU. */
#include "amg/functions.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
GPU_KERNEL void invert_all(int64_t n, V *d) {
    for (int64_t i = loop_first(); i < n; i += loop_stride()) d[i] = d[i] == 0 ? 0 : 1 / d[i];
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_invert)(const tulle__place *place, tulle_type type, int64_t n,
                                    void *d) {
    const gpu::grid all = gpu::loop_grid(n);
    return type == TULLE_F32
               ? gpu::launch(place, gpu::invert_all<float>, all, n, static_cast<float *>(d))
               : gpu::launch(place, gpu::invert_all<double>, all, n, static_cast<double *>(d));
}
