/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of the rows of a tile, from products in shared memory: each row sets a bit for its last
 * product; each thread adds up `items` consecutive products in place, anew after every bit; a
 * segmented scan over the block gives each the sum that the threads before have left to it; each
 * row picks up its sum at its last product. No step depends on the lengths of rows, and the
 * order of additions is that of the products. */
#ifndef TULLE_SPMV_GPU_MERGE_ROWS_CUH
#define TULLE_SPMV_GPU_MERGE_ROWS_CUH

#include "spmv/gpu/merge_tile.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The entries of a row that lie in the tile; begin is -1 if the row began before it. */
struct stretch {
    int begin, end;
    GPU_FUNCTION bool empty() const { return begin >= end || end == 0; }
    GPU_FUNCTION unsigned last() const { return static_cast<unsigned>(end - 1); }
};

/* The rows of a tile as warps take them: each lane loads the end of its row and gets its
 * beginning from the lane before, so that lane 0 has no row of its own. */
struct warp_rows {
    static constexpr int of_a_warp = 31;
    int first, last, step; /* first: number of the warp's first row */

    GPU_FUNCTION warp_rows(int last_row, int threads)
        : first(static_cast<int>(thread()) / 32 * of_a_warp),
          last(last_row),
          step(threads / 32 * of_a_warp) {}
    GPU_FUNCTION bool any() const { return first <= last; }
    GPU_FUNCTION void advance() { first += step; }
    GPU_FUNCTION int own() const { return first + static_cast<int>(lane()) - 1; }
    GPU_FUNCTION bool is_row() const { return lane() > 0 && own() <= last; }

    /* Returns the stretch of the lane's own row; empty if it has none. All lanes take part. */
    template <class O>
    GPU_FUNCTION stretch find(const O *offsets, const merge_tile<O> &tile) const {
        int r = own() < last ? own() : last;
        O end = load(offsets + tile.row + r + 1);
        O begin = shuffle_up(full_warp, end, 1u);
        return {tile.local(begin), is_row() ? tile.local(end) : 0};
    }
};

/* Marks the ends of rows. row_ends: a word for each thread, a bit for each of its items. */
template <int items>
GPU_FUNCTION void mark_end(stretch row, shared<unsigned> row_ends) {
    if (!row.empty()) atomic_add(row_ends + row.last() / items, 1u << row.last() % items);
}

/* Sums over the lanes up to this one, from the last that has ended a row on. */
template <class V>
GPU_FUNCTION V scan_warp(V sum, unsigned ended) {
    unsigned nearest_first = ended << (31 - lane());
    GPU_UNROLL
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        V before = shuffle_up(full_warp, sum, delta);
        bool none = nearest_first >> (32 - delta) == 0;
        if (lane() >= delta && none) sum += before;
    }
    return sum;
}

/* Returns the sum that the threads before this one leave to it, given the sum that each leaves
 * of its own and whether it has ended a row. */
template <int threads, class V>
GPU_FUNCTION V carry_in(V sum, bool has_ended) {
    GPU_SHARED(V, warp_sum, threads / 32);
    GPU_SHARED(unsigned, warp_ended, threads / 32);
    int warp = static_cast<int>(thread() / 32);
    unsigned ended = ballot(full_warp, has_ended);
    V inclusive = scan_warp(sum, ended);
    V carry = shuffle_up(full_warp, inclusive, 1u);
    if (lane() == 0) carry = 0;
    if (lane() == 31) {
        warp_sum[warp] = inclusive;
        warp_ended[warp] = ended;
    }
    sync();
    bool none_before = (ended & ((1u << lane()) - 1)) == 0;
    for (int w = warp - 1; w >= 0 && none_before; w--) {
        carry += warp_sum[w];
        unsigned ended_there = warp_ended[w];
        none_before = ended_there == 0;
    }
    return carry;
}

/* Adds up products in place. before[t]: the number that thread t must add to the first row that
 * it ends. */
template <int threads, int items, class V>
GPU_FUNCTION void sum_segments(shared<V> sums, shared<unsigned> row_ends, shared<V> before) {
    shared<V> own = sums + static_cast<int>(thread()) * items;
    unsigned ends = row_ends[thread()];
    V sum = 0;
    GPU_UNROLL
    for (int k = 0; k < items; k++) {
        sum += own[k];
        if (ends >> k & 1) {
            own[k] = sum;
            sum = 0;
        }
    }
    before[thread()] = carry_in<threads>(sum, ends != 0);
}

template <int items, class V>
GPU_FUNCTION V sum_of(stretch row, shared<V> sums, shared<V> before) {
    if (row.empty()) return 0;
    int owner = static_cast<int>(row.last() / items);
    V sum = sums[row.last()];
    if (row.begin < owner * items) sum += before[owner];
    return sum;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
