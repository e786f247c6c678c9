/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of some hundreds or thousands of products, whose columns are far apart: a block puts the
 * columns into a table in shared memory, sorts them, and notes in the table where each one's sum
 * is. Then products are added up in order. */
#ifndef TULLE_SPGEMM_GPU_WIDE_ROWS_CUH
#define TULLE_SPGEMM_GPU_WIDE_ROWS_CUH

#include "spgemm/gpu/tiles.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int wide_threads = 256;

/* Entries that a table has room for; its slots are twice as many, a power of two. */
template <int most_>
struct wide_shape {
    static constexpr int most = most_, slots = 2 * most_;
};

/* Columns by hash. */
template <class C>
struct column_table {
    shared<C> keys;
    unsigned mask; /* one less than the slots, a power of two */

    GPU_FUNCTION void clear() const {
        for (unsigned s = thread(); s <= mask; s += block_size()) keys[s] = C(-1);
        sync();
    }
    GPU_FUNCTION static unsigned first_slot(C column) {
        return static_cast<unsigned>(column) * 0x9e3779b1u >> 16; /* Knuth's golden ratio */
    }
    /* Whether the column is new. */
    GPU_FUNCTION bool add(C column) const {
        for (unsigned slot = first_slot(column);; slot++) {
            C old = atomic_cas(keys + (slot & mask), C(-1), column);
            if (old == C(-1)) return true;
            if (old == column) return false;
        }
    }
    /* The slot of a column that is there. */
    GPU_FUNCTION unsigned find(C column) const {
        unsigned slot = first_slot(column) & mask;
        for (;;) {
            C key = keys[slot];
            if (key == column) return slot;
            slot = (slot + 1) & mask;
        }
    }
};

/* So that at least half of the slots stay free. */
template <class S>
GPU_FUNCTION unsigned mask_for(int64_t columns) {
    unsigned slots = 64;
    while (slots < 2 * columns && slots < S::slots) slots *= 2;
    return slots - 1;
}

template <class S, class V, class C>
constexpr size_t wide_bytes(bool compute) {
    size_t bytes = tile_bytes<wide_threads> + S::slots * sizeof(C);
    if (!compute) return bytes;
    constexpr size_t item = sizeof(V) > sizeof(C) ? sizeof(V) : sizeof(C);
    return bytes + S::slots * sizeof(int) + S::most * (sizeof(int) + item);
}

template <class V, class O, class C>
GPU_FUNCTION int64_t put_columns(const factors<V, O, C> &f, const tile_room<V, wide_threads> &room,
                                 int64_t row, const column_table<C> &table) {
    int64_t count = 0;
    table.clear();
    sweep(f, room, row, every_column, [&](C column) { count += table.add(column); });
    return block_total(count, room.warps);
}

/* counts[row] := entries of C's row; one block for each of the list. */
template <class S, class V, class O, class C>
GPU_KERNEL void wide_count(factors<V, O, C> f, row_list<C> list, const int64_t *products,
                           int64_t *counts) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    int64_t row = list.at(block());
    tile_room<V, wide_threads> room(all);
    shared<C> keys = part_of(shared<C>(all + room.numbers), 0, S::slots);
    int64_t count = put_columns(
        f, room, row, column_table<C>{keys, mask_for<S>(products_in(load(products + row)))});
    sync();
    if (thread() == 0) counts[row] = count;
}

/* Sorts count columns, with room for the next power of two (Batcher's bitonic network). */
template <class C>
GPU_FUNCTION void sort_columns(shared<C> columns, int count) {
    int size = 2;
    while (size < count) size *= 2;
    constexpr C none = sizeof(C) == 4 ? INT32_MAX : static_cast<C>(INT64_MAX);
    for (int i = count + static_cast<int>(thread()); i < size; i += wide_threads) columns[i] = none;
    sync();
    for (int run = 2; run <= size; run *= 2) {
        for (int apart = run / 2; apart > 0; apart /= 2) {
            for (int i = static_cast<int>(thread()); i < size / 2; i += wide_threads) {
                int left = 2 * i - (i & (apart - 1)), right = left + apart;
                C a = columns[left], b = columns[right];
                if ((a > b) == ((left & run) == 0)) {
                    columns[left] = b;
                    columns[right] = a;
                }
            }
            sync();
        }
    }
}

template <class S, class V, class O, class C>
GPU_KERNEL void wide_compute(factors<V, O, C> f, row_list<C> list, target<V, C> c) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    GPU_SHARED(int, found, 1);
    int64_t row = list.at(block()), first = load(c.offsets + row);
    int count = static_cast<int>(load(c.offsets + row + 1) - first);
    tile_room<V, wide_threads> room(all);
    shared<C> keys = shared<C>(all + room.numbers);
    shared<int> places = shared<int>(keys + S::slots);
    shared<V> values = shared<V>(places + S::slots + S::most);
    column_table<C> table = {part_of(keys, 0, S::slots), mask_for<S>(count)};
    shared<int> ranks = part_of(places, 0, S::slots);
    sum_room<V, wide_threads> sums = {part_of(values, 0, S::most),
                                      part_of(places, S::slots, S::most)};
    shared<C> sorted = part_of(shared<C>(values), 0, S::most); /* in the place of the sums */
    if (thread() == 0) found[0] = 0;
    put_columns(f, room, row, table);
    sync();
    for (unsigned s = thread(); s <= table.mask; s += block_size()) {
        C key = table.keys[s];
        if (key != C(-1)) sorted[atomic_add(found + 0, 1)] = key;
    }
    sync();
    sort_columns(sorted, count);
    for (int k = static_cast<int>(thread()); k < count; k += wide_threads) {
        C column = sorted[k];
        ranks[table.find(column)] = k;
        c.cols[first + k] = column;
    }
    sync();
    sum_in_order(f, room, row, every_column, sums, count,
                 [&](C column) { return static_cast<int>(ranks[table.find(column)]); });
    V alpha = c.alpha.value();
    for (int k = static_cast<int>(thread()); k < count; k += wide_threads) {
        V sum = sums.sums[k];
        c.values[first + k] = alpha * sum;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
