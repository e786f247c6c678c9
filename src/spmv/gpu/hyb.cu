/* SPDX-License-Identifier: Apache-2.0 */
/* HYB: the first entries of each row as an ELL, one thread per row; the tails of long rows as COO,
 * by a segmented reduction that adds to the same y. Bell and Garland, SC 2009. */
#include "spmv/gpu/tail.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, SHARE };
const tulle__param params[] = {slot_block_param, slot_share_param};

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    const tulle_storage *s = task->shape.storage;
    slot_product<V, C> a = make_slot_product<V, C>(task);
    GPU_TRY(start_slots(task, a));
    GPU_TRY(run_slots<flight>(task, ell_layout{s->stride, s->width}, a,
                              make_crew(task->params[BLOCK], task->params[SHARE])));
    return run_tail(task, a);
}

void defaults(const tulle__spmv_shape *shape, int *values) {
    values[SHARE] = share_for(shape, shape->rows, shape->storage->width);
    values[BLOCK] = block_for(values[SHARE]);
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return crews_fit(shape, values[BLOCK], values[SHARE]);
}

size_t workspace(const tulle__spmv_shape *shape, const int *) {
    return tail_workspace(shape);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return slots_bytes(shape, beta_zero) + tail_bytes(shape);
}

double cost(const tulle__spmv_shape *shape, const int *values) {
    return slots_cost(shape, shape->storage->width, values[SHARE]) + tail_cost(shape);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_hyb);
const tulle__spmv_kernel GPU_SYMBOL(spmv_hyb) = {
    .head = {.name = "spmv_hyb",
             .summary = "HYB: ELL for the first entries of each row, segmented COO for the rest",
             .source = "GPU Teaching Kit, HYB; Bell and Garland, SC 2009; Hiranandani, II",
             .format = TULLE_HYB,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REFERENCE,
             .param_count = 2,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
