/* SPDX-License-Identifier: Apache-2.0 */
/* CSR times a column-major multivector: `lanes` neighbouring threads have a row, each with the sums
 * of `columns` columns in registers; further columns take further passes over the rows. The entries
 * of a warp's rows come by way of shared memory (spmm_stage.cuh), so that all threads have the
 * entry of the same index within their rows at the same time. In the matrix of a grid these entries
 * need neighbouring numbers of X, in each column, and a warp reads them as one stretch. Lanes that
 * share a row leave fewer entries to a warp: less shared memory, and more of the L1 cache for X.
 * The order of the rows is that of spmm_sweep.cuh. */
#include "spmv/gpu/spmm_stage.cuh"
#include "spmv/gpu/spmm_sweep.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { COLUMNS, STEPS, APART, BLOCK };
const int columns_values[] = {2, 4, 8, 16};
const int steps_values[] = {1, 2, 4, 8, 16};
const int apart_values[] = {0, 1};
const int block_values[] = {64, 128, 256};
const tulle__param params[] = {
    {"columns", "sums in a thread's registers", 4, columns_values},
    {"steps", "groups of rows that a block works through", 5, steps_values},
    {"apart", "1: a block steps from plane to plane of the grid behind the matrix", 2,
     apart_values},
    {"block", "threads of a block", 3, block_values}};

constexpr int most_groups = 12;
constexpr int in_flight = 16; /* number of numbers of X that a thread has on their way */

template <class V, class O, class C>
struct column_block {
    csr_product<V, O, C> a;
    int64_t vectors, ldx, ldy;
    int lanes;    /* number of threads that share a row */
    bool aligned; /* true when the columns and values of A may be loaded in groups */
};

/* Adds the products of staged entries, as many as are loaded together: those from `k` to before
 * `end`. x: the first of the columns whose sums these are; left: their number, or more. whole: the
 * entries are all there. */
template <bool whole, int columns, class V, class C>
GPU_FUNCTION void add_entries(const V *x, int64_t ldx, int64_t left, int k, int end,
                              shared<C> cols_of, shared<V> values, V (&sum)[columns]) {
    constexpr int together = in_flight / columns;
    pack<V, 1> word[together][columns];
    GPU_UNROLL
    for (int f = 0; f < together; f++) {
        const bool is_entry = whole || k + f < end;
        const V *at = x + (is_entry ? cols_of[k + f] : C(0));
        GPU_UNROLL
        for (int c = 0; c < columns; c++, at += ldx) {
            word[f][c] = load_if(is_entry && c < left, reinterpret_cast<const pack<V, 1> *>(at));
        }
    }
    GPU_UNROLL
    for (int f = 0; f < together; f++) {
        const V value = whole || k + f < end ? V(values[k + f]) : V(0);
        GPU_UNROLL
        for (int c = 0; c < columns; c++) sum[c] += value * word[f][c].at[0];
    }
}

/* Computes some columns of Y, from `from` on, in the rows of a warp: of the lane, row i, if it
 * works. room: number of entries of the warp's shared memory. */
template <int columns, class V, class O, class C>
GPU_FUNCTION void multiply_columns(const column_block<V, O, C> &b, const row_entries<O> &row,
                                   int64_t i, int64_t from, bool works, int room, shared<C> cols_of,
                                   shared<V> values) {
    constexpr int together = in_flight / columns;
    const V *x = b.a.x + from * b.ldx;
    const int64_t left = b.vectors - from;
    V sum[columns] = {};
    O first = shuffle(full_warp, row.begin, 0), last = shuffle(full_warp, row.end, warp_lanes - 1);
    if (first < last) first &= ~static_cast<O>(group_size - 1);
    GPU_KEEP_LOOP
    for (; first < last; first += static_cast<O>(room)) {
        stage(b.a, b.aligned, first, at_most(last - first, room), cols_of, values);
        sync_warp(full_warp);
        int k = at_most(row.begin - first, room), end = at_most(row.end - first, room);
        GPU_KEEP_LOOP
        for (; end - k >= together; k += together) {
            add_entries<true>(x, b.ldx, left, k, end, cols_of, values, sum);
        }
        if (k < end) add_entries<false>(x, b.ldx, left, k, end, cols_of, values, sum);
        sync_warp(full_warp);
    }
    if (!works) return;
    V *y = b.a.y + (from * b.ldy + i);
    GPU_UNROLL
    for (int c = 0; c < columns; c++, y += b.ldy) {
        if (c < left) *y = combine(b.a.alpha.value(), sum[c], b.a.beta.value(), y);
    }
}

