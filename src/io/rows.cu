/* SPDX-License-Identifier: Apache-2.0 */
/* Row-by-row generators on the device: a thread a row. */
#include "gpu/functions.h"
#include "gpu/primitives.h"
#include "io/rows.h"

namespace TULLE_GPU_NAMESPACE {
namespace {

constexpr int threads = 128;

grid one_thread_each(int64_t count) {
    return {(count + threads - 1) / threads, threads};
}

GPU_FUNCTION int64_t this_row() {
    return static_cast<int64_t>(block()) * threads + thread();
}

/* offsets[row] := entries of the row; 0 behind the last. */
template <class OFFSET>
GPU_KERNEL void generate_count(tulle__generator_args g, OFFSET *offsets) {
    int64_t row = this_row();
    if (row > g.rows) return;
    offsets[row] = row < g.rows ? static_cast<OFFSET>(tulle__row_count(&g, row)) : 0;
}

template <class VALUE, class OFFSET, class INDEX>
GPU_KERNEL void generate_rows(tulle__generator_args g, const OFFSET *offsets, INDEX *cols_of,
                              VALUE *values) {
    int64_t row = this_row();
    if (row >= g.rows) return;
    int64_t at = offsets[row];
    tulle__columns columns = {nullptr, nullptr};
    if constexpr (sizeof(INDEX) == 4) {
        columns.narrow = cols_of + at;
    } else {
        columns.wide = cols_of + at;
    }
    int64_t count = tulle__row_columns(&g, row, columns);
    for (int64_t k = 0; k < count; k++) {
        values[at + k] =
            static_cast<VALUE>(tulle__row_value(&g, row, tulle__column_get(columns, k)));
    }
}

template <class OFFSET>
tulle_status make_offsets(const tulle__place *place, const tulle__generator_args &g, void *raw) {
    OFFSET *offsets = static_cast<OFFSET *>(raw);
    GPU_TRY(launch(place, generate_count<OFFSET>, one_thread_each(g.rows + 1), g, offsets));
    return exclusive_scan(place, offsets, offsets, g.rows + 1);
}

template <class VALUE, class OFFSET, class INDEX>
tulle_status make_entries(const tulle__place *place, const tulle__generator_args &g,
                          const void *offsets, void *cols_of, void *values) {
    return launch(place, generate_rows<VALUE, OFFSET, INDEX>, one_thread_each(g.rows), g,
                  static_cast<const OFFSET *>(offsets), static_cast<INDEX *>(cols_of),
                  static_cast<VALUE *>(values));
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" tulle_status GPU_SYMBOL(generate_offsets)(const tulle__place *place,
                                                     const tulle__generator_args *generator,
                                                     tulle_index index, void *offsets,
                                                     int64_t *host_nnz) {
    using namespace gpu;
    if (index == TULLE_I32) {
        GPU_TRY(make_offsets<int32_t>(place, *generator, offsets));
        int32_t last = 0;
        const int32_t *end = static_cast<const int32_t *>(offsets) + generator->rows;
        GPU_TRY(GPU_SYMBOL(copy)(place, &last, end, sizeof last));
        GPU_TRY(GPU_SYMBOL(stream_wait)(place->device, place->stream));
        *host_nnz = last;
        return TULLE_OK;
    }
    GPU_TRY(make_offsets<int64_t>(place, *generator, offsets));
    const int64_t *end = static_cast<const int64_t *>(offsets) + generator->rows;
    GPU_TRY(GPU_SYMBOL(copy)(place, host_nnz, end, sizeof *host_nnz));
    return GPU_SYMBOL(stream_wait)(place->device, place->stream);
}

extern "C" tulle_status GPU_SYMBOL(generate_entries)(const tulle__place *place,
                                                     const tulle__generator_args *generator,
                                                     tulle_index index, tulle_type type,
                                                     const void *offsets, void *cols_of,
                                                     void *values) {
    using namespace gpu;
    using run = tulle_status (*)(const tulle__place *, const tulle__generator_args &, const void *,
                                 void *, void *);
    static const run runs[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT] = GPU_RUN_ALL(make_entries);
    return runs[type][index](place, *generator, offsets, cols_of, values);
}
