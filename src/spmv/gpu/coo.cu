/* SPDX-License-Identifier: Apache-2.0 */
/* COO in the order of rows: the segmented reduction of coo.cuh, and beta y for rows without
 * entries. Where there are none, the reduction reads and writes y itself. */
#include "spmv/gpu/coo.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, TILES };
const int block_values[] = {128, 256, 512};
const int tiles_values[] = {2048, 8192, 32768};
const tulle__param params[] = {
    {"block", "threads of a block", 3, block_values},
    {"tiles", "blocks at most: more entries go to each", 3, tiles_values}};

coo_tiling tiling_of(const tulle__spmv_shape *shape, const int *values) {
    return coo_tile(shape->nnz, values[BLOCK], values[TILES]);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    csr_product<V, O, C> p = make_product<V, O, C>(task);
    bool gaps = task->shape.stats->empty_rows > 0;
    if (gaps) GPU_TRY(scale(task->place, p.rows, p.beta, p.y));
    coo_product<V, C> a = {p.nnz,     static_cast<const C *>(task->rows_of),
                           p.cols_of, p.values,
                           p.x,       p.y,
                           p.alpha,   p.beta,
                           gaps};
    return coo_reduce(task->place, a, tiling_of(&task->shape, task->params), task->workspace);
}

void defaults(const tulle__spmv_shape *, int *values) {
    values[BLOCK] = coo_threads;
    values[TILES] = coo_most_tiles;
}

/* True for sorted entries: rows never fall, nor columns in a row. */
bool eligible(const tulle__spmv_shape *shape, const int *) {
    return shape->stats->sorted;
}

size_t workspace(const tulle__spmv_shape *shape, const int *values) {
    return coo_carry_workspace(tiling_of(shape, values).tiles, shape->type);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *values, bool beta_zero) {
    int64_t value = tulle_type_size(shape->type), index = tulle_index_size(shape->index);
    int64_t y = (beta_zero ? 1 : 2) * shape->rows * value;
    bool gaps = shape->stats->empty_rows > 0;
    return shape->nnz * 2 * (index + value) + (gaps ? 2 : 1) * y +
           2 * coo_carry_bytes(tiling_of(shape, values).tiles, shape->type);
}

/* Cost: two kernels, one more where rows are empty; the entries' rows are looked at twice. A
 * model without a fit: no other kernel competes. */
double cost(const tulle__spmv_shape *shape, const int *) {
    int launches = shape->stats->empty_rows > 0 ? 3 : 2;
    return launches * launch_cost(shape) +
           1.25 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_coo);
const tulle__spmv_kernel GPU_SYMBOL(spmv_coo) = {
    .head = {.name = "spmv_coo",
             .summary = "sorted entries: segmented reduction by warps, carries in a fixed order",
             .source = "Bell and Garland, SC 2009, COO kernel; our carries",
             .format = TULLE_COO,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE,
             .param_count = 2,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
