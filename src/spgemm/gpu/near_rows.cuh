/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of C whose columns lie near each other, as those of meshes do. A warp has a bitmap with
 * one bit for each column from the first to the last one. The number of bits is the number of
 * entries, and the number of bits before a column is the index of its sum, so that nothing is
 * sorted. */
#ifndef TULLE_SPGEMM_GPU_NEAR_ROWS_CUH
#define TULLE_SPGEMM_GPU_NEAR_ROWS_CUH

#include "gpu/rounded.cuh"
#include "gpu/scan.cuh"
#include "spgemm/gpu/warp_walk.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int near_threads = 128, near_warps = near_threads / warp_lanes;
constexpr int near_words = near_columns / 32, near_ranks = near_words / 2;
constexpr int near_sums = near_entries; /* number of sums at a time */
constexpr int near_blocks = 5;          /* number of blocks that shared memory lets run at once */
constexpr int near_steps = 4; /* number of multiplications of a lane that are loaded together */

/* Average number of entries of the rows of B from which it takes fewer instructions to mark
 * columns row by row. */
constexpr int64_t wide_entries = 48;

/* Twins are neighbouring rows of A with the same columns, such as the rows of several unknowns
 * of one node. The warp of the first twin counts for all of them. A chain of twins has at most
 * near_twins rows, a multiple of 2, 3, 4 and 6 unknowns. Rows are computed without twins,
 * because computing waits for memory, and would wait longer with fewer warps. */
constexpr int near_twins = 12;

/* Returns true when a row is the twin of the row before it; all lanes of a warp call this
 * together. */
template <class V, class O, class C>
GPU_FUNCTION bool is_twin(const factors<V, O, C> &f, int64_t row) {
    if (row % near_twins == 0) return false;
    O before = load(f.a_offsets + row - 1), begin = load(f.a_offsets + row);
    O length = load(f.a_offsets + row + 1) - begin;
    if (begin - before != length) return false;
    bool same = true;
    for (O e = static_cast<O>(lane()); same && e < length; e += warp_lanes) {
        same = load(f.a_cols + before + e) == load(f.a_cols + begin + e);
    }
    return all(full_warp, same);
}

/* Returns the number of rows from this one on that are twins of it. */
template <class V, class O, class C>
GPU_FUNCTION int twins_from(const factors<V, O, C> &f, int64_t row) {
    int rows = 1;
    while (row + rows < f.rows && is_twin(f, row + rows)) rows++;
    return rows;
}

/* An entry of A's row that a lane holds, and that the other lanes read from it. */
template <class V, class O>
struct near_entry {
    O start, stop; /* range of the entry's row of B */
    V value;
};

/* Some multiplications with a row of B, whose columns and values a lane has asked for. */
template <class V, class O, class C, bool values>
struct near_multiplications_of {
    near_entry<V, O> entry;
    O q; /* the lane's first entry of B */
    C cols[near_steps];
    V b[near_steps];

    GPU_FUNCTION void fetch(const factors<V, O, C> &f) {
        GPU_UNROLL
        for (int u = 0; u < near_steps; u++) {
            O at = q + static_cast<O>(u) * warp_lanes;
            bool there = at < entry.stop;
            cols[u] = there ? load(f.b_cols + at) : 0;
            if (values) b[u] = there ? load(f.b_values + at) : 0;
        }
    }
    template <class Each>
    GPU_FUNCTION void use(Each each) const {
        GPU_UNROLL
        for (int u = 0; u < near_steps; u++) {
            if (q + static_cast<O>(u) * warp_lanes < entry.stop) {
                each(cols[u], values ? rounded_product(entry.value, b[u]) : V(0));
            }
        }
    }
};

/* Calls each(column, term) for all multiplications of the row. The multiplications of one entry of
 * A come before those of the next entry, which are loaded meanwhile. */
