/* SPDX-License-Identifier: Apache-2.0 */
/* One thread per row: the plain kernel of Reguly and Giles (2012) and of the GPU Teaching Kit.
 * Threads of a warp walk rows that lie apart, so loads do not coalesce; it is the yardstick, and
 * good for rows of a few entries. A^T x: each thread scatters its row with atomics. */
#include "spmv/gpu/csr_models.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK };
const int block_values[] = {64, 128, 256, 512, 1024};
const tulle__param params[] = {{"block", "threads of a block", 5, block_values}};

template <class V, class O, class C>
GPU_KERNEL void forward(csr_product<V, O, C> a) {
    allow_next();
    await_previous();
    int64_t i = static_cast<int64_t>(block()) * block_size() + thread();
    if (i >= a.rows) return;
    V sum = 0;
    O end = a.offsets[i + 1];
    for (O e = a.offsets[i]; e < end; e++) {
        sum += load_awaited(a.values + e) * load_awaited(a.x + load(a.cols_of + e));
    }
    a.y[i] = combine(a.alpha.value(), sum, a.beta.value(), a.y + i);
}

template <class V, class O, class C>
GPU_KERNEL void transposed(csr_product<V, O, C> a) {
    int64_t i = static_cast<int64_t>(block()) * block_size() + thread();
    if (i >= a.rows) return;
    V alpha = a.alpha.value(), x = load_awaited(a.x + i);
    O end = a.offsets[i + 1];
    for (O e = a.offsets[i]; e < end; e++) scatter<true>(a, e, alpha, x);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    csr_product<V, O, C> a = make_product<V, O, C>(task);
    grid g = {0, task->params[BLOCK]};
    g.blocks = (a.rows + g.threads - 1) / g.threads;
    if (task->shape.trans == TULLE_N) return launch_early(task->place, forward<V, O, C>, g, a);
    GPU_TRY(scale(task->place, a.cols, a.beta, a.y));
    return launch(task->place, transposed<V, O, C>, g, a);
}

/* Sets the block: small where rows are few, so that every multiprocessor has some. */
void defaults(const tulle__spmv_shape *shape, int *values) {
    values[BLOCK] = shape->rows < 1 << 18 ? 64 : 256;
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero);
}

/* Cost: a warp's loads touch as many lines as its rows; from about two entries a row on, lines
 * are fetched again and again. The longest row is walked by one thread, four entries in a
 * microsecond. Constants fitted to measurements (docs/lab-notes.md, "The first rule"). And one
 * lane a row with its loads in flight (csr_vector) is never slower: 1.3 to 1.4 times as fast on
 * short rows. */
double cost(const tulle__spmv_shape *shape, const int *) {
    double again = shape->stats->mean_row / 2;
    if (again < 1) again = 1;
    if (again > 8) again = 8;
    double all = again * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
    double longest = 0.25 * static_cast<double>(shape->stats->max_row) * bytes_a_microsecond(shape);
    double own = launch_cost(shape) + (longest > all ? longest : all);
    double one_lane = 1.3 * lanes_cost(shape, 1);
    return own > one_lane ? own : one_lane;
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_scalar);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_scalar) = {
    .head = {.name = "spmv_csr_scalar",
             .summary = "a thread a row",
             .source = "Reguly and Giles 2012, plain CSR; Hiranandani, IV.A; GPU Teaching Kit",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REFERENCE |
                      TULLE__HISTORICAL,
             .param_count = 1,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
