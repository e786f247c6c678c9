/* SPDX-License-Identifier: Apache-2.0 */
/* Row-by-row generators on the GPU: one thread per row. */
#include "gpu/primitives.h"
#include "io/functions.h"
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

/* Sets offsets[row] to the number of entries of the row, and to 0 behind the last row. */
template <class OFFSET>
GPU_KERNEL void generate_count(tulle__generator_args g, OFFSET *offsets) {
    int64_t row = this_row();
    int64_t rows = tulle__rows_made(&g);
    if (row > rows) return;
    offsets[row] = row < rows ? static_cast<OFFSET>(tulle__row_count(&g, g.before + row)) : 0;
}

/* The arrays of the matrix, with their types as numbers. Only a few loads and stores depend on the
 * types, so the generators are not compiled again for each combination of types. */
struct rows_arrays {
    const void *offsets;
    void *values;
    bool wide_offsets, wide_values;
    GPU_FUNCTION int64_t offset(int64_t row) const {
        return wide_offsets ? static_cast<const int64_t *>(offsets)[row]
                            : static_cast<const int32_t *>(offsets)[row];
    }
    GPU_FUNCTION void put(int64_t e, double value) const {
        if (wide_values) {
            static_cast<double *>(values)[e] = value;
        } else {
            static_cast<float *>(values)[e] = static_cast<float>(value);
        }
    }
};

template <class INDEX>
GPU_KERNEL void generate_rows(tulle__generator_args g, rows_arrays arrays, INDEX *cols_of) {
    int64_t row = this_row();
    if (row >= tulle__rows_made(&g)) return;
    int64_t at = arrays.offset(row);
    tulle__columns columns = {nullptr, nullptr};
    if constexpr (sizeof(INDEX) == 4) {
        columns.narrow = cols_of + at;
    } else {
        columns.wide = cols_of + at;
    }
    int64_t count = tulle__row_columns(&g, g.before + row, columns);
    for (int64_t k = 0; k < count; k++) {
        arrays.put(at + k, tulle__row_value(&g, g.before + row, tulle__column_get(columns, k)));
    }
}

template <class OFFSET>
tulle_status make_offsets(const tulle__place *place, const tulle__generator_args &g, void *raw) {
    OFFSET *offsets = static_cast<OFFSET *>(raw);
    const int64_t ends = tulle__rows_made(&g) + 1;
    GPU_TRY(launch(place, generate_count<OFFSET>, one_thread_each(ends), g, offsets));
    return exclusive_scan(place, offsets, offsets, ends);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" tulle_status GPU_SYMBOL(generate_offsets)(const tulle__place *place,
                                                     const tulle__generator_args *generator,
                                                     tulle_index index, void *offsets,
                                                     int64_t *host_nnz) {
    using namespace gpu;
    const int64_t rows = tulle__rows_made(generator);
    if (index == TULLE_I32) {
        GPU_TRY(make_offsets<int32_t>(place, *generator, offsets));
        int32_t last = 0;
        const int32_t *end = static_cast<const int32_t *>(offsets) + rows;
        GPU_TRY(GPU_SYMBOL(copy)(place, &last, end, sizeof last));
        GPU_TRY(GPU_SYMBOL(stream_wait)(place->device, place->stream));
        *host_nnz = last;
        return TULLE_OK;
    }
    GPU_TRY(make_offsets<int64_t>(place, *generator, offsets));
    const int64_t *end = static_cast<const int64_t *>(offsets) + rows;
    GPU_TRY(GPU_SYMBOL(copy)(place, host_nnz, end, sizeof *host_nnz));
    return GPU_SYMBOL(stream_wait)(place->device, place->stream);
}

extern "C" tulle_status GPU_SYMBOL(generate_entries)(const tulle__place *place,
                                                     const tulle__generator_args *generator,
                                                     tulle_index index, tulle_type type,
                                                     const void *offsets, void *cols_of,
                                                     void *values) {
    using namespace gpu;
    const rows_arrays arrays = {offsets, values, index != TULLE_I32, type == TULLE_F64};
    const grid rows = one_thread_each(tulle__rows_made(generator));
    if (index == TULLE_I64) {
        return launch(place, generate_rows<int64_t>, rows, *generator, arrays,
                      static_cast<int64_t *>(cols_of));
    }
    return launch(place, generate_rows<int32_t>, rows, *generator, arrays,
                  static_cast<int32_t *>(cols_of));
}
