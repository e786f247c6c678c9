/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a thread block through the multiplications of a row of C. Threads take multiplications
 * side by side, whatever rows of B these are in: a tile of entries of A gives pieces of rows of B,
 * and the multiplications of all pieces of the tile are numbered from 0 on. Each sum adds its terms
 * in the order of A's row. A batch has one multiplication for each thread. In a batch of few
 * pieces, the pieces take turns. In a batch of many pieces, the first term of each sum is added,
 * then the first of those that are left, a few times; after that, warps take turns with the terms
 * that are left for a few sums. */
#ifndef TULLE_SPGEMM_GPU_TILES_CUH
#define TULLE_SPGEMM_GPU_TILES_CUH

#include "core/search.h"
#include "gpu/rounded.cuh"
#include "spgemm/gpu/multiplications.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A range of columns, [low, high). */
struct column_range {
    int64_t low, high;
};
constexpr column_range every_column = {0, INT64_MAX};

/* Shared memory for a tile in a block of T threads. */
template <class V, int T>
struct tile_room {
    shared<int64_t> warps;  /* room for scans */
    shared<int64_t> starts; /* index in B of the first entry of each piece */
    shared<int64_t> before; /* number of multiplications in all pieces before each piece */
    shared<V> factors;      /* value of A for each piece */
    shared<int> left;       /* two flags, set while some term has not been added; after them the
                               first and the last piece of a batch */

    static constexpr int64_t warp_count = T / warp_lanes;
    static constexpr int64_t numbers = warp_count + int64_t{3} * T + 3;

    GPU_FUNCTION explicit tile_room(shared<int64_t> all)
        : warps(part_of(all, 0, warp_count)),
          starts(part_of(all, warp_count, T)),
          before(part_of(all, warp_count + T, T + 1)),
          factors(part_of(shared<V>(all + warp_count + int64_t{2} * T + 1), 0, T)),
          left(part_of(shared<int>(all + warp_count + int64_t{3} * T + 1), 0, 4)) {}
};

template <int T>
constexpr size_t tile_bytes = (T / warp_lanes + 3 * T + 3) * sizeof(int64_t);

/* The pieces of B's rows that a tile of A's entries meets in some columns. */
template <class V, class O, class C, int T>
struct row_tile {
    const factors<V, O, C> &f;
    const tile_room<V, T> &room;
    column_range range;
    int pieces;
    int64_t multiplications;
    int64_t ahead; /* least column behind the range that this thread has seen */

    /* Takes A's entries from `at` on, at most one for each thread; values: with A's values. */
    template <bool values>
    GPU_FUNCTION void fill(O at, O end) {
        constexpr int count_shift = 52; /* number of pieces, above that of multiplications */
        O start = 0, stop = 0, e = at + static_cast<O>(thread());
        V factor = 0;
        if (e < end) {
            C k = load(f.a_cols + e);
            if (values) factor = load(f.a_values + e);
            start = load(f.b_offsets + k);
            stop = load(f.b_offsets + k + 1);
            if (range.low > 0 || range.high < INT64_MAX) clip(&start, &stop);
        }
        int64_t length = stop - start, all = 0;
        int64_t before = block_scan<int64_t>(length > 0 ? length + (int64_t{1} << count_shift) : 0,
                                             room.warps, &all);
        pieces = static_cast<int>(all >> count_shift);
        multiplications = all & ((int64_t{1} << count_shift) - 1);
        if (length > 0) {
            const int64_t place = before >> count_shift;
            room.starts[place] = start;
            room.before[place] = before & ((int64_t{1} << count_shift) - 1);
            if (values) room.factors[place] = factor;
        }
        if (thread() == 0) room.before[pieces] = multiplications;
        sync();
    }
    /* End of a search for the range's end, which lies near the range's beginning if the range
     * has a small part of the row's columns. */
    GPU_FUNCTION O passed_end(O *first, O last) const {
        O at = *first;
        for (int64_t step = 1; at < last && load(f.b_cols + at) < range.high; step *= 2) {
            *first = at + 1;
            at = last - at > step ? static_cast<O>(at + step) : last;
        }
        return at;
    }
    /* Clips a row of B to the range; searches only where the row reaches beyond it. */
    GPU_FUNCTION void clip(O *start, O *stop) {
        O first = *start, last = *stop;
        if (first == last) return;
        const C least_column = load(f.b_cols + first), last_column = load(f.b_cols + last - 1);
        if (least_column < range.low) {
            TULLE__LOWER_BOUND(first, last, q, load(f.b_cols + q) < range.low);
            *start = first;
        }
        last = *stop;
        if (last_column >= range.high) {
            constexpr int64_t small_part = 16;
            const int64_t reach = last_column - int64_t{least_column};
            if (range.high - range.low < reach / small_part) last = passed_end(&first, last);
            TULLE__LOWER_BOUND(first, last, q, load(f.b_cols + q) < range.high);
            *stop = first;
            ahead = least::of(ahead, load(f.b_cols + first));
        }
    }
    /* Returns the piece of a multiplication of the tile. */
    GPU_FUNCTION int piece_of(int64_t multiplication) const {
        int piece = 0;
        TULLE__LOWER_BOUND(piece, pieces, p, room.before[p + 1] <= multiplication);
        return piece;
    }
    GPU_FUNCTION int64_t entry_of(int64_t multiplication, int piece) const {
        int64_t start = room.starts[piece], before = room.before[piece];
        return start + multiplication - before;
    }
};

