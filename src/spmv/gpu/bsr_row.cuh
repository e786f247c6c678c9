/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of A x in BSR, where the compiler knows the shape of the blocks. Lanes share out a block
 * cell by cell, row after row, so that they load neighbouring values; a lane keeps to one column c
 * of the blocks and loads x once for its `each` cells, `height` rows apart. Where a warp has room
 * for more, further lanes take the next blocks of the block row at the same time (at_once), or a
 * block each of further block rows. Shuffles add up columns and blocks at the end of the block row,
 * in a fixed order. Where block rows are few and long, the warps of a thread block share one.
 *
 *   3 x 3: 9 lanes a block; 3 blocks at once are 27 neighbouring values
 *   3 x 6: height 1, 6 lanes a block, 3 cells each; 5 blocks at once
 *   8 x 8: height 4, 32 lanes a block, 2 cells each */
#ifndef TULLE_SPMV_GPU_BSR_ROW_CUH
#define TULLE_SPMV_GPU_BSR_ROW_CUH

#include "spmv/gpu/bsr.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A shape of blocks, and its lanes: blocks that a warp works on at once, and warps of a block row;
 * several warps are a thread block. */
template <int tall_, int wide_, int height_, int at_once_, int warps_ = 1>
struct bsr_shape {
    static constexpr int tall = tall_, wide = wide_, height = height_, at_once = at_once_;
    static constexpr int cells = tall * wide, each = tall / height, lanes_a_block = height * wide;
    static constexpr int lanes_a_row = at_once * lanes_a_block,
                         block_rows = warps_ > 1 ? 1 : 32 / lanes_a_row;
    static constexpr int warps = warps_, stride = warps * at_once;
};

/* Returns n / d for n < 32 and d <= 32. */
GPU_FUNCTION int lane_quotient(int n, int d) {
    return n * ((1023 + d) / d) >> 10;
}

/* Returns, in the lanes of the first of `count` groups of `step` lanes, the sum over the groups. */
template <int count, int step, class V>
GPU_FUNCTION V sum_of_groups(V mine) {
    V sum = mine;
    if constexpr ((count & (count - 1)) == 0) {
        GPU_UNROLL
        for (int delta = count / 2; delta > 0; delta /= 2) {
            sum += shuffle_down(full_warp, sum, static_cast<unsigned>(delta * step));
        }
    } else {
        GPU_UNROLL
        for (int group = 1; group < count; group++) {
            sum += shuffle_down(full_warp, mine, static_cast<unsigned>(group * step));
        }
    }
    return sum;
}

/* A lane loads the values of several blocks, a flight, before it uses the first of them.
 * loads_in_flight: number of values of a flight; flight_of: number of blocks of a flight, where a
 * lane has `each` values of a block. */
template <class V>
constexpr int loads_in_flight = sizeof(V) == 4 ? 9 : 5;
template <class V, int each>
constexpr int flight_of = loads_in_flight<V> > each ? loads_in_flight<V> / each : 1;

/* Adds a flight of blocks to a lane's sums. whole: it has so many left. */
template <bool whole, class S, bool masked, class V, class C>
GPU_FUNCTION void add_flight(const bsr_product<V, C> &a, const bsr_walk<V, C> &walk, int cell,
                             int c, V *sum) {
    constexpr int flight = flight_of<V, S::each>, stride = S::stride;
    C column[flight];
    V value[flight][S::each], x[flight];
    bool entry[flight][S::each];
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        if (!whole && walk.left <= f * stride) continue;
        column[f] = load_once(walk.column + f * stride);
        GPU_UNROLL
        for (int t = 0; t < S::each; t++) {
            const int next = t * S::lanes_a_block;
            value[f][t] = load_once(walk.value + f * stride * S::cells + next);
            entry[f][t] = !masked || a.is_entry(walk.block + f * stride, S::cells, cell + next);
        }
    }
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        if (!whole && walk.left <= f * stride) continue;
        uint32_t j = static_cast<uint32_t>(column[f]) * S::wide + c;
        x[f] = !masked || j < a.cols ? load_awaited(a.x + j) : V(0);
    }
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        if (!whole && walk.left <= f * stride) continue;
        GPU_UNROLL
        for (int t = 0; t < S::each; t++) {
            if (entry[f][t]) sum[t] += value[f][t] * x[f];
        }
    }
}

/* Adds up the sums of a lane's rows over the lanes of a warp that share the block row; the first
 * lane gets them. */
