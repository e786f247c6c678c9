/* SPDX-License-Identifier: Apache-2.0 */
/* PWARP/ROW (paper 4, algorithm 3): four threads have a row and a table in shared memory; a thread
 * takes an entry of A and walks along its row of B. */
#ifndef TULLE_SPGEMM_PUBLISHED_PARTIAL_WARPS_CUH
#define TULLE_SPGEMM_PUBLISHED_PARTIAL_WARPS_CUH

#include "spgemm/published/gpu/scattered_table.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int partial_threads = 512, partial_lanes = 4,
              partial_rows = partial_threads / partial_lanes;

/* Number of slots of a row's table, which is its largest number of entries, and the largest
 * number of multiplications, an upper bound of these. */
constexpr int partial_entries = 16, partial_multiplications = 32;

/* The row of four threads. */
template <class C>
struct partial_warp {
    int64_t row;
    bool active;
    int own, number; /* number of the thread in its row, number of the row in its block */

    GPU_FUNCTION explicit partial_warp(const row_list<C> &list)
        : row(0),
          active(false),
          own(static_cast<int>(thread()) % partial_lanes),
          number(static_cast<int>(thread()) / partial_lanes) {
        int64_t r = static_cast<int64_t>(block()) * partial_rows + number;
        active = r < list.count;
        if (active) row = list.at(r);
    }
    /* Calls each(entry of A, entry of B) for the thread's own multiplications. */
    template <class V, class O, class Each>
    GPU_FUNCTION void walk(const factors<V, O, C> &f, Each each) const {
        O end = active ? load(f.a_offsets + row + 1) : 0;
        for (O e = active ? load(f.a_offsets + row) + static_cast<O>(own) : 0; e < end;
             e += partial_lanes) {
            C k = load(f.a_cols + e);
            O stop = load(f.b_offsets + k + 1);
            for (O q = load(f.b_offsets + k); q < stop; q++) each(e, q);
        }
    }
};

/* counts[row] := entries of C's row, for each of the list. */
template <class V, class O, class C>
GPU_KERNEL void partial_count(factors<V, O, C> f, row_list<C> list, int64_t *counts) {
    GPU_DYNAMIC_SHARED(C, all);
    constexpr int slots = partial_multiplications;
    partial_warp<C> p(list);
    scattered_table<shared<C>, unsigned> table = {part_of(all, p.number * slots, slots), slots - 1};
    table.clear(static_cast<unsigned>(p.own), partial_lanes);
    sync_warp(full_warp);
    int count = 0;
    p.walk(f, [&](O, O q) {
        bool fresh = false;
        table.put(load(f.b_cols + q), &fresh);
        count += fresh;
    });
    for (int lanes = 1; lanes < partial_lanes; lanes *= 2) {
        count += shuffle_xor(full_warp, count, lanes);
    }
    if (p.active && p.own == 0) counts[p.row] = count;
}

template <class V, class C>
constexpr size_t partial_bytes(bool values) {
    return partial_rows * (values ? partial_entries * (sizeof(V) + sizeof(C))
                                  : partial_multiplications * sizeof(C));
}

/* Computes columns and values of each row of the list. The place of a column is the number of
 * columns of the table that are less, or, unsorted, that stand before it. */
template <class V, class O, class C>
GPU_KERNEL void partial_compute(factors<V, O, C> f, row_list<C> list, row_target<V, C> to) {
    GPU_DYNAMIC_SHARED(V, all);
    constexpr int slots = partial_entries;
    partial_warp<C> p(list);
    shared<V> sums = part_of(all, p.number * slots, slots);
    shared<C> keys = part_of(shared<C>(all + partial_rows * slots), p.number * slots, slots);
    scattered_table<shared<C>, unsigned> table = {keys, slots - 1};
    table.clear(static_cast<unsigned>(p.own), partial_lanes, sums);
    sync_warp(full_warp);
    p.walk(f, [&](O e, O q) {
        bool fresh = false;
        unsigned slot = table.put(load(f.b_cols + q), &fresh);
        atomic_add(sums + slot, load(f.a_values + e) * load(f.b_values + q));
    });
    sync_warp(full_warp);
    if (!p.active) return;
    V alpha = to.c.alpha.value();
    int64_t first = to.first(p.row);
    int count = 0;
    for (int s = 0; s < slots; s++) {
        C column = keys[s];
        if (column == C(-1)) continue;
        int place = to.c.unsorted ? count : 0;
        for (int other = 0; !to.c.unsorted && other < slots; other++) {
            C before = keys[other];
            place += before != C(-1) && before < column;
        }
        if (count++ % partial_lanes != p.own) continue;
        V sum = sums[s];
        to.c.cols[first + place] = column;
        to.c.values[first + place] = alpha * sum;
    }
    if (to.counts && p.own == 0) to.counts[p.row] = count;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
