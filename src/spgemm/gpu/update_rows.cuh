/* SPDX-License-Identifier: Apache-2.0 */
/* Values of rows whose columns are known: the tables and bitmaps of the other kernels, filled from
 * C's columns, so that multiplications are only added up. */
#ifndef TULLE_SPGEMM_GPU_UPDATE_ROWS_CUH
#define TULLE_SPGEMM_GPU_UPDATE_ROWS_CUH

#include "spgemm/gpu/rows_by_kind.cuh"

namespace TULLE_GPU_NAMESPACE {

/* C, of which only the values are written. */
template <class V, class C>
struct known_rows {
    const int64_t *offsets;
    const C *cols;
    V *values;
    scalar<V> alpha;

    GPU_FUNCTION int64_t begin(int64_t row) const { return load(offsets + row); }
    GPU_FUNCTION int64_t count(int64_t row) const {
        return load(offsets + row + 1) - load(offsets + row);
    }
};

/* Number of entries of a row from which it has so many multiplications that several blocks should
 * share it. */
constexpr int64_t shared_multiplications = 1 << 16;

template <class C>
GPU_FUNCTION int kind_to_update(int64_t multiplications, int64_t a_entries, int64_t reach,
                                int64_t entries) {
    if (entries == 0) return kind_empty;
    int kind = kind_by_columns<C>(multiplications, a_entries, reach);
    if (kind == kind_sparse) kind = kind_large;
    if (kind == kind_large && entries <= wide_most && multiplications < shared_multiplications)
        kind = kind_wide;
    kind = kind_to_compute(kind, a_entries > entries_of_warp, entries);
    return entries > wide_most && kind != kind_near ? kind_large : kind;
}

/* Finds kinds of rows, in *multiplications, and their totals. */
template <class V, class O, class C>
GPU_KERNEL void kinds_to_update(factors<V, O, C> f, const int64_t *offsets, const C *cols,
                                int64_t *multiplications, row_totals *totals) {
    GPU_SHARED(int, room, kinds);
    group_tally<kinds> found(room);
    int64_t large = 0;
    for (int64_t i = loop_first(); i < f.rows; i += loop_stride()) {
        int64_t first = load(offsets + i), entries = load(offsets + i + 1) - first;
        int64_t some = multiplications_in(multiplications[i]), reach = 0;
        if (entries > 0) reach = load(cols + first + entries - 1) - load(cols + first) + int64_t{1};
        const int64_t a_entries = load(f.a_offsets + i + 1) - load(f.a_offsets + i);
        int kind = kind_to_update<C>(some, a_entries, reach, entries);
        multiplications[i] = packed_row(some, kind, a_entries > entries_of_warp);
        found.add(kind);
        if (kind == kind_large) large += some;
    }
    found.put(totals->rows);
    large = warp_reduce<total>(large);
    if (lane() == 0 && large > 0) atomic_add(&totals->large_multiplications, large);
}

GPU_KERNEL void get_offsets_kernel(int64_t count, const void *from, int64_t size,
                                   int64_t *offsets) {
    for (int64_t i = loop_first(); i < count; i += loop_stride()) {
        offsets[i] = tulle__get(from, size, i);
    }
}

/* Returns the first place in [begin, end) whose column is not below. */
template <class C>
GPU_FUNCTION int64_t lower_bound(const C *cols, int64_t begin, int64_t end, int64_t column) {
    TULLE__LOWER_BOUND(begin, end, q, load(cols + q) < column);
    return begin;
}
template <class C>
GPU_FUNCTION bool has_column(const C *cols, int64_t begin, int64_t end, C column) {
    int64_t at = lower_bound(cols, begin, end, column);
    return at < end && load(cols + at) == column;
}

/* outside := the least row that lacks the column of a multiplication, of rows that are not large; a
 * few lanes look through each. */
template <class V, class O, class C>
GPU_KERNEL void fit_rows(factors<V, O, C> f, const int64_t *multiplications, const int64_t *offsets,
                         const C *cols, int64_t *outside) {
    int64_t i = (static_cast<int64_t>(block()) * block_size() + thread()) / small_shape::lanes;
    bool active = i < f.rows && kind_in(load(multiplications + i)) != kind_large, fits = true;
    int64_t begin = active ? load(offsets + i) : 0, end = active ? load(offsets + i + 1) : 0;
    walk_row<small_shape, false>(f, i, active, thread() % small_shape::lanes,
                                 [&](const lane_multiplication<V, C> &p) {
                                     if (p.there) fits &= has_column(cols, begin, end, p.column);
                                 });
    if (!fits) atomic_min(outside, i);
}

/* outside := the least large row that lacks the column of a multiplication; a block looks through
 * each. */
template <class V, class O, class C>
GPU_KERNEL void fit_large_rows(factors<V, O, C> f, row_list<C> list, const int64_t *offsets,
                               const C *cols, int64_t *outside) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    tile_room<V, window_threads> room(all);
    int64_t row = list.at(block()), begin = load(offsets + row), end = load(offsets + row + 1);
    bool fits = true;
    sweep(f, room, row, every_column,
          [&](C column) { fits &= has_column(cols, begin, end, column); });
    if (!fits) atomic_min(outside, row);
}

