/* SPDX-License-Identifier: Apache-2.0 */
/* LightSpMV: rows are dealt out while the kernel runs. Who has none takes the next ones from an
 * atomic counter, and the answer travels through the warp by a shuffle; `lanes` lanes share a row.
 * Liu and Schmidt (ASAP 2015; J. Signal Process. Syst. 2018); Hiranandani, "LightSpMV". Level 0,
 * vector: the lanes of one row ask for themselves. Level 1, warp: one lane asks for the whole warp,
 * which works on 32 / lanes rows side by side.
 *
 * Ours is `batch`: one answer is good for so many groups of rows. All answers come from one address
 * of the L2, about one a nanosecond (the authors' code on an H200, 250 to 520 thousand answers in
 * as many nanoseconds, whatever the rows), which is what bounds the speed with batch 1.
 *
 * Who sums a row depends on chance, the order in which it is summed only on `lanes`: repeatable. */
#include "gpu/gpu.cuh"
#include "spmv/gpu/csr_row.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { LANES, LEVEL, BATCH, BLOCK };
const int lanes_values[] = {1, 2, 4, 8, 16, 32};
const int level_values[] = {0, 1};
const int batch_values[] = {1, 2, 4, 8, 16};
const int block_values[] = {128, 256, 512, 1024};
const tulle__param params[] = {
    {"lanes", "threads that share a row", 6, lanes_values},
    {"level", "who takes rows; 0: the lanes of a row, 1: a warp", 2, level_values},
    {"batch", "groups of rows taken at once", 5, batch_values},
    {"block", "threads of a block", 4, block_values}};

/* How rows are dealt out: a chunk is `batch` groups of `share` rows for `takers` lanes. */
struct deal {
    int takers; /* neighbouring lanes that take together */
    int share;  /* rows that they work on side by side */
    int batch;
    int64_t chunks;
};

deal deal_of(const tulle__spmv_shape *shape, const int *values) {
    int takers = values[LEVEL] ? 32 : values[LANES];
    int share = takers / values[LANES];
    int64_t rows = static_cast<int64_t>(share) * values[BATCH];
    return {takers, share, values[BATCH], (shape->rows + rows - 1) / rows};
}

GPU_FUNCTION int take(int *counter, int takers) {
    int chunk = 0;
    if (lane() % static_cast<unsigned>(takers) == 0) chunk = atomic_add(counter, 1);
    return shuffle(full_warp, chunk, 0, takers);
}

/* A warp goes on while any of its lanes has rows. */
template <int lanes, class V, class O, class C>
GPU_KERNEL void forward(csr_product<V, O, C> a, deal d, int *counter) {
    int member = static_cast<int>(lane()) % lanes;
    int beside = static_cast<int>(lane()) % d.takers / lanes;
    int chunk = take(counter, d.takers);
    while (any(full_warp, chunk < d.chunks)) {
        int64_t i = static_cast<int64_t>(chunk) * d.batch * d.share + beside;
        for (int group = 0; group < d.batch; group++, i += d.share) {
            V sum = 0;
            if (i < a.rows) {
                sum = partial_sum<(lanes < 8)>(a, load(a.offsets + i), load(a.offsets + i + 1),
                                               member, lanes);
            }
            sum = sum_of_lanes(sum, lanes);
            if (member == 0 && i < a.rows) {
                a.y[i] = combine(a.alpha.value(), sum, a.beta.value(), a.y + i);
            }
        }
        chunk = take(counter, d.takers);
    }
}

constexpr int threads_resident = 2048; /* of a multiprocessor, at 32 registers a thread */