template <bool values, class V, class O, class C, class Each>
GPU_FUNCTION void each_multiplication(const factors<V, O, C> &f, int64_t row, Each each) {
    O begin = load(f.a_offsets + row), end = load(f.a_offsets + row + 1);
    for (O at = begin; at < end; at += warp_lanes) {
        near_entry<V, O> own = {0, 0, 0};
        O e = at + static_cast<O>(lane());
        if (e < end) {
            C k = load(f.a_cols + e);
            own = {load(f.b_offsets + k), load(f.b_offsets + k + 1),
                   values ? load(f.a_values + e) : V(0)};
        }
        int count = end - at < warp_lanes ? static_cast<int>(end - at) : warp_lanes;
        near_multiplications_of<V, O, C, values> now, next;
        for (int m = -1; m < count; m++) {
            if (m + 1 < count) {
                next.entry = {shuffle(full_warp, own.start, m + 1),
                              shuffle(full_warp, own.stop, m + 1),
                              shuffle(full_warp, own.value, m + 1)};
                next.q = next.entry.start + static_cast<O>(lane());
                next.fetch(f);
            }
            if (m >= 0) {
                now.use(each);
                for (O q = now.q + near_steps * warp_lanes; q < now.entry.stop; q += warp_lanes) {
                    each(load(f.b_cols + q),
                         values ? rounded_product(now.entry.value, load(f.b_values + q)) : V(0));
                }
                if (values) sync_warp(full_warp);
            }
            now = next;
        }
    }
}

/* The range of columns of a row of C, and the shared memory in which a warp computes the row. */
template <class V>
struct near_row {
    int64_t low;
    int words;
    bool is_long; /* true when the rows of B have long_entries entries or more, on average */
    bool is_wide; /* true when the rows of B have wide_entries entries or more, on average */
    shared<unsigned> bits;
    shared<unsigned> ranks; /* number of bits in the words before each word of `bits`; two such
                               counts of 16 bits share an unsigned */
    shared<V> sums;

    template <class O, class C>
    GPU_FUNCTION void measure(const factors<V, O, C> &f, int64_t row) {
        column_span span;
        int64_t multiplications = 0;
        O begin = load(f.a_offsets + row), end = load(f.a_offsets + row + 1);
        for (O e = begin + static_cast<O>(lane()); e < end; e += warp_lanes) {
            span.see(f, e);
            multiplications += row_length(f, e);
        }
        multiplications = warp_reduce<total>(multiplications);
        is_long = multiplications >= (end - begin) * long_entries;
        is_wide = multiplications >= (end - begin) * wide_entries;
        low = warp_reduce<least>(span.low);
        words = static_cast<int>((warp_reduce<most>(span.high) - low) / 32 + 1);
    }
    GPU_FUNCTION void clear() const {
        for (int w = static_cast<int>(lane()); w < words; w += warp_lanes) bits[w] = 0;
        sync_warp(full_warp);
    }
    template <class C>
    GPU_FUNCTION void set(C column) const {
        unsigned bit = static_cast<unsigned>(column) - base();
        atomic_or(bits + bit / 32, 1u << bit % 32);
    }
    template <class O, class C>
    GPU_FUNCTION void mark(const factors<V, O, C> &f, int64_t row) const {
        clear();
        if (is_wide) {
            each_multiplication<false>(f, row, [&](C column, V) { set(column); });
        } else {
            warp_sweep(f, row, [&](C column) { set(column); });
        }
        sync_warp(full_warp);
    }
    /* Base of differences of columns, which fit in 32 bits, whatever the columns are. */
    GPU_FUNCTION unsigned base() const { return static_cast<unsigned>(low); }
    /* Marks the columns of a row whose columns are known. */
    template <class C>
    GPU_FUNCTION void mark_known(const C *cols, int count) {
        low = load(cols);
        words = static_cast<int>((load(cols + count - 1) - low) / 32 + 1);
        clear();
        for (int k = static_cast<int>(lane()); k < count; k += warp_lanes) set(load(cols + k));
        sync_warp(full_warp);
    }
    GPU_FUNCTION int count() const {
        int found = 0;
        for (int w = static_cast<int>(lane()); w < words; w += warp_lanes) {
            unsigned some = bits[w];
            found += count_bits(some);
        }
        return warp_reduce<total>(found);
    }
    /* Fills ranks, a lane two neighbouring words at a time, and the columns unless they are
     * known. */
    template <bool known, class C>
    GPU_FUNCTION void list(C *cols) const {
        int before = 0;
        for (int first = 0; first < words; first += 2 * warp_lanes) {
            int w = first + 2 * static_cast<int>(lane());
            unsigned left = w < words ? static_cast<unsigned>(bits[w]) : 0;
            unsigned right = w + 1 < words ? static_cast<unsigned>(bits[w + 1]) : 0;
            int both = count_bits(left) + count_bits(right), with = warp_scan(both);
            int rank = before + with - both, middle = rank + count_bits(left);
            if (w < words) ranks[w / 2] = static_cast<unsigned>(rank | middle << 16);
            before += shuffle(full_warp, with, warp_lanes - 1);
            if constexpr (!known) {
                write_word(w, left, cols + rank);
                write_word(w + 1, right, cols + middle);
            }
        }
        sync_warp(full_warp);
    }
    template <class C>
    GPU_FUNCTION void write_word(int w, unsigned some, C *cols) const {
        for (; some != 0; some &= some - 1) {
            *cols++ = static_cast<C>(low + int64_t{w} * 32 + first_bit(some));
        }
    }
    GPU_FUNCTION int rank_of(unsigned bit) const {
        unsigned word = bits[bit / 32], pair = ranks[bit / 64];
        int before = static_cast<int>(pair >> (bit / 2 & 16) & 0xffffu);
        return before + count_bits(word & ((1u << bit % 32) - 1u));
    }
    /* Computes the values of ranks [rank, rank + some). */
    template <class O, class C>
    GPU_FUNCTION void sum(const factors<V, O, C> &f, int64_t row, int rank, int some, V alpha,
                          V *values) const {
        for (int s = static_cast<int>(lane()); s < some; s += warp_lanes) sums[s] = 0;
        sync_warp(full_warp);
        auto place_of = [&](C column) {
            return static_cast<unsigned>(rank_of(static_cast<unsigned>(column) - base()) - rank);
        };
        const unsigned places = static_cast<unsigned>(some);
        if (is_long) {
            each_multiplication<true>(f, row, [&](C column, V term) {
                unsigned place = place_of(column);
                if (place < places) sums[place] += term;
            });
        } else {
            warp_walk(f, row, [&](lane_multiplication<V, C> p) {
                unsigned place = p.there ? place_of(p.column) : places;
                p.there = place < places;
                add_by_parts(p, sums, static_cast<int>(place));
            });
        }
        for (int s = static_cast<int>(lane()); s < some; s += warp_lanes) {
            V v = sums[s];
            values[rank + s] = alpha * v;
        }
        sync_warp(full_warp);
    }
};

