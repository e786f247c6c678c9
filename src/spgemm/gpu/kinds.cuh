/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of rows of C by the amount of their work: for counting by the number of multiplications,
 * for computing by the number of entries. So each kernel has rows that suit it (paper 4, section
 * III.B, groups rows so; the kinds here are ours). */
#ifndef TULLE_SPGEMM_GPU_KINDS_CUH
#define TULLE_SPGEMM_GPU_KINDS_CUH

#include "spgemm/gpu/row_groups.cuh"

namespace TULLE_GPU_NAMESPACE {

enum {
    kind_empty,     /* rows without multiplications */
    kind_few,       /* rows of few multiplications, of few rows of B, merged in registers */
    kind_merged,    /* rows merged in registers, too, of more multiplications than kind_few, so that
                       the rows of one warp take about as long */
    kind_fuller,    /* rows of more multiplications than kind_merged, of as few rows of B; listed as
                       kind_merged where most are like the row before, and else as kind_sorted_64 */
    kind_sorted_64, /* rows of more rows of B, or more multiplications with columns far from each
                       other, which some lanes of a warp sort in registers: up to 64 */
    kind_sorted_128, /* such rows of up to 128 multiplications */
    kind_sorted_256, /* such rows of up to 256 multiplications */
    kind_lanes,  /* rows of more rows of B, or more multiplications; a lane reads each row of B */
    kind_small,  /* rows for a hash table that a few lanes of a warp share */
    kind_modest, /* rows of few entries, but many multiplications: one warp's small hash table */
    kind_medium, /* rows for the larger hash table of one warp */
    kind_sorted_512, /* rows of up to 512 multiplications that a warp sorts in registers */
    kind_near,       /* rows with columns near each other, for the bitmap of one warp */
    kind_far,  /* rows with columns less near, so that sums do not fit beside the bitmap: the bitmap
                  counts, and a hash table computes */
    kind_long, /* rows for the hash table of a thread block */
    kind_wide, /* rows for the larger hash table of a thread block */
    kind_widest, /* rows for a hash table that fills the shared memory of a multiprocessor */
    kind_sparse, /* rows of more multiplications than that table holds, over very many columns:
                    such tables, one window of columns after another */
    kind_large,  /* other rows: the bitmap of a thread block, one window of columns after another */
    kinds
};

/* Largest number of multiplications, or entries, of a row of each kind. */
constexpr int64_t small_most = 64, medium_most = 256, long_most = 1024, wide_most = 2048;

/* Largest number of columns of a window. A row that reaches over more of them has a table up to
 * widest_most multiplications: in window after window it would meet few columns. */
constexpr int64_t window_most = int64_t{1} << 20;
template <class C>
constexpr int64_t widest_most = sizeof(C) == 4 ? 8192 : 4096;

/* Number of columns per multiplication above which a row that is too long for a table goes through
 * windows with a table each (kind_sparse), and not with a bitmap (kind_large): a bitmap's window of
 * 2^20 columns would then hold fewer than a thousand multiplications. With more multiplications
 * than that, clearing and listing a bitmap takes less time than filling and sorting a table. */
constexpr int64_t sparse_reach = 1 << 10;

/* Largest number of rows of B that a thread merges, of at most small_most multiplications; largest
 * number of multiplications that are few; and largest number of rows of B that lanes merge, of at
 * most lanes_most multiplications. */
constexpr int merged_lists = 8;
constexpr int64_t few_most = 4, lane_lists = 16, lanes_most = 256;

/* Largest number of multiplications of a row that is merged, like the rows before it or not. */
constexpr int64_t merged_most = 32;

/* Rows that are sorted: bits of a key that tell which multiplication it is; number of columns from
 * which the column does not fit beside them; and number of columns per multiplication up to which a
 * row of more than small_most is not sorted, since many of its columns may be equal. */
constexpr int sorted_place_bits = 9;
constexpr int64_t sorted_columns = int64_t{1} << (32 - sorted_place_bits), sorted_reach = 32;

/* Largest number of entries of A's row that a warp goes through by itself, one load after
 * another, if a block can do so instead. */
constexpr int64_t entries_of_warp = 128;

/* Limits of a near row: largest range of its columns (and at most 32 columns per multiplication);
 * largest number of its multiplications, in general and where the rows of B have long_entries
 * entries or more on average; largest number of its entries; and the number of entries of a row of
 * B that keeps the lanes of a warp busy. */
constexpr int64_t near_columns = 32768, near_multiplications = 2048,
                  near_multiplications_long = 8192, near_entries = 512, long_entries = 24;

/* Kind of the table that holds `most` entries; many: a block's, since A's row has many entries. */
GPU_FUNCTION int kind_of_table(int64_t most, bool many) {
    if (!many && most <= small_most) return kind_small;
    if (!many && most <= medium_most) return kind_medium;
    if (most <= long_most) return kind_long;
    return most <= wide_most ? kind_wide : kind_widest;
}

/* Returns the kind of a row that is not merged. C: type of the column indices; entries: number of
 * entries of A's row; reach: range of the columns of C's row. */
template <class C>
GPU_FUNCTION int kind_by_columns(int64_t multiplications, int64_t entries, int64_t reach) {
    const bool many = entries > entries_of_warp;
    if (multiplications <= small_most) return kind_of_table(multiplications, many);
    int64_t most = multiplications >= entries * long_entries ? near_multiplications_long
                                                             : near_multiplications;
    if (reach <= near_columns && multiplications <= most) {
        if (reach <= 32 * multiplications) return kind_near;
        if (multiplications > medium_most) return kind_far;
    }
    const int64_t table_most = reach > window_most ? widest_most<C> : wide_most;
    if (multiplications <= table_most) return kind_of_table(multiplications, many);
    return reach / sparse_reach > multiplications ? kind_sparse : kind_large;
}

/* Returns the kind of a row that is sorted in registers, or kind_empty if it is not. */
GPU_FUNCTION int kind_to_sort(int64_t multiplications, int64_t entries, int64_t reach) {
    const bool small = multiplications <= small_most;
    if (!small && reach <= sorted_reach * multiplications) return kind_empty;
    if (entries <= lane_lists && multiplications <= 2 * small_most) {
        return small ? kind_sorted_64 : kind_sorted_128;
    }
    if (small || entries > 2 * lane_lists || multiplications > 2 * medium_most) return kind_empty;
    return multiplications <= medium_most ? kind_sorted_256 : kind_sorted_512;
}

/* sorts: true where rows may be sorted in registers. */
template <class C>
GPU_FUNCTION int kind_of(int64_t multiplications, int64_t entries, int64_t reach, bool sorts) {
    if (multiplications == 0) return kind_empty;
    if (entries <= merged_lists && multiplications <= small_most) {
        if (multiplications <= few_most) return kind_few;
        return !sorts || multiplications <= merged_most ? kind_merged : kind_fuller;
    }
    const int sorted = sorts ? kind_to_sort(multiplications, entries, reach) : kind_empty;
    if (sorted != kind_empty) return sorted;
    if (entries <= lane_lists && multiplications <= lanes_most) return kind_lanes;
    return kind_by_columns<C>(multiplications, entries, reach);
}

/* Returns the kind for computing a row that was counted as `kind` and has so many entries; many:
 * A's row has many entries. A row of kind_lanes, which takes a step for each entry, keeps that kind
 * if it has few entries. Other rows have a table that is just large enough; a bitmap stays only
 * where all sums fit beside it, or no table would do. */
GPU_FUNCTION int kind_to_compute(int kind, bool many, int64_t entries) {
    if (kind <= kind_sorted_256 || kind == kind_sorted_512 || kind == kind_large) return kind;
    if (kind == kind_lanes && entries <= small_most) return kind;
    if (kind == kind_near && (entries <= near_entries || entries > wide_most)) return kind;
    if (kind == kind_sparse && entries > wide_most) return kind;
    int table = kind_of_table(entries, many);
    return kind > kind_small && table < kind_medium ? kind_modest : table;
}

/* A row's multiplications, its kind, and whether A has many entries there, in one number. */
constexpr int kind_shift = 56, many_shift = 55;
GPU_FUNCTION int64_t packed_row(int64_t multiplications, int kind, bool many) {
    return multiplications | int64_t{many} << many_shift | static_cast<int64_t>(kind) << kind_shift;
}
GPU_FUNCTION int kind_in(int64_t row) {
    return static_cast<int>(row >> kind_shift);
}
GPU_FUNCTION bool many_in(int64_t row) {
    return (row >> many_shift & 1) != 0;
}
GPU_FUNCTION int64_t multiplications_in(int64_t row) {
    return row & ((int64_t{1} << many_shift) - 1);
}

GPU_FUNCTION int kind_in_use(int kind, int fuller) {
    return kind == kind_fuller ? fuller : kind;
}
GPU_FUNCTION int at_least(int lightest, int kind) {
    return kind > lightest ? kind : lightest;
}

/* Kind under which a row is listed: the row's own kind, `fuller` instead of kind_fuller, or
 * `lightest` if that is heavier. offsets:
 * offsets of C's rows, to list rows for computing; NULL: to list them for counting. */
struct listed_kind {
    const int64_t *multiplications, *offsets;
    int lightest, fuller;
    GPU_FUNCTION int operator()(int64_t i) const {
        const int64_t row = load(multiplications + i);
        const int kind = at_least(lightest, kind_in_use(kind_in(row), fuller));
        if (!offsets) return kind;
        const int64_t entries = load(offsets + i + 1) - load(offsets + i);
        return at_least(lightest, kind_to_compute(kind, many_in(row), entries));
    }
};

/* Kind by which a row is listed for computing, from the number of entries of C's rows. */
struct counted_kind {
    const int64_t *multiplications, *counts;
    int lightest, fuller;
    GPU_FUNCTION int operator()(int64_t i) const {
        const int64_t row = load(multiplications + i);
        const int kind = at_least(lightest, kind_in_use(kind_in(row), fuller));
        return at_least(lightest, kind_to_compute(kind, many_in(row), load(counts + i)));
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
