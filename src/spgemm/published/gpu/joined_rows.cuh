/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of many products: a block merges the rows of B that it meets into what it has so far, one
 * after the other, each thread an equal stretch of both (merge path). */
#ifndef TULLE_SPGEMM_PUBLISHED_JOINED_ROWS_CUH
#define TULLE_SPGEMM_PUBLISHED_JOINED_ROWS_CUH

#include "core/search.h"
#include "gpu/rounded.cuh"
#include "gpu/scan.cuh"
#include "spgemm/gpu/row_groups.cuh"
#include "spgemm/published/gpu/slices.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int joined_threads = 256;

/* What a row has so far, and a row of B with its factor. Both rise, and neither has a column
 * twice; of equal columns the row's own comes first. */
template <class V, class C>
struct two_lists {
    const C *cols, *b_cols;
    const V *values, *b_values;
    int64_t count, b_count;
    V a;

    /* Of the first `items` of both together, how many are the row's own. */
    GPU_FUNCTION int64_t own_before(int64_t items) const {
        int64_t own = items > b_count ? items - b_count : 0;
        const int64_t most = items < count ? items : count;
        TULLE__LOWER_BOUND(own, most, i, cols[i] <= load(b_cols + (items - 1 - i)));
        return own;
    }
    /* Whether entry j of B's row is in the place of the own one before. */
    GPU_FUNCTION bool meets(int64_t own, int64_t j) const {
        return own > 0 && cols[own - 1] == load(b_cols + j);
    }
    /* Of an item, whether it is the row's own. */
    GPU_FUNCTION bool is_own(int64_t own, int64_t j) const {
        return own < count && (j == b_count || cols[own] <= load(b_cols + j));
    }
};

/* Calls put(place from the stretch's first, column, sum) for what items [from, to) leave of both
 * lists; returns how many that are. */
template <class V, class C, class Put>
GPU_FUNCTION int64_t walk_lists(const two_lists<V, C> &lists, int64_t from, int64_t to, Put put) {
    int64_t own = lists.own_before(from), j = from - own, found = 0;
    for (int64_t item = from; item < to; item++) {
        if (lists.is_own(own, j)) {
            const C column = lists.cols[own];
            V sum = lists.values[own];
            own++;
            if (j < lists.b_count && lists.meets(own, j)) {
                sum += rounded_product(lists.a, load(lists.b_values + j));
            }
            put(found++, column, sum);
        } else {
            if (!lists.meets(own, j)) {
                put(found++, load(lists.b_cols + j),
                    rounded_product(lists.a, load(lists.b_values + j)));
            }
            j++;
        }
    }
    return found;
}

/* A block for each row; spare: as much room as the slice's rows have, each in the same place. */
template <class V, class O, class C>
GPU_KERNEL void joined_rows(slice_job<V, O, C> job, place_in_slice<O> place_of, row_list<C> rows,
                            C *spare_cols, V *spare_values) {
    GPU_SHARED(int64_t, room, joined_threads / warp_lanes);
    const factors<V, O, C> &f = job.f;
    const int64_t row = rows.at(block()), begin = place_of(row), i = job.slice.row + row;
    C *cols = job.cols + begin, *next_cols = spare_cols + begin;
    V *values = job.values + begin, *next_values = spare_values + begin;
    int64_t count = 0;
    const O end = load(f.a_offsets + i + 1);
    for (O e = load(f.a_offsets + i); e < end; e++) {
        const C b_row = load(f.a_cols + e);
        const O first = load(f.b_offsets + b_row);
        const auto length = static_cast<int64_t>(load(f.b_offsets + b_row + 1) - first);
        if (length == 0) continue;
        const two_lists<V, C> lists = {
            cols,   f.b_cols + first,    values, f.b_values + first, count,
            length, load(f.a_values + e)};
        const int64_t items = count + length, each = (items + joined_threads - 1) / joined_threads;
        const int64_t from = least::of(each * thread(), items), to = least::of(from + each, items);
        const int64_t some = walk_lists(lists, from, to, [](int64_t, C, V) {});
        int64_t all = 0;
        const int64_t before = block_scan(some, room, &all);
        walk_lists(lists, from, to, [&](int64_t k, C column, V sum) {
            next_cols[before + k] = column;
            next_values[before + k] = sum;
        });
        count = all;
        C *old_cols = cols;
        V *old_values = values;
        cols = next_cols;
        values = next_values;
        next_cols = old_cols;
        next_values = old_values;
        sync();
    }
    const V alpha = job.alpha.value();
    for (int64_t k = thread(); k < count; k += joined_threads) {
        job.cols[begin + k] = cols[k];
        job.values[begin + k] = alpha * values[k];
    }
    if (thread() == 0) job.counts[row] = count;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
