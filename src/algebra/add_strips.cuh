/* SPDX-License-Identifier: Apache-2.0 */
/* The first pass of a sum where rows are short and have similar lengths: one warp per strip of 32
 * rows, one lane per row, and no barriers of blocks. */
#ifndef TULLE_ALGEBRA_ADD_STRIPS_CUH
#define TULLE_ALGEBRA_ADD_STRIPS_CUH

#include "algebra/add_marks.cuh"
#include "gpu/scan.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int strip_rows = warp_lanes;

/* strip_row_entries: most entries of a row of A and the same row of B together. Six blocks with
 * strips of 64-bit columns then fit in shared memory. */
constexpr int strip_row_entries = 20, strip_entries = strip_rows * strip_row_entries;

/* The strips of a sum. The number of words of a strip is the most entries that its rows may
 * have. */
struct add_strips {
    int64_t rows, count;
    int words;
};

/* The row of a lane in an operand whose strip is in shared memory, from position `before` on. */
template <class O, class C>
struct strip_row {
    int at, end;
    O first, last; /* range of the strip's entries in the operand */

    GPU_FUNCTION strip_row(const addend<O, C> &x, const add_strips &strips, int64_t row) {
        const int64_t mine = row < strips.rows ? row : strips.rows;
        const O begins = load(x.offsets + mine);
        const O ends = load(x.offsets + (row < strips.rows ? row + 1 : strips.rows));
        first = shuffle(full_warp, begins, 0);
        last = shuffle(full_warp, ends, warp_lanes - 1);
        at = static_cast<int>(begins - first);
        end = static_cast<int>(ends - first);
    }
    GPU_FUNCTION int entries() const { return static_cast<int>(last - first); }
    GPU_FUNCTION void stage(const addend<O, C> &x, shared<C> cols, int before) {
        constexpr int flight = 4;
        const C *from = kept(x.cols + first + lane());
        const int own = static_cast<int>(lane());
        cols += before + own;
        GPU_KEEP_LOOP
        for (int left = entries() - own; left > 0; left -= flight * warp_lanes) {
            C some[flight];
            GPU_UNROLL
            for (int u = 0; u < flight; u++) {
                some[u] = left > u * warp_lanes ? load_once(from + u * warp_lanes) : C(0);
            }
            GPU_UNROLL
            for (int u = 0; u < flight; u++) {
                if (left > u * warp_lanes) cols[u * warp_lanes] = some[u];
            }
            from += flight * warp_lanes;
            cols += flight * warp_lanes;
        }
        at += before;
        end += before;
    }
    GPU_FUNCTION C column(shared<C> cols) const {
        return at < end ? static_cast<C>(cols[at]) : behind_all<C>;
    }
};

/* Marks the entries of each strip: counts[s] is the number of entries of C in strip s, with one
 * more element for the sum; marks has strips.words words per strip; row_ends[row] is the number of
 * entries of C in the strip up to the end of the row. */
template <class O, class C>
GPU_KERNEL GPU_RESIDENT(add_threads, 6) void mark_strips(addend<O, C> a, addend<O, C> b,
                                                         add_strips strips, int64_t *counts,
                                                         add_marks *marks, uint16_t *row_ends) {
    GPU_SHARED(C, all_cols, add_warps * strip_entries);
    GPU_SHARED(unsigned, of_a, add_warps *strip_row_entries);
    GPU_SHARED(unsigned, of_b, add_warps *strip_row_entries);
    const int warp = static_cast<int>(thread()) / warp_lanes, own = static_cast<int>(lane());
    const int64_t strip = int64_t{block()} * add_warps + warp;
    if (strip >= strips.count) return;
    const int64_t row = strip * strip_rows + own;
    const int first = warp * strip_entries, first_word = warp * strip_row_entries;
    const shared<C> cols = kept_shared<C>(part_of(all_cols, first, strip_entries));
    const mark_words words = {part_of(of_a, first_word, strip_row_entries),
                              part_of(of_b, first_word, strip_row_entries)};
    strip_row<O, C> of_row_a(a, strips, row), of_row_b(b, strips, row);
    if (own < strip_row_entries) {
        words.a[own] = 0;
        words.b[own] = 0;
    }
    of_row_a.stage(a, cols, 0);
    of_row_b.stage(b, cols, of_row_a.entries());
    sync_warp(full_warp);
    marked found = {0, 0};
    C a_col = of_row_a.column(cols), b_col = of_row_b.column(cols);
    while (of_row_a.at < of_row_a.end || of_row_b.at < of_row_b.end) {
        const bool with_a = a_col <= b_col, with_b = b_col <= a_col;
        found.add(with_a, with_b);
        of_row_a.at += with_a;
        of_row_b.at += with_b;
        a_col = of_row_a.column(cols);
        b_col = of_row_b.column(cols);
    }
    sync_warp(full_warp);
    const int with = warp_scan(found.count()), all = shuffle(full_warp, with, warp_lanes - 1);
    words.put(with - found.count(), found);
    if (row < strips.rows) row_ends[row] = static_cast<uint16_t>(with);
    sync_warp(full_warp);
    if (own < (all + 31) / 32) marks[strip * strips.words + own] = words.at(own);
    if (own == 0) counts[strip] = all;
    if (own == 0 && strip + 1 == strips.count) counts[strips.count] = 0;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
