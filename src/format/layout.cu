/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the conversion from CSR to the formats that are laid out row by row, on the GPU: the
 * numbers of a layout; and the way back, one thread per row. */
#include "format/blocks.cuh"
#include "format/functions.h"
#include "gpu/loop.cuh"
#include "gpu/primitives.h"
#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

GPU_FUNCTION int64_t length_of(const tulle__pattern_view &csr, int64_t row) {
    return tulle__offset_at(&csr, row + 1) - tulle__offset_at(&csr, row);
}

/* Makes a key for each row, by window and then by falling length; a stable sort of the keys orders
 * the rows. */
GPU_KERNEL void make_row_keys(tulle__pattern_view csr, int64_t window, int length_bits,
                              uint64_t *keys, int64_t *rows) {
    uint64_t most = (uint64_t{1} << length_bits) - 1;
    for (int64_t i = loop_first(); i < csr.rows; i += loop_stride()) {
        uint64_t falling = most - static_cast<uint64_t>(length_of(csr, i));
        keys[i] = static_cast<uint64_t>(i / window) << length_bits | falling;
        rows[i] = i;
    }
}

GPU_KERNEL void narrow_rows(int64_t count, const int64_t *rows, int64_t size, void *order) {
    for (int64_t p = loop_first(); p < count; p += loop_stride()) {
        tulle__put(order, size, p, rows[p]);
    }
}

/* Returns the number of rows with more than k entries; the rows are ordered by falling length. */
GPU_FUNCTION int64_t rows_longer(const tulle__pattern_view &csr, const tulle__pattern_view &laid,
                                 int64_t k) {
    int64_t rows = 0;
    TULLE__LOWER_BOUND(rows, csr.rows, p, length_of(csr, tulle__row_at(&laid, p)) > k);
    return rows;
}

/* Computes the lengths of slices, one warp per slice. */
GPU_KERNEL void slice_lengths(tulle__pattern_view csr, tulle__pattern_view laid, int64_t count,
                              void *offsets) {
    int64_t slice = laid.storage.slice, size = tulle_offset_size(laid.index);
    for (int64_t s = loop_first() / warp_lanes; s <= count; s += loop_stride() / warp_lanes) {
        int64_t end = (s + 1) * slice < csr.rows ? (s + 1) * slice : csr.rows, width = 0;
        for (int64_t p = s * slice + lane(); p < end; p += warp_lanes) {
            width = most::of(width, length_of(csr, tulle__row_at(&laid, p)));
        }
        width = warp_reduce<most>(width);
        if (lane() == 0) tulle__put(offsets, size, s, width * slice);
    }
}

/* Computes the lengths of parts: diagonals for JDS, rows for HYB and CSR+COO. */
GPU_KERNEL void part_lengths(tulle__pattern_view csr, tulle__pattern_view laid, int64_t count,
                             void *offsets) {
    int64_t size = tulle_offset_size(laid.index);
    for (int64_t i = loop_first(); i <= count; i += loop_stride()) {
        int64_t length = 0;
        if (i < count && laid.format == TULLE_JDS) length = rows_longer(csr, laid, i);
        if (i < count && laid.format != TULLE_JDS) {
            length = least::of(length_of(csr, i), laid.storage.width);
        }
        tulle__put(offsets, size, i, length);
    }
}

template <class Offset, class Index>
tulle_status block_lengths(const tulle__place *place, const tulle__pattern_view *csr,
                           const tulle__pattern_view *laid, int64_t count, void *offsets) {
    const auto entries = make_block_entries<Offset, Index>(*csr, laid->storage);
    const grid all = loop_grid(csr->nnz);
    const bool wide = tulle_offset_size(laid->index) == 8;
    const auto bytes = static_cast<size_t>((count + 1) * tulle_offset_size(laid->index));
    GPU_TRY(GPU_SYMBOL(set_bytes)(place, offsets, 0, bytes));
    return wide ? launch(place, count_row_blocks<Offset, Index, int64_t>, all, entries,
                         static_cast<int64_t *>(offsets))
                : launch(place, count_row_blocks<Offset, Index, int32_t>, all, entries,
                         static_cast<int32_t *>(offsets));
}

