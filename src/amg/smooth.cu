/* SPDX-License-Identifier: Apache-2.0 */
/* A step of a smoother, and its diagonal, on a GPU. */
#include "amg/functions.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
GPU_KERNEL void do_step(tulle__amg_step t) {
    const V keeps = static_cast<V>(t.keeps), takes = static_cast<V>(t.takes);
    const V *d = static_cast<const V *>(t.d), *r = static_cast<const V *>(t.r);
    V *z = static_cast<V *>(t.z), *x = static_cast<V *>(t.x);
    for (int64_t i = loop_first(); i < t.n; i += loop_stride()) {
        const V step = takes * (load(d + i) * load(r + i)) + (keeps != 0 ? keeps * z[i] : 0);
        z[i] = step;
        x[i] = t.first ? step : x[i] + step;
    }
}

template <class V>
GPU_KERNEL void invert_all(int64_t n, V *d) {
    for (int64_t i = loop_first(); i < n; i += loop_stride()) d[i] = d[i] == 0 ? 0 : 1 / d[i];
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_step)(const tulle__place *place, const tulle__amg_step *step) {
    const gpu::grid all = gpu::loop_grid(step->n);
    return step->type == TULLE_F32 ? gpu::launch(place, gpu::do_step<float>, all, *step)
                                   : gpu::launch(place, gpu::do_step<double>, all, *step);
}

tulle_status GPU_SYMBOL(amg_invert)(const tulle__place *place, tulle_type type, int64_t n,
                                    void *d) {
    const gpu::grid all = gpu::loop_grid(n);
    return type == TULLE_F32
               ? gpu::launch(place, gpu::invert_all<float>, all, n, static_cast<float *>(d))
               : gpu::launch(place, gpu::invert_all<double>, all, n, static_cast<double *>(d));
}