template <int columns, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(256, columns > 8 ? 2 : 3) void multiply(column_block<V, O, C> b,
                                                                sweep_plan plan, int room) {
    GPU_DYNAMIC_SHARED(C, all_columns);
    const int warps = static_cast<int>(block_size()) / warp_lanes;
    const int warp = static_cast<int>(thread()) / warp_lanes;
    shared<C> cols_of = part_of(all_columns, warp * room, room);
    shared<V> values = part_of(shared<V>(all_columns + warps * room), warp * room, room);
    const int own = static_cast<int>(thread()) % b.lanes * columns;
    row_sweep sweep(plan, b.a, static_cast<int>(block_size()) / b.lanes,
                    static_cast<int>(thread()) / b.lanes);
    row_entries<O> next = sweep.entries(b.a);
    for (int s = 0; s < plan.steps; s++) {
        const int64_t i = sweep.row;
        const bool works = sweep.works && i < b.a.rows;
        const row_entries<O> row = next;
        sweep.step();
        next = sweep.entries(b.a);
        GPU_KEEP_LOOP
        for (int64_t turn = 0; turn < b.vectors; turn += int64_t{columns} * b.lanes) {
            multiply_columns<columns>(b, row, i, turn + own, works, room, cols_of, values);
        }
    }
}

/* Number of lanes that share a row: as many as have columns. */
int lanes_for(int64_t vectors, int64_t columns) {
    constexpr int most_lanes = 8;
    int lanes = 1;
    while (lanes < most_lanes && lanes * columns < vectors) lanes *= 2;
    return lanes;
}

/* Number of entries of a warp's rows, as far as they are even. */
double stretch_of(const tulle__spmv_shape *shape, int lanes) {
    return (shape->stats->mean_row + shape->stats->sd_row / 2) * warp_lanes / lanes + group_size;
}

/* Number of groups of four entries that a lane brings to shared memory at once: for all entries of
 * the warp's rows, as far as a block of so many warps has room. */
int groups_of(const tulle__spmv_shape *shape, int lanes, int warps) {
    const int most = groups_that_fit(entry_bytes(shape), warps, most_groups);
    int groups = 1;
    while (groups < most && groups * group_entries < stretch_of(shape, lanes)) groups++;
    return groups;
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    const int *values = task->params;
    const int warps = values[BLOCK] / warp_lanes;
    const int lanes = lanes_for(task->shape.vectors, values[COLUMNS]);
    const int room = group_entries * groups_of(&task->shape, lanes, warps);
    csr_product<V, O, C> a = make_product<V, O, C>(task);
    column_block<V, O, C> b = {a, task->shape.vectors, task->ldx, task->ldy, lanes, has_groups(a)};
    sweep_plan plan = plan_sweep(&task->shape, values[BLOCK] / lanes, values[STEPS], values[APART]);
    grid g = {plan.blocks, values[BLOCK],
              static_cast<size_t>(warps) * static_cast<size_t>(room) * (sizeof(V) + sizeof(C))};
    switch (values[COLUMNS]) {
        case 2:
            return launch(task->place, multiply<2, V, O, C>, g, b, plan, room);
        case 4:
            return launch(task->place, multiply<4, V, O, C>, g, b, plan, room);
        case 8:
            return launch(task->place, multiply<8, V, O, C>, g, b, plan, room);
        default:
            return launch(task->place, multiply<16, V, O, C>, g, b, plan, room);
    }
}

