/* SPDX-License-Identifier: Apache-2.0 */
/* Computes Y := alpha X A + beta Y on the GPU, with as many warps as fill it. */
#include "vector/functions.h"
#include "vector/multivector_axpy.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V, int tiles, lie how>
GPU_KERNEL GPU_RESIDENT(loop_threads, tiles < 4 ? 2 : 1) void multi_axpy(axpy_operands<V> m) {
    allow_next();
    await_previous();
    multi_axpy_rows<V, tiles, how>(m, loop_first() / warp_lanes, loop_stride() / warp_lanes);
}

template <class V, int k, lie how>
GPU_KERNEL GPU_RESIDENT(loop_threads, 2) void few_axpy(axpy_operands<V> m) {
    allow_next();
    await_previous();
    few_axpy_rows<V, k, how>(m, loop_first(), loop_stride());
}

template <class V, int tiles, lie how>
tulle_status multi_axpy_by(const tulle__place *place, const axpy_operands<V> &m) {
    using part = axpy_part<V, tiles, how>;
    const int64_t turn_rows = int64_t{axpy_steps<sizeof(part::x)>} * part::count;
    return launch_early(place, multi_axpy<V, tiles, how>,
                        loop_grid((m.rows / turn_rows + 1) * warp_lanes), m);
}

template <class V, int k, lie how>
tulle_status few_axpy_by(const tulle__place *place, const axpy_operands<V> &m) {
    using part = few_rows<V, k, how>;
    const int64_t turn_rows = int64_t{axpy_steps<sizeof(part::x)>} * part::n;
    return launch_early(place, few_axpy<V, k, how>, loop_grid(m.rows / turn_rows + 1), m);
}

template <class V>
tulle_status multi_axpy_in(const tulle__place *place, const tulle__multi *job) {
    const axpy_operands<V> m{job->rows,
                             job->k1,
                             job->k2,
                             make_scalar<V>(job->alpha),
                             make_scalar<V>(job->beta),
                             make_strided<const V>(job->x),
                             make_strided<const V>(job->a),
                             make_strided<V>(job->y)};
    const lie how = lie_of<V>(job, job->y);
    const int widest = job->k1 > job->k2 ? job->k1 : job->k2, tiles = tiles_of(job);
    if (widest == 1) {
        return how == lie::columns ? few_axpy_by<V, 1, lie::columns>(place, m)
                                   : few_axpy_by<V, 1, lie::any>(place, m);
    }
    if (widest == 2) return TULLE__EACH_LIE(few_axpy_by, 2, how, place, m);
    if (widest <= 4) return TULLE__EACH_LIE(few_axpy_by, 4, how, place, m);
    return tiles == 1   ? TULLE__EACH_LIE(multi_axpy_by, 1, how, place, m)
           : tiles == 2 ? TULLE__EACH_LIE(multi_axpy_by, 2, how, place, m)
                        : TULLE__EACH_LIE(multi_axpy_by, 4, how, place, m);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(multivector_axpy)(const tulle__place *place, const tulle__multi *m) {
    return m->type == TULLE_F32 ? gpu::multi_axpy_in<float>(place, m)
                                : gpu::multi_axpy_in<double>(place, m);
}
