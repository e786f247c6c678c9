/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the rows that have entries, from entries with ascending rows, on the GPU. */
#include "core/access.h"
#include "format/functions.h"
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/primitives.h"

namespace TULLE_GPU_NAMESPACE {
namespace {

/* Sets starts[e] to 1 where a row begins, else to 0; the element behind the last entry is 0. */
GPU_KERNEL void mark_starts(int64_t count, const void *rows_of, int64_t size, int64_t *starts) {
    for (int64_t e = loop_first(); e <= count; e += loop_stride()) {
        starts[e] = e < count &&
                    (e == 0 || tulle__get(rows_of, size, e - 1) != tulle__get(rows_of, size, e));
    }
}

/* Lists the rows; before[e] is the number of rows that begin before entry e. */
GPU_KERNEL void write_heads(int64_t count, const void *rows_of, tulle_index index,
                            const int64_t *before, void *order, void *offsets, void *ranks) {
    int64_t size = tulle_index_size(index), offset_size = tulle_offset_size(index);
    for (int64_t e = loop_first(); e <= count; e += loop_stride()) {
        bool begins = e < count && before[e] != before[e + 1];
        if (begins) tulle__put(order, size, before[e], tulle__get(rows_of, size, e));
        if (offsets && (begins || e == count)) tulle__put(offsets, offset_size, before[e], e);
        if (ranks && e < count) tulle__put(ranks, size, e, before[e + 1] - 1);
    }
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(list_heads)(const tulle__place *place, tulle_index index, int64_t count,
                                    const void *rows_of, void *order, void *offsets, void *ranks,
                                    int64_t *host_heads) {
    gpu::scratch room(place);
    int64_t *starts = nullptr;
    gpu::grid all = gpu::loop_grid(count + 1);
    GPU_TRY(room.get(count + 1, &starts));
    GPU_TRY(
        gpu::launch(place, gpu::mark_starts, all, count, rows_of, tulle_index_size(index), starts));
    GPU_TRY(gpu::exclusive_scan(place, starts, starts, count + 1));
    GPU_TRY(gpu::launch(place, gpu::write_heads, all, count, rows_of, index,
                        static_cast<const int64_t *>(starts), order, offsets, ranks));
    return gpu::to_host(place, host_heads, starts + count, sizeof *host_heads);
}
