/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps of the smoother on a GPU where the matrix is in blocks: lanes share out a block as in
 * spmv_bsr, and the lane that gets the sum of a row takes the row's steps. */
#include "amg/functions.h"
#include "amg/steps.cuh"
#include "spmv/gpu/bsr_row.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

constexpr int block_sweep_threads = 64;

/* The steps of a lane's rows, whose numbers are asked for before the values of the blocks. */
template <class V, int each>
struct rows_of_steps {
    const row_steps<V> &steps;
    typename row_steps<V>::numbers own[each];

    GPU_FUNCTION void fetch(int t, int64_t at) { own[t] = steps.fetch(at); }
    GPU_FUNCTION void take(int t, int64_t at, V sum) const { steps.take(at, sum, own[t]); }
};

template <class S, class V, class C>
GPU_KERNEL void sweep_blocks(bsr_product<V, C> a, row_steps<V> steps) {
    allow_next();
    await_previous();
    rows_of_steps<V, S::each> rows = {steps, {}};
    bsr_rows<S, false>(a, rows);
}

template <class S, class V, class C>
tulle_status sweep_by(const tulle__amg_sweep *t, const bsr_product<V, C> &a) {
    const grid g = S::warps > 1 ? grid{a.block_rows, 32 * S::warps}
                                : bsr_grid(a.block_rows, S::block_rows, block_sweep_threads);
    return launch_early(t->product.place, sweep_blocks<S, V, C>, g, a, steps_of<V>(t));
}

template <int size, int height, class V, class C>
tulle_status sweep_size(const tulle__amg_sweep *t, const bsr_product<V, C> &a) {
    constexpr int most = 32 / (height * size);
    const tulle__spmv_shape *shape = &t->product.shape;
    if (bsr_rows_are_few(shape))
        return sweep_by<bsr_shape<size, size, height, most, bsr_team>>(t, a);
    if (bsr_rows_are_short(shape)) return sweep_by<bsr_shape<size, size, height, 1>>(t, a);
    return sweep_by<bsr_shape<size, size, height, most>>(t, a);
}

template <class V, class O, class C>
tulle_status sweep_all(const tulle__amg_sweep *t) {
    const bsr_product<V, C> a = make_bsr_product<V, O, C>(&t->product);
    if constexpr (sizeof(C) == 4) {
        switch (t->product.shape.storage->full && a.tall == a.wide ? a.tall : 0) {
            case 2:
                return sweep_size<2, 2>(t, a);
            case 3:
                return sweep_size<3, 3>(t, a);
            case 4:
                return sweep_size<4, 4>(t, a);
            case 5:
                return sweep_size<5, 5>(t, a);
            case 6:
                return sweep_size<6, 3>(t, a);
            case 8:
                return sweep_size<8, 4>(t, a);
        }
    }
    return TULLE_UNSUPPORTED;
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_sweep_blocks)(const tulle__place *place,
                                          const tulle__amg_sweep *sweep) {
    static constexpr tulle_status (*run[TULLE__VALUES_COUNT][TULLE__INDEX_COUNT])(
        const tulle__amg_sweep *) = GPU_RUN_ALL(gpu::sweep_all);
    (void)place; /* the product's */
    return run[sweep->product.shape.values][sweep->product.shape.index](sweep);
}
