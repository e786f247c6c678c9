/* SPDX-License-Identifier: Apache-2.0 */
/* CSR times a multivector of any layout, the plain way: one thread per element of Y. Neighbouring
 * threads have elements that are neighbours in memory: columns of a row where Y is row-major, so
 * that they read the same entries; rows of a column where Y is column-major. A^T X: one thread per
 * element of X, whose products are added to Y atomically. */
#include "gpu/loop.cuh"
#include "spmv/gpu/spmm.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

template <class V>
struct blocks {
    int64_t vectors;
    bool by_row; /* true: threads take the elements of Y by rows; false: by columns */
    dense_block<const V> x;
    dense_block<V> y;
};

/* Calls for the numbers of a block of so many rows, in the order of the threads. */
template <class Do>
GPU_FUNCTION void each_number(int64_t rows, int64_t vectors, bool by_row, Do what) {
    loop_pairs at(by_row ? vectors : rows);
    for (int64_t n = loop_first(); n < rows * vectors; n += loop_stride()) {
        what(by_row ? at.outer : at.inner, by_row ? at.inner : at.outer);
        at.next();
    }
}

template <class V, class O, class C>
GPU_KERNEL void forward(csr_product<V, O, C> a, blocks<V> b) {
    each_number(a.rows, b.vectors, b.by_row, [&](int64_t i, int64_t j) {
        V sum = 0;
        O end = load(a.offsets + i + 1);
        for (O e = load(a.offsets + i); e < end; e++) {
            sum += load(a.values + e) * load(b.x.at(load(a.cols_of + e), j));
        }
        V *y = b.y.at(i, j);
        *y = combine(a.alpha.value(), sum, a.beta.value(), y);
    });
}

template <class V>
GPU_KERNEL void scale_block(int64_t rows, blocks<V> b, scalar<V> factor) {
    each_number(rows, b.vectors, b.by_row, [&](int64_t i, int64_t j) {
        V *y = b.y.at(i, j), beta = factor.value();
        *y = beta == V(0) ? V(0) : beta * *y;
    });
}

template <class V, class O, class C>
GPU_KERNEL void transposed(csr_product<V, O, C> a, blocks<V> b) {
    each_number(a.rows, b.vectors, b.by_row, [&](int64_t i, int64_t j) {
        V alpha = a.alpha.value(), x = load(b.x.at(i, j));
        O end = load(a.offsets + i + 1);
        for (O e = load(a.offsets + i); e < end; e++) {
            atomic_add(b.y.at(load(a.cols_of + e), j), alpha * (load(a.values + e) * x));
        }
    });
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    csr_product<V, O, C> a = make_product<V, O, C>(task);
    int64_t k = task->shape.vectors;
    blocks<V> b = {k, task->shape.y_layout == TULLE_ROW_MAJOR, x_of<V>(task), y_of<V>(task)};
    grid g = loop_grid(a.rows * k);
    if (task->shape.trans == TULLE_N) return launch(task->place, forward<V, O, C>, g, a, b);
    GPU_TRY(launch(task->place, scale_block<V>, loop_grid(a.cols * k), a.cols, b, a.beta));
    return launch(task->place, transposed<V, O, C>, g, a, b);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return block_bytes(shape, beta_zero);
}

/* Cost: each entry of A loads each of its numbers of X, and for A^T adds each number of Y, by
 * itself, and one thread has the whole longest row. The model is not fitted to measurements. */
double cost(const tulle__spmv_shape *shape, const int *) {
    double each = vector_bytes(shape, static_cast<double>(shape->nnz));
    double all = static_cast<double>(tulle__spmv_minimal_bytes(shape, true)) +
                 (shape->trans == TULLE_N ? 1 : 2) * each;
    double longest = longest_row_us(shape, 0.25) * bytes_a_microsecond(shape);
    return launch_cost(shape) + (longest > all ? longest : all);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmm_csr);
const tulle__spmv_kernel GPU_SYMBOL(spmm_csr) = {
    .head = {.name = "spmm_csr",
             .summary = "any layouts, a thread for each number of Y",
             .source = "the definition",
             .format = TULLE_CSR,
             .flags = TULLE__MULTIVECTOR | TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE |
                      TULLE__REFERENCE},
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
