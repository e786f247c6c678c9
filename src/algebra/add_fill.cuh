/* SPDX-License-Identifier: Apache-2.0 */
/* The second pass of a sum: makes C's entries from the marks of the first pass; a warp makes 32
 * neighbours at a time. No columns are compared, and no thread waits for another. */
#ifndef TULLE_ALGEBRA_ADD_FILL_CUH
#define TULLE_ALGEBRA_ADD_FILL_CUH

#include "algebra/add_strips.cuh"
#include "algebra/add_tile.cuh"
#include "core/types.h"
#include "gpu/scalar.cuh"

namespace TULLE_GPU_NAMESPACE {

/* C's arrays; offset_size is the size of an offset in bytes. */
template <class V, class C>
struct add_result {
    int64_t offset_size;
    void *offsets;
    C *cols;
    V *values;

    GPU_FUNCTION void put_offset(int64_t row, int64_t offset) const {
        tulle__put(offsets, offset_size, row, offset);
    }
};

/* The values of A and B, and their factors. */
template <class V>
struct add_values {
    const V *a, *b;
    scalar<V> alpha, beta;
};

/* Results of the first pass. before: number of entries of C before each piece, and in all. */
struct add_found {
    const int64_t *before;
    const add_marks *marks;
    const uint16_t *row_ends;
};

/* The places of an entry of C in A and in B, for each operand that has the entry. */
struct fill_place {
    bool in_a, in_b;
    int a, b;
};

/* The words of marks of a warp, one in each of the first lanes, and the numbers of entries of A and
 * B in the piece before each word, 16 bits each. */
struct fill_marks {
    add_marks own;
    unsigned before;

    GPU_FUNCTION static unsigned count(const add_marks &word) {
        return two::of(count_bits(word.at[0]), count_bits(word.at[1]));
    }
    /* Loads `some` words of a piece, from word `first` on. */
    GPU_FUNCTION fill_marks(const add_marks *piece, int first, int some) : own{}, before(0) {
        unsigned others = 0;
        const int me = static_cast<int>(lane());
        if (me < some) own = load(piece + first + me);
        const unsigned with = warp_scan(count(own));
        before = with - count(own);
        if (first == 0) return;
        GPU_KEEP_LOOP
        for (int w = me; w < first; w += warp_lanes) others += count(load(piece + w));
        before += shuffle(full_warp, warp_scan(others), warp_lanes - 1);
    }
    /* Returns the places of the entry that the lane has in word w. */
    GPU_FUNCTION fill_place place(int w) const {
        const unsigned of_a = shuffle(full_warp, own.at[0], w);
        const unsigned of_b = shuffle(full_warp, own.at[1], w);
        const two so_far = {shuffle(full_warp, before, w)};
        const unsigned mine = 0x80000000u >> lane(), above = ~(mine | (mine - 1));
        return {(of_a & mine) != 0, (of_b & mine) != 0, so_far.a() + count_bits(of_a & above),
                so_far.b() + count_bits(of_b & above)};
    }
};

/* Returns the value of an entry that is in A, in B, or in both. A zero in place of a missing value
 * would change the sign of -0. */
template <class V>
GPU_FUNCTION V sum_of(const fill_place &place, V alpha, V a, V beta, V b) {
    const V a_part = alpha * a, b_part = beta * b, both = alpha * a + b_part;
    return !place.in_b ? a_part : place.in_a ? both : b_part;
}

/* Pointers for the entries of a warp: columns and values of its piece's first entries in A and B,
 * and the places of its own first entry in C. `flight` is the number of words that are loaded at a
 * time. */
template <class V, class C>
struct add_filling {
    static constexpr int flight = 4;

    const C *a_cols, *b_cols;
    const V *a_values, *b_values;
    C *cols;
    V *sums;

    GPU_FUNCTION void fill(const fill_marks &marks, int some, const add_values<V> &values) const {
        const V alpha = values.alpha.value(), beta = values.beta.value();
        const C *of_a = kept(a_cols), *of_b = kept(b_cols);
        const V *in_a = kept(a_values), *in_b = kept(b_values);
        C *to_cols = cols + lane();
        V *to_sums = sums + lane();
        GPU_KEEP_LOOP
        for (int w = 0; w < some; w += flight) {
            fill_place place[flight];
            C col[flight];
            V a[flight], b[flight];
            GPU_UNROLL
            for (int u = 0; u < flight; u++) {
                const fill_place p = place[u] = marks.place(w + u);
                col[u] = 0;
                if (p.in_a || p.in_b) col[u] = load((p.in_a ? of_a : of_b) + (p.in_a ? p.a : p.b));
                a[u] = p.in_a ? load(in_a + p.a) : V(0);
                b[u] = p.in_b ? load(in_b + p.b) : V(0);
            }
            GPU_UNROLL
            for (int u = 0; u < flight; u++) {
                const V sum = sum_of(place[u], alpha, a[u], beta, b[u]);
                const bool there = place[u].in_a || place[u].in_b;
                const int at = (w + u) * 32;
                if (there) to_cols[at] = col[u];
                if (there) to_sums[at] = sum;
            }
        }
    }
};

/* Number of blocks that should run on a multiprocessor at a time, which bounds the registers of the
 * loads under way. */
constexpr int fill_resident = 4;

template <class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(add_threads,
                        fill_resident) void fill_tiles(addend<O, C> a, addend<O, C> b,
                                                       add_values<V> values, const tulle__cut *cuts,
                                                       add_found found, add_result<V, C> c) {
    const add_tile_of<O, C> t(cuts, a, b);
    const int64_t first = load(found.before + block());
    const int entries = static_cast<int>(load(found.before + block() + 1) - first);
    if (block() == 0 && thread() == 0) c.put_offset(0, 0);
    GPU_KEEP_LOOP
    for (int r = static_cast<int>(thread()); r < t.rows; r += add_threads) {
        c.put_offset(t.row + r + 1, first + load(found.row_ends + t.row + r));
    }
    const int words = (entries + 31) / 32, each = (words + add_warps - 1) / add_warps;
    const int own = static_cast<int>(thread()) / warp_lanes * each;
    const int some = words - own < each ? words - own : each;
    if (some <= 0) return;
    const fill_marks marks(found.marks + int64_t{block()} * add_tile_words, own, some);
    const add_filling<V, C> filling = {t.a_cols,
                                       t.b_cols,
                                       values.a + t.a_first,
                                       values.b + t.b_first,
                                       c.cols + first + own * 32,
                                       c.values + first + own * 32};
    filling.fill(marks, some, values);
}

template <class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(add_threads,
                        fill_resident) void fill_strips(addend<O, C> a, addend<O, C> b,
                                                        add_values<V> values, add_strips strips,
                                                        add_found found, add_result<V, C> c) {
    const int64_t strip = loop_first() / warp_lanes, row = strip * strip_rows + lane();
    if (strip >= strips.count) return;
    const int64_t first = load(found.before + strip);
    const int words = static_cast<int>(load(found.before + strip + 1) - first + 31) / 32;
    const O a_first = load(a.offsets + strip * strip_rows);
    const O b_first = load(b.offsets + strip * strip_rows);
    if (row == 0) c.put_offset(0, 0);
    if (row < strips.rows) c.put_offset(row + 1, first + load(found.row_ends + row));
    const fill_marks marks(found.marks + strip * strips.words, 0, words);
    const add_filling<V, C> filling = {a.cols + a_first,   b.cols + b_first, values.a + a_first,
                                       values.b + b_first, c.cols + first,   c.values + first};
    filling.fill(marks, words, values);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