template <int lanes, class V, class O, class C>
tulle_status run_lanes(const tulle__spmv_task *task) {
    deal d = deal_of(&task->shape, task->params);
    int *counter = static_cast<int *>(task->workspace);
    int threads = task->params[BLOCK];
    int64_t takers_a_block = threads / d.takers;
    int64_t needed = (d.chunks + takers_a_block - 1) / takers_a_block;
    int64_t resident =
        static_cast<int64_t>(task->shape.device->multiprocessors) * (threads_resident / threads);
    GPU_TRY(GPU_SYMBOL(set_bytes)(task->place, counter, 0, sizeof *counter));
    return launch(task->place, forward<lanes, V, O, C>,
                  {needed < resident ? needed : resident, threads}, make_product<V, O, C>(task), d,
                  counter);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    switch (task->params[LANES]) {
        case 1:
            return run_lanes<1, V, O, C>(task);
        case 2:
            return run_lanes<2, V, O, C>(task);
        case 4:
            return run_lanes<4, V, O, C>(task);
        case 8:
            return run_lanes<8, V, O, C>(task);
        case 16:
            return run_lanes<16, V, O, C>(task);
        default:
            return run_lanes<32, V, O, C>(task);
    }
}

double warps_resident(const tulle__spmv_shape *shape) {
    return shape->device->multiprocessors * (threads_resident / 32.0);
}

/* Microseconds in which all warps of the device walk all rows, no row longer than one flight. */
double all_rows_us(const tulle__spmv_shape *shape, int lanes) {
    constexpr double walk_us = 1.5; /* offsets, entries, x: three loads that wait for each other */
    return walk_us * static_cast<double>(shape->rows) * lanes / (32 * warps_resident(shape));
}

/* More lanes than the mean row fills, while the longest row alone takes longer than all others. */
int lanes_of(const tulle__spmv_shape *shape) {
    int lanes = lanes_for_mean(shape);
    while (lanes < 32 && longest_row_us(shape, lanes) > all_rows_us(shape, lanes)) lanes *= 2;
    return lanes;
}

/* Entries of a chunk at which dealing out takes a third of the time of loading: a copy moves some
 * 4 kB, 340 entries of 12 bytes, while the counter gives one answer. */
constexpr double entries_a_chunk = 1000;

/* Large chunks, as long as there are two for each warp. */
int batch_of(const tulle__spmv_shape *shape, int lanes) {
    double rows = 32.0 / lanes;
    double groups = static_cast<double>(shape->rows) / rows;
    int batch = 1;
    while (batch < 16 && batch * rows * shape->stats->mean_row < entries_a_chunk &&
           groups / (2 * batch) >= 2 * warps_resident(shape)) {
        batch *= 2;
    }
    return batch;
}

void defaults(const tulle__spmv_shape *shape, int *values) {
    values[LANES] = lanes_of(shape);
    values[LEVEL] = 1;
    values[BATCH] = batch_of(shape, values[LANES]);
    values[BLOCK] = 256;
}

/* The counter must hold all chunks, and what the lanes of a warp take in vain while one of them
 * still has rows. */
bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return deal_of(shape, values).chunks < INT32_MAX / 64;
}

size_t workspace(const tulle__spmv_shape *, const int *) {
    return sizeof(int);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero);
}

/* A launch to zero the counter, and the first and the last takes, for which all warps queue; then
 * the rows, dealt out at a price that csr_vector does not pay. Never less than csr_merge. */
double cost(const tulle__spmv_shape *shape, const int *values) {
    double uneven = values[LANES] < 32 ? unevenness(shape) : 0;
    double all =
        (1.5 + 0.25 * uneven) * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
    double longest = longest_row_us(shape, values[LANES]) * bytes_a_microsecond(shape);
    return 4 * launch_cost(shape) + (longest > all ? longest : all);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_light);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_light) = {
    .head = {.name = "spmv_csr_light",
             .summary = "LightSpMV: warps take rows from a counter while the kernel runs",
             .source = "Hiranandani, IV.E; Liu and Schmidt 2015",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__HISTORICAL,
             .param_count = 4,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_I32(gpu::run), /* csr_merge costs less by the models, whatever the matrix */
};
