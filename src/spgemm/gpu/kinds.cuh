/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of C by how much work they are: their products are counted, and rows of a kind listed,
 * so that a kernel has rows that suit it (paper 4, section III.B, groups rows so; the kinds here
 * are ours). */
#ifndef TULLE_SPGEMM_GPU_KINDS_CUH
#define TULLE_SPGEMM_GPU_KINDS_CUH

#include "gpu/reduce.cuh"
#include "spgemm/gpu/factors.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Rows of no products; those whose products a few lanes or a warp sum in a table; the rest. */
enum { kind_empty, kind_small, kind_medium, kind_large, kinds };

constexpr int64_t small_products = 48, medium_products = 384;

GPU_FUNCTION int kind_of(int64_t products) {
    if (products <= small_products) return products > 0 ? kind_small : kind_empty;
    return products <= medium_products ? kind_medium : kind_large;
}

/* What the host reads: rows of each kind, products of all rows and of the large ones. */
struct row_totals {
    int64_t rows[kinds];
    int64_t products, large_products;
};

constexpr int count_lanes = 8;

/* products[i] := those of row i; adds to *totals. */
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
        O end = i < f.rows ? load(f.a_offsets + i + 1) : 0;
        for (O e = i < f.rows ? load(f.a_offsets + i) + static_cast<O>(own) : 0; e < end;
             e += count_lanes) {
            C k = load(f.a_cols + e);
            sum += load(f.b_offsets + k + 1) - load(f.b_offsets + k);
        }
        for (int lanes = count_lanes / 2; lanes > 0; lanes /= 2) {
            sum += shuffle_xor(full_warp, sum, lanes);
        }
        if (own != 0 || i >= f.rows) continue;
        products[i] = sum;
        int kind = kind_of(sum);
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
        atomic_add(to + thread(), sum);
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
        int kind = i < rows ? kind_of(products[i]) : kind_empty, place = 0;
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
