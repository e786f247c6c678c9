/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of C that need few rows of B, which lie far from each other in memory. A group of lanes
 * computes one row of C; each lane has one of the rows of B, whose columns rise. The least column
 * of all lanes is the next column of C. The lanes that have this column put their terms side by
 * side into shared memory, in the order of A's row. After columns_at_once columns, each of the
 * first lanes adds up the terms of one column. This needs no table and no sort. A thread that
 * merges a row alone (merged_rows.cuh) reads as many rows of B as such a group of lanes, and the
 * first level of cache holds them only where neighbouring threads read the same ones. */
#ifndef TULLE_SPGEMM_GPU_LANE_MERGE_CUH
#define TULLE_SPGEMM_GPU_LANE_MERGE_CUH

#include "spgemm/gpu/merged_rows.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int lane_merge_threads = 128;

/* Number of columns of C whose terms are collected before they are added. */
constexpr int columns_at_once = 8;

template <int lanes_>
struct lane_merge_shape {
    static constexpr int lanes = lanes_, groups = lane_merge_threads / lanes;
    static constexpr int room = columns_at_once * lanes; /* number of terms of a row's columns
                                                            that shared memory has room for */
};
using eight_lanes = lane_merge_shape<8>;
using sixteen_lanes = lane_merge_shape<16>;

/* The lanes that compute one row of C. */
template <class S>
struct merging_lanes {
    unsigned own, first_lane;

    GPU_FUNCTION merging_lanes()
        : own(thread() % S::lanes), first_lane(lane() - thread() % S::lanes) {}
    template <class C>
    GPU_FUNCTION C least_of(C column) const {
        for (int lanes = S::lanes / 2; lanes > 0; lanes /= 2) {
            const C other = shuffle_xor(full_warp, column, lanes);
            if (other < column) column = other;
        }
        return column;
    }
    /* Returns the lanes for which p is true, the first of these lanes as bit 0. */
    GPU_FUNCTION unsigned that_say(bool p) const {
        constexpr unsigned every = (1u << S::lanes) - 1u;
        return ballot(full_warp, p) >> first_lane & every;
    }
};

/* The row of B that a lane merges: its current entry (column, value) is in registers, and the entry
 * after that is being loaded. */
template <bool values, class V, class O, class C>
struct lane_list {
    O next = 0, stop = 0; /* range of the entries of the row of B that have not been loaded yet */
    C column, column_after;
    V value = 0, value_after = 0, factor = 0;

    GPU_FUNCTION lane_list(const factors<V, O, C> &f, int64_t row, bool active, unsigned own) {
        const O begin = active ? load(f.a_offsets + row) : 0;
        const O end = active ? load(f.a_offsets + row + 1) : 0;
        if (static_cast<O>(own) < end - begin) {
            const O e = begin + static_cast<O>(own);
            const C row_of_b = load(f.a_cols + e);
            if (values) factor = load(f.a_values + e);
            next = load(f.b_offsets + row_of_b);
            stop = load(f.b_offsets + row_of_b + 1);
        }
        ask(f);
        advance(f);
    }
    GPU_FUNCTION void ask(const factors<V, O, C> &f) {
        const bool there = next < stop;
        column_after = there ? load(f.b_cols + next) : no_column<C>;
        if (values) value_after = there ? load(f.b_values + next) : 0;
        next++;
    }
    GPU_FUNCTION void advance(const factors<V, O, C> &f) {
        column = column_after;
        value = value_after;
        ask(f);
    }
};

/* counts[row] := the number of entries of C's row, for each row of the list. */
template <class S, class V, class O, class C>
GPU_KERNEL void lanes_count(factors<V, O, C> f, row_list<C> rows, int64_t *counts) {
    const merging_lanes<S> lanes;
    const int64_t r = static_cast<int64_t>(block()) * S::groups + thread() / S::lanes;
    const bool active = r < rows.count;
    const int64_t row = active ? rows.at(r) : 0;
    lane_list<false, V, O, C> list(f, row, active, lanes.own);
    int count = 0;
    for (;;) {
        const C low = lanes.least_of(list.column);
        const bool there = low != no_column<C>;
        if (!any(full_warp, there)) break;
        count += there;
        if (there && list.column == low) list.advance(f);
    }
    if (active && lanes.own == 0) counts[row] = count;
}

/* Some columns of C's row, one for each of the first lanes; their terms are in shared memory. */
template <class S, class V, class C>
struct lane_columns {
    shared<V> terms;
    C column = no_column<C>;
    int first = 0, count = 0; /* place and number of the lane's terms */
    int all = 0;              /* number of terms of these lanes' columns */

    GPU_FUNCTION void write(unsigned own, V alpha, C *cols, V *to) {
        sync_warp(full_warp);
        V sum = 0;
        for (int p = first; p < first + count; p++) sum += terms[p];
        if (column != no_column<C>) {
            cols[own] = column;
            to[own] = alpha * sum;
        }
        sync_warp(full_warp);
        column = no_column<C>;
        count = all = 0;
    }
};

template <class S, class V, class O, class C>
GPU_KERNEL void lanes_compute(factors<V, O, C> f, row_list<C> rows, target<V, C> c) {
    GPU_SHARED(V, room, S::groups * S::room);
    const merging_lanes<S> lanes;
    const int group = static_cast<int>(thread()) / S::lanes;
    const int64_t r = static_cast<int64_t>(block()) * S::groups + group;
    const bool active = r < rows.count;
    const int64_t row = active ? rows.at(r) : 0;
    int64_t to = active ? load(c.offsets + row) : 0;
    lane_list<true, V, O, C> list(f, row, active, lanes.own);
    lane_columns<S, V, C> some = {part_of(shared<V>(room), group * S::room, S::room)};
    const unsigned before = (1u << lanes.own) - 1u;
    const V alpha = c.alpha.value();
    unsigned step = 0;
    for (;;) {
        const C low = lanes.least_of(list.column);
        const bool there = low != no_column<C>;
        if (!any(full_warp, there)) break;
        const bool mine = there && list.column == low;
        const unsigned these = lanes.that_say(mine);
        if (lanes.own == step) {
            some.column = low;
            some.first = some.all;
            some.count = count_bits(these);
        }
        if (mine) {
            some.terms[some.all + count_bits(these & before)] =
                rounded_product(list.factor, list.value);
            list.advance(f);
        }
        some.all += count_bits(these);
        if (++step < columns_at_once) continue;
        some.write(lanes.own, alpha, c.cols + to, c.values + to);
        to += columns_at_once;
        step = 0;
    }
    if (step > 0) some.write(lanes.own, alpha, c.cols + to, c.values + to);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
