/* SPDX-License-Identifier: Apache-2.0 */
/* COO in any order: y := beta y, then an atomic addition for each entry, or for each run of
 * neighbouring entries that add to the same number of y. A^T x: rows and columns change places. */
#include "gpu/loop.cuh"
#include "spmv/gpu/coo.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

/* y[to[e]] += alpha values[e] x[from[e]] */
template <class V, class C>
GPU_KERNEL void add_entries(int64_t entries, const C *to, const C *from, const V *values,
                            const V *x, scalar<V> alpha, V *y) {
    int64_t step = loop_stride();
    for (int64_t first = loop_first() - lane(); first < entries; first += step) {
        int64_t e = first + lane();
        int64_t target = -1;
        V product[1] = {0};
        if (e < entries) {
            target = load_once(to + e);
            product[0] = load_once(values + e) * load(x + load_once(from + e));
        }
        int64_t next = shuffle_down(full_warp, target, 1u);
        bool ended = lane() == 31 || next != target;
        unsigned ends[1] = {ballot(full_warp, ended)};
        segment_sums(product, ends);
        if (ended && target >= 0) atomic_add(y + target, alpha.value() * product[0]);
    }
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    csr_product<V, O, C> p = make_product<V, O, C>(task);
    const C *to = static_cast<const C *>(task->rows_of), *from = p.cols_of;
    int64_t count = p.rows;
    if (task->shape.trans == TULLE_T) {
        to = p.cols_of;
        from = static_cast<const C *>(task->rows_of);
        count = p.cols;
    }
    GPU_TRY(scale(task->place, count, p.beta, p.y));
    return launch(task->place, add_entries<V, C>, loop_grid(p.nnz), p.nnz, to, from, p.values, p.x,
                  p.alpha, p.y);
}

bool runs_are_long(const tulle__spmv_shape *shape) {
    return shape->trans == TULLE_N && shape->stats->sorted;
}

/* Number of atomic additions: a row that is sorted has one for each of its 32 entries, or less. */
int64_t additions(const tulle__spmv_shape *shape) {
    return runs_are_long(shape) ? shape->rows - shape->stats->empty_rows + shape->nnz / warp_lanes
                                : shape->nnz;
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    int64_t value = tulle_type_size(shape->type), index = tulle_index_size(shape->index);
    int64_t y = shape->trans == TULLE_N ? shape->rows : shape->cols;
    return shape->nnz * 2 * (index + value) +
           ((beta_zero ? 1 : 2) * y + 2 * additions(shape)) * value;
}

/* Cost: an atomic addition moves a sector of 32 bytes to the L2 cache, which adds, and back. The
 * model is not fitted to measurements. */
double cost(const tulle__spmv_shape *shape, const int *) {
    constexpr double sector = 32;
    return 2 * launch_cost(shape) +
           1.25 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true)) +
           2 * sector * static_cast<double>(additions(shape));
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_coo_atomic);
const tulle__spmv_kernel GPU_SYMBOL(spmv_coo_atomic) = {
    .head = {.name = "spmv_coo_atomic",
             .summary = "entries in any order, atomic additions",
             .source = "Bell and Garland, SC 2009, COO format; atomics in place of sorting",
             .format = TULLE_COO,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REFERENCE | TULLE__HISTORICAL},
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
