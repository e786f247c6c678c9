/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of PACKED from CSR, on the GPU: a warp a slice, a lane a row. */
#include "gpu/functions.h"
#include "gpu/loop.cuh"
#include "gpu/primitives.h"
#include "gpu/reduce.cuh"
#include "matrix/packed.h"
#include "matrix/slots.h"

namespace TULLE_GPU_NAMESPACE {
namespace {

template <class Operation>
GPU_FUNCTION int64_t over_lanes(int64_t v) {
    for (int lanes = warp_lanes / 2; lanes > 0; lanes /= 2) {
        v = Operation::of(v, shuffle_xor(full_warp, v, lanes));
    }
    return v;
}

/* A lane's row of a slice, and how long the longest of the slice is. */
struct lane_row {
    int64_t begin = 0, length = 0, width;

    GPU_FUNCTION lane_row(const tulle__pattern_view &csr, const tulle__pattern_view &laid,
                          int64_t s) {
        int64_t p = s * TULLE__LINE + lane();
        if (p < csr.rows) {
            int64_t row = tulle__row_at(&laid, p);
            begin = tulle__offset_at(&csr, row);
            length = tulle__offset_at(&csr, row + 1) - begin;
        }
        width = over_lanes<most>(length);
    }
};

/* All lanes of a warp with the entries of a line, one at least. */
GPU_FUNCTION tulle__line judge(bool is_entry, int64_t col) {
    int64_t base = over_lanes<most>(is_entry ? col - lane() : INT64_MIN);
    if (all(full_warp, !is_entry || col - lane() == base)) return tulle__diagonal_line(base);
    int64_t low = over_lanes<least>(is_entry ? col : INT64_MAX);
    return tulle__coded_line(low, over_lanes<most>(is_entry ? col : INT64_MIN));
}

GPU_FUNCTION int64_t warps() {
    return loop_stride() / warp_lanes;
}

GPU_KERNEL void count_pieces(tulle__pattern_view csr, tulle__pattern_view laid, int64_t slices,
                             int64_t *places) {
    for (int64_t s = loop_first() / warp_lanes; s <= slices; s += warps()) {
        lane_row row(csr, laid, s);
        int64_t pieces = 0;
        for (int64_t k = 0; k < row.width && pieces < TULLE__UNPACKABLE; k++) {
            bool is_entry = k < row.length;
            int kind = judge(is_entry, is_entry ? tulle__col_at(&csr, row.begin + k) : 0).kind;
            pieces = kind < 0 ? TULLE__UNPACKABLE : pieces + tulle__code_bytes(kind);
        }
        if (lane() == 0) places[s] = pieces;
    }
}

GPU_KERNEL void pack_slices(tulle__pattern_view csr, tulle__pattern_view laid, int64_t slices,
                            const int64_t *places, tulle__pattern_arrays out) {
    int64_t size = tulle_index_size(laid.index);
    uint32_t *mask = static_cast<uint32_t *>(out.mask);
    int own = static_cast<int>(lane());
    for (int64_t s = loop_first() / warp_lanes; s < slices; s += warps()) {
        lane_row row(csr, laid, s);
        int64_t line = tulle__offset_at(&laid, s) / TULLE__LINE, place = load(places + s);
        for (int64_t k = 0; k < row.width; k++, line++) {
            bool is_entry = k < row.length;
            int64_t col = is_entry ? tulle__col_at(&csr, row.begin + k) : 0;
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

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(count_codes)(const tulle__place *place, const tulle__pattern_view *csr,
                                     const tulle__pattern_view *laid, int64_t *places,
                                     int64_t *host_pieces) {
    int64_t slices = tulle__ceil_div(csr->rows, TULLE__LINE);
    GPU_TRY(gpu::launch(place, gpu::count_pieces, gpu::slices_grid(slices + 1), *csr, *laid, slices,
                        places));
    GPU_TRY(gpu::exclusive_scan(place, places, places, slices + 1));
    GPU_TRY(GPU_SYMBOL(copy)(place, host_pieces, places + slices, sizeof *host_pieces));
    return GPU_SYMBOL(stream_wait)(place->device, place->stream);
}

tulle_status GPU_SYMBOL(pack_lines)(const tulle__place *place, const tulle__pattern_view *csr,
                                    const tulle__pattern_view *laid, const int64_t *places,
                                    const tulle__pattern_arrays *out) {
    int64_t slices = tulle__ceil_div(csr->rows, TULLE__LINE);
    return gpu::launch(place, gpu::pack_slices, gpu::slices_grid(slices), *csr, *laid, slices,
                       places, *out);
}