template <class S, class V>
GPU_FUNCTION void add_lanes(V *sum) {
    GPU_UNROLL
    for (int t = 0; t < S::each; t++) {
        sum[t] = sum_of_groups<S::wide, 1>(sum_of_groups<S::at_once, S::lanes_a_block>(sum[t]));
    }
}

/* Adds up the sums of the warps of a block row, in their order, in the first warp. r: this lane's
 * row; first: true for lanes that have the sums of rows of their warp. */
template <class S, class V>
GPU_FUNCTION void add_warps(int warp, int r, bool first, V *sum) {
    GPU_SHARED(V, of_warps, S::warps * S::tall);
    GPU_UNROLL
    for (int t = 0; t < S::each; t++) {
        if (first) of_warps[warp * S::tall + r + t * S::height] = sum[t];
    }
    sync();
    if (warp > 0 || !first) return;
    GPU_UNROLL
    for (int t = 0; t < S::each; t++) {
        for (int w = 1; w < S::warps; w++) sum[t] += of_warps[w * S::tall + r + t * S::height];
    }
}

/* Computes the rows of A x of this warp's block rows. rows: its fetch(t, at) is called before the
 * values are asked for and take(t, at, sum) at the end, by the lane that gets the sum of row `at`,
 * the t-th of its rows. Lanes of a block row agree on whether a flight is whole. */
template <class S, bool masked, class V, class C, class Rows>
GPU_FUNCTION void bsr_rows(const bsr_product<V, C> &a, Rows &rows) {
    constexpr int blocks_a_flight = flight_of<V, S::each> * S::stride;
    int me = static_cast<int>(lane()), row = lane_quotient(me, S::lanes_a_row);
    int in_row = me - row * S::lanes_a_row, k = lane_quotient(in_row, S::lanes_a_block);
    int cell = in_row - k * S::lanes_a_block, r = lane_quotient(cell, S::wide);
    int c = cell - r * S::wide, warp = static_cast<int>(warp_number() % S::warps);
    int64_t i = warp_number() / S::warps * S::block_rows + row;
    bool works = row < S::block_rows && i < a.block_rows;
    bool first = works && k == 0 && c == 0;
    k += warp * S::at_once;
    bsr_walk<V, C> walk = {nullptr, nullptr, 0, 0};
    if (works) walk = start_walk(a, i, k, S::cells, cell);
    GPU_UNROLL
    for (int t = 0; t < S::each; t++) {
        int64_t at = i * S::tall + r + static_cast<int64_t>(t) * S::height;
        if (first && warp == 0 && at < a.rows) rows.fetch(t, at);
    }
    V sum[S::each] = {};
    while (walk.left + k >= blocks_a_flight) {
        add_flight<true, S, masked>(a, walk, cell, c, sum);
        walk.advance(blocks_a_flight, S::cells);
    }
    if (walk.left + k > 0) add_flight<false, S, masked>(a, walk, cell, c, sum);
    add_lanes<S>(sum);
    if constexpr (S::warps > 1) add_warps<S>(warp, r, first, sum);
    GPU_UNROLL
    for (int t = 0; t < S::each; t++) {
        int64_t at = i * S::tall + r + static_cast<int64_t>(t) * S::height;
        if (first && warp == 0 && at < a.rows) rows.take(t, at, sum[t]);
    }
}

/* True where block rows are so short that a warp takes several, one block of each at a time: a
 * sweep on an H200 (docs/lab-notes.md, "Formats: parameters"). */
inline bool bsr_rows_are_short(const tulle__spmv_shape *shape) {
    constexpr int64_t short_row = 64;
    int64_t rows_of_blocks = tulle__bsr_blocks(shape->storage) * tulle__block_rows(shape->storage);
    return rows_of_blocks <= short_row * shape->rows;
}

/* Number of warps of a block row where it has several. */
constexpr int bsr_team = 8;

/* True where several warps share a block row: rows are so few that a warp for each would leave most
 * of a GPU idle, and so long that the warps have work. */
inline bool bsr_rows_are_few(const tulle__spmv_shape *shape) {
    constexpr int64_t few_rows = 1024, long_row = 24;
    const int64_t rows = tulle__ceil_div(shape->rows, tulle__block_rows(shape->storage));
    return rows <= few_rows && tulle__bsr_blocks(shape->storage) >= long_row * rows;
}

/* Grid of enough warps, of so many block rows each. */
inline grid bsr_grid(int64_t block_rows, int block_rows_a_warp, int threads) {
    int64_t a_block = static_cast<int64_t>(threads / 32) * block_rows_a_warp;
    return {tulle__ceil_div(block_rows, a_block), threads};
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
