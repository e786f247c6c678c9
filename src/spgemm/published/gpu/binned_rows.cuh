/* SPDX-License-Identifier: Apache-2.0 */
/* BHSPARSE's bins: rows by their multiplications, which bound their entries. */
#ifndef TULLE_SPGEMM_PUBLISHED_BINNED_ROWS_CUH
#define TULLE_SPGEMM_PUBLISHED_BINNED_ROWS_CUH

#include "spgemm/published/gpu/heap_rows.cuh"
#include "spgemm/published/gpu/row_limits.cuh"
#include "spgemm/published/gpu/sorted_rows.cuh"

namespace TULLE_GPU_NAMESPACE {

enum { bin_empty, bin_one, bin_heap, bin_sorted, bin_joined, bins };
constexpr row_limits bin_limits = {bins, {0, 1, heap_most, sorted_most, INT64_MAX}};

/* Computes the rows of one bin (any but bin_joined). Each row has room for as many entries as it
 * has multiplications. */
template <class V, class O, class C, class Place>
tulle_status do_bin(const tulle__place *place, int bin, const rows_job<V, O, C> &job,
                    const Place &place_of, const row_list<C> &rows) {
    const int64_t threads = heap_threads, blocks = (rows.count + threads - 1) / threads;
    switch (bin) {
        case bin_one:
            return launch(place, copy_multiplications<V, O, C, Place>, grid{blocks, heap_threads},
                          job, place_of, rows);
        case bin_heap:
            return launch(place, heap_rows<V, O, C, Place>,
                          grid{blocks, heap_threads, heap_bytes<V>}, job, place_of, rows);
        default:
            return launch(place, sorted_rows<V, O, C, Place>,
                          grid{rows.count, sorted_threads, sorted_bytes<V>}, job, place_of, rows);
    }
}

/* Makes the rows of all bins before the last one. */
template <class V, class O, class C, class Place>
tulle_status do_short_rows(const tulle__place *place, const rows_job<V, O, C> &job,
                           const Place &place_of, const grouped_rows<C> &groups) {
    for (int bin = bin_one; bin < bin_joined; bin++) {
        if (groups.rows[bin] > 0) GPU_TRY(do_bin(place, bin, job, place_of, groups.of(bin)));
    }
    return TULLE_OK;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
