/* SPDX-License-Identifier: Apache-2.0 */
/* BSR on the GPU: the arguments of its kernels, and those for blocks of any size, where a lane has
 * a row of a block (A x) or a column (A^T x). */
#ifndef TULLE_SPMV_GPU_BSR_CUH
#define TULLE_SPMV_GPU_BSR_CUH

#include "spmv/gpu/csr.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V, class C>
struct bsr_product {
    int64_t rows, cols, block_rows;
    int tall, wide; /* numbers of rows and of columns of a block */
    const void *offsets;
    bool wide_offsets; /* true: offsets have 64 bits; they are read too seldom to be worth a
                          kernel of their own */
    const C *cols_of;
    const V *values;
    const uint32_t *mask; /* masks of all blocks; NULL: no cell is padding */
    const V *x;
    V *y;
    scalar<V> alpha, beta;

    GPU_FUNCTION int64_t offset(int64_t i) const {
        return wide_offsets ? load(static_cast<const int64_t *>(offsets) + i)
                            : load(static_cast<const int32_t *>(offsets) + i);
    }
    GPU_FUNCTION bool is_entry(int64_t block, int cells, int cell) const {
        int words = (cells + 31) / 32;
        return load(mask + block * words + cell / 32) >> (cell % 32) & 1u;
    }
};

/* The rest of a block row for a lane: its cell of its next block, and the number of blocks from
 * that one on; a block row has no more than the matrix has columns. */
template <class V, class C>
struct bsr_walk {
    const C *column;
    const V *value;
    int64_t block;
    C left;

    GPU_FUNCTION void advance(int blocks, int cells) {
        column += blocks;
        value += static_cast<int64_t>(blocks) * cells;
        block += blocks;
        left -= static_cast<C>(blocks);
    }
};

/* Makes the rest from block k of block row i on. */
template <class V, class C>
GPU_FUNCTION bsr_walk<V, C> start_walk(const bsr_product<V, C> &a, int64_t i, int k, int cells,
                                       int cell) {
    int64_t at = a.offset(i) + k;
    return {a.cols_of + at, a.values + at * cells + cell, at, static_cast<C>(a.offset(i + 1) - at)};
}

GPU_FUNCTION int64_t warp_number() {
    return (static_cast<int64_t>(block()) * block_size() + thread()) / 32;
}

/* Place of a lane of a warp when the shape of the blocks is known at run time alone: row or column
 * `m` of block k, and of each at_once-th, of block row i. */
struct bsr_lane {
    int64_t i;
    int k, m;
    bool works;
};

template <class V, class C>
GPU_FUNCTION bsr_lane find_lane(const bsr_product<V, C> &a, int at_once, int lanes_a_block) {
    int me = static_cast<int>(lane()), lanes_a_row = at_once * lanes_a_block,
        block_rows = 32 / lanes_a_row;
    int row = me / lanes_a_row, in_row = me % lanes_a_row;
    int64_t i = warp_number() * block_rows + row;
    return {i, in_row / lanes_a_block, in_row % lanes_a_block,
            row < block_rows && i < a.block_rows};
}

/* Multiplies row r of a block by x, four columns in flight. */
template <class V, class C>
GPU_FUNCTION V block_row_sum(const bsr_product<V, C> &a, const bsr_walk<V, C> &walk, int r) {
    constexpr int flight = 4;
    const V *x_of_block = a.x + static_cast<int64_t>(load(walk.column)) * a.wide;
    V sum = 0;
    for (int first = 0; first < a.wide; first += flight) {
        V value[flight] = {}, x[flight] = {};
        bool entry[flight];
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            int c = first + f;
            entry[f] =
                c < a.wide && (!a.mask || a.is_entry(walk.block, a.tall * a.wide, r * a.wide + c));
        }
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (!entry[f]) continue;
            value[f] = load_awaited(walk.value + first + f);
            x[f] = load_awaited(x_of_block + first + f);
        }
        GPU_UNROLL
        for (int f = 0; f < flight; f++) sum += value[f] * x[f];
    }
    return sum;
}

/* Computes A x: a lane has a row of a block. */
template <class V, class C>
GPU_KERNEL void forward_any(bsr_product<V, C> a, int at_once) {
    allow_next();
    await_previous();
    bsr_lane l = find_lane(a, at_once, a.tall);
    const int cells = a.tall * a.wide;
    V sum = 0;
    if (l.works) {
        bsr_walk<V, C> walk = start_walk(a, l.i, l.k, cells, l.m * a.wide);
        for (; walk.left > 0; walk.advance(at_once, cells)) sum += block_row_sum(a, walk, l.m);
    }
    V all = sum;
    for (int group = 1; group < at_once; group++) {
        all += shuffle_down(full_warp, sum, static_cast<unsigned>(group * a.tall));
    }
    int64_t at = l.i * a.tall + l.m;
    if (l.works && l.k == 0 && at < a.rows) {
        a.y[at] = combine(a.alpha.value(), all, a.beta.value(), a.y + at);
    }
}

/* Computes A^T x: a lane has a column of a block. */
template <class V, class C>
GPU_KERNEL void transposed(bsr_product<V, C> a, int at_once) {
    bsr_lane l = find_lane(a, at_once, a.wide);
    const int cells = a.tall * a.wide;
    if (!l.works) return;
    V alpha = a.alpha.value();
    bsr_walk<V, C> walk = start_walk(a, l.i, l.k, cells, l.m);
    for (; walk.left > 0; walk.advance(at_once, cells)) {
        V sum = 0;
        bool any_entry = false;
        for (int r = 0; r < a.tall; r++) {
            if (a.mask && !a.is_entry(walk.block, cells, r * a.wide + l.m)) continue;
            sum += load_once(walk.value + r * a.wide) * load_awaited(a.x + l.i * a.tall + r);
            any_entry = true;
        }
        int64_t j = static_cast<int64_t>(load(walk.column)) * a.wide + l.m;
        if (any_entry) atomic_add(a.y + j, alpha * sum);
    }
}

template <class V, class O, class C>
bsr_product<V, C> make_bsr_product(const tulle__spmv_task *task) {
    const tulle__spmv_shape *shape = &task->shape;
    int64_t tall = tulle__block_rows(shape->storage);
    return {shape->rows,
            shape->cols,
            tulle__ceil_div(shape->rows, tall),
            static_cast<int>(tall),
            static_cast<int>(tulle__block_cols(shape->storage)),
            task->offsets,
            sizeof(O) == 8,
            static_cast<const C *>(task->cols_of),
            static_cast<const V *>(task->values),
            shape->storage->full ? nullptr : static_cast<const uint32_t *>(task->mask),
            static_cast<const V *>(task->x),
            static_cast<V *>(task->y),
            make_scalar<V>(task->alpha),
            make_scalar<V>(task->beta)};
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
