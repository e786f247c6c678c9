/* SPDX-License-Identifier: Apache-2.0 */
/* CSR times a row-major multivector: one group of lanes per row (spmm_row.cuh), in sweeps
 * (spmm_sweep.cuh). The entries of a warp's rows, which are one stretch of A, are first copied to
 * shared memory. So few loads bring them, and at each time all groups have the entry of the same
 * index within their rows; in the matrix of a grid these entries need neighbouring rows of X. The
 * work for an entry is little more than its loads and multiplications (docs/lab-notes.md,
 * "spmm_csr_staged"). */
#include "spmv/gpu/spmm_row.cuh"
#include "spmv/gpu/spmm_stage.cuh"
#include "spmv/gpu/spmm_sweep.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { LANES, GROUPS, STEPS, APART };
const int lanes_values[] = {1, 2, 4, 8, 16, 32};
const int groups_values[] = {1, 2, 3, 4};
const int steps_values[] = {1, 2, 4, 8, 16, 32};
const int apart_values[] = {0, 1};
const tulle__param params[] = {
    {"lanes", "threads that share a row, at least; more where columns ask for it", 6, lanes_values},
    {"groups", "groups of four entries that a lane brings to shared memory at once, at most", 4,
     groups_values},
    {"steps", "groups of rows that a block works through", 6, steps_values},
    {"apart", "1: a block steps from plane to plane of the grid behind the matrix", 2,
     apart_values}};

constexpr int threads = 256, warps = threads / warp_lanes;
constexpr int most_groups = 4;

/* Adds the products of staged entries, as many as are loaded together: those from `k` to before
 * `end`. whole: they are all there. */
template <bool whole, int width, int tiles, class V, class O, class C>
GPU_FUNCTION void add_staged(const row_block<V, O, C> &b, const lane_columns<width, tiles> &mine,
                             int k, int end, shared<C> columns, shared<V> values,
                             pack<V, width> (&sum)[tiles]) {
    constexpr int together = flight / tiles;
    V value[together];
    pack<V, width> x[together][tiles];
    GPU_UNROLL
    for (int f = 0; f < together; f++) {
        bool is_entry = whole || k + f < end;
        C column = 0;
        if (is_entry) column = columns[k + f];
        load_x(b, mine, column, is_entry, x[f]);
    }
    GPU_UNROLL
    for (int f = 0; f < together; f++) {
        value[f] = 0;
        if (whole || k + f < end) value[f] = values[k + f];
    }
    GPU_UNROLL
    for (int f = 0; f < together; f++) add_product(value[f], x[f], sum);
}

template <int width, int tiles, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(threads, 4) void multiply_staged(row_block<V, O, C> b, sweep_plan plan,
                                                         int room) {
    constexpr int together = flight / tiles;
    GPU_DYNAMIC_SHARED(C, all_columns);
    int me = static_cast<int>(thread()), warp = me / warp_lanes;
    shared<C> columns = part_of(all_columns, warp * room, room);
    shared<V> values = part_of(shared<V>(all_columns + warps * room), warp * room, room);
    lane_columns<width, tiles> mine(b, me % b.lanes);
    row_sweep sweep(plan, b.a, threads / b.lanes, me / b.lanes);
    row_entries<O> next = sweep.entries(b.a);
    for (int s = 0; s < plan.steps; s++) {
        int64_t i = sweep.row;
        bool works = sweep.works;
        row_entries<O> row = next;
        sweep.step();
        next = sweep.entries(b.a);
        pack<V, width> sum[tiles] = {};
        O first = shuffle(full_warp, row.begin, 0),
          last = shuffle(full_warp, row.end, warp_lanes - 1);
        if (first < last) first &= ~static_cast<O>(group_size - 1);
        GPU_KEEP_LOOP
        for (; first < last; first += static_cast<O>(room)) {
            stage(b.a, b.aligned, first, at_most(last - first, room), columns, values);
            sync_warp(full_warp);
            int k = at_most(row.begin - first, room), end = at_most(row.end - first, room);
            GPU_KEEP_LOOP
            for (; end - k >= together; k += together) {
                add_staged<true>(b, mine, k, end, columns, values, sum);
            }
            if (k < end) add_staged<false>(b, mine, k, end, columns, values, sum);
            sync_warp(full_warp);
        }
        if (!works || i >= b.a.rows) continue;
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) {
            if (mine.column[t] < 0) continue;
            finish_word(b.a.alpha, sum[t], b.a.beta, b.a.y + (i * b.ldy + mine.column[t]));
        }
    }
}

