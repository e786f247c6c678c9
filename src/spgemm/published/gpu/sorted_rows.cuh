/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of some hundreds of products: a block expands all of them in shared memory, sorts them by
 * column and, where they meet, by their order, and adds up neighbours. */
#ifndef TULLE_SPGEMM_PUBLISHED_SORTED_ROWS_CUH
#define TULLE_SPGEMM_PUBLISHED_SORTED_ROWS_CUH

#include "gpu/rounded.cuh"
#include "gpu/scan.cuh"
#include "spgemm/gpu/register_sort.cuh"
#include "spgemm/gpu/row_groups.cuh"
#include "spgemm/published/gpu/slices.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int sorted_most = 512, sorted_place_bits = 9, sorted_threads = 128;
template <class V>
constexpr size_t sorted_bytes = sorted_most *(sizeof(int64_t) + sizeof(V));

template <class V, class O, class C>
GPU_KERNEL void sorted_rows(slice_job<V, O, C> job, place_in_slice<O> place_of, row_list<C> rows) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    GPU_SHARED(int, room, sorted_threads / warp_lanes);
    shared<int64_t> keys = part_of(all, 0, sorted_most);
    shared<V> products = part_of(shared<V>(all + sorted_most), 0, sorted_most);
    const factors<V, O, C> &f = job.f;
    const int64_t row = rows.at(block()), begin = place_of(row), i = job.slice.row + row;
    const int count = static_cast<int>(load(job.numbers + row));
    const O end = load(f.a_offsets + i + 1);
    for (O e = load(f.a_offsets + i) + static_cast<O>(thread() / warp_lanes); e < end;
         e += sorted_threads / warp_lanes) {
        const C b_row = load(f.a_cols + e);
        const O first = load(f.b_offsets + b_row);
        const int before = static_cast<int>(load(job.places.before + e) - job.slice.first - begin);
        const int length = static_cast<int>(load(f.b_offsets + b_row + 1) - first);
        const V a = load(f.a_values + e);
        for (int k = static_cast<int>(lane()); k < length; k += warp_lanes) {
            const int place = before + k;
            const auto column = static_cast<int64_t>(load(f.b_cols + first + static_cast<O>(k)));
            keys[place] = column << sorted_place_bits | place;
            products[place] = rounded_product(a, load(f.b_values + first + static_cast<O>(k)));
        }
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
            V sum = products[static_cast<int>(keys[k] & (sorted_most - 1))];
            for (int j = k + 1; j < count && keys[j] >> sorted_place_bits == column; j++) {
                sum += products[static_cast<int>(keys[j] & (sorted_most - 1))];
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
