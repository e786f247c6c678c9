/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of more multiplications than a table holds, over so many columns that windows of a bitmap
 * would meet few of them: a block goes through windows of as many columns as its table holds
 * multiplications of.
 */
#ifndef TULLE_SPGEMM_GPU_SPARSE_ROWS_CUH
#define TULLE_SPGEMM_GPU_SPARSE_ROWS_CUH

#include "spgemm/gpu/wide_rows.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Windows of a row's columns, ascending. A window that may have more columns than the table
 * holds is halved; after a window with few columns the next one is twice as wide. A window has
 * at most as many columns of C as multiplications, and at most as many as it is wide. */
template <class S, class V, class O, class C>
struct table_windows {
    const factors<V, O, C> &f;
    const tile_room<V, wide_threads> &room;
    int64_t row;
    int64_t end;   /* end of the row's columns */
    int64_t width; /* width of the next window */
    int64_t ahead; /* first column of the next window: a column of the row, or the end of its
                      columns */
    int64_t multiplications; /* number of multiplications of this window */
    column_range now;

    GPU_FUNCTION table_windows(const factors<V, O, C> &all, const tile_room<V, wide_threads> &tile,
                               int64_t its_row)
        : f(all),
          room(tile),
          row(its_row),
          end(0),
          width(0),
          ahead(0),
          multiplications(0),
          now{0, 0} {
        const column_range reach = columns_of_row(f, room, row);
        ahead = reach.low;
        end = reach.high;
        width = end - ahead;
    }
    GPU_FUNCTION int64_t most_columns() const {
        return least::of(multiplications, now.high - now.low);
    }
    GPU_FUNCTION bool next() {
        const int64_t low = ahead;
        if (low >= end) return false;
        for (;; width /= 2) {
            now = {low, width < end - low ? low + width : end};
            look();
            if (most_columns() <= S::most) break;
        }
        if (most_columns() < S::most / 2) width = width < (end - low) / 2 ? 2 * width : end - low;
        return true;
    }

  private:
    /* Counts the multiplications in the window, and finds where the next one begins. */
    GPU_FUNCTION void look() {
        row_tile<V, O, C, wide_threads> tile{f, room, now, 0, 0, end};
        const O stop_at = load(f.a_offsets + row + 1);
        int64_t some = 0;
        for (O e = load(f.a_offsets + row) + static_cast<O>(thread()); e < stop_at;
             e += wide_threads) {
            const C k = load(f.a_cols + e);
            O start = load(f.b_offsets + k), stop = load(f.b_offsets + k + 1);
            tile.clip(&start, &stop);
            some += stop - start;
        }
        multiplications = block_total(some, room.warps);
        ahead = block_extreme<least>(tile.ahead, room.warps);
    }
};

/* counts[row] := the number of entries of C's row; one block for each row of the list. */
template <class S, class V, class O, class C>
GPU_KERNEL void sparse_count(factors<V, O, C> f, row_list<C> list, int64_t *counts) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    const int64_t row = list.at(block());
    const tile_room<V, wide_threads> room(all);
    shared<C> keys = part_of(shared<C>(all + room.numbers), 0, S::slots);
    int64_t count = 0;
    table_windows<S, V, O, C> window(f, room, row);
    while (window.next()) {
        const column_table<C> table = {keys, mask_for<S>(window.most_columns())};
        count += put_columns(f, room, row, window.now, table);
        sync();
    }
    if (thread() == 0) counts[row] = count;
}

template <class S, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(wide_threads, S::blocks) void sparse_compute(factors<V, O, C> f,
                                                                     row_list<C> list,
                                                                     target<V, C> c) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    GPU_SHARED(int, found, 1);
    const int64_t row = list.at(block());
    int64_t to = load(c.offsets + row);
    const V alpha = c.alpha.value();
    const tile_room<V, wide_threads> tile(all);
    table_windows<S, V, O, C> window(f, tile, row);
    while (window.next()) {
        const wide_room<S, V, C> room(all, static_cast<int>(window.most_columns()));
        if (thread() == 0) found[0] = 0;
        const int count = room.list(f, row, window.now, found, c.cols + to);
        room.sum(f, row, window.now, count, alpha, c.values + to);
        sync();
        to += count;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
