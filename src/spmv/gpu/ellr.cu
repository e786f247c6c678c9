/* SPDX-License-Identifier: Apache-2.0 */
/* ELL-R: as ELL, but a row's length is known, so that no padding is read at all. Vazquez, Fernandez
 * and Garzon 2011. */
#include "spmv/gpu/slots_model.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, SHARE };
const tulle__param params[] = {slot_block_param, slot_share_param};

template <class C>
struct ellr_layout {
    static constexpr bool stays = false;
    int64_t stride;
    const C *lengths;
    template <class V>
    GPU_FUNCTION strided_path<V, C, int64_t> path(const slot_product<V, C> &a, int64_t p,
                                                  turn t) const {
        return path_of_turn(a, p, stride, static_cast<int64_t>(load(lengths + p)), t);
    }
};

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    slot_product<V, C> a = make_slot_product<V, C>(task);
    ellr_layout<C> layout = {task->shape.storage->stride, static_cast<const C *>(task->lengths)};
    GPU_TRY(start_slots(task, a));
    return run_slots<flight>(task, layout, a, make_crew(task->params[BLOCK], task->params[SHARE]));
}

void defaults(const tulle__spmv_shape *shape, int *values) {
    values[SHARE] = share_for(shape, shape->rows, shape->storage->width);
    values[BLOCK] = block_for(values[SHARE]);
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return crews_fit(shape, values[BLOCK], values[SHARE]);
}

/* Bytes: slots of padding are not read. */
int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    int64_t padding = shape->storage->stored - shape->nnz;
    return slots_bytes(shape, beta_zero) -
           padding * (tulle_index_size(shape->index) + tulle_type_size(shape->type));
}

double cost(const tulle__spmv_shape *shape, const int *values) {
    return slots_cost(shape, shape->storage->width, values[SHARE]);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_ellr);
const tulle__spmv_kernel GPU_SYMBOL(spmv_ellr) = {
    .head = {.name = "spmv_ellr",
             .summary = "ELL-R: ELL, each row as long as its entries",
             .source = "Vazquez, Fernandez and Garzon 2011, ELLR; Hiranandani, II",
             .format = TULLE_ELLR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REFERENCE |
                      TULLE__HISTORICAL,
             .param_count = 2,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
