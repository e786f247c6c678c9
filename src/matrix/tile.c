/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a matrix along the diagonal, on the CPU. */
#include "core/access.h"
#include "core/place.h"
#include "core/threads/sizes.h"
#include "matrix/functions.h"

/* Number of items of one copy that a thread takes at a time. */
enum { BLOCK = 16384 };

static int64_t block_count(int64_t n) {
    return (n + BLOCK - 1) / BLOCK;
}

static int64_t block_end(int64_t block, int64_t n) {
    return n - block * BLOCK < BLOCK ? n : (block + 1) * BLOCK;
}

static void tile_offsets(int threads, const tulle__pattern_view *csr, int64_t copies,
                         tulle_index index, void *offsets) {
    int64_t from = tulle_offset_size(csr->index), to = tulle_offset_size(index);
    int64_t blocks = block_count(csr->rows);
#pragma omp parallel for collapse(2) num_threads(threads)
    for (int64_t copy = 0; copy < copies; copy++) {
        for (int64_t block = 0; block < blocks; block++) {
            int64_t end = block_end(block, csr->rows);
            for (int64_t i = block * BLOCK; i < end; i++) {
                tulle__put(offsets, to, copy * csr->rows + i,
                           copy * csr->nnz + tulle__get(csr->offsets, from, i));
            }
        }
    }
    tulle__put(offsets, to, copies * csr->rows, copies * csr->nnz);
}

tulle_status tulle__cpu_tile_csr(const tulle__place *place, const tulle__pattern_view *csr,
                                 tulle_type type, const void *values, int64_t copies,
                                 tulle_index index, void *offsets, void *cols_of,
                                 void *out_values) {
    const int64_t count = copies * (csr->rows + csr->nnz);
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, count);
    tile_offsets(threads, csr, copies, index, offsets);
    int64_t from = tulle_index_size(csr->index), to = tulle_index_size(index);
    int64_t blocks = block_count(csr->nnz);
#pragma omp parallel for collapse(2) num_threads(threads)
    for (int64_t copy = 0; copy < copies; copy++) {
        for (int64_t block = 0; block < blocks; block++) {
            int64_t end = block_end(block, csr->nnz);
            for (int64_t k = block * BLOCK; k < end; k++) {
                int64_t out = copy * csr->nnz + k;
                tulle__put(cols_of, to, out, copy * csr->cols + tulle__get(csr->cols_of, from, k));
                tulle__move_value(type, out_values, out, values, k);
            }
        }
    }
    return TULLE_OK;
}
