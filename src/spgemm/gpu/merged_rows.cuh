/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of C that need few rows of B. A thread computes one row of C and merges the rows of B,
 * whose columns ascend, in registers: the least of their current columns is the next column of
 * C, and the rows of B that have this column add their terms in the order of A's row. This takes
 * no table and no sort. Where the rows of C of a warp are neighbours, their entries go through
 * shared memory, so that they are written in full lines. */
#ifndef TULLE_SPGEMM_GPU_MERGED_ROWS_CUH
#define TULLE_SPGEMM_GPU_MERGED_ROWS_CUH

#include "gpu/rounded.cuh"
#include "spgemm/gpu/multiplications.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int merged_threads = 128, merged_warps = merged_threads / warp_lanes;

/* Number of entries of the rows of a warp that shared memory has room for: 26 per row. */
constexpr int merged_room = 26 * warp_lanes;

template <class C>
constexpr C no_column = static_cast<C>(~(uint64_t{1} << (8 * sizeof(C) - 1)));

/* The rows of B that the row of a thread needs. The thread waits for memory no longer than for
 * one of these rows: the first entries of all rows are loaded together, and the next entry of a
 * row is loaded as soon as an entry is taken. */
template <class V, class O, class C>
struct merged_row {
    O next[merged_lists]; /* entries of B, one of each row */
    int left[merged_lists];
    C column[merged_lists]; /* columns of these entries */
    V value[merged_lists];
    V factor[merged_lists];
    int lists; /* largest number of rows of B that one of the warp's rows meets */

    template <bool values>
    GPU_FUNCTION void open(const factors<V, O, C> &f, int64_t row, bool active) {
        O begin = active ? load(f.a_offsets + row) : 0;
        int count = active ? static_cast<int>(load(f.a_offsets + row + 1) - begin) : 0;
        C row_of_b[merged_lists];
        lists = warp_reduce<most>(count);
        GPU_UNROLL
        for (int m = 0; m < merged_lists; m++) {
            const bool there = m < count;
            row_of_b[m] = there ? load(f.a_cols + begin + m) : 0;
            factor[m] = values && there ? load(f.a_values + begin + m) : 0;
        }
        GPU_UNROLL
        for (int m = 0; m < merged_lists; m++) {
            const bool there = m < count;
            next[m] = there ? load(f.b_offsets + row_of_b[m]) : 0;
            left[m] = there ? static_cast<int>(load(f.b_offsets + row_of_b[m] + 1) - next[m]) : 0;
        }
        GPU_UNROLL
        for (int m = 0; m < merged_lists; m++) fetch<values>(f, m);
    }
    template <bool values>
    GPU_FUNCTION void fetch(const factors<V, O, C> &f, int m) {
        const bool there = left[m] > 0;
        column[m] = there ? load(f.b_cols + next[m]) : no_column<C>;
        if (values) value[m] = there ? load(f.b_values + next[m]) : 0;
    }
    GPU_FUNCTION C least_column() const {
        C low = column[0];
        GPU_UNROLL
        for (int m = 1; m < merged_lists; m++) {
            if (m < lists && column[m] < low) low = column[m];
        }
        return low;
    }
    /* Adds up the terms in a column, and moves their rows of B on. */
    template <bool values>
    GPU_FUNCTION V take(const factors<V, O, C> &f, C low) {
        V sum = 0;
        GPU_UNROLL
        for (int m = 0; m < merged_lists; m++) {
            if (m >= lists || column[m] != low) continue;
            if (values) sum += rounded_product(factor[m], value[m]);
            next[m]++;
            left[m]--;
            fetch<values>(f, m);
        }
        return sum;
    }
};

/* Calls each(column, sum) for the entries of C's row, by ascending columns; returns the number
 * of calls. */
template <bool values, class V, class O, class C, class Each>
GPU_FUNCTION int merge_row(const factors<V, O, C> &f, int64_t row, bool active, Each each) {
    merged_row<V, O, C> merged;
    int count = 0;
    merged.template open<values>(f, row, active);
    for (C low = merged.least_column(); low != no_column<C>; low = merged.least_column()) {
        V sum = merged.template take<values>(f, low);
        each(count++, low, sum);
    }
    return count;
}

/* counts[row] := the number of entries of C's row, for each row of the list. */
template <class V, class O, class C>
GPU_KERNEL void merged_count(factors<V, O, C> f, row_list<C> list, int64_t *counts) {
    int64_t r = static_cast<int64_t>(block()) * merged_threads + thread();
    bool active = r < list.count;
    int64_t row = active ? list.at(r) : 0;
    int count = merge_row<false>(f, row, active, [](int, C, V) {});
    if (active) counts[row] = count;
}

/* Place of the rows of a warp in C: without gaps between them, from entry `first` on. */
struct merged_place {
    int64_t first, count;
    bool staged; /* true: entries go through shared memory */

    GPU_FUNCTION merged_place(int64_t row, int64_t begin, int64_t end, bool active) {
        const int rows = count_bits(ballot(full_warp, active));
        const int64_t low = shuffle(full_warp, row, 0);
        first = shuffle(full_warp, begin, 0);
        count = shuffle(full_warp, end, rows > 0 ? rows - 1 : 0) - first;
        staged = all(full_warp, !active || row == low + static_cast<int64_t>(lane())) &&
                 count <= merged_room;
    }
};

template <class V, class C>
constexpr size_t merged_bytes = size_t{merged_warps} * merged_room *(sizeof(V) + sizeof(C));

template <class V, class O, class C>
GPU_KERNEL void merged_compute(factors<V, O, C> f, row_list<C> list, target<V, C> c) {
    GPU_DYNAMIC_SHARED(V, every);
    const int64_t warp = thread() / warp_lanes;
    shared<V> values = part_of(every, warp * merged_room, merged_room);
    shared<C> cols =
        part_of(shared<C>(every + merged_warps * merged_room), warp * merged_room, merged_room);
    int64_t r = static_cast<int64_t>(block()) * merged_threads + thread();
    bool active = r < list.count;
    int64_t row = active ? list.at(r) : 0;
    int64_t begin = active ? load(c.offsets + row) : 0;
    int64_t end = active ? load(c.offsets + row + 1) : 0;
    const merged_place to(row, begin, end, active);
    const int before = static_cast<int>(begin - to.first);
    V alpha = c.alpha.value();
    merge_row<true>(f, row, active, [&](int k, C column, V sum) {
        if (to.staged) {
            cols[before + k] = column;
            values[before + k] = alpha * sum;
        } else {
            c.cols[begin + k] = column;
            c.values[begin + k] = alpha * sum;
        }
    });
    if (!to.staged) return;
    sync_warp(full_warp);
    for (int k = static_cast<int>(lane()); k < to.count; k += warp_lanes) {
        c.cols[to.first + k] = cols[k];
        c.values[to.first + k] = values[k];
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