/* Sets the columns: the fewest turns with at most eight, or four where rows are long; the largest
 * block whose warps have room for the entries of their rows. Steps made nothing faster on an H200
 * but with short rows, of which a block has many at once. */
void defaults(const tulle__spmv_shape *shape, int *values) {
    constexpr int long_row = 12;
    const int most = shape->stats->mean_row < long_row ? 8 : 4;
    int block = 256;
    values[COLUMNS] = 2;
    while (values[COLUMNS] < most && values[COLUMNS] < shape->vectors) values[COLUMNS] *= 2;
    const int lanes = lanes_for(shape->vectors, values[COLUMNS]);
    while (block > block_values[0] &&
           groups_of(shape, lanes, block / warp_lanes) * group_entries < stretch_of(shape, lanes)) {
        block /= 2;
    }
    values[BLOCK] = block;
    values[STEPS] = shape->stats->mean_row < long_row ? 2 : 1;
    values[APART] = values[STEPS] > 1 && has_planes(shape, block / lanes);
}

bool eligible(const tulle__spmv_shape *shape, const int *) {
    return shape->x_layout == TULLE_COLUMN_MAJOR && shape->y_layout == TULLE_COLUMN_MAJOR &&
           (shape->index != TULLE_I32 ||
            shape->nnz <= INT32_MAX - (most_groups + 1) * group_entries);
}

int64_t turns(const tulle__spmv_shape *shape, const int *values) {
    const int lanes = lanes_for(shape->vectors, values[COLUMNS]);
    return tulle__ceil_div(shape->vectors, static_cast<int64_t>(lanes) * values[COLUMNS]);
}

/* Bytes: A once for every turn. */
int64_t bytes(const tulle__spmv_shape *shape, const int *values, bool beta_zero) {
    return block_bytes(shape, beta_zero) + (turns(shape, values) - 1) * matrix_bytes(shape);
}

/* Factor of gather_cost by which numbers of X cost more where they are scattered. Where
 * neighbouring rows do not read neighbouring numbers of X, a number comes in a memory sector of its
 * own: from the L2 if X stays there, else from memory. Measured on an H200 with 10^6 rows of 8
 * entries at random in f64: 260 us for 4 columns, and 5605 us for 32, where spmm_csr_turned takes
 * less than 1000. A large bandwidth does not prove that X is read so: with the columns of a
 * periodic grid spmm_csr_turned takes 2.5 times as long as this kernel, so the factors are below
 * the measured ones. */
double scatter(const tulle__spmv_shape *shape) {
    constexpr double from_cache = 4, from_memory = 12;
    if (shape->stats->bandwidth <= shape->rows / 16) return 1;
    const double x = vector_bytes(shape, static_cast<double>(shape->cols));
    return x <= static_cast<double>(shape->device->cache_bytes) ? from_cache : from_memory;
}

/* Cost as for spmm_csr_row, but for gathers that may be scattered. A thread waits for the columns
 * and the numbers of X of its row, one group after the other. */
double cost(const tulle__spmv_shape *shape, const int *values) {
    constexpr double us_a_group = 0.45;
    double again = static_cast<double>((turns(shape, values) - 1) * matrix_bytes(shape));
    double memory = 1.2 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true)) + again / 2;
    double gather = scatter(shape) * gather_cost(shape);
    double all = (1 + 0.5 * unevenness(shape)) * (memory > gather ? memory : gather);
    double longest = static_cast<double>(turns(shape, values)) * us_a_group *
                     static_cast<double>(shape->stats->max_row) / group_size *
                     bytes_a_microsecond(shape);
    return launch_cost(shape) + (longest > all ? longest : all);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_column);
const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_column) = {
    .head = {.name = "spmm_csr_column",
             .summary =
                 "column-major: lanes share the columns of a row; entries by way of shared memory",
             .source = "this library; Rivera and Tseng, SC 2000, sweeps",
             .format = TULLE_CSR,
             .flags = TULLE__MULTIVECTOR | TULLE__FORWARD | TULLE__REPEATABLE,
             .param_count = 4,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
