/* SPDX-License-Identifier: Apache-2.0 */
/* CSR times a row-major multivector: one group of lanes per row (spmm_row.cuh). Most of the traffic
 * is X, one row of it for every entry, so the L1 cache should hold the rows of X that neighbouring
 * rows of A need: a block sweeps over its part of the matrix, one group of rows after the other
 * (spmm_sweep.cuh). */
#include "spmv/gpu/spmm_row.cuh"
#include "spmv/gpu/spmm_sweep.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { LANES, STEPS, APART, BLOCK };
const int lanes_values[] = {1, 2, 4, 8, 16, 32};
const int steps_values[] = {1, 2, 4, 8, 16, 32};
const int apart_values[] = {0, 1};
const int block_values[] = {128, 256, 512};
const tulle__param params[] = {
    {"lanes", "threads that share a row, at least; more where columns ask for it", 6, lanes_values},
    {"steps", "groups of rows that a block works through", 6, steps_values},
    {"apart", "1: a block steps from plane to plane of the grid behind the matrix", 2,
     apart_values},
    {"block", "threads of a block", 3, block_values}};

template <int width, int tiles, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(512, 2) void multiply_rows(row_block<V, O, C> b, sweep_plan plan) {
    int me = static_cast<int>(thread());
    lane_columns<width, tiles> mine(b, me % b.lanes);
    row_sweep sweep(plan, b.a, static_cast<int>(block_size()) / b.lanes, me / b.lanes);
    O groups_end = end_of_groups(b.a, b.aligned);
    row_entries<O> next = entries_of(b.a, sweep.row, sweep.works);
    for (int s = 0; s < plan.steps; s++) {
        int64_t i = sweep.row;
        row_entries<O> row = next;
        sweep.step();
        next = entries_of(b.a, sweep.row, sweep.works && s + 1 < plan.steps);
        pack<V, width> sum[tiles] = {};
        walk_row(
            b.a, row, groups_end,
            [&](O, const group_part &part, const auto &column, const auto &value) {
                add_group(b, mine, part, column, value, sum);
            },
            [&](O, C column, V value) {
                pack<V, width> x[tiles];
                load_x(b, mine, column, true, x);
                add_product(value, x, sum);
            });
        if (!sweep.works || i >= b.a.rows) continue;
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) {
            if (mine.column[t] < 0) continue;
            finish_word(b.a.alpha, sum[t], b.a.beta, b.a.y + (i * b.ldy + mine.column[t]));
        }
    }
}

template <int width, class V, class O, class C>
tulle_status launch_rows(const tulle__spmv_task *task, row_block<V, O, C> b) {
    const int *values = task->params;
    int words = (b.columns + width - 1) / width;
    b.lanes = enough_lanes(values[LANES], words);
    sweep_plan plan =
        plan_sweep(&task->shape, values[BLOCK] / b.lanes, values[STEPS], values[APART]);
    grid g = {plan.blocks, values[BLOCK]};
    if (words <= b.lanes) return launch(task->place, multiply_rows<width, 1, V, O, C>, g, b, plan);
    return launch(task->place, multiply_rows<width, most_tiles, V, O, C>, g, b, plan);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    return each_row_block(make_product<V, O, C>(task), task->shape.vectors, task->ldx, task->ldy,
                          [=](auto width, const row_block<V, O, C> &b) {
                              return launch_rows<decltype(width)::value>(task, b);
                          });
}

void defaults(const tulle__spmv_shape *shape, int *values) {
    constexpr int block = 512, resident = 2;
    values[LANES] = lanes_for_columns(shape);
    values[BLOCK] = block;
    values[STEPS] = steps_for(shape, block / values[LANES], resident);
    values[APART] = values[STEPS] > 1 && has_planes(shape, block / values[LANES]);
}

bool eligible(const tulle__spmv_shape *shape, const int *) {
    return shape->x_layout == TULLE_ROW_MAJOR && shape->y_layout == TULLE_ROW_MAJOR &&
           holds_groups(shape);
}

double cost(const tulle__spmv_shape *shape, const int *) {
    return whole_row_cost(shape, {1.15, 24, 0.25});
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_row);
const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_row) = {
    .head =
        {.name = "spmm_csr_row",
         .summary = "row-major: lanes share the columns of a row; sweeps that find X in the L1",
         .source =
             "Yang, Buluc and Owens, Euro-Par 2018, row split; Rivera and Tseng, SC 2000, sweeps",
         .format = TULLE_CSR,
         .flags = TULLE__MULTIVECTOR | TULLE__FORWARD | TULLE__REPEATABLE,
         .param_count = 4,
         .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .bytes = gpu::whole_row_bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
