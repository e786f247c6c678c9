/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the multiplications of each row of C, and finds its kind. */
#ifndef TULLE_SPGEMM_GPU_MULTIPLICATIONS_CUH
#define TULLE_SPGEMM_GPU_MULTIPLICATIONS_CUH

#include "gpu/scan.cuh"
#include "spgemm/gpu/factors.cuh"
#include "spgemm/gpu/kinds.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Totals that the host reads: rows of each kind, multiplications of all rows and of the large ones.
 */
struct row_totals {
    int64_t rows[kinds];
    int64_t multiplications, large_multiplications;
    int64_t compared, shifted; /* compared: number of merged rows, of a sample, whose row before
                                  is looked at; shifted: of these, that are the row before moved
                                  by a column */
    int64_t alone; /* number of rows whose multiplications a whole thread block counts */
};

/* Ways of counting a row: some lanes take it, or one lane where no row has more than a few
 * entries of A; a block takes one of more than many. */
constexpr int count_lanes = 8;
constexpr int64_t count_by_one = 12, count_alone = 1024;

/* Rows that blocks count, listed in any order. */
template <class C>
struct long_rows {
    int64_t *count;
    C *rows;
};

/* The least and the greatest over the lanes of a row; all lanes get it. */
template <class Operation, int all_lanes>
GPU_FUNCTION int64_t among_lanes(int64_t v) {
    GPU_UNROLL
    for (int lanes = all_lanes / 2; lanes > 0; lanes /= 2) {
        v = Operation::of(v, shuffle_xor(full_warp, v, lanes));
    }
    return v;
}

/* Range of the columns of C's row that one thread has seen: B's rows begin with their least. */
struct column_span {
    int64_t low = INT64_MAX, high = -1;

    template <class V, class O, class C>
    GPU_FUNCTION void see(const factors<V, O, C> &f, O e) {
        C k = load(f.a_cols + e);
        O start = load(f.b_offsets + k), stop = load(f.b_offsets + k + 1);
        if (start == stop) return;
        low = least::of(low, load(f.b_cols + start));
        high = most::of(high, load(f.b_cols + stop - 1));
    }
};

template <class V, class O, class C>
GPU_FUNCTION int64_t row_length(const factors<V, O, C> &f, O e) {
    C k = load(f.a_cols + e);
    return load(f.b_offsets + k + 1) - load(f.b_offsets + k);
}

/* Number of blocks of which one looks whether rows are like their neighbours. */
constexpr unsigned compared_blocks = 16;

/* Adds the numbers of a block's threads to *to, once a block: blocks are many, and would wait
 * for each other. */
GPU_FUNCTION void add_total(int64_t own, shared<int64_t> room, int64_t *to) {
    const int64_t all = block_total(own, room);
    if (thread() == 0 && all > 0) atomic_add(to, all);
}

/* True when the row before, which the lanes before have, is as long, and begins a column
 * earlier, as rows of a grid do: then their rows of B are neighbours, too. */
template <int lanes, class C>
GPU_FUNCTION bool follows(int64_t length, C first) {
    const bool alike = shuffle_up(full_warp, length, lanes) == length;
    return shuffle_up(full_warp, first, lanes) + 1 == first && alike;
}

/* multiplications[i] := the number of multiplications of row i, with its kind, but of long rows;
 * adds to *totals. sorts: true where rows may be sorted in registers. */
template <int lanes, class V, class O, class C>
GPU_KERNEL void count_multiplications(factors<V, O, C> f, int64_t *multiplications,
                                      row_totals *totals, long_rows<C> later, bool sorts) {
    GPU_SHARED(int, room, kinds);
    GPU_SHARED(int64_t, sum_room, loop_warps);
    group_tally<kinds> tally(room);
    const bool compares = block() % compared_blocks == 0;
    int64_t groups = loop_stride() / lanes, all = 0, large = 0, compared = 0, shifted = 0;
    unsigned own = thread() % lanes;
    int64_t rounds = f.rows / groups + (f.rows % groups != 0);
    int64_t i = loop_first() / lanes;
    for (int64_t round = 0; round < rounds; round++, i += groups) {
        O begin = i < f.rows ? load(f.a_offsets + i) : 0;
        O end = i < f.rows ? load(f.a_offsets + i + 1) : 0, mine = begin + static_cast<O>(own);
        bool alone = end - begin <= count_alone;
        int64_t sum = 0;
        for (O e = mine; alone && e < end; e += lanes) sum += row_length(f, e);
        sum = among_lanes<total, lanes>(sum);
        bool several = sum > small_most;
        column_span span;
        if (any(full_warp, several)) {
            for (O e = mine; several && e < end; e += lanes) span.see(f, e);
            span.low = among_lanes<least, lanes>(span.low);
            span.high = among_lanes<most, lanes>(span.high);
        }
        bool like_before = false;
        if (compares) {
            like_before = follows<lanes, C>(end - begin, begin < end ? load(f.a_cols + begin) : 0);
        }
        if (own != 0 || i >= f.rows) continue;
        if (!alone) {
            later.rows[atomic_add(later.count, 1)] = static_cast<C>(i);
            continue;
        }
        int kind = kind_of<C>(sum, end - begin, span.high - span.low + 1, sorts);
        multiplications[i] = packed_row(sum, kind, end - begin > entries_of_warp);
        tally.add(kind);
        all += sum;
        if (kind == kind_large) large += sum;
        if ((kind == kind_merged || kind == kind_fuller) && lane() >= unsigned{lanes}) {
            compared++;
            shifted += like_before;
        }
    }
    tally.put(totals->rows);
    add_total(all, sum_room, &totals->multiplications);
    add_total(large, sum_room, &totals->large_multiplications);
    if (!compares) return;
    add_total(compared, sum_room, &totals->compared);
    add_total(shifted, sum_room, &totals->shifted);
}

/* multiplications[i] of long rows, a block each; adds to *totals. */
template <class V, class O, class C>
GPU_KERNEL void count_long_rows(factors<V, O, C> f, int64_t *multiplications, row_totals *totals,
                                long_rows<C> rows) {
    GPU_SHARED(int64_t, room, loop_warps);
    for (int64_t r = block(); r < load(rows.count); r += grid_size()) {
        int64_t i = load(rows.rows + r), sum = 0;
        O begin = load(f.a_offsets + i), end = load(f.a_offsets + i + 1);
        column_span span;
        for (O e = begin + static_cast<O>(thread()); e < end; e += loop_threads) {
            sum += row_length(f, e);
            span.see(f, e);
        }
        sum = block_total(sum, room);
        int64_t low = block_extreme<least>(span.low, room);
        int64_t high = block_extreme<most>(span.high, room);
        if (thread() != 0) continue;
        int kind = kind_of<C>(sum, end - begin, high - low + 1, false);
        multiplications[i] = packed_row(sum, kind, true);
        atomic_add(totals->rows + kind, 1);
        atomic_add(&totals->multiplications, sum);
        if (kind == kind_large) atomic_add(&totals->large_multiplications, sum);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
