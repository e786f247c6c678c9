/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of few multiplications: some lanes take the entries of A's row one after the other, and the
 * entries of B's row side by side, into a table in shared memory. The columns of a row of B differ,
 * so that no two lanes add to the same sum at a time, and each sum adds in the order of A's row: no
 * atomic sums, and the same bits each time. (Tables in shared memory: paper 4, section III.C.) */
#ifndef TULLE_SPGEMM_GPU_HASH_ROWS_CUH
#define TULLE_SPGEMM_GPU_HASH_ROWS_CUH

#include "spgemm/gpu/probing.cuh"
#include "spgemm/gpu/register_sort.cuh"
#include "spgemm/gpu/warp_walk.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int hash_threads = 128;

/* Shape of a row's group. lanes: that share the row; slots: of its table, a power of two and
 * twice the entries that it holds. */
template <int lanes_, int slots_>
struct hash_shape {
    static constexpr int lanes = lanes_, slots = slots_, most = slots_ / 2;
    static constexpr int groups = hash_threads / lanes;
};
using small_shape = hash_shape<8, 2 * small_most>;
using modest_shape = hash_shape<32, 2 * small_most>;
using medium_shape = hash_shape<32, 2 * medium_most>;

/* The lanes of a row, and their part of the block's tables. */
template <class S, class C>
struct hash_group {
    unsigned own; /* number of the lane among the row's lanes */
    unsigned first_lane;
    shared<C> keys;

    GPU_FUNCTION explicit hash_group(shared<C> all_keys)
        : own(thread() % S::lanes),
          first_lane(lane() - thread() % S::lanes),
          keys(all_keys + thread() / S::lanes * S::slots) {}

    GPU_FUNCTION void clear() const {
        for (int s = static_cast<int>(own); s < S::slots; s += S::lanes) keys[s] = C(-1);
    }
    GPU_FUNCTION static unsigned first_slot(C column) {
        constexpr unsigned scatter = 107; /* factor of the hash: paper 4's HASH_SCAL */
        return static_cast<unsigned>(column) * scatter % S::slots;
    }
    /* Puts a column in and returns its slot; *fresh: true when the column is new there. */
    GPU_FUNCTION int put(C column, bool *fresh) const {
        constexpr unsigned mask = S::slots - 1;
        return static_cast<int>(put_column<false>(keys, first_slot(column), mask, column, fresh));
    }
    /* Returns the slot of a column that is there. */
    GPU_FUNCTION int find(C column) const {
        constexpr unsigned mask = S::slots - 1;
        return static_cast<int>(find_column(keys, first_slot(column), mask, column));
    }
    /* Returns the number of lanes before this one in the group for which p is true; *all: their
     * number in the whole group. */
    GPU_FUNCTION int place_among(bool p, int *all) const {
        constexpr unsigned every = S::lanes == 32 ? full_warp : (1u << S::lanes % 32) - 1u;
        unsigned mine = ballot(full_warp, p) >> first_lane & every;
        *all = count_bits(mine);
        return count_bits(mine & ((1u << own) - 1u));
    }
};

/* Does warp_walk for the lanes of a group: all lanes of the warp call step, A's entries in
 * order. */
template <class S, bool values, class V, class O, class C, class Step>
GPU_FUNCTION void walk_row(const factors<V, O, C> &f, int64_t row, bool active, unsigned own,
                           Step step) {
    if constexpr (S::lanes == warp_lanes) {
        static_assert(values, "without values a warp need not keep to an order");
        if (active) warp_walk(f, row, step); /* the whole warp is active, or none of it */
        return;
    }
    O at = active ? load(f.a_offsets + row) : 0, end = active ? load(f.a_offsets + row + 1) : 0;
    for (; any(full_warp, at < end); at += S::lanes) {
        O e = at + static_cast<O>(own), start = 0, stop = 0;
        V value = 0;
        if (e < end) {
            C k = load(f.a_cols + e);
            start = load(f.b_offsets + k);
            stop = load(f.b_offsets + k + 1);
            if (values) value = load(f.a_values + e);
        }
        for (int m = 0; m < S::lanes && any(full_warp, at + m < end); m++) {
            O q = shuffle(full_warp, start, m, S::lanes) + static_cast<O>(own);
            O last = shuffle(full_warp, stop, m, S::lanes);
            V factor = values ? shuffle(full_warp, value, m, S::lanes) : V(0);
            do {
                bool there = q < last;
                C column = there ? load(f.b_cols + q) : C(0);
                V term = values && there ? rounded_product(factor, load(f.b_values + q)) : V(0);
                step(lane_multiplication<V, C>{there, column, term, 0, 1});
                q += S::lanes;
            } while (any(full_warp, q < last));
        }
    }
}