/* Finds the range of the columns of a row of C: B's rows begin and end with the least and the
 * last of theirs. */
template <class V, class O, class C, int T>
GPU_FUNCTION column_range columns_of_row(const factors<V, O, C> &f, const tile_room<V, T> &room,
                                         int64_t row) {
    column_span span;
    O end = load(f.a_offsets + row + 1);
    for (O e = load(f.a_offsets + row) + static_cast<O>(thread()); e < end; e += T) span.see(f, e);
    const int64_t low = block_extreme<least>(span.low, room.warps);
    return {low, block_extreme<most>(span.high, room.warps) + 1};
}

/* Number of multiplications of a thread that are loaded together. */
constexpr int sweep_steps = 4;

/* Calls each(column) for every multiplication of a row of A with a column in the range, in any
 * order. If the rows of B are long, each warp takes one of them at a time. Returns the least column
 * beyond the range that this thread met. */
template <class V, class O, class C, int T, class Each>
GPU_FUNCTION int64_t sweep(const factors<V, O, C> &f, const tile_room<V, T> &room, int64_t row,
                           column_range range, Each each) {
    O end = load(f.a_offsets + row + 1);
    row_tile<V, O, C, T> tile{f, room, range, 0, 0, INT64_MAX};
    for (O at = load(f.a_offsets + row); at < end; at += T) {
        tile.template fill<false>(at, end);
        if (tile.multiplications >= tile.pieces * long_entries) {
            for (int piece = static_cast<int>(thread()) / warp_lanes; piece < tile.pieces;
                 piece += T / warp_lanes) {
                int64_t first = room.before[piece], last = room.before[piece + 1];
                int64_t start = room.starts[piece];
                for (int64_t k = lane(); k < last - first; k += warp_lanes) {
                    each(load(f.b_cols + start + k));
                }
            }
        } else {
            for (int64_t first = thread(); first < tile.multiplications;
                 first += int64_t{sweep_steps} * T) {
                C columns[sweep_steps];
                GPU_UNROLL
                for (int u = 0; u < sweep_steps; u++) {
                    const int64_t p = first + int64_t{u} * T;
                    columns[u] = p < tile.multiplications
                                     ? load(f.b_cols + tile.entry_of(p, tile.piece_of(p)))
                                     : C(0);
                }
                GPU_UNROLL
                for (int u = 0; u < sweep_steps; u++) {
                    if (first + int64_t{u} * T < tile.multiplications) each(columns[u]);
                }
            }
        }
        sync();
    }
    return tile.ahead;
}

/* Number of pieces of a batch up to which it is added by turns; more are added by rounds, which
 * cost more. */
constexpr int most_turns = 12;

/* Number of rounds of the block, each with two barriers, after which warps go on by themselves:
 * where many multiplications of a batch meet in one column, a round adds only one of these. */
constexpr int block_rounds = 4;

/* A row's sums, and for each a number of the thread and round that adds next: rounds grow, and
 * threads fall, so that the greatest is that of the first thread of the last round. */
template <class V, int T>
struct sum_room {
    shared<V> sums;
    shared<int> next;

    static constexpr int most_rounds = INT32_MAX / T - 1;

