/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of systems on a GPU: the rules of block_rules.h. A warp has a node or an aggregate; where
 * there is little to do for a node, a thread has one. */
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

/* The loop of a warp over nodes or aggregates. */
GPU_FUNCTION int64_t warp_first() {
    return loop_first() / warp_lanes;
}
GPU_FUNCTION int64_t warp_stride() {
    return loop_stride() / warp_lanes;
}

/* The cells of a row of blocks in the loop of a warp: as many blocks at a time as the lanes hold,
 * of a larger block some cells at a time. */
struct cells_of_lane {
    int cells;  /* number of cells of a block */
    int blocks; /* number of blocks at a time */
    int block;  /* index of this lane's block among these */
    int first;  /* index of this lane's first cell; `cells` where it has none */
    GPU_FUNCTION explicit cells_of_lane(int cells_of_block)
        : cells(cells_of_block),
          blocks(cells_of_block < warp_lanes ? warp_lanes / cells_of_block : 1),
          block(static_cast<int>(lane()) / cells_of_block),
          first(static_cast<int>(lane()) % cells_of_block) {
        if (cells >= warp_lanes) block = 0;
        if (block >= blocks) first = cells;
    }
};

/* Each lane sizes a block; then all add up the sizes, in the order of the row. */
template <class V, class O, class C>
GPU_FUNCTION void size_node(const tulle__amg_sizing *t, int64_t i) {
    const O *offsets = static_cast<const O *>(t->A.csr.offsets);
    const C *cols_of = static_cast<const C *>(t->A.csr.cols_of);
    const int64_t end = load(offsets + i + 1);
    double own = 0, others = 0;
    for (int64_t from = load(offsets + i); from < end; from += warp_lanes) {
        const int64_t k = from + lane();
        const double size = k < end ? size_of_block<V, O, C>(&t->A, k) : 0;
        const bool is_own = k < end && load(cols_of + k) == i;
        if (k < end) t->sizes[k] = size;
        const unsigned owns = ballot(full_warp, is_own);
        for (int m = 0; m < warp_lanes && from + m < end; m++) {
            const double next = shuffle(full_warp, size, m, warp_lanes);
            take_size<V, O, C>(owns >> m & 1, next, &own, &others);
        }
    }
    if (lane() == 0) t->diagonal[i] = size_of_node<V, O, C>(t, own, others);
}

template <class V, class O, class C>
GPU_KERNEL void size_all_nodes(tulle__amg_sizing t) {
    for (int64_t i = warp_first(); i < t.A.csr.rows; i += warp_stride()) size_node<V, O, C>(&t, i);
}