tulle_status lengths(const tulle__place *place, const tulle__pattern_view *csr,
                     const tulle__pattern_view *laid, int64_t count, void *offsets) {
    using counter = tulle_status (*)(const tulle__place *, const tulle__pattern_view *,
                                     const tulle__pattern_view *, int64_t, void *);
    constexpr counter by_index[] = {block_lengths<int32_t, int32_t>,
                                    block_lengths<int64_t, int32_t>,
                                    block_lengths<int64_t, int64_t>};
    if (laid->format == TULLE_BSR) return by_index[csr->index](place, csr, laid, count, offsets);
    if (tulle__has(laid->format, TULLE__SLICED)) {
        return launch(place, slice_lengths, loop_grid((count + 1) * warp_lanes), *csr, *laid, count,
                      offsets);
    }
    return launch(place, part_lengths, loop_grid(count + 1), *csr, *laid, count, offsets);
}

/* Replaces each number of offsets by the sum of the numbers before it; copies the last sum to the
 * host. */
tulle_status scan(const tulle__place *place, tulle_index index, int64_t count, void *offsets,
                  int64_t *host_last) {
    int32_t narrow = 0;
    if (tulle_offset_size(index) == 8) {
        int64_t *wide = static_cast<int64_t *>(offsets);
        GPU_TRY(exclusive_scan(place, wide, wide, count + 1));
        GPU_TRY(GPU_SYMBOL(copy)(place, host_last, wide + count, sizeof *host_last));
    } else {
        int32_t *all = static_cast<int32_t *>(offsets);
        GPU_TRY(exclusive_scan(place, all, all, count + 1));
        GPU_TRY(GPU_SYMBOL(copy)(place, &narrow, all + count, sizeof narrow));
    }
    GPU_TRY(GPU_SYMBOL(stream_wait)(place->device, place->stream));
    if (tulle_offset_size(index) == 4) *host_last = narrow;
    return TULLE_OK;
}

template <class Offset, class Index>
GPU_KERNEL void mark_diagonals(csr_entries<Offset, Index> csr, int64_t *flags) {
    csr.each([&](int64_t row, int64_t e) {
        int64_t *flag = flags + (load_once(csr.cols + e) - row + csr.rows - 1);
        if (load_relaxed(flag) == 0) store_relaxed(flag, 1);
    });
}

template <class Offset, class Index>
tulle_status mark(const tulle__place *place, const tulle__pattern_view *csr, int64_t *flags) {
    return launch(place, mark_diagonals<Offset, Index>, loop_grid(csr->nnz),
                  csr_entries<Offset, Index>(*csr), flags);
}

/* Lists the diagonals that have entries: their number, by a scan of flags, differs from that of the
 * next diagonal. */
GPU_KERNEL void list_diagonals(int64_t all, const int64_t *numbers, int64_t most, int64_t rows,
                               int64_t size, void *diagonals) {
    for (int64_t d = loop_first(); d < all; d += loop_stride()) {
        if (numbers[d] == numbers[d + 1] || numbers[d] >= most) continue;
        tulle__put(diagonals, size, numbers[d], d - (rows - 1));
    }
}

GPU_KERNEL void count_rows(tulle__pattern_view laid, void *offsets) {
    int64_t size = tulle_offset_size(laid.index), positions = tulle__positions(&laid);
    for (int64_t p = loop_first(); p <= positions; p += loop_stride()) {
        if (p == positions) {
            tulle__put(offsets, size, laid.rows, 0);
            continue;
        }
        tulle__walk w = tulle__walk_start(&laid, p);
        int64_t count = 0;
        while (tulle__walk_next(&laid, &w)) count++;
        tulle__put(offsets, size, w.row, count);
    }
}