/* counts[row] := the number of entries of C's row, for each row of the list. */
template <class S, class V, class O, class C>
GPU_KERNEL void hash_count(factors<V, O, C> f, row_list<C> list, int64_t *counts) {
    GPU_DYNAMIC_SHARED(C, tables);
    hash_group<S, C> group(tables);
    int64_t r = static_cast<int64_t>(block()) * S::groups + thread() / S::lanes;
    bool active = r < list.count;
    int64_t row = active ? list.at(r) : 0;
    int count = 0;
    group.clear();
    sync_warp(full_warp);
    const auto put = [&](C column) {
        bool fresh = false;
        group.put(column, &fresh);
        count += fresh;
    };
    if constexpr (S::lanes == warp_lanes) {
        if (active) warp_sweep(f, row, put);
    } else {
        walk_row<S, false>(f, row, active, group.own, [&](const lane_multiplication<V, C> &p) {
            if (p.there) put(p.column);
        });
    }
    for (int lanes = S::lanes / 2; lanes > 0; lanes /= 2) {
        count += shuffle_xor(full_warp, count, lanes);
    }
    if (active && group.own == 0) counts[row] = count;
}

template <class S, class V, class C>
constexpr size_t hash_bytes(bool values) {
    size_t row = S::slots * sizeof(C);
    if (values) row += S::slots * sizeof(V) + S::most * sizeof(C);
    return row * S::groups;
}

/* Number of columns above which lanes sort them together; up to it, each lane counts the columns
 * that are less than its own. */
constexpr int ranked_columns = 64;

/* Computes columns and values of each row of the list. Columns are listed as they come, and then
 * sorted. */
template <class S, class V, class O, class C>
GPU_KERNEL void hash_compute(factors<V, O, C> f, row_list<C> list, target<V, C> c) {
    GPU_DYNAMIC_SHARED(V, room);
    constexpr int all_slots = S::groups * S::slots;
    const int number = static_cast<int>(thread()) / S::lanes;
    shared<C> columns = shared<C>(room + all_slots);
    shared<V> sums = part_of(room, number * S::slots, S::slots);
    shared<C> listed = part_of(columns, number * S::most, S::most);
    hash_group<S, C> group(part_of(columns, S::groups * S::most, all_slots));
    int64_t r = static_cast<int64_t>(block()) * S::groups + thread() / S::lanes;
    bool active = r < list.count;
    int64_t row = active ? list.at(r) : 0;
    int count = 0;
    group.clear();
    sync_warp(full_warp);
    walk_row<S, true>(f, row, active, group.own, [&](const lane_multiplication<V, C> &p) {
        bool fresh = false;
        int slot = p.there ? group.put(p.column, &fresh) : 0, all = 0;
        int place = count + group.place_among(fresh, &all);
        if (fresh) {
            sums[slot] = 0;
            listed[place] = p.column;
        }
        count += all;
        sync_warp(full_warp);
        add_by_parts(p, sums, slot);
    });
    V alpha = c.alpha.value();
    int64_t first = active ? load(c.offsets + row) : 0;
    const bool rank = !c.unsorted && count <= ranked_columns;
    if constexpr (S::lanes == warp_lanes) {
        if (!c.unsorted && !rank) {
            sort_rising<whole_warp, S::most / warp_lanes>(listed, count);
        }
    }
    for (int k = static_cast<int>(group.own); k < count; k += S::lanes) {
        C column = listed[k];
        int place = rank ? 0 : k;
        for (int m = 0; rank && m < count; m++) {
            C other = listed[m];
            place += other < column;
        }
        V sum = sums[group.find(column)];
        c.cols[first + place] = column;
        c.values[first + place] = alpha * sum;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