    GPU_FUNCTION void clear(int count) const {
        for (int s = static_cast<int>(thread()); s < count; s += T) sums[s] = 0;
        start_rounds(count);
    }
    GPU_FUNCTION void start_rounds(int count) const {
        for (int s = static_cast<int>(thread()); s < count; s += T) next[s] = 0;
        sync();
    }
    /* Adds one term of each thread, whose piece is less than 0 where there is none, piece by
     * piece. */
    GPU_FUNCTION void add_by_turns(int piece, int first, int last, int place, V term) const {
        for (int turn = first; turn <= last; turn++) {
            if (turn == piece) sums[place] += term;
            sync();
        }
    }
    GPU_FUNCTION static int bid_of(int round) {
        return round * T + (T - 1 - static_cast<int>(thread()));
    }
    /* Adds the terms that wait, one warp after the other, of whose lanes the first of each
     * sum add. */
    GPU_FUNCTION void add_by_warps(bool there, int place, V term, int *round) const {
        const int warp = static_cast<int>(thread()) / warp_lanes;
        for (int turn = 0; turn < T / warp_lanes; turn++) {
            for (int at = *round; turn == warp && any(full_warp, there);) {
                const int bid = bid_of(++at);
                if (there) atomic_max(next + place, bid);
                sync_warp(full_warp);
                int first = there ? static_cast<int>(next[place]) : 0;
                if (there && first == bid) {
                    sums[place] += term;
                    there = false;
                }
                sync_warp(full_warp);
            }
            *round += warp_lanes; /* a warp takes no more rounds */
            sync();
        }
    }
    /* Adds one term of each thread, or none, in the order of the threads. left: two zeros. */
    GPU_FUNCTION void add_by_rounds(bool there, int place, V term, shared<int> left,
                                    int *round) const {
        const int last = *round + block_rounds;
        for (int flag = 0;; flag ^= 1) {
            const int bid = bid_of(++*round);
            if (there) atomic_max(next + place, bid);
            sync();
            if (thread() == 0) left[flag ^ 1] = 0;
            int first = there ? static_cast<int>(next[place]) : 0;
            if (there && first == bid) {
                sums[place] += term;
                there = false;
            }
            if (there) atomic_exchange(left + flag, 1);
            sync();
            int waiting = left[flag];
            if (waiting == 0) return;
            if (*round < last) continue;
            add_by_warps(there, place, term, round);
            if (thread() == 0) left[flag] = 0;
            return;
        }
    }
};

/* A multiplication of a batch that a thread has asked memory for; its piece is less than 0 where it
 * has none. */
template <class V, class C>
struct batch_multiplication {
    int piece;
    C column;
    V a, b;

    template <class O, int T>
    GPU_FUNCTION batch_multiplication(const row_tile<V, O, C, T> &tile, int64_t p)
        : piece(-1), column(0), a(0), b(0) {
        if (p >= tile.multiplications) return;
        piece = tile.piece_of(p);
        const int64_t entry = tile.entry_of(p, piece);
        column = load(tile.f.b_cols + entry);
        b = load(tile.f.b_values + entry);
        a = tile.room.factors[piece];
    }
};

/* Adds up all terms of the row in the range: `count` sums, at place_of(column). The next
 * batch is on its way while one is added. */
template <class V, class O, class C, int T, class PlaceOf>
GPU_FUNCTION void sum_in_order(const factors<V, O, C> &f, const tile_room<V, T> &room, int64_t row,
                               column_range range, const sum_room<V, T> &to, int count,
                               PlaceOf place_of) {
    O end = load(f.a_offsets + row + 1);
    row_tile<V, O, C, T> tile{f, room, range, 0, 0, INT64_MAX};
    int round = 0;
    if (thread() < 2) room.left[thread()] = 0;
    to.clear(count);
    for (O at = load(f.a_offsets + row); at < end; at += T) {
        tile.template fill<true>(at, end);
        batch_multiplication<V, C> next(tile, thread());
        for (int64_t first = 0; first < tile.multiplications; first += T) {
            if (round > to.most_rounds - 2 * T) {
                to.start_rounds(count);
                round = 0;
            }
            const batch_multiplication<V, C> now = next;
            const bool there = now.piece >= 0;
            next = batch_multiplication<V, C>(tile, first + T + thread());
            if (thread() == 0) room.left[2] = now.piece;
            if (first + thread() == least::of(first + T, tile.multiplications) - 1) {
                room.left[3] = now.piece;
            }
            const int place = there ? place_of(now.column) : 0;
            const V term = there ? rounded_product(now.a, now.b) : V(0);
            sync();
            int from = room.left[2], until = room.left[3];
            if (until - from < most_turns) {
                to.add_by_turns(now.piece, from, until, place, term);
            } else {
                to.add_by_rounds(there, place, term, room.left, &round);
            }
        }
        sync();
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
