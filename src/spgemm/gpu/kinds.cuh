/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of C by how much work they are: their products are counted, and rows of a kind listed,
 * so that a kernel has rows that suit it (paper 4, section III.B, groups rows so; the kinds here
 * are ours). */
#ifndef TULLE_SPGEMM_GPU_KINDS_CUH
#define TULLE_SPGEMM_GPU_KINDS_CUH

#include "gpu/reduce.cuh"
#include "spgemm/gpu/factors.cuh"

namespace TULLE_GPU_NAMESPACE {

enum {
    kind_empty,  /* no products */
    kind_small,  /* a table of a few lanes */
    kind_medium, /* a warp's table */
    kind_longer, /* a larger one */
    kind_near,   /* columns near each other: a warp's bitmap */
    kind_wide,   /* a block's table */
    kind_large,  /* a block's bitmap, window by window */
    kinds
};

/* The most products of a row of each kind. Of kind_near also the columns that it reaches over; its
 * rows have more products only if B's rows keep the lanes busy, and sums then meet many of them. */
constexpr int64_t small_products = 64, medium_products = 384, longer_products = 1024,
                  wide_products = 4096, near_products = 2048, near_products_long = 8192,
                  near_columns = 32768, long_entries = 24;

GPU_FUNCTION int kind_of(int64_t products, int64_t entries, int64_t reach) {
    if (products <= small_products) return products > 0 ? kind_small : kind_empty;
    int64_t most = products >= entries * long_entries ? near_products_long : near_products;
    if (reach <= near_columns && products <= most) return kind_near;
    if (products <= medium_products) return kind_medium;
    if (products <= longer_products) return kind_longer;
    return products <= wide_products ? kind_wide : kind_large;
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

/* What the host reads: rows of each kind, products of all rows and of the large ones. */
struct row_totals {
    int64_t rows[kinds];
    int64_t products, large_products;
};

constexpr int count_lanes = 8;

/* The least and the greatest over the lanes of a row, all of which get it. */
template <class Operation>
GPU_FUNCTION int64_t among_lanes(int64_t v) {
    for (int lanes = count_lanes / 2; lanes > 0; lanes /= 2) {
        v = Operation::of(v, shuffle_xor(full_warp, v, lanes));
    }
    return v;
}

/* How many columns lie from a row's first to its last: B's rows begin with their least column. Rows
 * that do not want to know take part. */
template <class V, class O, class C>
GPU_FUNCTION int64_t reach_of(const factors<V, O, C> &f, int64_t row, bool wanted, unsigned own) {
    int64_t low = INT64_MAX, high = -1;
    O end = wanted ? load(f.a_offsets + row + 1) : 0;
    for (O e = wanted ? load(f.a_offsets + row) + static_cast<O>(own) : 0; e < end;
         e += count_lanes) {
        C k = load(f.a_cols + e);
        O start = load(f.b_offsets + k), stop = load(f.b_offsets + k + 1);
        if (start == stop) continue;
        low = least::of(low, load(f.b_cols + start));
        high = most::of(high, load(f.b_cols + stop - 1));
    }
    return among_lanes<most>(high) - among_lanes<least>(low) + 1;
}

/* products[i] := those of row i, with its kind; adds to *totals. */
template <class V, class O, class C>
GPU_KERNEL void count_products(factors<V, O, C> f, int64_t *products, row_totals *totals) {
    GPU_SHARED(int64_t, sums, kinds + 2);
    if (thread() < kinds + 2) sums[thread()] = 0;
    sync();
    int64_t groups = loop_stride() / count_lanes, all = 0, large = 0;
    unsigned own = thread() % count_lanes;
    int64_t rounds = f.rows / groups + (f.rows % groups != 0);
    int64_t i = loop_first() / count_lanes;
    for (int64_t round = 0; round < rounds; round++, i += groups) {
        int64_t sum = 0;
        O begin = i < f.rows ? load(f.a_offsets + i) : 0;
        O end = i < f.rows ? load(f.a_offsets + i + 1) : 0;
        for (O e = begin + static_cast<O>(own); e < end; e += count_lanes) {
            C k = load(f.a_cols + e);
            sum += load(f.b_offsets + k + 1) - load(f.b_offsets + k);
        }
        sum = among_lanes<total>(sum);
        bool several = sum > small_products;
        int64_t reach = any(full_warp, several) ? reach_of(f, i, several, own) : 0;
        if (own != 0 || i >= f.rows) continue;
        int kind = kind_of(sum, end - begin, reach);
        products[i] = packed_row(sum, kind);
        atomic_add(sums + kind, 1);
        all += sum;
        if (kind == kind_large) large += sum;
    }
    all = warp_reduce<total>(all);
    large = warp_reduce<total>(large);
    if (lane() == 0) atomic_add(sums + kinds, all);
    if (lane() == 0) atomic_add(sums + kinds + 1, large);
    sync();
    int64_t *to = totals->rows;
    if (thread() < kinds + 2) {
        int64_t sum = sums[thread()];
        if (sum != 0) atomic_add(to + thread(), sum);
    }
}

/* The rows of each kind, one kind after the other, in any order within it. taken: how many of each
 * there are so far, zeros at first. */
template <class C>
GPU_KERNEL void list_rows(int64_t rows, const int64_t *products, const row_totals *totals,
                          int64_t *taken, C *list) {
    GPU_SHARED(int, found, kinds);
    GPU_SHARED(int64_t, first, kinds);
    int64_t rounds = rows / loop_stride() + (rows % loop_stride() != 0);
    for (int64_t round = 0; round < rounds; round++) {
        int64_t i = loop_first() + round * loop_stride();
        if (thread() < kinds) found[thread()] = 0;
        sync();
        int kind = i < rows ? kind_in(products[i]) : kind_empty, place = 0;
        if (i < rows && kind != kind_empty) place = atomic_add(found + kind, 1);
        sync();
        if (thread() < kinds) {
            int64_t before = 0;
            for (unsigned k = kind_small; k < thread(); k++) before += load(totals->rows + k);
            int some = found[thread()];
            first[thread()] = before + atomic_add(taken + thread(), some);
        }
        sync();
        if (i < rows && kind != kind_empty) list[first[kind] + place] = static_cast<C>(i);
        sync();
    }
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

}  // namespace TULLE_GPU_NAMESPACE

#endif
