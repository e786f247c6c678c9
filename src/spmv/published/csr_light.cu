/* SPDX-License-Identifier: Apache-2.0 */
/* LightSpMV as published: Hiranandani, IV.E, after Liu and Schmidt (ASAP 2015; J. Signal Process.
 * Syst. 2018). Rows are dealt out while the kernel runs. A vector of `lanes` lanes has a row at a
 * time, whose number is the answer of one atomic counter, and travels to the other lanes by a
 * shuffle. Level 0, vector: each vector asks for its next row. Level 1, warp, which she prints: one
 * lane asks for as many rows as its warp has vectors. Two lanes of a vector fetch where the row
 * begins and ends, through shared memory; a vector of a whole warp begins at an aligned entry;
 * shuffles add the lanes' sums.
 *
 * The host picks the lanes by the mean row, and by nothing else. She does not print where one
 * number of lanes gives way to the next; the authors' program has 2 up to a mean of 2, 4 up to 4, 8
 * up to 64, and 32 above, the mean rounded. There are as many blocks as the rows need for one
 * thread per row, as in her Table II.
 *
 * Not taken literally: the printed kernel reads numbers that other lanes put into shared memory
 * without waiting for them, and shuffles with all lanes where some have left the loop; here the
 * warp waits, and goes on while any of its lanes has a row.
 *
 * Who sums a row depends on chance, the order in which it is summed only on `lanes`: repeatable. */
#include <cmath>

#include "spmv/gpu/csr_row.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { LANES, LEVEL, BLOCK };
const int lanes_values[] = {2, 4, 8, 16, 32};
const int level_values[] = {0, 1};
const int block_values[] = {128, 256, 512, 1024};
const tulle__param params[] = {
    {"lanes", "threads that share a row, a vector", 5, lanes_values},
    {"level", "who asks for rows; 0: each vector, 1: a warp, for all of its vectors", 2,
     level_values},
    {"block", "threads of a block", 4, block_values}};

constexpr int most_threads = 1024;

/* Returns the next row of the lane's vector. asking: neighbouring lanes of which one asks for
 * all. */
template <int lanes>
GPU_FUNCTION int next_row(int *counter, int asking) {
    int place = static_cast<int>(lane()) % asking, row = 0;
    if (place == 0) row = atomic_add(counter, asking / lanes);
    return shuffle(full_warp, row, 0, asking) + place / lanes;
}

/* Sums every lanes-th entry, from the lane's own on. A whole warp begins at a multiple of 32, so
 * that its loads are aligned; lanes that would stand before the row's first entry begin a round
 * later. */
template <int lanes, class V, class O, class C>
GPU_FUNCTION V sum_of_row(const csr_product<V, O, C> &a, O begin, O end, int member) {
    int ahead = member; /* distance of the lane's entry from the row's first */
    if (lanes == 32) {
        ahead -= static_cast<int>(begin % lanes);
        if (ahead < 0) ahead += lanes;
    }
    O left = end - begin - ahead;
    const V *values = a.values + begin + ahead;
    const C *columns = a.cols_of + begin + ahead;
    V sum = 0;
    for (; left > 0; left -= lanes, values += lanes, columns += lanes) {
        sum += load_once(values) * load(a.x + load_once(columns));
    }
    return sum;
}

template <int lanes, class V, class O, class C>
GPU_KERNEL void forward(csr_product<V, O, C> a, int asking, int *counter) {
    GPU_SHARED(O, ends, 2 * (most_threads / lanes));
    int member = static_cast<int>(thread()) % lanes, vector = static_cast<int>(thread()) / lanes;
    int row = next_row<lanes>(counter, asking);
    while (any(full_warp, row < a.rows)) {
        if (member < 2 && row < a.rows) ends[2 * vector + member] = load(a.offsets + row + member);
        sync_warp(full_warp);
        V sum = 0;
        if (row < a.rows) {
            sum = sum_of_row<lanes>(a, O(ends[2 * vector]), O(ends[2 * vector + 1]), member);
        }
        sum = sum_of_lanes(sum, lanes);
        if (member == 0 && row < a.rows) {
            a.y[row] = combine(a.alpha.value(), sum, a.beta.value(), a.y + row);
        }
        row = next_row<lanes>(counter, asking);
        sync_warp(full_warp);
    }
}

template <int lanes, class V, class O, class C>
tulle_status run_lanes(const tulle__spmv_task *task) {
    int *counter = static_cast<int *>(task->workspace);
    int threads = task->params[BLOCK];
    GPU_TRY(GPU_SYMBOL(set_bytes)(task->place, counter, 0, sizeof *counter));
    return launch(task->place, forward<lanes, V, O, C>,
                  {(task->shape.rows + threads - 1) / threads, threads},
                  make_product<V, O, C>(task), task->params[LEVEL] ? 32 : lanes, counter);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    switch (task->params[LANES]) {
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

void defaults(const tulle__spmv_shape *shape, int *values) {
    double mean = std::rint(shape->stats->mean_row);
    values[LANES] = mean <= 2 ? 2 : mean <= 4 ? 4 : mean <= 64 ? 8 : 32;
    values[LEVEL] = 1;
    values[BLOCK] = 1024;
}

/* True when an int holds the counter of rows to the end. Rows that are asked for beyond the last
 * one count, too: a warp asks in vain at most twice, for at most 16 rows each time, and there is
 * one warp for every 32 rows. */
bool eligible(const tulle__spmv_shape *shape, const int *) {
    return shape->rows < INT32_MAX / 4;
}

size_t workspace(const tulle__spmv_shape *, const int *) {
    return sizeof(int);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero);
}

/* Cost: a launch to zero the counter, and the first and the last answers, for which all warps
 * queue; then the rows, dealt out at a price that csr_vector does not pay: the counter gives an
 * answer a nanosecond (docs/lab-notes.md, "csr_light: one counter"). */
double cost(const tulle__spmv_shape *shape, const int *values) {
    constexpr double answer_us = 0.001;
    double uneven = values[LANES] < 32 ? unevenness(shape) : 0;
    double all =
        (1.5 + 0.25 * uneven) * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
    double rows_an_answer = values[LEVEL] ? 32 / values[LANES] : 1;
    double answers_us = answer_us * static_cast<double>(shape->rows) / rows_an_answer;
    double longest_us = longest_row_us(shape, values[LANES]);
    double waits = (longest_us > answers_us ? longest_us : answers_us) * bytes_a_microsecond(shape);
    return 4 * launch_cost(shape) + (waits > all ? waits : all);
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
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_I32(gpu::run),
};
