/* SPDX-License-Identifier: Apache-2.0 */
/* DCSR. A first launch sets y := beta y; in a second one a group of lanes computes each row that
 * has entries. A^T x adds atomically. */
#include "gpu/loop.cuh"
#include "spmv/gpu/csr_row.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

/* The positions of a group of lanes: `first`, and every step-th one from there, `rounds` in all.
 * All groups of a warp have the same number of rounds, so that no lane of the warp ends early. */
struct shares {
    int lane, coop;
    int64_t first, step, rounds;
    GPU_FUNCTION shares(int64_t heads, int lanes)
        : lane(static_cast<int>(thread()) % lanes),
          coop(lanes),
          first(loop_first() / lanes),
          step(loop_stride() / lanes),
          rounds(heads / step + (heads % step != 0)) {}
};

template <class V, class O, class C>
GPU_KERNEL void gather_rows(csr_product<V, O, C> a, const C *order, int64_t heads, int coop) {
    shares mine(heads, coop);
    for (int64_t r = 0; r < mine.rounds; r++) {
        int64_t p = mine.first + r * mine.step;
        O begin = p < heads ? load(a.offsets + p) : 0,
          end = p < heads ? load(a.offsets + p + 1) : 0;
        V sum = sum_of_lanes(partial_sum<false>(a, begin, end, mine.lane, coop), coop);
        if (mine.lane == 0 && p < heads) a.y[load(order + p)] += a.alpha.value() * sum;
    }
}

template <class V, class O, class C>
GPU_KERNEL void scatter_rows(csr_product<V, O, C> a, const C *order, int64_t heads, int coop) {
    shares mine(heads, coop);
    V alpha = a.alpha.value();
    for (int64_t p = mine.first; p < heads; p += mine.step) {
        V x = load(a.x + load(order + p));
        O end = load(a.offsets + p + 1);
        for (O e = load(a.offsets + p) + mine.lane; e < end; e += coop)
            scatter<false>(a, e, alpha, x);
    }
}

/* Number of lanes of a row, so that each has about a flight of entries. */
int lanes_for(const tulle__spmv_shape *shape) {
    int64_t heads = shape->storage->heads;
    int lanes = 1;
    while (lanes < warp_lanes && heads * lanes * flight < shape->nnz) lanes *= 2;
    return lanes;
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    csr_product<V, O, C> p = make_product<V, O, C>(task);
    bool forward = task->shape.trans == TULLE_N;
    int64_t heads = task->shape.storage->heads;
    int lanes = lanes_for(&task->shape);
    GPU_TRY(scale(task->place, forward ? p.rows : p.cols, p.beta, p.y));
    return launch(task->place, forward ? gather_rows<V, O, C> : scatter_rows<V, O, C>,
                  loop_grid(heads * lanes), p, static_cast<const C *>(task->order), heads, lanes);
}

/* Cost: two launches; an atomic addition moves a sector of 32 bytes to the L2's adder and back.
 * A model without a fit. */
double cost(const tulle__spmv_shape *shape, const int *) {
    constexpr double sector = 32;
    double additions = static_cast<double>(shape->trans == TULLE_N ? 0 : shape->nnz);
    return 2 * launch_cost(shape) +
           1.25 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true)) +
           2 * sector * additions;
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_dcsr);
const tulle__spmv_kernel GPU_SYMBOL(spmv_dcsr) = {
    .head = {.name = "spmv_dcsr",
             .summary = "y scaled, then lanes share the rows that have entries; A^T x by atomics",
             .source = "Buluc and Gilbert, IPDPS 2008, doubly compressed rows",
             .format = TULLE_DCSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REFERENCE},
    .bytes = tulle__spmv_dcsr_bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
