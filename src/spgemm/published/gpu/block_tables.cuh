/* SPDX-License-Identifier: Apache-2.0 */
/* TB/ROW (paper 4, algorithm 4): a block has a row and a table; a warp takes an entry of A, its
 * lanes those of the row of B. Tables are in shared memory or, where they are too large for it, in
 * global memory, where a block goes through several rows with the same room. */
#ifndef TULLE_SPGEMM_PUBLISHED_BLOCK_TABLES_CUH
#define TULLE_SPGEMM_PUBLISHED_BLOCK_TABLES_CUH

#include "gpu/scan.cuh"
#include "spgemm/gpu/bitonic.cuh"
#include "spgemm/published/gpu/scattered_table.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int block_table_warps = 32; /* most warps of a block */

/* Tables in global memory: so many slots of room for a block, of which a row takes as many as it
 * needs. */
template <class V, class C>
struct global_tables {
    C *keys;
    V *sums;
    int64_t slots;

    /* The block's table, for so many columns. */
    GPU_FUNCTION scattered_table<C *, uint64_t> of_block(int64_t columns) const {
        uint64_t some = 1;
        while (some < static_cast<uint64_t>(columns)) some *= 2;
        return {keys + block() * slots, some - 1};
    }
};

/* Calls each(entry of A, entry of B) for the thread's own multiplications. */
template <class V, class O, class C, class Each>
GPU_FUNCTION void walk_by_warps(const factors<V, O, C> &f, int64_t row, Each each) {
    O end = load(f.a_offsets + row + 1), warps = static_cast<O>(block_size() / warp_lanes);
    for (O e = load(f.a_offsets + row) + static_cast<O>(thread() / warp_lanes); e < end;
         e += warps) {
        C k = load(f.a_cols + e);
        O stop = load(f.b_offsets + k + 1);
        for (O q = load(f.b_offsets + k) + static_cast<O>(lane()); q < stop; q += warp_lanes) {
            each(e, q);
        }
    }
}

/* Counts the entries of a row; all threads get the number. */
template <class Table, class V, class O, class C>
GPU_FUNCTION int64_t count_in_table(const factors<V, O, C> &f, int64_t row, const Table &table,
                                    shared<int64_t> room) {
    int64_t count = 0;
    table.clear(thread(), block_size());
    sync();
    walk_by_warps(f, row, [&](O, O q) {
        bool fresh = false;
        table.put(load(f.b_cols + q), &fresh);
        count += fresh;
    });
    return block_total(count, room);
}

template <class Table, class V, class O, class C, class Sums>
GPU_FUNCTION void sum_in_table(const factors<V, O, C> &f, int64_t row, const Table &table,
                               Sums sums) {
    table.clear(thread(), block_size(), sums);
    sync();
    walk_by_warps(f, row, [&](O e, O q) {
        bool fresh = false;
        auto slot = table.put(load(f.b_cols + q), &fresh);
        atomic_add(sums + slot, load(f.a_values + e) * load(f.b_values + q));
    });
    sync();
}

/* Shrinks a table with sums to its entries: into other arrays, or to its own front, as no place
 * is behind its slot. Returns the number of entries. */
template <class V, class C, class Table, class Sums, class Keys, class Values>
GPU_FUNCTION int64_t shrink(const Table &table, Sums sums, Keys keys, Values values,
                            shared<int64_t> room) {
    int64_t before = 0;
    for (uint64_t first = 0; first <= table.mask; first += block_size()) {
        uint64_t s = first + thread();
        C key = -1;
        V sum = 0;
        if (s <= table.mask) {
            key = table.keys[s];
            sum = sums[s];
        }
        int64_t all = 0, place = before + block_scan<int64_t>(key != C(-1), room, &all);
        if (key != C(-1)) {
            keys[place] = key;
            values[place] = sum;
        }
        before += all;
    }
    sync();
    return before;
}

/* counts[row] := entries of C's row; one block for each of the list. */
template <class V, class O, class C>
GPU_KERNEL void block_count(factors<V, O, C> f, row_list<C> list, int slots, int64_t *counts) {
    GPU_DYNAMIC_SHARED(C, keys);
    GPU_SHARED(int64_t, room, block_table_warps);
    scattered_table<shared<C>, unsigned> table = {keys, static_cast<unsigned>(slots) - 1};
    int64_t row = list.at(block()), count = count_in_table(f, row, table, room);
    if (thread() == 0) counts[row] = count;
}

/* Columns and values of C's row; one block for each of the list. */
template <class V, class O, class C>
GPU_KERNEL void block_compute(factors<V, O, C> f, row_list<C> list, int slots,
                              row_target<V, C> to) {
    GPU_DYNAMIC_SHARED(V, all);
    GPU_SHARED(int64_t, room, block_table_warps);
    shared<V> sums = part_of(all, 0, slots);
    shared<C> keys = part_of(shared<C>(all + slots), 0, slots);
    scattered_table<shared<C>, unsigned> table = {keys, static_cast<unsigned>(slots) - 1};
    int64_t row = list.at(block()), first = to.first(row);
    sum_in_table(f, row, table, sums);
    int count = static_cast<int>(shrink<V, C>(table, sums, keys, sums, room));
    if (!to.c.unsorted) sort_entries<V, C>(keys, sums, count);
    V alpha = to.c.alpha.value();
    for (int k = static_cast<int>(thread()); k < count; k += static_cast<int>(block_size())) {
        V sum = sums[k];
        to.c.cols[first + k] = keys[k];
        to.c.values[first + k] = alpha * sum;
    }
    if (to.counts && thread() == 0) to.counts[row] = count;
}

/* Count and compute rows of C whose tables are in global memory. A row has at most as many entries
 * as multiplications, and at most as many as C has columns; its table for counting has room for the
 * smaller number. */
template <class V, class O, class C>
GPU_KERNEL void global_count(factors<V, O, C> f, row_list<C> list, global_tables<V, C> tables,
                             const int64_t *multiplications, int64_t cols, int64_t *counts) {
    GPU_SHARED(int64_t, room, block_table_warps);
    for (int64_t r = block(); r < list.count; r += grid_size()) {
        int64_t row = list.at(r), most = load(multiplications + row);
        int64_t count = count_in_table(f, row, tables.of_block(most < cols ? most : cols), room);
        if (thread() == 0) counts[row] = count;
        sync();
    }
}

template <class V, class O, class C>
GPU_KERNEL void global_compute(factors<V, O, C> f, row_list<C> list, global_tables<V, C> tables,
                               row_target<V, C> to) {
    GPU_SHARED(int64_t, room, block_table_warps);
    V alpha = to.c.alpha.value();
    V *sums = tables.sums + block() * tables.slots;
    for (int64_t r = block(); r < list.count; r += grid_size()) {
        int64_t row = list.at(r), first = to.first(row);
        scattered_table<C *, uint64_t> table = tables.of_block(to.first(row + 1) - first);
        sum_in_table(f, row, table, sums);
        C *cols = to.c.cols + first;
        V *values = to.c.values + first;
        int64_t count = shrink<V, C>(table, sums, cols, values, room);
        if (!to.c.unsorted) sort_entries<V, C>(cols, values, count);
        for (int64_t k = thread(); k < count; k += block_size()) values[k] = alpha * values[k];
        if (to.counts && thread() == 0) to.counts[row] = count;
        sync();
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
