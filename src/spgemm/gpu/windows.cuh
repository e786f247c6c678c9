/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of many products: a block takes a row, or, of a giant row, an item: some of its columns. It
 * goes through the columns window by window. In a window, a bitmap says which columns there are, so
 * that counting and sorting them is counting bits; then the sums, whose places the bitmap says, add
 * their products in the order of A's row.
 *
 * Threads take products side by side, whatever rows of B they are in: a tile of A's entries is cut
 * into pieces of B's rows, and the products of all pieces are numbered through. Where they are
 * added up, pieces take turns. */
#ifndef TULLE_SPGEMM_GPU_WINDOWS_CUH
#define TULLE_SPGEMM_GPU_WINDOWS_CUH

#include "core/search.h"
#include "gpu/scan.cuh"
#include "spgemm/gpu/kinds.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int window_threads = 256, window_columns = 32768, window_words = window_columns / 32;
constexpr int words_a_thread = window_words / window_threads;
constexpr int window_sums = 2048; /* at a time */

/* A giant row is cut so that an item has about so many products, if they are spread evenly, and no
 * fewer columns than a window. */
constexpr int64_t item_products = 1 << 17;

struct window_item {
    int64_t row_at;    /* in the list of large rows */
    int64_t low, high; /* columns; counting narrows them to what there is */
};

GPU_FUNCTION int64_t items_of(int64_t products, int64_t cols) {
    int64_t wanted = products / item_products, most = cols / window_columns + 1;
    if (wanted > most) wanted = most;
    return wanted > 1 ? wanted : 1;
}

