/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperating threads as published: Reguly and Giles (InPar 2012; slides, "csrmv"). `coop`
 * neighbouring threads walk a row with stride coop, through the cache, and add their sums in shared
 * memory; a block works through `repeat` groups of rows. The split of a multiprocessor's memory
 * between L1 and shared memory is a parameter, as on their Fermi, which had 16 KB and 48 KB of
 * either.
 *
 * Not taken literally: the printed kernel relies on the threads of a warp being in step; here the
 * warp waits before and after each addition. Its loads and their order are kept, and so is that a
 * row's offsets are read by each of its threads. spmv_csr_vector is ours: it loads several entries
 * ahead, adds by shuffles, and past 4 lanes keeps lines that are read once out of the L1. */
#include "gpu/carve.cuh"
#include "spmv/gpu/csr_models.cuh"
#include "spmv/rule/fixed.h"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { COOP, REPEAT, BLOCK, CARVE };
const int coop_values[] = {1, 2, 4, 8, 16, 32};
const int repeat_values[] = {1, 2, 4, 8, 16, 32};
const int block_values[] = {32, 64, 128, 256, 512, 1024};
const int carve_values[] = {0, 50, 100};
const tulle__param params[] = {
    {"coop", "threads that share a row", 6, coop_values},
    {"repeat", "groups of rows that a block works through", 6, repeat_values},
    {"block", "threads of a block", 6, block_values},
    {"carve", "percent of the L1's memory that is asked for as shared", 3, carve_values}};

template <class V, class O, class C>
GPU_FUNCTION V sum_of_every(const csr_product<V, O, C> &a, int64_t row, int member, int coop) {
    V sum = 0;
    O end = load(a.offsets + row + 1);
    for (O left = end - load(a.offsets + row) - member; left > 0; left -= coop) {
        sum += load(a.values + (end - left)) * load(a.x + load(a.cols_of + (end - left)));
    }
    return sum;
}

/* Makes entry `self` the sum of the coop entries from there on, where self is a multiple of
 * coop. */
template <class V>
GPU_FUNCTION void add_up(shared<V> sums, int self, int coop) {
    for (int half = coop / 2; half > 0; half /= 2) {
        sync_warp(full_warp);
        if (self % coop < half) sums[self] += sums[self + half];
    }
}

template <class V, class O, class C>
GPU_KERNEL void forward(csr_product<V, O, C> a, int coop, int repeat) {
    GPU_DYNAMIC_SHARED(V, sums);
    int self = static_cast<int>(thread()), member = self % coop;
    int64_t group = static_cast<int64_t>(block_size()) / coop;
    int64_t row = static_cast<int64_t>(block()) * repeat * group + self / coop;
    for (int r = 0; r < repeat; r++, row += group) {
        sums[self] = row < a.rows ? sum_of_every(a, row, member, coop) : V(0);
        add_up<V>(sums, self, coop);
        if (member == 0 && row < a.rows) {
            a.y[row] = combine(a.alpha.value(), V(sums[self]), a.beta.value(), a.y + row);
        }
        sync_warp(full_warp);
    }
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    csr_product<V, O, C> a = make_product<V, O, C>(task);
    int coop = task->params[COOP], threads = task->params[BLOCK], repeat = task->params[REPEAT];
    int64_t rows = static_cast<int64_t>(threads / coop) * repeat;
    size_t kept = static_cast<size_t>(threads) * sizeof(V);
    GPU_TRY(prefer_shared(task->place, forward<V, O, C>, task->params[CARVE]));
    return launch(task->place, forward<V, O, C>, {(a.rows + rows - 1) / rows, threads, kept}, a,
                  coop, repeat);
}

/* Sets the parameters by the paper's rule, and the L1 as large as it gets. */
void defaults(const tulle__spmv_shape *shape, int *values) {
    values[COOP] = tulle__fixed_coop(shape->stats->mean_row);
    values[REPEAT] = tulle__fixed_repeat(shape->rows, values[COOP]);
    values[BLOCK] = TULLE__FIXED_BLOCK;
    values[CARVE] = 0;
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return shape->rows / (values[BLOCK] / values[COOP]) / values[REPEAT] < INT32_MAX;
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero);
}

double cost(const tulle__spmv_shape *shape, const int *values) {
    return lanes_cost(shape, values[COOP]);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_vector_published);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_vector_published) = {
    .head = {.name = "spmv_csr_vector_published",
             .summary = "cooperating threads as published: sums in shared memory, L1 as asked for",
             .source = "Reguly and Giles 2012, csrmv",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__HISTORICAL,
             .param_count = 4,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_I32(gpu::run),
};
