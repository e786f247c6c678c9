/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of few products: some lanes take the entries of A's row one after the other, and the entries
 * of B's row side by side, into a table in shared memory. The columns of a row of B differ, so that
 * no two lanes add to the same sum at a time, and each sum adds in the order of A's row: no atomic
 * sums, and the same bits each time. (Tables in shared memory: paper 4, section III.C.) */
#ifndef TULLE_SPGEMM_GPU_HASH_ROWS_CUH
#define TULLE_SPGEMM_GPU_HASH_ROWS_CUH

#include "spgemm/gpu/kinds.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int hash_threads = 256;

/* lanes: that share a row; slots: of its table, a power of two; most: products of a row. */
template <int lanes_, int slots_, int64_t most_>
struct hash_shape {
    static constexpr int lanes = lanes_, slots = slots_, most = static_cast<int>(most_);
    static constexpr int groups = hash_threads / lanes;
};
using small_shape = hash_shape<8, 64, small_products>;
using medium_shape = hash_shape<32, 512, medium_products>;

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
    /* The slot of a column, and whether it is new there. */
    GPU_FUNCTION int find(C column, bool *fresh) const {
        constexpr unsigned scatter = 107; /* paper 4's HASH_SCAL */
        unsigned slot = static_cast<unsigned>(column) * scatter % S::slots;
        for (;;) {
            C old = atomic_cas(keys + slot, C(-1), column);
            *fresh = old == C(-1);
            if (*fresh || old == column) return static_cast<int>(slot);
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
        if (there) group.find(column, &fresh);
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
    if (values) row += S::slots * sizeof(V) + S::most * (sizeof(C) + sizeof(int));
    return row * S::groups;
}

/* Columns and values of each row of the list. Entries are noted as they come, and a column's place
 * is how many of the row's are less. */
template <class S, class V, class O, class C>
GPU_KERNEL void hash_compute(factors<V, O, C> f, row_list<C> list, target<V, C> c) {
    GPU_DYNAMIC_SHARED(V, room);
    constexpr int in_values = S::groups * S::slots, of_columns = S::groups * S::most;
    shared<V> sums = part_of(room, 0, in_values) + thread() / S::lanes * S::slots;
    shared<C> columns = shared<C>(room + in_values);
    shared<C> listed = part_of(columns, 0, of_columns) + thread() / S::lanes * S::most;
    shared<C> keys = part_of(columns, of_columns, in_values);
    shared<int> places = shared<int>(columns + of_columns + in_values);
    shared<int> slots = part_of(places, 0, of_columns) + thread() / S::lanes * S::most;
    hash_group<S, C> group(keys);
    int64_t r = static_cast<int64_t>(block()) * S::groups + thread() / S::lanes;
    bool active = r < list.count;
    int64_t row = active ? list.at(r) : 0;
    int count = 0;
    group.clear();
    sync_warp(full_warp);
    walk_row<S>(f, row, active, group.own, [&](C column, O q, O e, bool there) {
        bool fresh = false;
        int slot = there ? group.find(column, &fresh) : 0, all = 0;
        int place = count + group.place_among(fresh, &all);
        if (there) {
            V product = load(f.a_values + e) * load(f.b_values + q);
            if (fresh) {
                sums[slot] = product;
                listed[place] = column;
                slots[place] = slot;
            } else {
                sums[slot] += product;
            }
        }
        count += all;
    });
    V alpha = c.alpha.value();
    int64_t first = active ? load(c.offsets + row) : 0;
    for (int k = static_cast<int>(group.own); k < count; k += S::lanes) {
        C column = listed[k];
        int slot = slots[k], place = 0;
        for (int m = 0; m < count; m++) {
            C other = listed[m];
            place += other < column;
        }
        if (c.unsorted) place = k;
        V sum = sums[slot];
        c.cols[first + place] = column;
        c.values[first + place] = alpha * sum;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
