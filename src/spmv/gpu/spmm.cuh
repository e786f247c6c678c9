/* SPDX-License-Identifier: Apache-2.0 */
/* Shared parts of the kernels for multivectors: Y := alpha op(A) X + beta Y, A in CSR. */
#ifndef TULLE_SPMV_GPU_SPMM_CUH
#define TULLE_SPMV_GPU_SPMM_CUH

#include "spmv/gpu/csr_row.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A multivector of either layout: number (i, j) is at i * row_step + j * col_step. */
template <class V>
struct dense_block {
    V *data;
    int64_t row_step, col_step;
    GPU_FUNCTION V *at(int64_t i, int64_t j) const { return data + i * row_step + j * col_step; }
};

template <class V>
dense_block<V> make_block(V *data, tulle_layout layout, int64_t ld) {
    if (layout == TULLE_ROW_MAJOR) return {data, ld, 1};
    return {data, 1, ld};
}

template <class V>
dense_block<const V> x_of(const tulle__spmv_task *task) {
    return make_block(static_cast<const V *>(task->x), task->shape.x_layout, task->ldx);
}
template <class V>
dense_block<V> y_of(const tulle__spmv_task *task) {
    return make_block(static_cast<V *>(task->y), task->shape.y_layout, task->ldy);
}

/* Largest number of columns of a block that one launch works on: their sums fit into registers. */
constexpr int most_columns = 64;

template <class V>
constexpr int whole_word = 16 / static_cast<int>(sizeof(V)); /* most numbers of one load */

inline bool is_aligned(const void *p, size_t bytes) {
    return reinterpret_cast<uintptr_t>(p) % bytes == 0;
}

/* Bytes of A, read once. */
inline int64_t matrix_bytes(const tulle__spmv_shape *s) {
    if (!tulle__spmv_countable(s)) return TULLE__UNCOUNTED;
    return (s->rows + 1) * tulle_offset_size(s->index) +
           s->nnz * (tulle_index_size(s->index) + tulle_type_size(s->type));
}

/* Bytes as of tulle__spmv_csr_bytes, with an X and a Y for every vector. */
inline int64_t block_bytes(const tulle__spmv_shape *s, bool beta_zero) {
    if (!tulle__spmv_countable(s)) return TULLE__UNCOUNTED;
    int64_t numbers = s->trans == TULLE_N ? s->nnz + (beta_zero ? 1 : 2) * s->rows
                                          : s->rows + 2 * s->nnz + (beta_zero ? 1 : 2) * s->cols;
    return matrix_bytes(s) + numbers * s->vectors * tulle_type_size(s->type);
}

/* Bytes of a multivector of so many numbers, for cost(). */
inline double vector_bytes(const tulle__spmv_shape *shape, double numbers) {
    return numbers * static_cast<double>(shape->vectors) *
           static_cast<double>(tulle_type_size(shape->type));
}

/* Cost of gathering X through the L1s, which give 128 bytes a cycle against a copy's 18.6, at
 * 1.755 GHz. Each entry takes a row of X and, for its own eight or twelve bytes, of_an_entry
 * more. A model without a fit. */
inline double gather_cost(const tulle__spmv_shape *shape, double of_an_entry = 24) {
    constexpr double l1_to_copy = 6.9, busy = 0.75;
    double entries = static_cast<double>(shape->nnz);
    return (vector_bytes(shape, entries) + of_an_entry * entries) / (l1_to_copy * busy);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