template <class V, class O, class C>
GPU_KERNEL void orthonormalise_all(tulle__amg_orthogonal t) {
    for (int64_t g = warp_first(); g < t.aggregates; g += warp_stride()) {
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
GPU_KERNEL void restrict_sizes(tulle__amg_made_of t) {
    const int64_t rows = t.R.csr.rows * t.R.tall;
    for (int64_t i = loop_first(); i < rows; i += loop_stride()) restrict_size<V, O, C>(&t, i);
}

/* Lane m tall + p has partial sum m of row p. */
template <class V, class O, class C>
GPU_FUNCTION void power_node(const tulle__amg_power *t, int64_t i, int parts) {
    const int n = t->A.tall, me = static_cast<int>(lane()), p = me % n;
    const double *inverse = t->inverses + (i * n + p) * n;
    double part = me < parts * n ? power_part<V, O, C>(t, i, parts, me / n, p) : 0, sum = 0;
    for (int half = parts / 2; half > 0; half /= 2) {
        part += shuffle_down(full_warp, part, half * n);
    }
    for (int q = 0; q < n; q++) {
        sum += load(inverse + q) * shuffle(full_warp, part, q, warp_lanes);
    }
    if (me < n) t->to[i * n + p] = t->by ? sum / *t->by : sum;
}

template <class V, class O, class C>
GPU_KERNEL void power_all_nodes(tulle__amg_power t) {
    const int parts = power_parts<V, O, C>(t.A.tall);
    for (int64_t i = warp_first(); i < t.A.csr.rows; i += warp_stride()) {
        power_node<V, O, C>(&t, i, parts);
    }
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
    const O *offsets = static_cast<const O *>(t.A.csr.offsets);
    const cells_of_lane own(t.A.tall * t.A.tall);
    const int64_t nodes = t.A.csr.rows;
    for (int64_t i = warp_first(); i <= nodes; i += warp_stride()) {
        const int64_t begin = t.before[i], end = i < nodes ? t.before[i + 1] : begin;
        if (lane() == 0) static_cast<O *>(t.offsets)[i] = static_cast<O>(begin);
        for (int64_t at = begin + own.block; at < end; at += own.blocks) {
            const int64_t k = load(offsets + i) + (at - begin);
            for (int c = own.first; c < own.cells; c += warp_lanes) {
                store_smoothing<V, O, C>(&t, i, k, at, c);
            }
        }
    }
}

template <class V, class O, class C>
GPU_KERNEL void scale_rows(tulle__amg_scaling t) {
    const O *offsets = static_cast<const O *>(t.B.csr.offsets);
    const cells_of_lane own(t.B.tall * t.B.wide);
    for (int64_t i = warp_first(); i < t.B.csr.rows; i += warp_stride()) {
        const int64_t end = load(offsets + i + 1);
        for (int64_t k = load(offsets + i) + own.block; k < end; k += own.blocks) {
            for (int c = own.first; c < own.cells; c += warp_lanes) {
                const bool fits =
                    store_scaled<V, O, C>(&t, k, c, scaled_cell<V, O, C>(&t, i, k, c));
                if (!fits && t.unfit) atomic_max(t.unfit, static_cast<int64_t>(TULLE__AMG_RANGE));
            }
        }
    }
}

template <class V>
GPU_KERNEL void multiply_rows(tulle__amg_block_product t) {
    const int n = t.tall;
    for (int64_t i = loop_first(); i < t.rows; i += loop_stride()) {
        const V *row = static_cast<const V *>(t.blocks) + i * n;
        const V *b = static_cast<const V *>(t.b) + i / n * n;
        V sum = 0;
        for (int q = 0; q < n; q++) sum += load(row + q) * load(b + q);
        static_cast<V *>(t.to)[i] = sum;
    }
}

grid warp_grid(int64_t count) {
    return loop_grid(count * warp_lanes);
}

template <class V, class O, class C>
tulle_status size_blocks(const tulle__place *place, const tulle__amg_sizing *t) {
    return launch(place, size_all_nodes<V, O, C>, warp_grid(t->A.csr.rows), *t);
}

template <class V, class O, class C>
tulle_status orthonormalise(const tulle__place *place, const tulle__amg_orthogonal *t) {
    return launch(place, orthonormalise_all<V, O, C>, warp_grid(t->aggregates), *t);
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
tulle_status made_of(const tulle__place *place, const tulle__amg_made_of *t) {
    return launch(place, restrict_sizes<V, O, C>, loop_grid(t->R.csr.rows * t->R.tall), *t);
}

template <class V, class O, class C>
tulle_status power(const tulle__place *place, const tulle__amg_power *t) {
    return launch(place, power_all_nodes<V, O, C>, warp_grid(t->A.csr.rows), *t);
}

template <class V, class O, class C>
tulle_status count_block_smoothing(const tulle__place *place, const tulle__amg_block_smoothing *t) {
    return launch(place, count_smoothing_nodes<V, O, C>, loop_grid(t->A.csr.rows + 1), *t);
}

template <class V, class O, class C>
tulle_status fill_block_smoothing(const tulle__place *place, const tulle__amg_block_smoothing *t) {
    return launch(place, fill_smoothing_nodes<V, O, C>, warp_grid(t->A.csr.rows + 1), *t);
}

template <class V, class O, class C>
tulle_status scale_blocks(const tulle__place *place, const tulle__amg_scaling *t) {
    return launch(place, scale_rows<V, O, C>, warp_grid(t->B.csr.rows), *t);
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

tulle_status GPU_SYMBOL(amg_made_of)(const tulle__place *place, const tulle__amg_made_of *t) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_made_of *) = GPU_RUN_ALL(gpu::made_of);
    return run[tulle__values_of(t->R.type)][t->R.csr.index](place, t);
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

tulle_status GPU_SYMBOL(amg_multiply_blocks)(const tulle__place *place,
                                             const tulle__amg_block_product *t) {
    const gpu::grid all = gpu::loop_grid(t->rows);
    return t->type == TULLE_F32 ? gpu::launch(place, gpu::multiply_rows<float>, all, *t)
                                : gpu::launch(place, gpu::multiply_rows<double>, all, *t);
}
