/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of many multiplications: a block takes a row, or, of a giant row, an item, which is some of
 * its columns. It goes through the columns window by window. In a window, a bitmap has a bit for
 * each column that the row has, so that counting and sorting them is counting bits; then the
 * sums, whose places the bitmap gives, add their multiplications in the order of A's row. */
#ifndef TULLE_SPGEMM_GPU_WINDOWS_CUH
#define TULLE_SPGEMM_GPU_WINDOWS_CUH

#include "spgemm/gpu/tiles.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int window_threads = 512;

/* Number of words of a window's bits, 32 columns each, that have one rank, and that a thread
 * lists at a time. */
constexpr int ranked_words = 4, listed_words = 2 * ranked_words; /* words of a thread at a time */
constexpr int64_t window_unit = int64_t{32} * listed_words * window_threads; /* columns of the
                                                                                unit of windows */
TULLE_INLINE int64_t in_units(int64_t columns) {
    return (columns + window_unit - 1) / window_unit * window_unit;
}

/* Bytes of the bits and ranks of so many columns. */
TULLE_INLINE int64_t bit_bytes(int64_t columns) {
    return columns / 8 + columns / 32 / listed_words * static_cast<int64_t>(sizeof(unsigned));
}

struct window_shape {
    int columns, sums;
    GPU_FUNCTION int words() const { return columns / 32; }

    /* The launch's memory for an item of fewer columns: memory that their bits do not need is
     * for sums, so that the item's multiplications are gone through once. */
    template <class V>
    GPU_FUNCTION window_shape within(int64_t span) const {
        const int64_t fewer = in_units(most::of(span, int64_t{1}));
        if (fewer >= columns) return *this;
        const int64_t spare = bit_bytes(columns) - bit_bytes(fewer);
        const int64_t more = spare / static_cast<int64_t>(sizeof(V) + sizeof(int));
        return {static_cast<int>(fewer), static_cast<int>((sums + more) / 2 * 2)};
    }
};

/* Window of a launch: as many columns as the matrix has, up to 2^20, and the sums that fit
 * beside them; in half of the memory where few columns, or half of them, leave room there for as
 * many sums as are good, so that two blocks run at once. */
template <class V>
window_shape window_shape_for(int64_t cols, int64_t shared_bytes) {
    constexpr int64_t enough = 2048, reserved = 1024;
    constexpr int64_t sum = sizeof(V) + sizeof(int);
    const auto other = [](int64_t columns) {
        return bit_bytes(columns) + static_cast<int64_t>(tile_bytes<window_threads>);
    };
    int64_t columns = cols < window_most ? in_units(cols) : window_most;
    int64_t room = (shared_bytes - reserved) / 2;
    if (cols <= window_most && room - other(columns) < enough * sum)
        columns = in_units(columns / 2);
    if (room - other(columns) < enough * sum) room = shared_bytes;
    int64_t sums = (room - other(columns)) / sum;
    return {static_cast<int>(columns), static_cast<int>(sums / 2 * 2)};
}

/* Limits of items. A row is cut so that an item has about item_multiplications_for()
 * multiplications, if they are spread evenly, and no fewer columns than item_columns, or half of
 * them where one row has work for all blocks: fewer multiplications where there are few of them, to
 * keep the GPU busy; and where a window has not all columns, there are no fewer than two items. */
constexpr int64_t item_columns = 1 << 13, giant_multiplications = 1 << 24;
inline int64_t item_multiplications_for(int64_t large_multiplications) {
    constexpr int64_t items = 2000, least_multiplications = 1 << 13, most_multiplications = 1 << 17;
    int64_t multiplications = large_multiplications / items;
    if (multiplications > most_multiplications) return most_multiplications;
    return multiplications < least_multiplications ? least_multiplications : multiplications;
}

struct window_item {
    int64_t row_at;    /* number in the list of large rows */
    int64_t low, high; /* range of columns; counting narrows it to those that the row has */
};

struct item_rule {
    int64_t cols, each, least;

    GPU_FUNCTION int64_t items_of(int64_t multiplications) const {
        const int64_t width =
            multiplications < giant_multiplications ? item_columns : item_columns / 2;
        int64_t wanted = multiplications / each, most = cols / width + 1;
        if (wanted > most) wanted = most;
        return wanted > least ? wanted : least;
    }
};
inline item_rule item_rule_for(int64_t cols, int64_t large_multiplications,
                               const window_shape &shape) {
    return {cols, item_multiplications_for(large_multiplications), cols > shape.columns ? 2 : 1};
}

/* first[r] := the number of items of large row r, for a scan; first[count] := 0. */
template <class C>
GPU_KERNEL void count_items(row_list<C> list, item_rule rule, const int64_t *multiplications,
                            int64_t *first) {
    for (int64_t r = loop_first(); r <= list.count; r += loop_stride()) {
        first[r] = r < list.count
                       ? rule.items_of(multiplications_in(load(multiplications + list.at(r))))
                       : 0;
    }
}

