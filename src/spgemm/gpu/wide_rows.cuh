/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of some hundreds or thousands of multiplications, whose columns are far apart: a block puts
 * the columns into a table in shared memory, sorts them, and notes in the table the place of each
 * column's sum. Then multiplications are added up in order. */
#ifndef TULLE_SPGEMM_GPU_WIDE_ROWS_CUH
#define TULLE_SPGEMM_GPU_WIDE_ROWS_CUH

#include "spgemm/gpu/probing.cuh"
#include "spgemm/gpu/register_sort.cuh"
#include "spgemm/gpu/tiles.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int wide_threads = 256;

/* Shape of a block: number of entries that its table has room for, with twice as many slots, a
 * power of two; number of blocks that shared memory lets run at once. */
template <int most_, int blocks_>
struct wide_shape {
    static constexpr int most = most_, slots = 2 * most_, blocks = blocks_;
};

/* A hash table of columns. */
template <class C>
struct column_table {
    shared<C> keys;
    unsigned mask; /* number of slots less one; slots are a power of two */

    GPU_FUNCTION void clear() const {
        for (unsigned s = thread(); s <= mask; s += block_size()) keys[s] = C(-1);
        sync();
    }
    GPU_FUNCTION static unsigned first_slot(C column) {
        return static_cast<unsigned>(column) * 0x9e3779b1u >> 16; /* hash by Knuth's golden ratio */
    }
    /* Puts a column in; returns true when it is new. */
    GPU_FUNCTION bool add(C column) const {
        bool fresh = false;
        put_column<false>(keys, first_slot(column), mask, column, &fresh);
        return fresh;
    }
    /* Returns the slot of a column that is there. */
    GPU_FUNCTION unsigned find(C column) const {
        return find_column(keys, first_slot(column), mask, column);
    }
};

/* Number of slots, so many that at least half of them stay free. */
template <class S>
GPU_FUNCTION unsigned mask_for(int64_t columns) {
    unsigned slots = 64;
    while (slots < 2 * columns && slots < S::slots) slots *= 2;
    return slots - 1;
}

/* A number below 2^16 for each slot, two in one of shared memory. */
struct slot_ranks {
    shared<unsigned> pairs;

    GPU_FUNCTION void clear(unsigned slots) const {
        for (unsigned s = thread(); s < slots / 2; s += block_size()) pairs[s] = 0;
        sync();
    }
    /* Sets the rank of a slot, once. */
    GPU_FUNCTION void set(unsigned slot, int rank) const {
        atomic_or(pairs + slot / 2, static_cast<unsigned>(rank) << slot % 2 * 16);
    }
    GPU_FUNCTION int of(unsigned slot) const {
        const unsigned pair = pairs[slot / 2];
        return static_cast<int>(pair >> slot % 2 * 16 & 0xffffu);
    }
};

/* A sum, or a column in its place. */
template <class V, class C>
constexpr int item_bytes = sizeof(V) > sizeof(C) ? sizeof(V) : sizeof(C);

template <class S, class V, class C>
constexpr size_t wide_bytes(bool compute) {
    size_t bytes = tile_bytes<wide_threads> + S::slots * sizeof(C);
    if (!compute) return bytes;
    return bytes + S::slots / 2 * sizeof(unsigned) + S::most * (sizeof(int) + item_bytes<V, C>);
}

/* Counts the row's columns in the range, which the table holds. */
template <class V, class O, class C>
GPU_FUNCTION int64_t put_columns(const factors<V, O, C> &f, const tile_room<V, wide_threads> &room,
                                 int64_t row, column_range range, const column_table<C> &table) {
    int64_t count = 0;
    table.clear();
    sweep(f, room, row, range, [&](C column) { count += table.add(column); });
    return block_total(count, room.warps);
}

/* counts[row] := the number of entries of C's row; one block for each row of the list. */
template <class S, class V, class O, class C>
GPU_KERNEL void wide_count(factors<V, O, C> f, row_list<C> list, const int64_t *multiplications,
                           int64_t *counts) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    int64_t row = list.at(block());
    tile_room<V, wide_threads> room(all);
    shared<C> keys = part_of(shared<C>(all + room.numbers), 0, S::slots);
    int64_t count = put_columns(
        f, room, row, every_column,
        column_table<C>{keys, mask_for<S>(multiplications_in(load(multiplications + row)))});
    sync();
    if (thread() == 0) counts[row] = count;
}

/* Shared memory of a block for so many entries of a row, or more than there are. */
template <class S, class V, class C>
struct wide_room {
    tile_room<V, wide_threads> tile;
    column_table<C> table;
    slot_ranks ranks; /* rank of the column in each slot */
    sum_room<V, wide_threads> sums;
    shared<C> sorted; /* columns, in the place of the sums */

    GPU_FUNCTION wide_room(shared<int64_t> all, int count) : tile(all) {
        shared<C> keys = shared<C>(all + tile.numbers);
        shared<int> places = shared<int>(keys + S::slots);
        shared<V> values = shared<V>(places + S::most + S::slots / 2);
        table = {part_of(keys, 0, S::slots), mask_for<S>(count)};
        sums = {part_of(values, 0, S::most), part_of(places, 0, S::most)};
        sorted = part_of(shared<C>(values), 0, S::most);
        shared<unsigned> pairs = shared<unsigned>(places + S::most);
        ranks = {part_of(pairs, 0, S::slots / 2)};
    }
    /* Lists the columns that the row has in the range, rising, and sets their ranks; found: 0.
     * Returns the number of columns. */
    template <class O>
    GPU_FUNCTION int list(const factors<V, O, C> &f, int64_t row, column_range range,
                          shared<int> found, C *cols) const {
        ranks.clear(table.mask + 1);
        const int count = static_cast<int>(put_columns(f, tile, row, range, table));
        sync();
        for (unsigned s = thread(); s <= table.mask; s += block_size()) {
            C key = table.keys[s];
            if (key != C(-1)) sorted[atomic_add(found + 0, 1)] = key;
        }
        sync();
        sort_rising<whole_block, S::most / wide_threads>(sorted, count);
        for (int k = static_cast<int>(thread()); k < count; k += wide_threads) {
            C column = sorted[k];
            ranks.set(table.find(column), k);
            cols[k] = column;
        }
        sync();
        return count;
    }
    /* values[k] := alpha times the sum of rank k, of columns in the range. */
    template <class O>
    GPU_FUNCTION void sum(const factors<V, O, C> &f, int64_t row, column_range range, int count,
                          V alpha, V *values) const {
        sum_in_order(f, tile, row, range, sums, count,
                     [&](C column) { return ranks.of(table.find(column)); });
        for (int k = static_cast<int>(thread()); k < count; k += wide_threads) {
            V one = sums.sums[k];
            values[k] = alpha * one;
        }
    }
};

template <class S, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(wide_threads, S::blocks) void wide_compute(factors<V, O, C> f,
                                                                   row_list<C> list,
                                                                   target<V, C> c) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    GPU_SHARED(int, found, 1);
    int64_t row = list.at(block()), first = load(c.offsets + row);
    int count = static_cast<int>(load(c.offsets + row + 1) - first);
    const wide_room<S, V, C> room(all, count);
    if (thread() == 0) found[0] = 0;
    room.list(f, row, every_column, found, c.cols + first);
    room.sum(f, row, every_column, count, c.alpha.value(), c.values + first);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
