/* SPDX-License-Identifier: Apache-2.0 */
/* JDS: one thread per position, which goes from one jagged diagonal to the next until they do not
 * reach its position. Saad, Iterative Methods for Sparse Linear Systems, 3.4. All threads of a warp
 * read the same offsets, which stay in the cache. */
#include "spmv/gpu/slots_model.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, SHARE };
const tulle__param params[] = {slot_block_param, slot_share_param};

/* Slots of position p in jagged diagonals k, k + step, ... below width. Diagonals get shorter. */
template <class V, class O, class C>
struct jagged_path {
    const O *offsets;
    const C *cols_of;
    const V *values;
    int64_t p, k, width, step;

    GPU_FUNCTION bool any() const { return k < width; }
    template <bool stays>
    GPU_FUNCTION void entry(int number, C *column, V *value) const {
        int64_t diagonal = k + number * step;
        if (diagonal >= width) return;
        int64_t slot = static_cast<int64_t>(load(offsets + diagonal)) + p;
        if (slot >= static_cast<int64_t>(load(offsets + diagonal + 1))) return;
        *value = load_value<stays>(values + slot);
        *column = load_entry<stays>(cols_of + slot);
    }
    GPU_FUNCTION void advance(int count) { k += count * step; }
};

/* Layout of JDS. Diagonals begin anywhere, so the next warp wants the line that this one ends
 * in. */
template <class O>
struct jds_layout {
    static constexpr bool stays = true;
    const O *offsets;
    int64_t width;
    template <class V, class C>
    GPU_FUNCTION jagged_path<V, O, C> path(const slot_product<V, C> &a, int64_t p, turn t) const {
        return {offsets, a.cols_of, a.values, p, t.part, width, int64_t{1} << t.bits};
    }
};

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    slot_product<V, C> a = make_slot_product<V, C>(task);
    jds_layout<O> layout = {static_cast<const O *>(task->offsets), task->shape.storage->width};
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

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return slots_bytes(shape, beta_zero);
}

double cost(const tulle__spmv_shape *shape, const int *values) {
    return slots_cost(shape, shape->storage->width, values[SHARE]);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_jds);
const tulle__spmv_kernel GPU_SYMBOL(spmv_jds) = {
    .head = {.name = "spmv_jds",
             .summary = "jagged diagonals: a thread a row, longest rows first",
             .source = "GPU Teaching Kit, JDS; Saad 2003, 3.4; Hiranandani, II",
             .format = TULLE_JDS,
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