template <class C>
GPU_KERNEL void make_items(row_list<C> list, int64_t cols, const int64_t *first,
                           window_item *items) {
    for (int64_t r = loop_first(); r < list.count; r += loop_stride()) {
        int64_t begin = load(first + r), count = load(first + r + 1) - begin;
        int64_t width = (cols + count - 1) / count;
        for (int64_t k = 0; k < count; k++) {
            int64_t low = k * width < cols ? k * width : cols;
            items[begin + k] = {r, low, low + width < cols ? low + width : cols};
        }
    }
}

/* counts[row] := the number of entries of all items of each large row. before: a scan of the
 * items' counts. */
template <class C>
GPU_KERNEL void add_items(row_list<C> list, const int64_t *first, const int64_t *before,
                          int64_t *counts) {
    for (int64_t r = loop_first(); r < list.count; r += loop_stride()) {
        counts[list.at(r)] = load(before + load(first + r + 1)) - load(before + load(first + r));
    }
}

template <class V>
size_t window_bytes(const window_shape &shape, bool compute) {
    size_t words = static_cast<size_t>(shape.columns / 32);
    size_t bytes = tile_bytes<window_threads> + words * sizeof(unsigned);
    if (!compute) return bytes;
    return bytes + words / listed_words * sizeof(unsigned) +
           static_cast<size_t>(shape.sums) * (sizeof(V) + sizeof(int));
}

/* Shared memory of a block. */
template <class V>
struct window_room {
    using sum_type = sum_room<V, window_threads>;
    tile_room<V, window_threads> tile;
    window_shape shape;
    int words;             /* number of words in use */
    shared<unsigned> bits; /* bits of the window's columns */
    /* The number of bits before each few words, modulo 2^16, which sums are below: two in a
     * number. */
    shared<unsigned> ranks;
    sum_type sums;

    /* compute: true if sums are to be computed, which need memory of their own. */
    GPU_FUNCTION window_room(shared<int64_t> all, const window_shape &launched, bool compute)
        : tile(all), shape(launched), words(0) {
        shared<unsigned> room = shared<unsigned>(all + tile.numbers);
        bits = part_of(room, 0, shape.words());
        if (!compute) return;
        shared<V> values = shared<V>(room + shape.words());
        shared<int> places = shared<int>(values + shape.sums);
        sums = {part_of(values, 0, shape.sums), part_of(places, 0, shape.sums)};
        ranks = part_of(shared<unsigned>(places + shape.sums), 0, shape.words() / listed_words);
    }
    GPU_FUNCTION void clear(int64_t columns) {
        constexpr int unit_words = window_unit / 32;
        words = static_cast<int>((columns + window_unit - 1) / window_unit) * unit_words;
        for (int w = static_cast<int>(thread()); w < words; w += window_threads) bits[w] = 0;
        sync();
    }
    /* Marks the columns of the row in a window that begins at low. Returns the beginning of the
     * next one: the row's least column behind this window, so that no window is empty however
     * many columns there are. */
    template <class O, class C>
    GPU_FUNCTION int64_t mark(const factors<V, O, C> &f, int64_t row, column_range range,
                              int64_t end) {
        clear(range.high - range.low);
        const int64_t ahead = sweep(f, tile, row, range, [&](C column) {
            int64_t bit = column - range.low;
            atomic_or(bits + bit / 32, 1u << bit % 32);
        });
        return range.high < end ? block_extreme<least>(ahead, tile.warps) : end;
    }
    GPU_FUNCTION int64_t count() const {
        int64_t found = 0;
        for (int w = static_cast<int>(thread()); w < words; w += window_threads) {
            unsigned some = bits[w];
            found += count_bits(some);
        }
        return found;
    }
    template <class C>
    GPU_FUNCTION void write_words(int w, int64_t low, int64_t rank, C *cols) const {
        for (int k = w; k < w + listed_words; k++) {
            for (unsigned some = bits[k]; some != 0; some &= some - 1) {
                cols[rank++] = static_cast<C>(low + int64_t{k} * 32 + first_bit(some));
            }
        }
    }
    /* Marks the columns of a row whose columns are known; those of the window are all in the
     * range. */
    template <class C>
    GPU_FUNCTION void mark_known(const C *cols, int64_t count, column_range range) {
        clear(range.high - range.low);
        for (int64_t k = thread(); k < count; k += window_threads) {
            int64_t bit = load(cols + k) - range.low;
            atomic_or(bits + bit / 32, 1u << bit % 32);
        }
        sync();
    }
    GPU_FUNCTION int bits_in(int w) const {
        int found = 0;
        for (int k = w; k < w + ranked_words; k++) {
            unsigned some = bits[k];
            found += count_bits(some);
        }
        return found;
    }
    /* Fills ranks, and the columns unless they are known; returns the number of columns. A warp
     * has a stretch of its own, and so needs only the others' counts. */
    template <bool known, class C>
    GPU_FUNCTION int64_t list(int64_t low, C *cols) const {
        constexpr int step = warp_lanes * listed_words;
        const int stretch = words / (window_threads / warp_lanes);
        const int begin = static_cast<int>(thread()) / warp_lanes * stretch;
        const int first = begin + static_cast<int>(lane()) * listed_words, end = begin + stretch;
        int64_t own = 0, all = 0;
        for (int w = first; w < end; w += step) own += bits_in(w) + bits_in(w + ranked_words);
        own = block_scan(own, tile.warps, &all);
        int before = shuffle(full_warp, static_cast<int>(own), 0);
        for (int w = first; w < end; w += step) {
            const int left = bits_in(w), both = left + bits_in(w + ranked_words);
            const int with = warp_scan(both), rank = before + with - both;
            ranks[w / listed_words] = (static_cast<unsigned>(rank) & UINT16_MAX) |
                                      static_cast<unsigned>(rank + left) << 16;
            before += shuffle(full_warp, with, warp_lanes - 1);
            if constexpr (!known) write_words(w, low, rank, cols);
        }
        sync();
        return all;
    }
    /* Place of a column's sum, among those from a rank on. */
    GPU_FUNCTION int place_of(int64_t bit, int first) const {
        const int word = static_cast<int>(bit / 32);
        const unsigned both = ranks[word / listed_words];
        int rank = static_cast<int>(both >> (word & ranked_words ? 16 : 0));
        for (int k = word / ranked_words * ranked_words; k < word; k++) {
            unsigned some = bits[k];
            rank += count_bits(some);
        }
        unsigned last = bits[word];
        rank += count_bits(last & ((1u << bit % 32) - 1u));
        return (rank - first) & UINT16_MAX;
    }
};

