/* SPDX-License-Identifier: Apache-2.0 */
/* ELL: one thread per row, slots column by column, so that a warp reads whole lines. Bell and
 * Garland, SC 2009. A row ends at its first padding. */
#include "spmv/gpu/slots_model.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, SHARE, AHEAD };
const tulle__param params[] = {slot_block_param, slot_share_param, slot_ahead_param};

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    const tulle_storage *s = task->shape.storage;
    slot_product<V, C> a = make_slot_product<V, C>(task);
    ell_layout layout = {s->stride, s->width};
    crew c = make_crew(task->params[BLOCK], task->params[SHARE]);
    GPU_TRY(start_slots(task, a));
    return task->params[AHEAD] == 8 ? run_slots<8>(task, layout, a, c)
                                    : run_slots<4>(task, layout, a, c);
}

void defaults(const tulle__spmv_shape *shape, int *values) {
    int64_t width = shape->storage->width;
    values[SHARE] = share_for(shape, shape->rows, width);
    slots_ahead(values[SHARE], width, &values[BLOCK], &values[AHEAD]);
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return crews_fit(shape, values[BLOCK], values[SHARE]);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return slots_bytes(shape, beta_zero);
}

double cost(const tulle__spmv_shape *shape, const int *values) {
    return slots_cost(shape, shape->storage->width, values[SHARE]);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_ell);
const tulle__spmv_kernel GPU_SYMBOL(spmv_ell) = {
    .head = {.name = "spmv_ell",
             .summary = "ELL: a thread a row, or several that take its slots in turns",
             .source = "GPU Teaching Kit, ELL; Bell and Garland, SC 2009; Hiranandani, II",
             .format = TULLE_ELL,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REFERENCE,
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
