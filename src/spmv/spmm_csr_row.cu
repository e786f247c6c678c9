/* SPDX-License-Identifier: Apache-2.0 */
/* CSR times a row-major block of vectors, by rows. */
#include "spmv/spmm_row_model.cuh"

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

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    const int *values = task->params;
    return run_rows(task->place, &task->shape, make_product<V, O, C>(task), task->ldx, task->ldy,
                    {values[LANES], values[STEPS], values[APART], values[BLOCK]});
}

void defaults(const tulle__spmv_shape *shape, int *values) {
    row_settings s = settings_for(shape);
    values[LANES] = s.lanes;
    values[STEPS] = s.steps;
    values[APART] = s.apart;
    values[BLOCK] = s.block;
}

bool eligible(const tulle__spmv_shape *shape, const int *) {
    return shape->x_layout == TULLE_ROW_MAJOR && shape->y_layout == TULLE_ROW_MAJOR &&
           holds_groups(shape);
}

/* A once for every launch. */
int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return block_bytes(shape, beta_zero) + (launches_of(shape) - 1) * matrix_bytes(shape);
}

double cost(const tulle__spmv_shape *shape, const int *) {
    return rows_cost(shape);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_row);
const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_row) = {
    .name = "spmm_csr_row",
    .summary = "row-major: lanes share the columns of a row; sweeps that find X in the L1",
    .source = "Yang, Buluc and Owens, Euro-Par 2018, row split; Rivera and Tseng, SC 2000, sweeps",
    .format = TULLE_CSR,
    .flags = TULLE__BLOCKS | TULLE__FORWARD | TULLE__REPEATABLE,
    .param_count = 4,
    .params = gpu::params,
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
