/* SPDX-License-Identifier: Apache-2.0 */
/* CSR times a column-major multivector: one thread per row, with the sums of `columns` columns in
 * registers; further columns take further passes over the row. Neighbouring threads have
 * neighbouring rows, so that in matrices of grids their reads of X, for each column in turn, are
 * neighbours too. The order of the rows is that of spmm_sweep.cuh. */
#include "spmv/gpu/spmm_entries.cuh"
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

template <class V, class O, class C>
struct column_block {
    csr_product<V, O, C> a;
    int64_t vectors, ldx, ldy;
    bool aligned;
};

/* Adds the products of an entry of A and the numbers of X in row `column` to the sums of the first
 * `left` columns, if the entry is wanted. x: address of the first of these columns. */
template <int columns, class V, class C>
GPU_FUNCTION void add_entry(const V *x, int64_t ldx, int64_t left, bool wanted, C column, V value,
                            V (&sum)[columns]) {
    pack<V, 1> word[columns];
    const V *at = x + column;
    GPU_UNROLL
    for (int c = 0; c < columns; c++, at += ldx) {
        word[c] = load_if(wanted && c < left, reinterpret_cast<const pack<V, 1> *>(at));
    }
    V factor = wanted ? value : V(0);
    GPU_UNROLL
    for (int c = 0; c < columns; c++) sum[c] += factor * word[c].at[0];
}

template <int columns, class V, class O, class C>
GPU_FUNCTION void multiply_columns(const column_block<V, O, C> &b, const row_entries<O> &row,
                                   O groups_end, int64_t i, int64_t first, bool works) {
    const V *x = b.a.x + first * b.ldx;
    int64_t left = b.vectors - first;
    V sum[columns] = {};
    walk_row(
        b.a, row, groups_end,
        [&](O, const group_part &part, const auto &column, const auto &value) {
            GPU_UNROLL
            for (int f = 0; f < group_size; f++) {
                add_entry(x, b.ldx, left, part.has(f), column.at[f], value.at[f], sum);
            }
        },
        [&](O, C column, V value) { add_entry(x, b.ldx, left, true, column, value, sum); });
    V *y = b.a.y + (first * b.ldy + i);
    GPU_UNROLL
    for (int c = 0; c < columns; c++) {
        if (!works || c >= left) continue;
        V *at = y + c * b.ldy;
        *at = combine(b.a.alpha.value(), sum[c], b.a.beta.value(), at);
    }
}

template <int columns, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(256, columns > 8 ? 2
                             : columns > 4
                                 ? 3
                                 : 4) void multiply(column_block<V, O, C> b, sweep_plan plan) {
    row_sweep sweep(plan, b.a, static_cast<int>(block_size()), static_cast<int>(thread()));
    O groups_end = end_of_groups(b.a, b.aligned);
    row_entries<O> next = entries_of(b.a, sweep.row, sweep.works);
    for (int s = 0; s < plan.steps; s++) {
        int64_t i = sweep.row;
        row_entries<O> row = next;
        sweep.step();
        next = entries_of(b.a, sweep.row, sweep.works && s + 1 < plan.steps);
        GPU_KEEP_LOOP
        for (int64_t first = 0; first < b.vectors; first += columns) {
            multiply_columns<columns>(b, row, groups_end, i, first, sweep.works && i < b.a.rows);
        }
    }
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    const int *values = task->params;
    csr_product<V, O, C> a = make_product<V, O, C>(task);
    column_block<V, O, C> b = {a, task->shape.vectors, task->ldx, task->ldy, has_groups(a)};
    sweep_plan plan = plan_sweep(&task->shape, values[BLOCK], values[STEPS], values[APART]);
    grid g = {plan.blocks, values[BLOCK]};
    switch (values[COLUMNS]) {
        case 2:
            return launch(task->place, multiply<2, V, O, C>, g, b, plan);
        case 4:
            return launch(task->place, multiply<4, V, O, C>, g, b, plan);
        case 8:
            return launch(task->place, multiply<8, V, O, C>, g, b, plan);
        default:
            return launch(task->place, multiply<16, V, O, C>, g, b, plan);
    }
}

/* Sets the columns: the fewest turns with at most eight, then the fewest that are left idle. */
void defaults(const tulle__spmv_shape *shape, int *values) {
    constexpr int block = 256, most = 8;
    values[COLUMNS] = 2;
    while (values[COLUMNS] < most && values[COLUMNS] < shape->vectors) values[COLUMNS] *= 2;
    values[BLOCK] = block;
    values[STEPS] = steps_for(shape, block, 3);
    values[APART] = values[STEPS] > 1 && has_planes(shape, block);
}

bool eligible(const tulle__spmv_shape *shape, const int *) {
    return shape->x_layout == TULLE_COLUMN_MAJOR && shape->y_layout == TULLE_COLUMN_MAJOR &&
           holds_groups(shape);
}

int64_t turns(const tulle__spmv_shape *shape, const int *values) {
    return tulle__ceil_div(shape->vectors, values[COLUMNS]);
}

/* Bytes: A once for every turn. */
int64_t bytes(const tulle__spmv_shape *shape, const int *values, bool beta_zero) {
    return block_bytes(shape, beta_zero) + (turns(shape, values) - 1) * matrix_bytes(shape);
}

/* Cost as for spmm_csr_row. Each entry of A loads one sector of the L1 cache for each column of X,
 * or four where neighbouring rows do not read neighbouring numbers of X. A thread waits for the
 * columns and the numbers of X of its row, one group after the other. The model is not fitted to
 * measurements. */
double cost(const tulle__spmv_shape *shape, const int *values) {
    constexpr double us_a_group = 0.45, scattered = 4;
    bool near = shape->stats->bandwidth <= shape->rows / 16;
    double again = static_cast<double>((turns(shape, values) - 1) * matrix_bytes(shape));
    double memory = 1.2 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true)) + again / 2;
    double gather = (near ? 1 : scattered) * gather_cost(shape);
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
             .summary = "column-major: a thread a row, with the sums of several columns",
             .source =
                 "the thread a row of Reguly and Giles 2012; Rivera and Tseng, SC 2000, sweeps",
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