/* first[r] := the items of large row r, for a scan; first[count] := 0. */
template <class C>
GPU_KERNEL void count_items(row_list<C> list, int64_t cols, const int64_t *products,
                            int64_t *first) {
    for (int64_t r = loop_first(); r <= list.count; r += loop_stride()) {
        first[r] = r < list.count ? items_of(load(products + list.at(r)), cols) : 0;
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

/* counts[row] := the entries of all items of each large row. before: a scan of the items' counts.
 */
template <class C>
GPU_KERNEL void add_items(row_list<C> list, const int64_t *first, const int64_t *before,
                          int64_t *counts) {
    for (int64_t r = loop_first(); r < list.count; r += loop_stride()) {
        counts[list.at(r)] = load(before + load(first + r + 1)) - load(before + load(first + r));
    }
}

/* What a block has in shared memory. */
template <class V, class O>
struct window_room {
    shared<int64_t> warps;  /* for scans */
    shared<int64_t> starts; /* of the tile's pieces in B */
    shared<int64_t> before; /* the products of the tile that stand before each piece */
    shared<V> factors;      /* A's values */
    shared<unsigned> bits;  /* of the window */
    shared<int> ranks;      /* the bits before each word */
    shared<V> sums;
};

constexpr int64_t room_warps = window_threads / warp_lanes;

template <class V>
constexpr size_t window_bytes(bool compute) {
    size_t bytes = (room_warps + 2 * window_threads + 1) * sizeof(int64_t);
    bytes += window_threads * sizeof(double) + window_words * sizeof(unsigned);
    return compute ? bytes + window_words * sizeof(int) + window_sums * sizeof(V) : bytes;
}

/* compute: with what only the sums need. */
template <class V, class O>
GPU_FUNCTION window_room<V, O> window_parts(shared<int64_t> all, bool compute) {
    constexpr int64_t starts = room_warps, before = starts + window_threads,
                      factors = before + window_threads + 1, rest = factors + window_threads;
    window_room<V, O> room;
    room.warps = part_of(all, 0, room_warps);
    room.starts = part_of(all, starts, window_threads);
    room.before = part_of(all, before, window_threads + 1);
    room.factors = part_of(shared<V>(all + factors), 0, window_threads);
    shared<unsigned> words = shared<unsigned>(all + rest);
    room.bits = part_of(words, 0, window_words);
    if (!compute) return room;
    room.ranks = part_of(shared<int>(words + window_words), 0, window_words);
    room.sums = part_of(shared<V>(words + 2 * window_words), 0, window_sums);
    return room;
}

/* The pieces of B's rows that a tile of A's entries meets in some columns. */
template <class V, class O, class C>
struct window_tile {
    const factors<V, O, C> &f;
    const window_room<V, O> &room;
    int64_t low, high; /* columns */
    int pieces;
    int64_t products;

    /* A's entries from `at` on, at most a thread's number of them. */
    GPU_FUNCTION void fill(O at, O end) {
        O start = 0, stop = 0, e = at + static_cast<O>(thread());
        if (e < end) {
            C k = load(f.a_cols + e);
            start = load(f.b_offsets + k);
            stop = load(f.b_offsets + k + 1);
            O last = stop;
            TULLE__LOWER_BOUND(start, stop, q, load(f.b_cols + q) < low);
            stop = start;
            TULLE__LOWER_BOUND(stop, last, q, load(f.b_cols + q) < high);
        }
        int64_t length = stop - start, some = 0;
        int64_t place = block_scan<int64_t>(length > 0, room.warps, &some);
        int64_t sum = block_scan<int64_t>(length, room.warps, &products);
        pieces = static_cast<int>(some);
        if (length > 0) {
            room.starts[place] = start;
            room.before[place] = sum;
            room.factors[place] = load(f.a_values + e);
        }
        if (thread() == 0) room.before[some] = products;
        sync();
    }
    /* The piece of a product of the tile. */
    GPU_FUNCTION int piece_of(int64_t product) const {
        int low_piece = 0;
        TULLE__LOWER_BOUND(low_piece, pieces, p, room.before[p + 1] <= product);
        return low_piece;
    }
    GPU_FUNCTION int64_t entry_of(int64_t product, int piece) const {
        int64_t start = room.starts[piece], before = room.before[piece];
        return start + product - before;
    }
};

/* Calls each(tile, product) for products of all of A's row in [low, high), in no order. */
template <class V, class O, class C, class Each>
GPU_FUNCTION void sweep_window(const factors<V, O, C> &f, const window_room<V, O> &room,
                               int64_t row, int64_t low, int64_t high, Each each) {
    O end = load(f.a_offsets + row + 1);
    window_tile<V, O, C> tile{f, room, low, high, 0, 0};
    for (O at = load(f.a_offsets + row); at < end; at += window_threads) {
        tile.fill(at, end);
        for (int64_t p = thread(); p < tile.products; p += window_threads) each(tile, p);
        sync();
    }
}

template <class V, class O>
GPU_FUNCTION void clear_bits(const window_room<V, O> &room) {
    for (int w = static_cast<int>(thread()); w < window_words; w += window_threads) {
        room.bits[w] = 0;
    }
    sync();
}

template <class V, class O, class C>
GPU_FUNCTION void mark_columns(const factors<V, O, C> &f, const window_room<V, O> &room,
                               int64_t row, int64_t low, int64_t high) {
    clear_bits(room);
    sweep_window(f, room, row, low, high, [&](const window_tile<V, O, C> &tile, int64_t p) {
        int64_t bit = load(f.b_cols + tile.entry_of(p, tile.piece_of(p))) - low;
        atomic_or(room.bits + bit / 32, 1u << bit % 32);
    });
}

GPU_FUNCTION int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The columns that the row has between low and high: B's rows begin and end with the least and the
 * last of theirs. */
template <class V, class O, class C>
GPU_FUNCTION void narrow(const factors<V, O, C> &f, const window_room<V, O> &room, int64_t row,
                         window_item *item) {
    int64_t low = item->high, high = item->low;
    O end = load(f.a_offsets + row + 1);
    for (O e = load(f.a_offsets + row) + static_cast<O>(thread()); e < end; e += window_threads) {
        C k = load(f.a_cols + e);
        O start = load(f.b_offsets + k), stop = load(f.b_offsets + k + 1);
        if (start == stop) continue;
        int64_t first = load(f.b_cols + start), last = load(f.b_cols + stop - 1) + int64_t{1};
        low = lesser(low, first);
        if (last > high) high = last;
    }
    low = block_reduce<least>(low, room.warps);
    high = block_reduce<most>(high, room.warps);
    if (thread() == 0) {
        room.starts[0] = low > item->low ? low : item->low;
        room.starts[1] = lesser(high, item->high);
    }
    sync();
    item->low = room.starts[0];
    item->high = room.starts[1];
    sync();
}

/* counts[item] := columns that an item has, whose own are narrowed. The first of *item_count. */
template <class V, class O, class C>
GPU_KERNEL void window_count(factors<V, O, C> f, row_list<C> list, const int64_t *item_count,
                             window_item *items, int64_t *counts) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    if (block() >= load(item_count)) return;
    window_room<V, O> room = window_parts<V, O>(all, false);
    window_item item = items[block()];
    int64_t row = list.at(item.row_at), count = 0;
    narrow(f, room, row, &item);
    for (int64_t low = item.low; low < item.high; low += window_columns) {
        mark_columns(f, room, row, low, lesser(low + window_columns, item.high));
        for (int w = static_cast<int>(thread()); w < window_words; w += window_threads) {
            unsigned bits = room.bits[w];
            count += count_bits(bits);
        }
        sync();
    }
    count = block_reduce<total>(count, room.warps);
    if (thread() != 0) return;
    counts[block()] = count;
    items[block()].low = item.low;
    items[block()].high = item.high;
}

/* The bits before each word, and the columns of all; returns how many. */
template <class V, class O, class C>
GPU_FUNCTION int64_t list_columns(const window_room<V, O> &room, int64_t low, C *cols) {
    int first = static_cast<int>(thread()) * words_a_thread;
    int64_t own = 0, all = 0;
    for (int w = first; w < first + words_a_thread; w++) {
        unsigned bits = room.bits[w];
        own += count_bits(bits);
    }
    int64_t rank = block_scan(own, room.warps, &all);
    for (int w = first; w < first + words_a_thread; w++) {
        room.ranks[w] = static_cast<int>(rank);
        for (unsigned bits = room.bits[w]; bits != 0; bits &= bits - 1) {
            cols[rank++] = static_cast<C>(low + w * 32 + first_bit(bits));
        }
    }
    sync();
    return all;
}

/* Adds the products of a tile, pieces in their order; rank: of the first sum. */
template <class V, class O, class C>
GPU_FUNCTION void add_in_turn(const window_tile<V, O, C> &tile, int64_t window_low, int rank) {
    const window_room<V, O> &room = tile.room;
    for (int64_t first = 0; first < tile.products; first += window_threads) {
        int64_t p = first + thread(), last = lesser(first + window_threads, tile.products) - 1;
        int piece = -1, place = 0;
        V product = 0;
        if (p <= last) {
            piece = tile.piece_of(p);
            int64_t entry = tile.entry_of(p, piece);
            int64_t bit = load(tile.f.b_cols + entry) - window_low;
            unsigned word = room.bits[bit / 32];
            int before = room.ranks[bit / 32];
            place = before + count_bits(word & ((1u << bit % 32) - 1u)) - rank;
            V factor = room.factors[piece];
            product = factor * load(tile.f.b_values + entry);
        }
        int turn_end = tile.piece_of(last);
        for (int turn = tile.piece_of(first); turn <= turn_end; turn++) {
            if (turn == piece) room.sums[place] += product;
            sync();
        }
    }
}

/* The values of ranks [rank, rank + count) of a window, whose columns are in [low, high). */
template <class V, class O, class C>
GPU_FUNCTION void sum_columns(const factors<V, O, C> &f, const window_room<V, O> &room, int64_t row,
                              int64_t window_low, int64_t low, int64_t high, int rank, int count,
                              V alpha, V *values) {
    for (int s = static_cast<int>(thread()); s < count; s += window_threads) room.sums[s] = 0;
    O end = load(f.a_offsets + row + 1);
    window_tile<V, O, C> tile{f, room, low, high, 0, 0};
    for (O at = load(f.a_offsets + row); at < end; at += window_threads) {
        tile.fill(at, end);
        add_in_turn(tile, window_low, rank);
        sync();
    }
    for (int s = static_cast<int>(thread()); s < count; s += window_threads) {
        V sum = room.sums[s];
        values[rank + s] = alpha * sum;
    }
    sync();
}

/* Columns and values of each item. before: a scan of the items' counts; first: the first item of
 * each large row. */
template <class V, class O, class C>
GPU_KERNEL void window_compute(factors<V, O, C> f, row_list<C> list, const int64_t *item_count,
                               const window_item *items, const int64_t *first,
                               const int64_t *before, target<V, C> c) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    if (block() >= load(item_count)) return;
    window_room<V, O> room = window_parts<V, O>(all, true);
    window_item item = items[block()];
    int64_t row = list.at(item.row_at);
    int64_t to =
        load(c.offsets + row) + load(before + block()) - load(before + load(first + item.row_at));
    V alpha = c.alpha.value();
    for (int64_t low = item.low; low < item.high; low += window_columns) {
        int64_t high = lesser(low + window_columns, item.high);
        mark_columns(f, room, row, low, high);
        int count = static_cast<int>(list_columns(room, low, c.cols + to));
        for (int rank = 0; rank < count; rank += window_sums) {
            int some = static_cast<int>(lesser(window_sums, count - rank));
            int64_t from = c.cols[to + rank];
            int64_t end =
                rank + some < count ? static_cast<int64_t>(c.cols[to + rank + some]) : high;
            sum_columns(f, room, row, low, from, end, rank, some, alpha, c.values + to);
        }
        to += count;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
