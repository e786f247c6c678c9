/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of few products: some lanes take the entries of A's row one after the other, and the entries
 * of B's row side by side, into a table in shared memory. The columns of a row of B differ, so that
 * no two lanes add to the same sum at a time, and each sum adds in the order of A's row: no atomic
 * sums, and the same bits each time. (Tables in shared memory: paper 4, section III.C.) */
#ifndef TULLE_SPGEMM_GPU_HASH_ROWS_CUH
#define TULLE_SPGEMM_GPU_HASH_ROWS_CUH

#include "spgemm/gpu/kinds.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int hash_threads = 128;

/* lanes: that share a row; slots: of its table, a power of two; most: products of a row. */
template <int lanes_, int slots_, int64_t most_>
struct hash_shape {
    static constexpr int lanes = lanes_, slots = slots_, most = static_cast<int>(most_);
    static constexpr int groups = hash_threads / lanes;
};
using small_shape = hash_shape<8, 64, small_products>;
using medium_shape = hash_shape<32, 512, medium_products>;
using longer_shape = hash_shape<32, 1024, longer_products>;

/* The lanes of a row, and their part of the block's tables. */
template <class S, class C>
struct hash_group {
    unsigned own; /* number among the row's lanes */
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
        constexpr unsigned scatter = 107; /* paper 4's HASH_SCAL */
        return static_cast<unsigned>(column) * scatter % S::slots;
    }
    /* The slot of a column, and whether it is new there. */
    GPU_FUNCTION int put(C column, bool *fresh) const {
        unsigned slot = first_slot(column);
        for (;;) {
            C old = atomic_cas(keys + slot, C(-1), column);
            *fresh = old == C(-1);
            if (*fresh || old == column) return static_cast<int>(slot);
            slot = (slot + 1) % S::slots;
        }
    }
    /* The slot of a column that is there. */
    GPU_FUNCTION int find(C column) const {
        unsigned slot = first_slot(column);
        for (;;) {
            C key = keys[slot];
            if (key == column) return static_cast<int>(slot);
            slot = (slot + 1) % S::slots;
        }
    }
    /* How many lanes of the group before this one say so, and how many in all. */
    GPU_FUNCTION int place_among(bool p, int *all) const {
        constexpr unsigned every = S::lanes == 32 ? full_warp : (1u << S::lanes % 32) - 1u;
        unsigned mine = ballot(full_warp, p) >> first_lane & every;
        *all = count_bits(mine);
        return count_bits(mine & ((1u << own) - 1u));
    }
};

/* Calls step(column, index of the product's entry in B, index of A's entry, whether there is one)
 * for all lanes of the warp alike, A's entries in order; after each, the warp has met. */
template <class S, class V, class O, class C, class Step>
GPU_FUNCTION void walk_row(const factors<V, O, C> &f, int64_t row, bool active, unsigned own,
                           Step step) {
    O e = active ? load(f.a_offsets + row) : 0, end = active ? load(f.a_offsets + row + 1) : 0;
    while (any(full_warp, e < end)) {
        C k = e < end ? load(f.a_cols + e) : 0;
        O q = e < end ? load(f.b_offsets + k) + static_cast<O>(own) : 0;
        O last = e < end ? load(f.b_offsets + k + 1) : 0;
        while (any(full_warp, q < last)) {
            bool there = q < last;
            step(there ? load(f.b_cols + q) : C(0), q, e, there);
            sync_warp(full_warp);
            q += S::lanes;
        }
        e++;
    }
}

/* counts[row] := entries of C's row, for each of the list. */
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
    walk_row<S>(f, row, active, group.own, [&](C column, O, O, bool there) {
        bool fresh = false;
        if (there) group.put(column, &fresh);
        count += fresh;
    });
    for (int lanes = S::lanes / 2; lanes > 0; lanes /= 2) {
        count += shuffle_xor(full_warp, count, lanes);
    }
    if (active && group.own == 0) counts[row] = count;
}

template <class S, class V, class C>
constexpr size_t hash_bytes(bool values) {
    size_t row = S::slots * sizeof(C);
    if (values) row += S::slots * (sizeof(V) + sizeof(C));
    return row * S::groups;
}

/* Above so many columns, lanes sort them together; up to there, each counts those that are less. */
constexpr int ranked_columns = 64;

/* Sorts a warp's columns, with room for the next power of two (Batcher's bitonic network). */
template <class C>
GPU_FUNCTION void sort_in_warp(shared<C> columns, int count) {
    int size = 2 * warp_lanes;
    while (size < count) size *= 2;
    constexpr C none = sizeof(C) == 4 ? INT32_MAX : static_cast<C>(INT64_MAX);
    for (int i = count + static_cast<int>(lane()); i < size; i += warp_lanes) columns[i] = none;
    sync_warp(full_warp);
    for (int run = 2; run <= size; run *= 2) {
        for (int apart = run / 2; apart > 0; apart /= 2) {
            for (int i = static_cast<int>(lane()); i < size / 2; i += warp_lanes) {
                int left = 2 * i - (i & (apart - 1)), right = left + apart;
                C a = columns[left], b = columns[right];
                if ((a > b) == ((left & run) == 0)) {
                    columns[left] = b;
                    columns[right] = a;
                }
            }
            sync_warp(full_warp);
        }
    }
}

/* Columns and values of each row of the list. Columns are listed as they come; then sorted. */
template <class S, class V, class O, class C>
GPU_KERNEL void hash_compute(factors<V, O, C> f, row_list<C> list, target<V, C> c) {
    GPU_DYNAMIC_SHARED(V, room);
    constexpr int all_slots = S::groups * S::slots;
    const int before = static_cast<int>(thread()) / S::lanes * S::slots;
    shared<C> columns = shared<C>(room + all_slots);
    shared<V> sums = part_of(room, before, S::slots);
    shared<C> listed = part_of(columns, before, S::slots);
    hash_group<S, C> group(part_of(columns, all_slots, all_slots));
    int64_t r = static_cast<int64_t>(block()) * S::groups + thread() / S::lanes;
    bool active = r < list.count;
    int64_t row = active ? list.at(r) : 0;
    int count = 0;
    group.clear();
    sync_warp(full_warp);
    walk_row<S>(f, row, active, group.own, [&](C column, O q, O e, bool there) {
        bool fresh = false;
        int slot = there ? group.put(column, &fresh) : 0, all = 0;
        int place = count + group.place_among(fresh, &all);
        if (there) {
            V product = load(f.a_values + e) * load(f.b_values + q);
            if (fresh) {
                sums[slot] = product;
                listed[place] = column;
            } else {
                sums[slot] += product;
            }
        }
        count += all;
    });
    V alpha = c.alpha.value();
    int64_t first = active ? load(c.offsets + row) : 0;
    const bool rank = !c.unsorted && count <= ranked_columns;
    if (S::lanes == warp_lanes && !c.unsorted && !rank) sort_in_warp(listed, count);
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