template <class V>
constexpr size_t near_bytes(bool compute) {
    size_t warp = near_words * sizeof(unsigned);
    if (compute) warp += near_ranks * sizeof(unsigned) + near_sums * sizeof(V);
    return warp * near_warps;
}

/* Returns the part of the shared memory of a computing block that belongs to one warp and its
 * row. */
template <class V>
GPU_FUNCTION near_row<V> near_room(shared<V> all, int64_t warp) {
    shared<unsigned> words = shared<unsigned>(all + near_warps * near_sums);
    near_row<V> near;
    near.sums = part_of(all, warp * near_sums, near_sums);
    near.bits = part_of(words, warp * near_words, near_words);
    near.ranks = part_of(words, int64_t{near_warps} * near_words + warp * near_ranks, near_ranks);
    return near;
}

/* counts[row] := the number of entries of C's row, for each row of the list. */
template <class V, class O, class C>
GPU_KERNEL void near_count(factors<V, O, C> f, row_list<C> list, int64_t *counts) {
    GPU_DYNAMIC_SHARED(unsigned, all);
    const int64_t warp = thread() / warp_lanes;
    int64_t r = static_cast<int64_t>(block()) * near_warps + warp;
    if (r >= list.count) return;
    int64_t row = list.at(r);
    if (is_twin(f, row)) return;
    near_row<V> near;
    near.bits = part_of(all, warp * near_words, near_words);
    near.measure(f, row);
    near.mark(f, row);
    int count = near.count(), rows = twins_from(f, row);
    if (static_cast<int>(lane()) < rows) counts[row + lane()] = count;
}

template <class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(near_threads, near_blocks) void near_compute(factors<V, O, C> f,
                                                                     row_list<C> list,
                                                                     target<V, C> c) {
    GPU_DYNAMIC_SHARED(V, all);
    const int64_t warp = thread() / warp_lanes;
    int64_t r = static_cast<int64_t>(block()) * near_warps + warp;
    if (r >= list.count) return;
    int64_t row = list.at(r), first = load(c.offsets + row);
    int count = static_cast<int>(load(c.offsets + row + 1) - first);
    near_row<V> near = near_room(all, warp);
    near.measure(f, row);
    near.mark(f, row);
    near.template list<false>(c.cols + first);
    V alpha = c.alpha.value();
    for (int rank = 0; rank < count; rank += near_sums) {
        int some = count - rank < near_sums ? count - rank : near_sums;
        near.sum(f, row, rank, some, alpha, c.values + first);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
