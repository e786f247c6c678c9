/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperating threads: `coop` neighbouring lanes share a row, walk it with stride coop, and add
 * their sums by shuffles; a block works through `repeat` groups of rows. Reguly and Giles (2012),
 * parameters coop, repeat and block size; their warp-synchronous shared memory became shuffles.
 * coop 32 is the vector kernel of Bell and Garland; coop 0 gives each row a whole block. A^T x:
 * the same walk, scattered with atomics. */
#include "spmv/gpu/csr_models.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { COOP, REPEAT, BLOCK };
const int coop_values[] = {0, 1, 2, 4, 8, 16, 32};
const int repeat_values[] = {1, 2, 4, 8, 16, 32};
const int block_values[] = {32, 64, 128, 256, 512, 1024};
const tulle__param params[] = {
    {"coop", "threads that share a row; 0: the whole block", 7, coop_values},
    {"repeat", "groups of rows that a block works through", 6, repeat_values},
    {"block", "threads of a block", 6, block_values}};

/* Number of resident threads: full occupancy whatever the block, with 32 registers. */
constexpr int most_threads = 1024;

/* Awaits the previous grid before the first group of rows; further groups need not. */
struct await_if_first {
    int group;
    GPU_FUNCTION void operator()() const {
        if (group == 0) await_previous();
    }
};

template <int coop, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(most_threads, 2) void forward(csr_product<V, O, C> a, int repeat) {
    allow_next();
    int lane = static_cast<int>(thread() % coop);
    int group = static_cast<int>(block_size() / coop);
    int64_t i = static_cast<int64_t>(block()) * repeat * group + thread() / coop;
    for (int r = 0; r < repeat; r++, i += group) {
        O begin = 0, end = 0;
        if (i < a.rows) {
            begin = load(a.offsets + i);
            end = load(a.offsets + i + 1);
        }
        V sum = partial_sum<(coop < 8)>(a, begin, end, lane, coop, await_if_first{r});
        sum = sum_of_lanes(sum, coop);
        if (lane == 0 && i < a.rows) {
            a.y[i] = combine(a.alpha.value(), sum, a.beta.value(), a.y + i);
        }
    }
}

/* Gives each row a block. The first columns are asked for before the previous grid has ended; one
 * warp adds the sums of the warps, so that their number costs five steps and not one each. */
template <class V, class O, class C>
GPU_KERNEL void forward_block(csr_product<V, O, C> a, int repeat) {
    GPU_SHARED(V, warp_sum, 32);
    allow_next();
    int64_t i = static_cast<int64_t>(block()) * repeat;
    const unsigned warps = block_size() / 32;
    for (int r = 0; r < repeat && i < a.rows; r++, i++) {
        V sum = partial_sum<false>(a, load(a.offsets + i), load(a.offsets + i + 1),
                                   static_cast<int>(thread()), static_cast<int>(block_size()),
                                   await_if_first{r});
        sum = sum_of_lanes(sum, 32);
        if (lane() == 0) warp_sum[thread() / 32] = sum;
        sync();
        if (thread() < 32) {
            V all = 0;
            if (thread() < warps) all = warp_sum[thread()];
            all = sum_of_lanes(all, 32);
            if (thread() == 0) {
                a.y[i] = combine(a.alpha.value(), all, a.beta.value(), a.y + i);
            }
        }
        sync();
    }
}

/* Scatters A^T x: loads a flight at a time, as forward does. coop is a run-time number here,
 * since the atomics take most of the time. */
template <bool stays, class V, class O, class C>
GPU_KERNEL void transposed(csr_product<V, O, C> a, int coop, int repeat) {
    V alpha = a.alpha.value();
    int lane = static_cast<int>(thread()) % coop;
    int64_t group = static_cast<int>(block_size()) / coop;
    int64_t i = static_cast<int64_t>(block()) * repeat * group + static_cast<int>(thread()) / coop;
    for (int r = 0; r < repeat && i < a.rows; r++, i += group) {
        V x = load_awaited(a.x + i);
        O begin = load(a.offsets + i), end = load(a.offsets + i + 1);
        for (O left = end - begin - lane; left > 0; left -= flight * coop) {
            C column[flight];
            V value[flight];
            GPU_UNROLL
            for (int f = 0; f < flight; f++) {
                if (left <= f * coop) continue;
                column[f] = load_entry<stays>(a.cols_of + (end - left + f * coop));
                value[f] = load_value<stays>(a.values + (end - left + f * coop));
            }
            GPU_UNROLL
            for (int f = 0; f < flight; f++) {
                if (left > f * coop) atomic_add(a.y + column[f], alpha * (value[f] * x));
            }
        }
    }
}

