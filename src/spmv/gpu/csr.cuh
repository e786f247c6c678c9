/* SPDX-License-Identifier: Apache-2.0 */
/* Shared parts of the CSR kernels of the GPU: their arguments, scalars on either side, and the
 * scaling of y that comes before atomic updates. */
#ifndef TULLE_SPMV_GPU_CSR_CUH
#define TULLE_SPMV_GPU_CSR_CUH

#include "gpu/gpu.cuh"
#include "gpu/scalar.cuh"
#include "spmv/bytes.h"
#include "spmv/spmv.h"

namespace TULLE_GPU_NAMESPACE {

template <class V, class O, class C>
struct csr_product {
    int64_t rows, cols, nnz;
    const O *offsets;
    const C *cols_of;
    const V *values;
    const V *x;
    V *y;
    scalar<V> alpha, beta;
};

template <class V, class O, class C>
csr_product<V, O, C> make_product(const tulle__spmv_task *task) {
    return {task->shape.rows,
            task->shape.cols,
            task->shape.nnz,
            static_cast<const O *>(task->offsets),
            static_cast<const C *>(task->cols_of),
            static_cast<const V *>(task->values),
            static_cast<const V *>(task->x),
            static_cast<V *>(task->y),
            make_scalar<V>(task->alpha),
            make_scalar<V>(task->beta)};
}

/* alpha * sum + beta * y, where y is not read for beta == 0. */
template <class V>
GPU_FUNCTION V combine(V alpha, V sum, V beta, const V *y) {
    return beta == V(0) ? alpha * sum : alpha * sum + beta * *y;
}

template <class V>
GPU_KERNEL void scale_kernel(int64_t count, scalar<V> factor, V *y) {
    V beta = factor.value();
    int64_t step = static_cast<int64_t>(grid_size()) * block_size();
    int64_t first = static_cast<int64_t>(block()) * block_size() + thread();
    for (int64_t i = first; i < count; i += step) y[i] = beta == V(0) ? V(0) : beta * y[i];
}

/* y := beta y */
template <class V>
tulle_status scale(const tulle__place *place, int64_t count, scalar<V> factor, V *y) {
    constexpr int threads = 256, most_blocks = 1 << 16;
    int64_t blocks = (count + threads - 1) / threads;
    return launch(place, scale_kernel<V>, {blocks < most_blocks ? blocks : most_blocks, threads},
                  count, factor, y);
}

/* Loads an entry's column. stays: few lanes share a row, so that the next lines of the same rows
 * are wanted again at once and must stay in the L1; else every line is read by one load. */
template <bool stays, class T>
GPU_FUNCTION T load_entry(const T *p) {
    return stays ? load(p) : load_once(p);
}

/* Loads the value of an entry, as load_entry loads its column. A value is no constant: the kernel
 * before this one in the stream may have written it. */
template <bool stays, class T>
GPU_FUNCTION T load_value(const T *p) {
    return stays ? load_awaited(p) : load_once(p);
}

/* Adds alpha times the product of one entry to its column's number of y. The product comes
 * first, as in A x: alpha x alone may underflow where alpha a x does not. */
template <bool stays, class V, class O, class C>
GPU_FUNCTION void scatter(const csr_product<V, O, C> &a, O entry, V alpha, V x) {
    atomic_add(a.y + load_entry<stays>(a.cols_of + entry),
               alpha * (load_value<stays>(a.values + entry) * x));
}

/* Bytes that a copy moves in a microsecond, for cost(). */
inline double bytes_a_microsecond(const tulle__spmv_shape *shape) {
    return tulle__bytes_a_microsecond(shape->device);
}

/* Bytes that a copy moves in the time that a launch takes, for cost(). */
inline double launch_cost(const tulle__spmv_shape *shape) {
    return TULLE__LAUNCH_US * bytes_a_microsecond(shape);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
