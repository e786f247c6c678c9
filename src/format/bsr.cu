/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the blocks of BSR from CSR, on the GPU: counts the blocks of each size, and lists the
 * columns of the blocks of one size. */
#include "format/blocks.cuh"
#include "format/functions.h"
#include "gpu/fetch.cuh"
#include "gpu/primitives.h"
#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

/* Adds the number of blocks of size number i to counts[i]. */
template <class Offset, class Index>
GPU_KERNEL void count_sizes(csr_entries<Offset, Index> csr, int64_t *counts) {
    constexpr int sizes[] = TULLE__BLOCK_SIZES;
    GPU_SHARED(int64_t, room, loop_warps);
    int found[TULLE__BLOCK_SIZE_COUNT] = {};
    csr.each([&](int64_t row, int64_t e) {
        GPU_UNROLL
        for (int i = 0; i < TULLE__BLOCK_SIZE_COUNT; i++) {
            found[i] += block_entries<Offset, Index>{csr, sizes[i], sizes[i]}.is_first(row, e);
        }
    });
    GPU_UNROLL
    for (int i = 0; i < TULLE__BLOCK_SIZE_COUNT; i++) {
        int64_t all = block_reduce<total>(found[i], room);
        if (thread() == 0) atomic_add(counts + i, all);
    }
}

template <class Offset, class Index>
tulle_status count(const tulle__place *place, const tulle__pattern_view *csr, int64_t *counts) {
    return launch(place, count_sizes<Offset, Index>, loop_grid(csr->nnz, loop_blocks_once),
                  csr_entries<Offset, Index>(*csr), counts);
}

template <class Offset, class Index>
tulle_status list(const tulle__place *place, const tulle__pattern_view *csr,
                  const tulle__pattern_view *laid, void *cols_of) {
    const auto entries = make_block_entries<Offset, Index>(*csr, laid->storage);
    grid all = loop_grid(csr->nnz);
    scratch room(place);
    Offset *firsts = nullptr;
    GPU_TRY(room.get(csr->nnz + 1, &firsts));
    GPU_TRY(launch(place, mark_firsts<Offset, Index>, all, entries, firsts));
    GPU_TRY(exclusive_scan(place, firsts, firsts, csr->nnz + 1));
    return launch(place, put_blocks<Offset, Index>, all, entries,
                  static_cast<const Offset *>(firsts), static_cast<const Offset *>(laid->offsets),
                  static_cast<Index *>(cols_of));
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(count_blocks)(const tulle__place *place, const tulle__pattern_view *csr,
                                      int64_t *host_counts) {
    using counter = tulle_status (*)(const tulle__place *, const tulle__pattern_view *, int64_t *);
    constexpr counter by_index[] = {gpu::count<int32_t, int32_t>, gpu::count<int64_t, int32_t>,
                                    gpu::count<int64_t, int64_t>};
    constexpr size_t bytes = TULLE__BLOCK_SIZE_COUNT * sizeof *host_counts;
    gpu::scratch room(place);
    int64_t *counts = nullptr;
    GPU_TRY(room.get(TULLE__BLOCK_SIZE_COUNT, &counts));
    GPU_TRY(GPU_SYMBOL(set_bytes)(place, counts, 0, bytes));
    GPU_TRY(by_index[csr->index](place, csr, counts));
    return gpu::to_host(place, host_counts, counts, bytes);
}

tulle_status GPU_SYMBOL(list_blocks)(const tulle__place *place, const tulle__pattern_view *csr,
                                     const tulle__pattern_view *laid, void *cols_of) {
    using lister = tulle_status (*)(const tulle__place *, const tulle__pattern_view *,
                                    const tulle__pattern_view *, void *);
    constexpr lister by_index[] = {gpu::list<int32_t, int32_t>, gpu::list<int64_t, int32_t>,
                                   gpu::list<int64_t, int64_t>};
    return csr->nnz == 0 ? TULLE_OK : by_index[csr->index](place, csr, laid, cols_of);
}
