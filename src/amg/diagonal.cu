/* SPDX-License-Identifier: Apache-2.0 */
/* The diagonal of a smoother, on a GPU. */
#include "amg/diagonal_rules.h"
#include "amg/functions.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
GPU_KERNEL void invert_all(tulle__amg_inversion t) {
    V *d = static_cast<V *>(t.d);
    const V *noises = static_cast<const V *>(t.noise);
    for (int64_t i = loop_first(); i < t.n; i += loop_stride()) {
        const double sum = static_cast<double>(d[i]);
        const double noise = noises ? static_cast<double>(load(noises + i)) : 0;
        const bool counts = tulle__amg_counts(&t, sum, noise);
        if (t.unfit && counts && noise > t.most * sum) {
            atomic_max(t.unfit, static_cast<int64_t>(TULLE__AMG_NOISY));
        }
        d[i] = !counts ? V(0) : tulle__amg_is_negative(&t, i) ? -1 / d[i] : 1 / d[i];
    }
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_invert)(const tulle__place *place,
                                    const tulle__amg_inversion *inversion) {
    const gpu::grid all = gpu::loop_grid(inversion->n);
    return inversion->type == TULLE_F32
               ? gpu::launch(place, gpu::invert_all<float>, all, *inversion)
               : gpu::launch(place, gpu::invert_all<double>, all, *inversion);
}