/* Number of row groups a block: enough that the grid stays within the device's limit. */
template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    csr_product<V, O, C> a = make_product<V, O, C>(task);
    int threads = task->params[BLOCK];
    int coop = task->params[COOP] ? task->params[COOP] : threads;
    int64_t group = threads / coop, repeat = task->params[REPEAT];
    while ((a.rows - 1) / (group * repeat) >= INT32_MAX) repeat *= 2;
    grid g = {(a.rows + group * repeat - 1) / (group * repeat), threads};
    int times = static_cast<int>(repeat);
    if (task->shape.trans == TULLE_T) {
        GPU_TRY(scale(task->place, a.cols, a.beta, a.y));
        return launch(task->place,
                      coop < 8 ? transposed<true, V, O, C> : transposed<false, V, O, C>, g, a, coop,
                      times);
    }
    switch (task->params[COOP]) {
        case 1:
            return launch_early(task->place, forward<1, V, O, C>, g, a, times);
        case 2:
            return launch_early(task->place, forward<2, V, O, C>, g, a, times);
        case 4:
            return launch_early(task->place, forward<4, V, O, C>, g, a, times);
        case 8:
            return launch_early(task->place, forward<8, V, O, C>, g, a, times);
        case 16:
            return launch_early(task->place, forward<16, V, O, C>, g, a, times);
        case 32:
            return launch_early(task->place, forward<32, V, O, C>, g, a, times);
        default:
            return launch_early(task->place, forward_block<V, O, C>, g, a, times);
    }
}

constexpr int large_block = 512;

/* True when each row gets a block of its own: where rows are very long, or long, not too unlike and
 * enough to fill the device so, since a block of a short row is mostly idle; or so few that all are
 * under way within two rounds of blocks, and the longest would keep 32 lanes for eight flights or
 * more while most of the device is idle. */
bool is_for_blocks(const tulle__spmv_shape *shape) {
    constexpr double least_mean = 4 * 32, long_walk = 8 * flight * 32;
    const double mean = shape->stats->mean_row;
    const int64_t at_once = resident_threads(shape) / large_block;
    const bool few = shape->rows <= 2 * at_once && mean >= least_mean &&
                     static_cast<double>(shape->stats->max_row) >= long_walk;
    return mean > 4096 || (mean > 1024 && shape->rows >= at_once && unevenness(shape) < 1) || few;
}

/* Number of threads that share a row: many where rows are few and not very long, few where rows are
 * many and short. An H200 takes 4.6 us for 200 rows of 2,000 entries with 1024 threads each, 6.0
 * with 512; for 65 rows of 11,000 7.1 and 6.1; for 1,000 rows of 300 entries 5.3 with 512, 4.5 with
 * 256; for 626 rows of 3,600 16.8 and 22.6. */
int block_of_a_row(const tulle__spmv_shape *shape) {
    const double mean = shape->stats->mean_row;
    if (shape->rows <= resident_threads(shape) / 1024 && mean <= 4096) return 1024;
    return shape->rows > resident_threads(shape) / large_block && mean <= large_block ? 256
                                                                                      : large_block;
}

/* Number of threads that fill the largest GPU once or twice. */
constexpr int64_t fills_the_device = 1 << 19;

/* Chooses the size of blocks. Large blocks of short rows keep more neighbouring rows on a
 * multiprocessor, whose L1 then has their x: up to a third faster where they are scattered near
 * the diagonal, as in an unstructured mesh, whose rows are nearly alike. Rows that are all alike
 * are a grid's, and those that are not alike wait for each other: both lose 3 to 8 % in large
 * blocks. Small matrices start sooner in blocks of 256, but with 8 lanes a row
 * (docs/lab-notes.md, "csr_vector: nearly alike", "csr_vector: few rows"). */
void choose_blocks(const tulle__spmv_shape *shape, int coop, int *values) {
    double uneven = unevenness(shape);
    bool many = shape->rows > fills_the_device / coop;
    values[REPEAT] = many ? 2 : 1;
    values[BLOCK] = many || coop == 8 ? 128 : 256;
    if (!many || coop > 4 || uneven < 0.1 || uneven >= 0.3) return;
    bool nearly_alike = uneven < 0.2;
    values[REPEAT] = nearly_alike ? 4 : 2;
    values[BLOCK] = nearly_alike ? 1024 : large_block;
}

void defaults(const tulle__spmv_shape *shape, int *values) {
    values[COOP] = lanes_for_few(shape, lanes_for_mean(shape));
    choose_blocks(shape, values[COOP], values);
    if (!is_for_blocks(shape)) return;
    values[COOP] = 0;
    values[REPEAT] = 1;
    values[BLOCK] = block_of_a_row(shape);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero);
}

/* Cost; with one block per row nothing in a block waits, but the last of the longest rows. */
double cost(const tulle__spmv_shape *shape, const int *values) {
    if (values[COOP] > 0) return lanes_cost(shape, values[COOP]);
    double all = TULLE__VECTOR_EVEN * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
    double longest_us = longest_row_us(shape, values[BLOCK], block_flight_us(shape));
    return cost_with_longest(shape, all, longest_us,
                             static_cast<double>(shape->rows * values[BLOCK]));
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_vector);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_vector) = {
    .head = {.name = "spmv_csr_vector",
             .summary = "cooperating threads: 1 to 32 lanes, or a block, share a row",
             .source = "Reguly and Giles 2012, coop, repeat and block size; Hiranandani, IV.B",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE,
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