/* Narrows items to the columns that they have; counts[item] := the number of these. */
template <class C>
GPU_KERNEL void narrow_items(row_list<C> list, const int64_t *item_count, const int64_t *offsets,
                             const C *cols, window_item *items, int64_t *counts) {
    for (int64_t k = loop_first(); k < load(item_count); k += loop_stride()) {
        window_item item = items[k];
        int64_t row = list.at(item.row_at), end = load(offsets + row + 1);
        int64_t first = lower_bound(cols, load(offsets + row), end, item.low);
        int64_t last = lower_bound(cols, first, end, item.high);
        counts[k] = last - first;
        items[k].low = first < last ? static_cast<int64_t>(load(cols + first)) : item.low;
        items[k].high = first < last ? load(cols + last - 1) + int64_t{1} : item.low;
    }
}

template <class S, class V, class C>
constexpr size_t hash_update_bytes = S::groups *S::slots *(sizeof(V) + sizeof(C));

template <class S, class V, class O, class C>
GPU_KERNEL void hash_update(factors<V, O, C> f, row_list<C> list, known_rows<V, C> c) {
    GPU_DYNAMIC_SHARED(V, room);
    constexpr int all_slots = S::groups * S::slots;
    shared<V> sums = part_of(room, static_cast<int>(thread()) / S::lanes * S::slots, S::slots);
    hash_group<S, C> group(part_of(shared<C>(room + all_slots), 0, all_slots));
    int64_t r = static_cast<int64_t>(block()) * S::groups + thread() / S::lanes;
    bool active = r < list.count;
    int64_t row = active ? list.at(r) : 0, first = active ? c.begin(row) : 0;
    int count = active ? static_cast<int>(c.count(row)) : 0;
    group.clear();
    sync_warp(full_warp);
    for (int k = static_cast<int>(group.own); k < count; k += S::lanes) {
        bool fresh = false;
        sums[group.put(load(c.cols + first + k), &fresh)] = 0;
    }
    sync_warp(full_warp);
    walk_row<S, true>(f, row, active, group.own, [&](const lane_multiplication<V, C> &p) {
        add_by_parts(p, sums, p.there ? group.find(p.column) : 0);
    });
    V alpha = c.alpha.value();
    for (int k = static_cast<int>(group.own); k < count; k += S::lanes) {
        V sum = sums[group.find(load(c.cols + first + k))];
        c.values[first + k] = alpha * sum;
    }
}

template <class V, class O, class C>
GPU_KERNEL void near_update(factors<V, O, C> f, row_list<C> list, known_rows<V, C> c) {
    GPU_DYNAMIC_SHARED(V, all);
    const int64_t warp = thread() / warp_lanes;
    int64_t r = static_cast<int64_t>(block()) * near_warps + warp;
    if (r >= list.count) return;
    int64_t row = list.at(r), first = c.begin(row);
    int count = static_cast<int>(c.count(row));
    near_row<V> near = near_room(all, warp);
    near.measure(f, row);
    near.mark_known(c.cols + first, count);
    near.template list<true>(c.cols);
    V alpha = c.alpha.value();
    for (int rank = 0; rank < count; rank += near_sums) {
        int some = count - rank < near_sums ? count - rank : near_sums;
        near.sum(f, row, rank, some, alpha, c.values + first);
    }
}

template <class S, class V, class O, class C>
GPU_KERNEL void wide_update(factors<V, O, C> f, row_list<C> list, known_rows<V, C> c) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    int64_t row = list.at(block()), first = c.begin(row);
    int count = static_cast<int>(c.count(row));
    wide_room<S, V, C> room(all, count);
    room.ranks.clear(room.table.mask + 1);
    room.table.clear();
    for (int k = static_cast<int>(thread()); k < count; k += wide_threads) {
        room.table.add(load(c.cols + first + k));
    }
    sync();
    for (int k = static_cast<int>(thread()); k < count; k += wide_threads) {
        room.ranks.set(room.table.find(load(c.cols + first + k)), k);
    }
    sync();
    room.sum(f, row, every_column, count, c.alpha.value(), c.values + first);
}

template <class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(window_threads,
                        2) void window_update(factors<V, O, C> f, row_list<C> list,
                                              const int64_t *item_count, window_shape shape,
                                              const window_item *items, const int64_t *first,
                                              const int64_t *before, known_rows<V, C> c) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    if (block() >= load(item_count)) return;
    window_room<V> room(all, shape, true);
    window_item item = items[block()];
    int64_t row = list.at(item.row_at), end = load(c.offsets + row + 1);
    int64_t to = c.begin(row) + load(before + block()) - load(before + load(first + item.row_at));
    V alpha = c.alpha.value();
    for (int64_t low = item.low, next = low; low < item.high; low = next) {
        int64_t high = least::of(low + shape.columns, item.high);
        int count = static_cast<int>(lower_bound(c.cols, to, end, high) - to);
        next = to + count < end ? static_cast<int64_t>(load(c.cols + to + count)) : item.high;
        room.mark_known(c.cols + to, count, column_range{low, high});
        room.template list<true>(low, c.cols);
        sum_window(f, room, row, low, high, count, alpha, c.cols + to, c.values + to);
        to += count;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