GPU_KERNEL void list_rows(tulle__pattern_view laid, const void *offsets, void *cols_of,
                          int64_t *slots) {
    int64_t size = tulle_index_size(laid.index), offset_size = tulle_offset_size(laid.index);
    int64_t positions = tulle__positions(&laid);
    for (int64_t p = loop_first(); p < positions; p += loop_stride()) {
        tulle__walk w = tulle__walk_start(&laid, p);
        int64_t at = tulle__get(offsets, offset_size, w.row);
        for (; tulle__walk_next(&laid, &w); at++) {
            tulle__put(cols_of, size, at, w.col);
            slots[at] = w.slot;
        }
    }
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(order_rows)(const tulle__place *place, const tulle__pattern_view *csr,
                                    int64_t window, void *order) {
    int64_t rows = csr->rows;
    gpu::scratch room(place);
    uint64_t *keys = nullptr, *sorted_keys = nullptr;
    int64_t *numbers = nullptr, *sorted = nullptr;
    GPU_TRY(room.get(rows, &keys));
    GPU_TRY(room.get(rows, &sorted_keys));
    GPU_TRY(room.get(rows, &numbers));
    GPU_TRY(room.get(rows, &sorted));
    int length_bits = gpu::key_bits(csr->nnz + 1), window_bits = gpu::key_bits(rows / window + 1);
    GPU_TRY(gpu::launch(place, gpu::make_row_keys, gpu::loop_grid(rows), *csr, window, length_bits,
                        keys, numbers));
    GPU_TRY(gpu::sort_pairs(place, rows, keys, sorted_keys, numbers, sorted,
                            length_bits + window_bits));
    return gpu::launch(place, gpu::narrow_rows, gpu::loop_grid(rows), rows,
                       static_cast<const int64_t *>(sorted), tulle_index_size(csr->index), order);
}

tulle_status GPU_SYMBOL(layout_offsets)(const tulle__place *place, const tulle__pattern_view *csr,
                                        const tulle__pattern_view *laid, void *offsets,
                                        int64_t *host_last) {
    int64_t count = tulle__layout_parts(laid);
    GPU_TRY(gpu::lengths(place, csr, laid, count, offsets));
    return gpu::scan(place, laid->index, count, offsets, host_last);
}

tulle_status GPU_SYMBOL(find_diagonals)(const tulle__place *place, const tulle__pattern_view *csr,
                                        int64_t most, void *diagonals, int64_t *host_count) {
    using marker = tulle_status (*)(const tulle__place *, const tulle__pattern_view *, int64_t *);
    constexpr marker by_index[] = {gpu::mark<int32_t, int32_t>, gpu::mark<int64_t, int32_t>,
                                   gpu::mark<int64_t, int64_t>};
    *host_count = 0;
    if (csr->nnz == 0) return TULLE_OK;
    int64_t all = csr->rows + csr->cols - 1;
    gpu::scratch room(place);
    int64_t *flags = nullptr;
    GPU_TRY(room.get(all + 1, &flags));
    GPU_TRY(GPU_SYMBOL(set_bytes)(place, flags, 0, static_cast<size_t>(all + 1) * sizeof *flags));
    GPU_TRY(by_index[csr->index](place, csr, flags));
    GPU_TRY(gpu::scan(place, TULLE_I64, all, flags, host_count));
    return gpu::launch(place, gpu::list_diagonals, gpu::loop_grid(all), all,
                       static_cast<const int64_t *>(flags), most, csr->rows,
                       tulle_index_size(csr->index), diagonals);
}

tulle_status GPU_SYMBOL(walk_offsets)(const tulle__place *place, const tulle__pattern_view *laid,
                                      void *offsets, int64_t *host_nnz) {
    int64_t positions = tulle__positions(laid);
    auto bytes = static_cast<size_t>(laid->rows * tulle_offset_size(laid->index));
    if (positions < laid->rows) GPU_TRY(GPU_SYMBOL(set_bytes)(place, offsets, 0, bytes));
    GPU_TRY(gpu::launch(place, gpu::count_rows, gpu::loop_grid(positions + 1), *laid, offsets));
    return gpu::scan(place, laid->index, laid->rows, offsets, host_nnz);
}

tulle_status GPU_SYMBOL(walk_entries)(const tulle__place *place, const tulle__pattern_view *laid,
                                      const void *offsets, void *cols_of, int64_t *slots) {
    return gpu::launch(place, gpu::list_rows, gpu::loop_grid(tulle__positions(laid)), *laid,
                       offsets, cols_of, slots);
}
