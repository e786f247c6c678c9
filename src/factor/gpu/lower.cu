/* SPDX-License-Identifier: Apache-2.0 */
#include "factor/functions.h"
#include "factor/gpu/row.cuh"
#include "gpu/fetch.cuh"
#include "gpu/primitives.h"

namespace TULLE_GPU_NAMESPACE {
namespace {

/* Computes lengths[i], the number of entries of row i up to the diagonal, and 0 behind the last
 * row. *lacking becomes 1 if a row has no diagonal. */
template <class O, class C>
GPU_KERNEL void count_lower(int64_t rows, const O *offsets, const C *cols, O *lengths,
                            int *lacking) {
    for (int64_t i = loop_first(); i < rows; i += loop_stride()) {
        const O begin = load(offsets + i), end = load(offsets + i + 1);
        const O diagonal = factor_find(cols, begin, end, static_cast<C>(i));
        const bool has = diagonal < end && load(cols + diagonal) == static_cast<C>(i);
        lengths[i] = diagonal - begin + (has ? 1 : 0);
        if (!has) atomic_max(lacking, 1);
    }
    if (loop_first() == 0) lengths[rows] = 0;
}

template <class O, class C>
GPU_KERNEL void list_lower(int64_t rows, int64_t entries, const O *offsets, const C *cols,
                           const O *lower_offsets, C *lower_cols, int64_t *source) {
    int64_t row = 0;
    const warp_stretch stretch(entries);
    for (int64_t k = stretch.begin + lane(); k < stretch.end; k += warp_lanes) {
        row = row_of_entry(lower_offsets, rows, k, row);
        const int64_t e = load(offsets + row) + (k - load(lower_offsets + row));
        lower_cols[k] = load(cols + e);
        source[k] = e;
    }
}

template <class O, class C>
tulle_status find_offsets(const tulle__place *place, const tulle__lower_task *t,
                          int64_t *host_entries) {
    auto *lengths = static_cast<O *>(t->lower_offsets);
    scratch memory(place);
    int *lacking = nullptr, host_lacking = 0;
    O entries = 0;
    GPU_TRY(memory.get(1, &lacking));
    GPU_TRY(GPU_SYMBOL(set_bytes)(place, lacking, 0, sizeof *lacking));
    GPU_TRY(launch(place, count_lower<O, C>, loop_grid(t->rows), t->rows,
                   static_cast<const O *>(t->offsets), static_cast<const C *>(t->cols_of), lengths,
                   lacking));
    GPU_TRY(exclusive_scan(place, lengths, lengths, t->rows + 1));
    GPU_TRY(GPU_SYMBOL(copy)(place, &host_lacking, lacking, sizeof host_lacking));
    GPU_TRY(to_host(place, &entries, lengths + t->rows, sizeof entries));
    *host_entries = host_lacking ? -1 : static_cast<int64_t>(entries);
    return TULLE_OK;
}

template <class O, class C>
tulle_status list_entries(const tulle__place *place, const tulle__lower_task *t, int64_t entries) {
    return launch(place, list_lower<O, C>, loop_grid(entries), t->rows, entries,
                  static_cast<const O *>(t->offsets), static_cast<const C *>(t->cols_of),
                  static_cast<const O *>(t->lower_offsets), static_cast<C *>(t->lower_cols),
                  t->source);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(lower_offsets)(const tulle__place *place, const tulle__lower_task *task,
                                       int64_t *host_entries) {
    switch (task->index) {
        case TULLE_I32:
            return gpu::find_offsets<int32_t, int32_t>(place, task, host_entries);
        case TULLE_I64_I32:
            return gpu::find_offsets<int64_t, int32_t>(place, task, host_entries);
        default:
            return gpu::find_offsets<int64_t, int64_t>(place, task, host_entries);
    }
}

tulle_status GPU_SYMBOL(lower_entries)(const tulle__place *place, const tulle__lower_task *task,
                                       int64_t entries) {
    switch (task->index) {
        case TULLE_I32:
            return gpu::list_entries<int32_t, int32_t>(place, task, entries);
        case TULLE_I64_I32:
            return gpu::list_entries<int64_t, int32_t>(place, task, entries);
        default:
            return gpu::list_entries<int64_t, int64_t>(place, task, entries);
    }
}
