/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps of the smoother on a GPU. Neighbouring lanes share a row, as in spmv_csr_vector, and the
 * first of them takes the row's steps. The numbers of vectors that these steps read are asked for
 * before the row's values, so that they arrive with them. The order of operations is free here: a
 * sweep decides nothing of a hierarchy.
 *
 * Bytes of a sweep: the matrix, v once or twice, and every other vector once. */
#define TULLE__PARTS 6

#include "amg/functions.h"
#include "amg/steps.cuh"
#include "gpu/loop.cuh"
#include "gpu/parts.cuh"
#include "spmv/gpu/csr_row.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int sweep_threads = 128;

/* Awaits the previous grid and asks for the numbers of a row's steps. */
template <class V>
struct await_and_fetch {
    const row_steps<V> *steps;
    int64_t i;
    bool takes;
    typename row_steps<V>::numbers *to;
    GPU_FUNCTION void operator()() const {
        await_previous();
        if (takes) *to = steps->fetch(i);
    }
};

template <int coop, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(sweep_threads, 8) void sweep(csr_product<V, O, C> a, row_steps<V> steps) {
    allow_next();
    const int lane = static_cast<int>(thread() % coop);
    const int64_t i = static_cast<int64_t>(block()) * (sweep_threads / coop) + thread() / coop;
    O begin = 0, end = 0;
    if (i < a.rows) {
        begin = load(a.offsets + i);
        end = load(a.offsets + i + 1);
    }
    const bool takes = lane == 0 && i < a.rows;
    typename row_steps<V>::numbers own = {0, 0, 0, 0};
    const await_and_fetch<V> ready = {&steps, i, takes, &own};
    const V sum = sum_of_lanes(partial_sum<(coop < 8)>(a, begin, end, lane, coop, ready), coop);
    if (takes) steps.take(i, sum, own);
}

template <class V>
GPU_KERNEL void steps_alone(int64_t n, row_steps<V> steps) {
    for (int64_t i = loop_first(); i < n; i += loop_stride()) {
        steps.take(i, 0, steps.fetch(i));
    }
}

template <int coop, class V, class O, class C>
tulle_status sweep_by(const tulle__amg_sweep *t) {
    const int64_t group = sweep_threads / coop;
    const grid g = {(t->product.shape.rows + group - 1) / group, sweep_threads};
    return launch_early(t->product.place, sweep<coop, V, O, C>, g,
                        make_product<V, O, C>(&t->product), steps_of<V>(t));
}

template <class V, class O, class C>
tulle_status sweep_rows(const tulle__amg_sweep *t) {
    switch (lanes_for_few(&t->product.shape, lanes_for_mean(&t->product.shape))) {
        case 1:
            return sweep_by<1, V, O, C>(t);
        case 2:
            return sweep_by<2, V, O, C>(t);
        case 4:
            return sweep_by<4, V, O, C>(t);
        case 8:
            return sweep_by<8, V, O, C>(t);
        case 16:
            return sweep_by<16, V, O, C>(t);
        default:
            return sweep_by<32, V, O, C>(t);
    }
}

GPU_PARTS_ALL(sweep_rows, const tulle__amg_sweep *);

#if TULLE__IN_PART(1)
using run_of_sweep = tulle_status (*)(const tulle__amg_sweep *);
constexpr run_of_sweep sweep_runs[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT] =
    GPU_RUN_ALL(sweep_rows);
#endif

}  // namespace TULLE_GPU_NAMESPACE

#if TULLE__IN_PART(1)
tulle_status GPU_SYMBOL(amg_sweep)(const tulle__place *place, const tulle__amg_sweep *sweep) {
    const tulle__spmv_shape *shape = &sweep->product.shape;
    if (sweep->product.values) return gpu::sweep_runs[shape->values][shape->index](sweep);
    const gpu::grid all = gpu::loop_grid(shape->rows);
    return shape->type == TULLE_F32 ? gpu::launch(place, gpu::steps_alone<float>, all, shape->rows,
                                                  gpu::steps_of<float>(sweep))
                                    : gpu::launch(place, gpu::steps_alone<double>, all, shape->rows,
                                                  gpu::steps_of<double>(sweep));
}
#endif
