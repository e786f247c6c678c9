/* SPDX-License-Identifier: Apache-2.0 */
/* The second part of HYB and CSR+COO, in COO: the entries of long rows from index `width` on. Its
 * product is added to the y of the first part. */
#ifndef TULLE_SPMV_GPU_TAIL_CUH
#define TULLE_SPMV_GPU_TAIL_CUH

#include "gpu/loop.cuh"
#include "spmv/gpu/coo.cuh"
#include "spmv/gpu/slots_model.cuh"

namespace TULLE_GPU_NAMESPACE {

inline int64_t tail_entries(const tulle__spmv_shape *shape) {
    return shape->storage->stored - shape->storage->head;
}

/* Makes the arguments of the tail, with an entry a position and its row. */
template <class V, class C>
GPU_KERNEL void spread_tail(slot_product<V, C> a) {
    for (int64_t e = loop_first(); e < a.positions; e += loop_stride()) {
        V product = load_once(a.values + e) * load(a.x + load_once(a.order + e));
        atomic_add(a.y + load_once(a.cols_of + e), a.alpha.value() * product);
    }
}

/* Adds alpha A x or alpha A^T x of the tail; an empty tail takes no launch. */
template <class V, class C>
tulle_status run_tail(const tulle__spmv_task *task, const slot_product<V, C> &whole) {
    slot_product<V, C> a = whole;
    int64_t head = task->shape.storage->head;
    a.positions = tail_entries(&task->shape);
    a.order = static_cast<const C *>(task->rows_of);
    a.cols_of += head;
    a.values += head;
    if (task->shape.trans == TULLE_T) {
        return launch(task->place, spread_tail<V, C>, loop_grid(a.positions), a);
    }
    return coo_add(task->place, a.positions, a.order, a.cols_of, a.values, a.x, a.y, a.alpha,
                   task->workspace);
}

inline size_t tail_workspace(const tulle__spmv_shape *shape) {
    return shape->trans == TULLE_N ? coo_add_workspace(tail_entries(shape), shape->type) : 0;
}

/* Bytes beyond slots_bytes: rows of the tail are read and written once more, and there are
 * carries. */
inline int64_t tail_bytes(const tulle__spmv_shape *shape) {
    if (shape->trans == TULLE_T) return 0;
    int64_t entries = tail_entries(shape);
    int64_t rows = entries < shape->rows ? entries : shape->rows;
    return 2 * rows * tulle_type_size(shape->type) +
           2 * coo_carry_bytes(coo_tile(entries).tiles, shape->type);
}

/* Cost beyond the first part's: two more launches, and a quarter of the tail's bytes (as
 * coo.cu). */
inline double tail_cost(const tulle__spmv_shape *shape) {
    int64_t entries = tail_entries(shape);
    if (entries == 0) return 0;
    int64_t entry = 2 * tulle_index_size(shape->index) + tulle_type_size(shape->type);
    return 2 * launch_cost(shape) + 0.25 * static_cast<double>(entries * entry);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
