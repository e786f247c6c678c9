/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of some hundreds of multiplications: a block expands all of them in shared memory, sorts
 * them by column and, where they meet, by their order, and adds up neighbours. */
#ifndef TULLE_SPGEMM_PUBLISHED_SORTED_ROWS_CUH
#define TULLE_SPGEMM_PUBLISHED_SORTED_ROWS_CUH

#include "gpu/rounded.cuh"
#include "gpu/scan.cuh"
#include "spgemm/gpu/register_sort.cuh"
#include "spgemm/published/gpu/rows_job.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int sorted_most = 512, sorted_place_bits = 9, sorted_threads = 128;
template <class V>
constexpr size_t sorted_bytes = sorted_most *(sizeof(int64_t) + sizeof(V));

/* Expands the terms of A's entries from base on, an entry a warp, as many terms as the
 * block has threads; the first term of each entry stands at its `before`. */
template <class V, class O, class C>
GPU_FUNCTION void expand_entries(const factors<V, O, C> &f, int64_t base, int64_t end,
                                 shared<int> befores, shared<int64_t> keys, shared<V> terms) {
    for (int number = static_cast<int>(thread() / warp_lanes); number < sorted_threads;
         number += sorted_threads / warp_lanes) {
        const int64_t e = base + number;
        if (e >= end) break;
        const C b_row = load(f.a_cols + e);
        const O first = load(f.b_offsets + b_row);
        const int length = static_cast<int>(load(f.b_offsets + b_row + 1) - first);
        const int before = befores[number];
        const V a = load(f.a_values + e);
        for (int k = static_cast<int>(lane()); k < length; k += warp_lanes) {
            const int place = before + k;
            const auto column = static_cast<int64_t>(load(f.b_cols + first + static_cast<O>(k)));
            keys[place] = column << sorted_place_bits | place;
            terms[place] = rounded_product(a, load(f.b_values + first + static_cast<O>(k)));
        }
    }
}

template <class V, class O, class C, class Place>
GPU_KERNEL void sorted_rows(rows_job<V, O, C> job, Place place_of, row_list<C> rows) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    GPU_SHARED(int, room, sorted_threads / warp_lanes);
    GPU_SHARED(int, befores, sorted_threads);
    shared<int64_t> keys = part_of(all, 0, sorted_most);
    shared<V> terms = part_of(shared<V>(all + sorted_most), 0, sorted_most);
    const factors<V, O, C> &f = job.f;
    const int64_t row = rows.at(block()), begin = place_of(row), i = job.first + row;
    const int count = static_cast<int>(load(job.numbers + row));
    const int64_t end = load(f.a_offsets + i + 1);
    int made = 0;
    for (int64_t base = load(f.a_offsets + i); base < end; base += sorted_threads) {
        const int64_t own = base + thread();
        int length = 0, here = 0;
        if (own < end) {
            const C b_row = load(f.a_cols + own);
            length = static_cast<int>(load(f.b_offsets + b_row + 1) - load(f.b_offsets + b_row));
        }
        befores[thread()] = made + block_scan(length, room, &here);
        sync();
        made += here;
        expand_entries(f, base, end, befores, keys, terms);
    }
    sort_rising<whole_block, sorted_most / sorted_threads>(keys, count);

    const V alpha = job.alpha.value();
    int64_t to = begin;
    for (int base = 0; base < count; base += sorted_threads) {
        const int k = base + static_cast<int>(thread());
        const int64_t column = k < count ? keys[k] >> sorted_place_bits : 0;
        bool starts = k < count;
        if (starts && k > 0) starts = keys[k - 1] >> sorted_place_bits != column;
        int here = 0;
        const int before = block_scan(starts ? 1 : 0, room, &here);
        if (starts) {
            V sum = terms[static_cast<int>(keys[k] & (sorted_most - 1))];
            for (int j = k + 1; j < count && keys[j] >> sorted_place_bits == column; j++) {
                sum += terms[static_cast<int>(keys[j] & (sorted_most - 1))];
            }
            job.cols[to + before] = static_cast<C>(column);
            job.values[to + before] = alpha * sum;
        }
        to += here;
    }
    if (thread() == 0) job.counts[row] = to - begin;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
