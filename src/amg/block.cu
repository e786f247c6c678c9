/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of systems on a GPU: the rules of block_rules.h. A thread has a node, a warp an aggregate,
 * and some lanes share a row of blocks that are scaled. */
#include <math.h>

#include "amg/functions.h"
#include "amg/hash.h"
#include "amg/part.cuh"
#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {

struct sum_of_two {
    GPU_FUNCTION static double of(double a, double b) { return a + b; }
};
struct larger_of_two {
    GPU_FUNCTION static double of(double a, double b) { return a > b ? a : b; }
};

#define AMG_RULE(type, f)                                                                          \
    template <class VALUE, class OFFSET, class INDEX>                                              \
    GPU_FUNCTION type f
#define AMG(f) f<VALUE, OFFSET, INDEX>
#define AMG_EACH_ROW(r, rows) for (int64_t r = lane(); r < (rows); r += TULLE__AMG_SUM_PARTS)
#define AMG_PARTS 1
#define AMG_PART(r) 0
#define AMG_SUM(part) warp_reduce<sum_of_two>(part[0])
#define AMG_MOST(part) warp_reduce<larger_of_two>(part[0])
#define AMG_IS_FIRST (lane() == 0)
#include "amg/block_rules.h"
#undef AMG_RULE
#undef AMG
#undef AMG_EACH_ROW
#undef AMG_PARTS
#undef AMG_PART
#undef AMG_SUM
#undef AMG_MOST
#undef AMG_IS_FIRST

static_assert(TULLE__AMG_SUM_PARTS == warp_lanes, "each lane of a warp has a partial sum");

template <class V, class O, class C>
GPU_KERNEL void size_all_nodes(tulle__amg_sizing t) {
    for (int64_t i = loop_first(); i < t.A.csr.rows; i += loop_stride()) size_node<V, O, C>(&t, i);
}

template <class V, class O, class C>
GPU_KERNEL void orthonormalise_all(tulle__amg_orthogonal t) {
    for (int64_t g = loop_first() / warp_lanes; g < t.aggregates; g += loop_stride() / warp_lanes) {
        const int dropped = orthonormalise_aggregate<V, O, C>(&t, g);
        if (lane() == 0 && dropped > 0) atomic_add(t.dropped, static_cast<int64_t>(dropped));
    }
}

template <class V, class O, class C>
GPU_KERNEL void spread_all_nodes(tulle__amg_spread t) {
    for (int64_t i = loop_first(); i < t.T.rows; i += loop_stride()) spread_node<V, O, C>(&t, i);
}

template <class V, class O, class C>
GPU_KERNEL void invert_all_blocks(tulle__amg_block_diagonal t) {
    for (int64_t i = loop_first(); i < t.A.csr.rows; i += loop_stride()) {
        diagonal_block<V, O, C>(&t, i);
    }
}

template <class V, class O, class C>
GPU_KERNEL void power_all_nodes(tulle__amg_power t) {
    for (int64_t i = loop_first(); i < t.A.csr.rows; i += loop_stride()) power_node<V, O, C>(&t, i);
}

template <class V, class O, class C>
GPU_KERNEL void count_smoothing_nodes(tulle__amg_block_smoothing t) {
    const int64_t nodes = t.A.csr.rows;
    for (int64_t i = loop_first(); i <= nodes; i += loop_stride()) {
        t.before[i] = i < nodes ? blocks_of_smoothing<V, O, C>(&t, i) : 0;
    }
}

template <class V, class O, class C>
GPU_KERNEL void fill_smoothing_nodes(tulle__amg_block_smoothing t) {
    const int64_t nodes = t.A.csr.rows;
    for (int64_t i = loop_first(); i <= nodes; i += loop_stride()) {
        if (i < nodes) {
            fill_smoothing_node<V, O, C>(&t, i);
        } else {
            static_cast<O *>(t.offsets)[i] = static_cast<O>(t.before[i]);
        }
    }
}

constexpr int64_t scale_lanes = 8;

template <class V, class O, class C>
GPU_KERNEL void scale_rows(tulle__amg_scaling t) {
    const O *offsets = static_cast<const O *>(t.B.csr.offsets);
    const int64_t cells = static_cast<int64_t>(t.B.tall) * t.B.wide;
    for (int64_t i = loop_first() / scale_lanes; i < t.B.csr.rows;
         i += loop_stride() / scale_lanes) {
        const int64_t end = load(offsets + i + 1) * cells;
        for (int64_t at = load(offsets + i) * cells + thread() % scale_lanes; at < end;
             at += scale_lanes) {
            const int64_t k = at / cells;
            const int c = static_cast<int>(at % cells);
            const bool fits = store_scaled<V, O, C>(&t, k, c, scaled_cell<V, O, C>(&t, i, k, c));
            if (!fits && t.unfit) atomic_max(t.unfit, static_cast<int64_t>(TULLE__AMG_RANGE));
        }
    }
}

