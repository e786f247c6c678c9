/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of C by kind, as the kernels that compute take them: plain data, which may be kept. */
#ifndef TULLE_SPGEMM_GPU_ROWS_BY_KIND_CUH
#define TULLE_SPGEMM_GPU_ROWS_BY_KIND_CUH

#include "spgemm/gpu/hash_rows.cuh"
#include "spgemm/gpu/lane_merge.cuh"
#include "spgemm/gpu/merged_rows.cuh"
#include "spgemm/gpu/near_rows.cuh"
#include "spgemm/gpu/sorted_rows.cuh"
#include "spgemm/gpu/sparse_rows.cuh"
#include "spgemm/gpu/wide_rows.cuh"
#include "spgemm/gpu/windows.cuh"

namespace TULLE_GPU_NAMESPACE {

using long_shape = wide_shape<long_most, 6>;
using wider_shape = wide_shape<wide_most, 3>;
template <class C>
using widest_shape = wide_shape<static_cast<int>(widest_most<C>), 1>;

template <class V, class C>
struct rows_by_kind {
    int64_t row_count = 0;
    int64_t kind_rows[kinds] = {}; /* number of rows of each kind, in the list that was made last
                                      (for counting or for computing) */
    int64_t *counts = nullptr;     /* number of entries of each row, then the beginnings of rows */
    C *list = nullptr;
    /* List of the large rows. */
    row_list<C> large = {};
    window_shape shape = {};
    int64_t item_bound = 0;
    int64_t *first_item = nullptr, *item_counts = nullptr;
    window_item *items = nullptr;

    row_list<C> rows_of(int kind) const {
        if (kind_rows[kind] == row_count) return {nullptr, row_count};
        int64_t before = 0;
        for (int k = kind_empty + 1; k < kind; k++) before += kind_rows[k];
        return {list + before, kind_rows[kind]};
    }
    bool rows_are_alike() const {
        for (int kind = 0; kind < kinds; kind++) {
            if (kind_rows[kind] == row_count) return true;
        }
        return false;
    }
    grid merged_grid(const row_list<C> &listed, bool values) const {
        return {(listed.count + merged_threads - 1) / merged_threads, merged_threads,
                values ? merged_bytes<V, C> : 0};
    }
    template <class S>
    grid lanes_grid(const row_list<C> &listed) const {
        return {(listed.count + S::groups - 1) / S::groups, lane_merge_threads};
    }
    template <class S>
    grid sorted_grid(const row_list<C> &listed) const {
        return {(listed.count + S::groups - 1) / S::groups, sorted_threads};
    }
    template <class S>
    grid hash_grid(const row_list<C> &listed, bool values) const {
        return {(listed.count + S::groups - 1) / S::groups, hash_threads,
                hash_bytes<S, V, C>(values)};
    }
    grid near_grid(const row_list<C> &listed, bool values) const {
        return {(listed.count + near_warps - 1) / near_warps, near_threads, near_bytes<V>(values)};
    }
    template <class S>
    grid wide_grid(const row_list<C> &listed, bool values) const {
        return {listed.count, wide_threads, wide_bytes<S, V, C>(values)};
    }
    grid window_grid(bool values) const {
        return {item_bound, window_threads, window_bytes<V>(shape, values)};
    }

    /* Runs the kinds side by side on several streams. Long rows begin first, so that the other
     * kinds fill the multiprocessors that the long rows leave idle at the end. The last kind,
     * the only one that takes scratch, runs in the stream of the place itself. */
    template <class Run>
    tulle_status each_kind(const tulle__place *place, Run run) const {
        int last = kinds - 1;
        while (last > kind_empty && kind_rows[last] == 0) last--;
        if (last == kind_empty) return TULLE_OK;
        side_by_side beside(place);
        const tulle__place *on[kinds] = {};
        for (int kind = kind_empty + 1; kind < last; kind++) {
            if (kind_rows[kind] > 0) GPU_TRY(beside.next(&on[kind]));
        }
        on[last] = place;
        for (int kind = last; kind > kind_empty; kind--) {
            if (on[kind]) GPU_TRY(run(on[kind], kind));
        }
        return beside.join();
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
