/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the lines of PACKED from CSR, on the GPU: one warp per slice, one lane per row. */
#include "format/entries.cuh"
#include "format/functions.h"
#include "format/packed.h"
#include "format/slots.h"
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/primitives.h"
#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

/* The row of a lane in a slice, and the length of the slice's longest row. */
template <class Offset, class Index>
struct lane_row {
    const Index *cols;
    int64_t length = 0, width;

    GPU_FUNCTION lane_row(const csr_entries<Offset, Index> &csr, const tulle__pattern_view &laid,
                          int64_t s)
        : cols(csr.cols) {
        int64_t p = s * TULLE__LINE + lane();
        if (p < csr.rows) {
            int64_t row = tulle__row_at(&laid, p), begin = csr.begin(row);
            cols += begin;
            length = csr.begin(row + 1) - begin;
        }
        width = warp_reduce<most>(length);
    }
};

/* Chooses the kind of a line, which has at least one entry. All lanes of the warp must call this
 * function. */
template <class Index>
GPU_FUNCTION tulle__line judge(bool is_entry, Index col) {
    constexpr Index highest = sizeof(Index) == 4 ? INT32_MAX : static_cast<Index>(INT64_MAX);
    Index own = static_cast<Index>(lane());
    Index base = warp_reduce<most>(is_entry ? col - own : -warp_lanes);
    if (all(full_warp, !is_entry || col - own == base)) return tulle__diagonal_line(base);
    Index low = warp_reduce<least>(is_entry ? col : highest);
    return tulle__coded_line(low, warp_reduce<most>(is_entry ? col : Index{-1}));
}

GPU_FUNCTION int64_t warps() {
    return loop_stride() / warp_lanes;
}

template <class Offset, class Index>
GPU_KERNEL void count_pieces(csr_entries<Offset, Index> csr, tulle__pattern_view laid,
                             int64_t slices, int64_t *places) {
    for (int64_t s = loop_first() / warp_lanes; s <= slices; s += warps()) {
        lane_row<Offset, Index> row(csr, laid, s);
        int64_t pieces = 0;
        for (int64_t k = 0; k < row.width && pieces < TULLE__UNPACKABLE; k++) {
            bool is_entry = k < row.length;
            int kind = judge<Index>(is_entry, is_entry ? load(row.cols + k) : 0).kind;
            pieces = kind < 0 ? TULLE__UNPACKABLE : pieces + tulle__code_bytes(kind);
        }
        if (lane() == 0) places[s] = pieces;
    }
}

template <class Offset, class Index>
GPU_KERNEL void pack_slices(csr_entries<Offset, Index> csr, tulle__pattern_view laid,
                            int64_t slices, const int64_t *places, tulle__pattern_arrays out) {
    int64_t size = tulle_index_size(laid.index);
    uint32_t *mask = static_cast<uint32_t *>(out.mask);
    int own = static_cast<int>(lane());
    for (int64_t s = loop_first() / warp_lanes; s < slices; s += warps()) {
        lane_row<Offset, Index> row(csr, laid, s);
        int64_t line = tulle__offset_at(&laid, s) / TULLE__LINE, place = load(places + s);
        for (int64_t k = 0; k < row.width; k++, line++) {
            bool is_entry = k < row.length;
            Index col = is_entry ? load(row.cols + k) : 0;
            tulle__line packed = judge(is_entry, col);
            uint32_t entries = ballot(full_warp, is_entry);
            if (own == 0) {
                tulle__put(out.cols_of, size, line, packed.base);
                mask[2 * line] = entries;
                mask[2 * line + 1] = tulle__line_word(packed.kind > 0 ? place : 0, packed.kind);
            }
            uint32_t code = is_entry ? static_cast<uint32_t>(col - packed.base) : 0;
            tulle__code_put(out.codes, packed.kind, place, own, code);
            place += tulle__code_bytes(packed.kind);
        }
    }
}

grid slices_grid(int64_t slices) {
    return loop_grid(slices * warp_lanes);
}

template <class Offset, class Index>
tulle_status count(const tulle__place *place, const tulle__pattern_view *csr,
                   const tulle__pattern_view *laid, int64_t slices, int64_t *places) {
    return launch(place, count_pieces<Offset, Index>, slices_grid(slices + 1),
                  csr_entries<Offset, Index>(*csr), *laid, slices, places);
}

template <class Offset, class Index>
tulle_status pack_lines(const tulle__place *place, const tulle__pattern_view *csr,
                        const tulle__pattern_view *laid, const int64_t *places,
                        const tulle__pattern_arrays *out) {
    int64_t slices = tulle__ceil_div(csr->rows, TULLE__LINE);
    return launch(place, pack_slices<Offset, Index>, slices_grid(slices),
                  csr_entries<Offset, Index>(*csr), *laid, slices, places, *out);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(count_codes)(const tulle__place *place, const tulle__pattern_view *csr,
                                     const tulle__pattern_view *laid, int64_t *places,
                                     int64_t *host_pieces) {
    using counter = tulle_status (*)(const tulle__place *, const tulle__pattern_view *,
                                     const tulle__pattern_view *, int64_t, int64_t *);
    constexpr counter by_index[] = {gpu::count<int32_t, int32_t>, gpu::count<int64_t, int32_t>,
                                    gpu::count<int64_t, int64_t>};
    int64_t slices = tulle__ceil_div(csr->rows, TULLE__LINE);
    GPU_TRY(by_index[csr->index](place, csr, laid, slices, places));
    GPU_TRY(gpu::exclusive_scan(place, places, places, slices + 1));
    return gpu::to_host(place, host_pieces, places + slices, sizeof *host_pieces);
}

tulle_status GPU_SYMBOL(pack_lines)(const tulle__place *place, const tulle__pattern_view *csr,
                                    const tulle__pattern_view *laid, const int64_t *places,
                                    const tulle__pattern_arrays *out) {
    using packer = tulle_status (*)(const tulle__place *, const tulle__pattern_view *,
                                    const tulle__pattern_view *, const int64_t *,
                                    const tulle__pattern_arrays *);
    constexpr packer by_index[] = {gpu::pack_lines<int32_t, int32_t>,
                                   gpu::pack_lines<int64_t, int32_t>,
                                   gpu::pack_lines<int64_t, int64_t>};
    return by_index[csr->index](place, csr, laid, places, out);
}
