/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a matrix along the diagonal. */
#include "gpu/loop.cuh"
#include "matrix/functions.h"

/* to[copy * count + i] := from[i] + copy * shift; for offsets (shift: entries of one copy) and for
 * columns (shift: its columns). */
template <class From, class To>
GPU_KERNEL void tile_indices(int64_t count, int64_t copies, const From *from, int64_t shift,
                             To *to) {
    gpu::loop_pairs at(count);
    for (int64_t k = gpu::loop_first(); k < count * copies; k += gpu::loop_stride()) {
        to[k] = static_cast<To>(from[at.inner] + at.outer * shift);
        at.next();
    }
}

template <class Value>
GPU_KERNEL void tile_values(int64_t count, int64_t copies, const Value *from, Value *to) {
    gpu::loop_pairs at(count);
    for (int64_t k = gpu::loop_first(); k < count * copies; k += gpu::loop_stride()) {
        to[k] = from[at.inner];
        at.next();
    }
}

template <class From, class To>
static tulle_status indices(const tulle__place *place, int64_t count, int64_t copies,
                            const void *from, int64_t shift, void *to) {
    return gpu::launch(place, tile_indices<From, To>, gpu::loop_grid(count * copies), count, copies,
                       static_cast<const From *>(from), shift, static_cast<To *>(to));
}

static tulle_status indices_of_size(const tulle__place *place, int64_t count, int64_t copies,
                                    int64_t from_size, const void *from, int64_t shift,
                                    int64_t to_size, void *to) {
    if (from_size == 4 && to_size == 4) {
        return indices<int32_t, int32_t>(place, count, copies, from, shift, to);
    }
    if (from_size == 4) return indices<int32_t, int64_t>(place, count, copies, from, shift, to);
    if (to_size == 4) return indices<int64_t, int32_t>(place, count, copies, from, shift, to);
    return indices<int64_t, int64_t>(place, count, copies, from, shift, to);
}

template <class Value>
static tulle_status values_of_type(const tulle__place *place, int64_t count, int64_t copies,
                                   const void *from, void *to) {
    return gpu::launch(place, tile_values<Value>, gpu::loop_grid(count * copies), count, copies,
                       static_cast<const Value *>(from), static_cast<Value *>(to));
}

template <class Offset>
GPU_KERNEL void put(Offset *to, int64_t value) {
    *to = static_cast<Offset>(value);
}

/* Stores the offset behind the last row, which no copy has. */
static tulle_status put_last(const tulle__place *place, tulle_index index, void *offsets,
                             int64_t rows, int64_t nnz) {
    if (index == TULLE_I32) {
        return gpu::launch(place, put<int32_t>, {1, 1}, static_cast<int32_t *>(offsets) + rows,
                           nnz);
    }
    return gpu::launch(place, put<int64_t>, {1, 1}, static_cast<int64_t *>(offsets) + rows, nnz);
}

tulle_status GPU_SYMBOL(tile_csr)(const tulle__place *place, const tulle__pattern_view *csr,
                                  tulle_type type, const void *values, int64_t copies,
                                  tulle_index index, void *offsets, void *cols_of,
                                  void *out_values) {
    GPU_TRY(indices_of_size(place, csr->rows, copies, tulle_offset_size(csr->index), csr->offsets,
                            csr->nnz, tulle_offset_size(index), offsets));
    GPU_TRY(put_last(place, index, offsets, csr->rows * copies, csr->nnz * copies));
    GPU_TRY(indices_of_size(place, csr->nnz, copies, tulle_index_size(csr->index), csr->cols_of,
                            csr->cols, tulle_index_size(index), cols_of));
    return type == TULLE_F32 ? values_of_type<float>(place, csr->nnz, copies, values, out_values)
                             : values_of_type<double>(place, csr->nnz, copies, values, out_values);
}