template <int width, class V, class O, class C>
tulle_status launch_staged(const tulle__spmv_task *task, row_block<V, O, C> b) {
    const int *values = task->params;
    int words = (b.columns + width - 1) / width;
    b.lanes = enough_lanes(values[LANES], words);
    int groups = values[GROUPS], most = groups_that_fit(sizeof(V) + sizeof(C), warps, most_groups);
    if (groups > most) groups = most;
    sweep_plan plan =
        plan_sweep(&task->shape, threads / b.lanes, values[STEPS], values[APART] != 0);
    grid g = {plan.blocks, threads,
              static_cast<size_t>(groups) * warps * group_entries * (sizeof(V) + sizeof(C))};
    int room = groups * group_entries;
    if (words <= b.lanes) {
        return launch(task->place, multiply_staged<width, 1, V, O, C>, g, b, plan, room);
    }
    return launch(task->place, multiply_staged<width, most_tiles, V, O, C>, g, b, plan, room);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    return each_row_block(make_product<V, O, C>(task), task->shape.vectors, task->ldx, task->ldy,
                          [=](auto width, const row_block<V, O, C> &b) {
                              return launch_staged<decltype(width)::value>(task, b);
                          });
}

/* Number of lanes of a row. A line of X, 128 bytes, is read in one go by eight lanes; teams are
 * then as many as can be, which read their entries from shared memory at once. Half as many
 * lanes where rows are short, which have two words each: less is left for a row than its entries
 * take. More where that is not enough for the columns. */
int lanes_for_lines(const tulle__spmv_shape *shape) {
    constexpr int of_a_line = 8, short_row = 12;
    int64_t columns = shape->vectors < most_columns ? shape->vectors : most_columns;
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a shape has a type */
    int64_t width = 16 / tulle_type_size(shape->type);
    int lanes = lanes_for_columns(shape);
    while (columns % width != 0) width /= 2;
    int words = static_cast<int>(columns / width);
    if (lanes > of_a_line) lanes = of_a_line;
    if (lanes >= 4 && shape->stats->mean_row < short_row) lanes /= 2;
    return enough_lanes(lanes, words);
}

int most_groups_of(const tulle__spmv_shape *shape) {
    return groups_that_fit(entry_bytes(shape), warps, most_groups);
}

/* Number of entries of a warp's rows. */
double stretch_of(const tulle__spmv_shape *shape, int lanes) {
    return (shape->stats->mean_row + shape->stats->sd_row / 2) * warp_lanes / lanes + group_size;
}

void defaults(const tulle__spmv_shape *shape, int *values) {
    constexpr int resident = 4;
    values[LANES] = lanes_for_lines(shape);
    int rows_at_once = threads / values[LANES], groups = 1;
    double stretch = stretch_of(shape, values[LANES]);
    int most = most_groups_of(shape);
    while (groups < most && groups * group_entries < stretch) groups++;
    values[GROUPS] = groups;
    values[STEPS] = steps_for(shape, rows_at_once, resident);
    values[APART] = values[STEPS] > 1 && has_planes(shape, rows_at_once);
}

bool eligible(const tulle__spmv_shape *shape, const int *) {
    return shape->x_layout == TULLE_ROW_MAJOR && shape->y_layout == TULLE_ROW_MAJOR &&
           (shape->index != TULLE_I32 ||
            shape->nnz <= INT32_MAX - (most_groups + 1) * group_entries);
}

/* Cost. All groups of lanes of a warp wait for the longest of their rows, so rows of unequal length
 * cost more than in other kernels. Where shared memory does not hold all entries of the warp's
 * rows, groups also wait for those whose entries it holds. */
double cost(const tulle__spmv_shape *shape, const int *values) {
    double all = whole_row_cost(shape, {1.1, 12, 0.35});
    int room = most_groups_of(shape) * group_entries;
    return stretch_of(shape, values[LANES]) > room ? 1.4 * all : all;
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_staged);
const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_staged) = {
    .head =
        {.name = "spmm_csr_staged",
         .summary = "row-major: lanes share the columns of a row; entries by way of shared memory",
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
