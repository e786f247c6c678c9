/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the formats that are laid out row by row back to CSR, on the CPU. */
#include <string.h>

#include "core/access.h"
#include "core/threads/sizes.h"
#include "format/functions.h"
#include "format/slots.h"

enum { CHUNK = 256 };

static int64_t entries_at(const tulle__pattern_view *laid, int64_t p) {
    tulle__walk w = tulle__walk_start(laid, p);
    int64_t count = 0;
    while (tulle__walk_next(laid, &w)) count++;
    return count;
}

static int threads_of(const tulle__place *place, const tulle__pattern_view *laid) {
    return tulle__threads_for(place, TULLE__WORK_ENTRIES, laid->rows + laid->storage.stored);
}

tulle_status tulle__cpu_walk_offsets(const tulle__place *place, const tulle__pattern_view *laid,
                                     void *offsets, int64_t *host_nnz) {
    int64_t size = tulle_offset_size(laid->index), sum = 0, positions = tulle__positions(laid);
    const int threads = threads_of(place, laid);
    if (positions < laid->rows) memset(offsets, 0, (size_t)(laid->rows * size));
#pragma omp parallel for num_threads(threads) schedule(dynamic, CHUNK)
    for (int64_t p = 0; p < positions; p++) {
        tulle__put(offsets, size, tulle__row_at(laid, p), entries_at(laid, p));
    }
    for (int64_t i = 0; i < laid->rows; i++) {
        int64_t count = tulle__get(offsets, size, i);
        tulle__put(offsets, size, i, sum);
        sum += count;
    }
    tulle__put(offsets, size, laid->rows, sum);
    *host_nnz = sum;
    return TULLE_OK;
}

tulle_status tulle__cpu_walk_entries(const tulle__place *place, const tulle__pattern_view *laid,
                                     const void *offsets, void *cols_of, int64_t *slots) {
    int64_t offset_size = tulle_offset_size(laid->index), size = tulle_index_size(laid->index);
    int64_t positions = tulle__positions(laid);
    const int threads = threads_of(place, laid);
#pragma omp parallel for num_threads(threads) schedule(dynamic, CHUNK)
    for (int64_t p = 0; p < positions; p++) {
        tulle__walk w = tulle__walk_start(laid, p);
        int64_t at = tulle__get(offsets, offset_size, w.row);
        for (; tulle__walk_next(laid, &w); at++) {
            tulle__put(cols_of, size, at, w.col);
            slots[at] = w.slot;
        }
    }
    return TULLE_OK;
}
