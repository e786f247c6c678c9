/* SPDX-License-Identifier: Apache-2.0 */
/* Shared parts of the kernels that multiply BSR and multivectors: Y := alpha op(A) X + beta Y by
 * lines of blocks, which are block rows for A X and block columns for A^T X
 * (matrix/block_lines.h), and the models that decide between them. */
#ifndef TULLE_SPMV_GPU_SPMM_BSR_CUH
#define TULLE_SPMV_GPU_SPMM_BSR_CUH

#include "matrix/block_lines.h"
#include "spmv/gpu/spmm.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Arguments of a product; O: type of offsets and of the numbers of blocks. */
template <class V, class O, class C>
struct block_product {
    int64_t lines, rows; /* numbers of Y's blocks of rows, and of its rows */
    int size;            /* number of rows of a block of op(A) */
    const O *offsets;    /* beginning of each line */
    const C *others;     /* for each of a line's blocks, the block of rows of X that it meets */
    const O *slots; /* for each block of a line, its index; NULL: the blocks of a line lie one after
                       the other */
    const C *order; /* lines in the order in which they are taken; NULL: their own */
    const V *values;
    const uint32_t *mask; /* masks of all blocks; NULL: no cell is padding */
    int64_t vectors;
    dense_block<const V> x;
    dense_block<V> y;
    scalar<V> alpha, beta;
    int wide; /* number of columns of a block of op(A) */
};

/* Values of the parameter by_length: 1 where lines are taken by falling length. */
constexpr int by_length_values[] = {0, 1};
constexpr const char by_length_text[] =
    "1: block rows (columns) by falling number of blocks, so that neighbours are equally long";

/* Default of by_length: 0 where lengths vary little, since that would only part neighbours. */
inline int by_length_for(const tulle__spmv_shape *shape) {
    constexpr double even = 0.5;
    return shape->stats->sd_row > even * shape->stats->mean_row;
}

/* Numbers of rows and of columns of a block of op(A). */
inline int64_t line_size(const tulle__spmv_shape *shape) {
    return shape->trans == TULLE_N ? tulle__block_rows(shape->storage)
                                   : tulle__block_cols(shape->storage);
}
inline int64_t line_width(const tulle__spmv_shape *shape) {
    return shape->trans == TULLE_N ? tulle__block_cols(shape->storage)
                                   : tulle__block_rows(shape->storage);
}

template <class V, class O, class C>
block_product<V, O, C> make_block_product(const tulle__spmv_task *task, bool by_length) {
    const tulle__spmv_shape *shape = &task->shape;
    const tulle__block_lines *lines = task->lines;
    const bool forward = shape->trans == TULLE_N;
    const int64_t rows = forward ? shape->rows : shape->cols, size = line_size(shape);
    return {tulle__ceil_div(rows, size),
            rows,
            static_cast<int>(size),
            static_cast<const O *>(forward ? task->offsets : lines->offsets),
            static_cast<const C *>(forward ? task->cols_of : lines->others),
            static_cast<const O *>(forward ? nullptr : lines->slots),
            static_cast<const C *>(by_length ? lines->order : nullptr),
            static_cast<const V *>(task->values),
            shape->storage->full ? nullptr : static_cast<const uint32_t *>(task->mask),
            shape->vectors,
            x_of<V>(task),
            y_of<V>(task),
            make_scalar<V>(task->alpha),
            make_scalar<V>(task->beta),
            static_cast<int>(line_width(shape))};
}

/* Number of lines of op(A). */
inline int64_t lines_of(const tulle__spmv_shape *shape) {
    return tulle__ceil_div(shape->trans == TULLE_N ? shape->rows : shape->cols, line_size(shape));
}

/* Bytes of the lists of lines: the order, or block columns instead of block rows. */
inline int64_t lines_bytes(const tulle__spmv_shape *shape, bool by_length) {
    int64_t offset = tulle_offset_size(shape->index), index = tulle_index_size(shape->index);
    int64_t order = by_length ? lines_of(shape) * index : 0;
    if (shape->trans == TULLE_N) return order;
    return order + tulle__bsr_blocks(shape->storage) * offset;
}

/* Bytes that the algorithm loads and stores: A once for each of `passes` over the columns, and X
 * once for each block. */
inline int64_t block_lines_bytes(const tulle__spmv_shape *shape, bool by_length, int64_t passes,
                                 bool beta_zero) {
    if (!tulle__spmv_countable(shape)) return TULLE__UNCOUNTED;
    const tulle_storage *s = shape->storage;
    int64_t number = tulle_type_size(shape->type), k = shape->vectors;
    int64_t x = shape->trans == TULLE_N ? shape->cols : shape->rows;
    tulle_mat_lengths n = tulle__counts(shape->format, shape->rows, shape->cols, s);
    int64_t matrix = tulle__structure_bytes(&n, shape->index) + s->stored * number;
    return tulle__spmv_minimal_bytes(shape, beta_zero) + (passes - 1) * matrix +
           lines_bytes(shape, by_length) +
           (tulle__bsr_blocks(s) * line_width(shape) - x) * k * number;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