template <class V, class O, class C>
tulle_status size_blocks(const tulle__place *place, const tulle__amg_sizing *t) {
    return launch(place, size_all_nodes<V, O, C>, loop_grid(t->A.csr.rows), *t);
}

template <class V, class O, class C>
tulle_status orthonormalise(const tulle__place *place, const tulle__amg_orthogonal *t) {
    return launch(place, orthonormalise_all<V, O, C>, loop_grid(t->aggregates * warp_lanes), *t);
}

template <class V, class O, class C>
tulle_status spread(const tulle__place *place, const tulle__amg_spread *t) {
    return launch(place, spread_all_nodes<V, O, C>, loop_grid(t->T.rows), *t);
}

template <class V, class O, class C>
tulle_status invert_blocks(const tulle__place *place, const tulle__amg_block_diagonal *t) {
    return launch(place, invert_all_blocks<V, O, C>, loop_grid(t->A.csr.rows), *t);
}

template <class V, class O, class C>
tulle_status power(const tulle__place *place, const tulle__amg_power *t) {
    return launch(place, power_all_nodes<V, O, C>, loop_grid(t->A.csr.rows), *t);
}

template <class V, class O, class C>
tulle_status count_block_smoothing(const tulle__place *place, const tulle__amg_block_smoothing *t) {
    return launch(place, count_smoothing_nodes<V, O, C>, loop_grid(t->A.csr.rows + 1), *t);
}

template <class V, class O, class C>
tulle_status fill_block_smoothing(const tulle__place *place, const tulle__amg_block_smoothing *t) {
    return launch(place, fill_smoothing_nodes<V, O, C>, loop_grid(t->A.csr.rows + 1), *t);
}

template <class V, class O, class C>
tulle_status scale_blocks(const tulle__place *place, const tulle__amg_scaling *t) {
    return launch(place, scale_rows<V, O, C>, loop_grid(t->B.csr.rows * scale_lanes), *t);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_size_blocks)(const tulle__place *place, const tulle__amg_sizing *t) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_sizing *) = GPU_RUN_ALL(gpu::size_blocks);
    return run[tulle__values_of(t->A.type)][t->A.csr.index](place, t);
}

tulle_status GPU_SYMBOL(amg_orthonormalise)(const tulle__place *place,
                                            const tulle__amg_orthogonal *t, int64_t nodes) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_orthogonal *) = GPU_RUN_ALL(gpu::orthonormalise);
    (void)nodes; /* for the number of threads of a CPU */
    return run[0][t->index](place, t);
}

tulle_status GPU_SYMBOL(amg_spread)(const tulle__place *place, const tulle__amg_spread *t) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_spread *) = GPU_RUN_ALL(gpu::spread);
    return run[tulle__values_of(t->type)][t->T.index](place, t);
}

tulle_status GPU_SYMBOL(amg_invert_blocks)(const tulle__place *place,
                                           const tulle__amg_block_diagonal *t) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_block_diagonal *) = GPU_RUN_ALL(gpu::invert_blocks);
    return run[tulle__values_of(t->A.type)][t->A.csr.index](place, t);
}

tulle_status GPU_SYMBOL(amg_power)(const tulle__place *place, const tulle__amg_power *t) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_power *) = GPU_RUN_ALL(gpu::power);
    return run[tulle__values_of(t->A.type)][t->A.csr.index](place, t);
}

tulle_status GPU_SYMBOL(amg_count_block_smoothing)(const tulle__place *place,
                                                   const tulle__amg_block_smoothing *t,
                                                   int64_t *blocks) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_block_smoothing *) =
        GPU_RUN_ALL(gpu::count_block_smoothing);
    GPU_TRY(run[tulle__values_of(t->A.type)][t->A.csr.index](place, t));
    return gpu::sum_up(place, t->before, t->A.csr.rows, blocks);
}

tulle_status GPU_SYMBOL(amg_fill_block_smoothing)(const tulle__place *place,
                                                  const tulle__amg_block_smoothing *t) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_block_smoothing *) =
        GPU_RUN_ALL(gpu::fill_block_smoothing);
    return run[tulle__values_of(t->A.type)][t->A.csr.index](place, t);
}

tulle_status GPU_SYMBOL(amg_scale_blocks)(const tulle__place *place, const tulle__amg_scaling *t) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_scaling *) = GPU_RUN_ALL(gpu::scale_blocks);
    return run[tulle__values_of(t->B.type)][t->B.csr.index](place, t);
}
