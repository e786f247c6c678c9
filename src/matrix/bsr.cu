/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of the blocks of BSR from CSR, on the GPU. */
#include "gpu/functions.h"
#include "gpu/primitives.h"
#include "matrix/blocks.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

template <class Offset, class Index>
tulle_status list(const tulle__place *place, const tulle__pattern_view *csr,
                  const tulle__pattern_view *laid, void *cols_of) {
    block_entries<Offset, Index> entries(*csr, laid->storage.block);
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

tulle_status GPU_SYMBOL(list_blocks)(const tulle__place *place, const tulle__pattern_view *csr,
                                     const tulle__pattern_view *laid, void *cols_of) {
    using lister = tulle_status (*)(const tulle__place *, const tulle__pattern_view *,
                                    const tulle__pattern_view *, void *);
    constexpr lister by_index[] = {gpu::list<int32_t, int32_t>, gpu::list<int64_t, int32_t>,
                                   gpu::list<int64_t, int64_t>};
    return csr->nnz == 0 ? TULLE_OK : by_index[csr->index](place, csr, laid, cols_of);
}
