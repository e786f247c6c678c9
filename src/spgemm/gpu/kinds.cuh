/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of C by how much work they are: for counting by their products, for computing by their
 * entries, so that a kernel has rows that suit it (paper 4, section III.B, groups rows so; the
 * kinds here are ours). */
#ifndef TULLE_SPGEMM_GPU_KINDS_CUH
#define TULLE_SPGEMM_GPU_KINDS_CUH

#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

enum {
    kind_empty,  /* no products */
    kind_tiny,   /* a table of a few lanes */
    kind_small,  /* a larger one */
    kind_medium, /* a warp's table */
    kind_near,   /* columns near each other: a warp's bitmap */
    kind_long,   /* a block's table */
    kind_wide,   /* a larger one */
    kind_large,  /* a block's bitmap, window by window */
    kinds
};

/* The most products, or entries, of a row of each kind. */
constexpr int64_t tiny_most = 32, small_most = 64, medium_most = 256, long_most = 1024,
                  wide_most = 2048;

/* The columns that a near row reaches over, a word of 32 for each product at most; its products,
 * more only if B's rows keep the lanes busy, and sums then meet many of them; and its entries. */
constexpr int64_t near_columns = 32768, near_products = 2048, near_products_long = 8192,
                  near_entries = 512, long_entries = 24;

GPU_FUNCTION int kind_of_table(int64_t most) {
    if (most <= small_most) return most <= tiny_most ? kind_tiny : kind_small;
    if (most <= medium_most) return kind_medium;
    return most <= long_most ? kind_long : kind_wide;
}

GPU_FUNCTION int kind_of(int64_t products, int64_t entries, int64_t reach) {
    if (products <= small_most) return products > 0 ? kind_of_table(products) : kind_empty;
    int64_t most = products >= entries * long_entries ? near_products_long : near_products;
    if (reach <= near_columns && reach <= 32 * products && products <= most) return kind_near;
    return products <= wide_most ? kind_of_table(products) : kind_large;
}

/* What computes a row that was counted as some kind and has so many entries: a table that is just
 * large enough; a bitmap only where all sums fit beside it, or no table would do. */
GPU_FUNCTION int kind_to_compute(int kind, int64_t entries) {
    if (kind == kind_empty || kind == kind_large) return kind;
    if (kind == kind_near && (entries <= near_entries || entries > wide_most)) return kind;
    int table = kind_of_table(entries);
    return kind > kind_small && table < kind_medium ? kind_medium : table;
}

/* A row's products and its kind in one number. */
constexpr int kind_shift = 56;
GPU_FUNCTION int64_t packed_row(int64_t products, int kind) {
    return products | static_cast<int64_t>(kind) << kind_shift;
}
GPU_FUNCTION int kind_in(int64_t row) {
    return static_cast<int>(row >> kind_shift);
}
GPU_FUNCTION int64_t products_in(int64_t row) {
    return row & ((int64_t{1} << kind_shift) - 1);
}

/* The rows of one kind: a list, or all rows. */
template <class C>
struct row_list {
    const C *rows; /* NULL: 0, 1, 2, ... */
    int64_t count;
    GPU_FUNCTION int64_t at(int64_t k) const {
        return rows ? static_cast<int64_t>(load(rows + k)) : k;
    }
};

/* How many rows of each kind a block has found. */
struct kind_tally {
    shared<int> rows; /* of each kind */
    int kind = kind_empty, same = 0;

    GPU_FUNCTION explicit kind_tally(shared<int> room) : rows(room) {
        if (thread() < kinds) rows[thread()] = 0;
        sync();
    }
    /* Neighbours are often alike, and are counted together. */
    GPU_FUNCTION void add(int row_kind) {
        if (row_kind != kind) flush();
        kind = row_kind;
        same++;
    }
    GPU_FUNCTION void flush() {
        if (same > 0) atomic_add(rows + kind, same);
        same = 0;
    }
    GPU_FUNCTION void put(int64_t *totals) {
        flush();
        sync();
        if (thread() >= kinds) return;
        int some = rows[thread()];
        if (some > 0) atomic_add(totals + thread(), static_cast<int64_t>(some));
    }
};

/* Kinds of rows whose kind for computing is another one than for counting. */
template <class C>
GPU_KERNEL void tally_to_compute(int64_t rows, const int64_t *products, const int64_t *counts,
                                 int64_t *totals) {
    GPU_SHARED(int, room, kinds);
    kind_tally tally(room);
    for (int64_t i = loop_first(); i < rows; i += loop_stride()) {
        tally.add(kind_to_compute(kind_in(load(products + i)), load(counts + i)));
    }
    tally.put(totals);
}

/* The rows of each kind, one kind after the other, in any order within it. offsets: of C's rows, or
 * NULL for the kinds of counting. totals: the rows of each kind. taken: how many of each there are
 * so far, zeros at first. */
template <class C>
GPU_KERNEL void list_rows(int64_t rows, const int64_t *products, const int64_t *offsets,
                          const int64_t *totals, int64_t *taken, C *list) {
    GPU_SHARED(int, found, kinds);
    GPU_SHARED(int64_t, first, kinds);
    int64_t rounds = rows / loop_stride() + (rows % loop_stride() != 0);
    for (int64_t round = 0; round < rounds; round++) {
        int64_t i = loop_first() + round * loop_stride();
        if (thread() < kinds) found[thread()] = 0;
        sync();
        int kind = i < rows ? kind_in(load(products + i)) : kind_empty, place = 0;
        if (i < rows && offsets) {
            kind = kind_to_compute(kind, load(offsets + i + 1) - load(offsets + i));
        }
        if (kind != kind_empty) place = atomic_add(found + kind, 1);
        sync();
        if (thread() < kinds) {
            int64_t before = 0;
            for (unsigned k = kind_tiny; k < thread(); k++) before += load(totals + k);
            int some = found[thread()];
            first[thread()] = before + atomic_add(taken + thread(), static_cast<int64_t>(some));
        }
        sync();
        if (kind != kind_empty) list[first[kind] + place] = static_cast<C>(i);
        sync();
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
