/* SPDX-License-Identifier: Apache-2.0 */
/* CSR+COO: the first entries of each row as a CSR, which cooperating lanes walk; the tails of long
 * rows as COO, so that no row holds up its warp. GPU Teaching Kit. */
#include "spmv/gpu/tail.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { LANES, BLOCK };
const int lanes_values[] = {1, 2, 4, 8, 16, 32};
const tulle__param params[] = {{"lanes", "threads that share a row", 6, lanes_values},
                               slot_block_param};

/* Entries of row i that a lane takes in its turn. */
template <class V, class O, class C>
GPU_FUNCTION strided_path<V, C, int> path_of(const slot_product<V, C> &a, const O *offsets,
                                             int64_t i, turn t) {
    int64_t first = static_cast<int64_t>(load(offsets + i));
    return path_of_turn(a, first, 1, static_cast<int64_t>(load(offsets + i + 1)) - first, t);
}

GPU_FUNCTION turn turn_of_lane(int bits) {
    return {static_cast<int>(thread() & ((1u << bits) - 1)), bits};
}

template <bool stays, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(most_crew_threads,
                        crews_resident(flight, sizeof(V))) void add_heads(const O *offsets,
                                                                          slot_product<V, C> a,
                                                                          int bits) {
    allow_next();
    await_previous();
    turn t = turn_of_lane(bits);
    int64_t i = loop_first() >> bits;
    gather<V> row = {a.x, 0};
    if (i < a.positions) walk<flight, stays, V, C>(path_of(a, offsets, i, t), &row);
    V sum = sum_of_lanes(row.sum, 1 << bits);
    if (t.part == 0 && i < a.positions) {
        a.y[i] = combine(a.alpha.value(), sum, a.beta.value(), a.y + i);
    }
}

template <bool stays, class V, class O, class C>
GPU_KERNEL void spread_heads(const O *offsets, slot_product<V, C> a, int bits) {
    int64_t i = loop_first() >> bits;
    if (i >= a.positions) return;
    spread<V> row = {a.y, a.alpha.value(), load_awaited(a.x + i)};
    walk<flight, stays, V, C>(path_of(a, offsets, i, turn_of_lane(bits)), &row);
}

int64_t blocks_for(const tulle__spmv_shape *shape, const int *values) {
    int64_t rows = values[BLOCK] / values[LANES];
    return shape->rows / rows + (shape->rows % rows != 0);
}

template <bool stays, class V, class O, class C>
tulle_status run_heads(const tulle__spmv_task *task, const slot_product<V, C> &a) {
    const O *offsets = static_cast<const O *>(task->offsets);
    grid g = {blocks_for(&task->shape, task->params), task->params[BLOCK]};
    int bits = bits_of(task->params[LANES]);
    if (task->shape.trans == TULLE_T) {
        return launch(task->place, spread_heads<stays, V, O, C>, g, offsets, a, bits);
    }
    return launch_early(task->place, add_heads<stays, V, O, C>, g, offsets, a, bits);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    slot_product<V, C> a = make_slot_product<V, C>(task);
    GPU_TRY(start_slots(task, a));
    bool stays = task->params[LANES] < 8;
    GPU_TRY((stays ? run_heads<true, V, O, C>(task, a) : run_heads<false, V, O, C>(task, a)));
    return run_tail(task, a);
}

/* Number of lanes: as many as make a lane's share of the mean row of the first part one flight
 * of loads. */
/* Sets the number of lanes for a row: a lane takes up to eleven entries of a row, on average. From
 * a sweep on an H200 (docs/lab-notes.md, "Formats: parameters"). */
void defaults(const tulle__spmv_shape *shape, int *values) {
    constexpr int64_t share = 11;
    int lanes = 1;
    while (lanes < 32 && lanes * share * shape->rows < shape->storage->head) lanes *= 2;
    values[LANES] = lanes;
    values[BLOCK] = 128;
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return blocks_for(shape, values) < INT32_MAX;
}

size_t workspace(const tulle__spmv_shape *shape, const int *) {
    return tail_workspace(shape);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return slots_bytes(shape, beta_zero) + tail_bytes(shape);
}

double cost(const tulle__spmv_shape *shape, const int *values) {
    return slots_cost(shape, shape->storage->width, values[LANES]) + tail_cost(shape);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_coo);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_coo) = {
    .head = {.name = "spmv_csr_coo",
             .summary = "CSR for the first entries of each row, segmented COO for the tails",
             .source = "GPU Teaching Kit, CSR with long rows' tails in COO",
             .format = TULLE_CSR_COO,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REFERENCE |
                      TULLE__HISTORICAL,
             .param_count = 2,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