/* counts[item] := the number of columns of an item, whose range is narrowed to them; for the
 * first *item_count items. */
template <class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(window_threads, 2) void window_count(factors<V, O, C> f, row_list<C> list,
                                                             const int64_t *item_count,
                                                             window_shape shape, window_item *items,
                                                             int64_t *counts) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    if (block() >= load(item_count)) return;
    window_room<V> room(all, shape, false);
    window_item item = items[block()];
    int64_t row = list.at(item.row_at), count = 0;
    const column_range reach = columns_of_row(f, room.tile, row);
    item.low = most::of(item.low, reach.low);
    item.high = least::of(item.high, reach.high);
    for (int64_t low = item.low, next = low; low < item.high; low = next) {
        const column_range window = {low, least::of(low + shape.columns, item.high)};
        next = room.mark(f, row, window, item.high);
        count += room.count();
        sync();
    }
    count = block_total(count, room.tile.warps);
    if (thread() != 0) return;
    counts[block()] = count;
    items[block()].low = item.low;
    items[block()].high = item.high;
}

/* Computes the values of ranks [rank, rank + count) of a window, whose columns are in the range. */
template <class V, class O, class C>
GPU_FUNCTION void sum_columns(const factors<V, O, C> &f, const window_room<V> &room, int64_t row,
                              int64_t window_low, column_range range, int rank, int count, V alpha,
                              V *values) {
    sum_in_order(f, room.tile, row, range, room.sums, count,
                 [&](C column) { return room.place_of(column - window_low, rank); });
    for (int s = static_cast<int>(thread()); s < count; s += window_threads) {
        V sum = room.sums.sums[s];
        values[rank + s] = alpha * sum;
    }
    sync();
}

/* Computes the values of a window of so many columns, as many at a time as there is room for. */
template <class V, class O, class C>
GPU_FUNCTION void sum_window(const factors<V, O, C> &f, const window_room<V> &room, int64_t row,
                             int64_t low, int64_t high, int count, V alpha, const C *cols,
                             V *values) {
    const int most = room.shape.sums;
    for (int rank = 0; rank < count; rank += most) {
        int some = count - rank < most ? count - rank : most;
        int64_t from = cols[rank];
        int64_t end = rank + some < count ? static_cast<int64_t>(cols[rank + some]) : high;
        sum_columns(f, room, row, low, column_range{from, end}, rank, some, alpha, values);
    }
}

/* Computes columns and values of each item. before: a scan of the items' counts; first: the
 * first item of each large row. */
template <class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(window_threads,
                        2) void window_compute(factors<V, O, C> f, row_list<C> list,
                                               const int64_t *item_count, window_shape shape,
                                               const window_item *items, const int64_t *first,
                                               const int64_t *before, target<V, C> c) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    if (block() >= load(item_count)) return;
    const window_item item = items[block()];
    shape = shape.within<V>(item.high - item.low);
    window_room<V> room(all, shape, true);
    int64_t row = list.at(item.row_at);
    int64_t to =
        load(c.offsets + row) + load(before + block()) - load(before + load(first + item.row_at));
    V alpha = c.alpha.value();
    for (int64_t low = item.low, next = low; low < item.high; low = next) {
        const int64_t high = least::of(low + shape.columns, item.high);
        next = room.mark(f, row, column_range{low, high}, item.high);
        int count = static_cast<int>(room.template list<false>(low, c.cols + to));
        sum_window(f, room, row, low, high, count, alpha, c.cols + to, c.values + to);
        to += count;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
