/* SPDX-License-Identifier: Apache-2.0 */
/* CSR times a row-major block of vectors: a team of lanes a row (spmm_row.cuh), in sweeps
 * (spmm_sweep.cuh). The entries of a warp's rows come through shared memory, `chunk` of each row at
 * a time. Teams that read them from where they are would read as many lines at once as there are
 * teams; and since groups of entries that begin at a multiple of four begin at different places of
 * their rows, X as well would be read at as many places. From shared memory all teams read the same
 * numbers of their rows, which in the matrix of a grid are neighbours in X. */
#include "spmv/spmm_row.cuh"
#include "spmv/spmm_sweep.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { LANES, CHUNK, STEPS, APART };
const int lanes_values[] = {1, 2, 4, 8, 16, 32};
const int chunk_values[] = {4, 8, 16, 32, 64};
const int steps_values[] = {1, 2, 4, 8, 16, 32};
const int apart_values[] = {0, 1};
const tulle__param params[] = {
    {"lanes", "threads that share a row, at least; more where columns ask for it", 6, lanes_values},
    {"chunk", "entries of a row in shared memory, at most", 5, chunk_values},
    {"steps", "groups of rows that a block works through", 6, steps_values},
    {"apart", "1: a block steps from plane to plane of the grid behind the matrix", 2,
     apart_values}};

constexpr int threads = 512, lanes_of_warp = 32, warps = threads / lanes_of_warp;

/* Read in one go: aligned to its size. */
template <class V, class C>
struct alignas(2 * (sizeof(V) > sizeof(C) ? sizeof(V) : sizeof(C))) staged_entry {
    C column;
    V value;
};

/* Entries of a warp, and with a gap behind each row's, so that teams read different banks. */
template <class V, class C>
constexpr int staged_at_once = 2048 / static_cast<int>(sizeof(staged_entry<V, C>));
template <class V, class C>
constexpr int warp_room = staged_at_once<V, C> + lanes_of_warp;

/* Both are powers of two: lanes of a team, entries of a row that are staged at once. */
struct staging {
    int lanes_log, chunk_log;
    GPU_FUNCTION int chunk() const { return 1 << chunk_log; }
    /* Of all teams of a warp. */
    GPU_FUNCTION int entries() const { return lanes_of_warp << chunk_log >> lanes_log; }
};

/* Brings `count` entries of every team's row, from `begin` on, to the team's place of the warp's
 * room. All lanes take part. */
template <class V, class O, class C>
GPU_FUNCTION void stage(const row_block<V, O, C> &b, const staging &way, O begin, int count,
                        shared<staged_entry<V, C>> room) {
    int all = way.entries();
    GPU_KEEP_LOOP
    for (int first = static_cast<int>(lane()); first - static_cast<int>(lane()) < all;
         first += flight * lanes_of_warp) {
        staged_entry<V, C> entry[flight];
        int place[flight];
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            int at = first + f * lanes_of_warp, team = at >> way.chunk_log;
            int k = at & (way.chunk() - 1), owner = (team << way.lanes_log) % lanes_of_warp;
            O from = shuffle(full_warp, begin, owner);
            bool is_entry = k < shuffle(full_warp, count, owner);
            place[f] = at < all && is_entry ? at + team : -1;
            if (place[f] < 0) continue;
            entry[f].column = load_once(b.a.cols_of + from + k);
            entry[f].value = load_once(b.a.values + from + k);
        }
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (place[f] >= 0) room[place[f]] = entry[f];
        }
    }
}

/* Adds the products of `count` staged entries. */
template <int width, int tiles, class V, class O, class C>
GPU_FUNCTION void add_staged(const row_block<V, O, C> &b, const lane_columns<width, tiles> &mine,
                             int count, shared<staged_entry<V, C>> entries,
                             pack<V, width> (&sum)[tiles]) {
    constexpr int together = flight / tiles;
    GPU_KEEP_LOOP
    for (int first = 0; first < count; first += together) {
        staged_entry<V, C> entry[together];
        pack<V, width> x[together][tiles];
        GPU_UNROLL
        for (int f = 0; f < together; f++) {
            bool is_entry = first + f < count;
            entry[f] = {};
            if (is_entry) entry[f] = entries[first + f];
            load_x(b, mine, entry[f].column, is_entry, x[f]);
        }
        GPU_UNROLL
        for (int f = 0; f < together; f++) add_product(entry[f].value, x[f], sum);
    }
}

template <int width, int tiles, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(threads, 2) void multiply_staged(row_block<V, O, C> b, sweep_plan plan,
                                                         staging way) {
    using entry = staged_entry<V, C>;
    GPU_SHARED(entry, all_entries, (warps * warp_room<V, C>));
    int me = static_cast<int>(thread()), warp = me / lanes_of_warp;
    int team = static_cast<int>(lane()) >> way.lanes_log;
    shared<entry> room = all_entries + warp * warp_room<V, C>;
    lane_columns<width, tiles> mine(b, me % b.lanes);
    row_sweep sweep(plan, b.a, threads / b.lanes, me / b.lanes);
    row_entries<O> next = entries_of(b.a, sweep.row, sweep.works);
    for (int s = 0; s < plan.steps; s++) {
        int64_t i = sweep.row;
        row_entries<O> row = next;
        sweep.row += sweep.stride;
        next = entries_of(b.a, sweep.row, sweep.works && s + 1 < plan.steps);
        pack<V, width> sum[tiles] = {};
        for (O at = row.begin; any(full_warp, at < row.end); at += static_cast<O>(way.chunk())) {
            O left = row.end > at ? row.end - at : 0;
            int count = left < way.chunk() ? static_cast<int>(left) : way.chunk();
            stage(b, way, at, count, room);
            sync_warp(full_warp);
            add_staged(b, mine, count, room + team * (way.chunk() + 1), sum);
            sync_warp(full_warp);
        }
        if (!sweep.works || i >= b.a.rows) continue;
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) {
            if (mine.column[t] < 0) continue;
            finish_word(b.a.alpha, sum[t], b.a.beta, b.a.y + (i * b.ldy + mine.column[t]));
        }
    }
}

int log_of(int power) {
    int log = 0;
    while (1 << log < power) log++;
    return log;
}

template <int width, class V, class O, class C>
tulle_status launch_staged(const tulle__spmv_task *task, row_block<V, O, C> b) {
    const int *values = task->params;
    int words = (b.columns + width - 1) / width;
    b.lanes = enough_lanes(values[LANES], words);
    int most_chunk = staged_at_once<V, C> * b.lanes / lanes_of_warp;
    int chunk = values[CHUNK] < most_chunk ? values[CHUNK] : most_chunk;
    sweep_plan plan =
        plan_sweep(&task->shape, threads / b.lanes, values[STEPS], values[APART] != 0);
    staging way = {log_of(b.lanes), log_of(chunk)};
    grid g = {plan.blocks, threads};
    if (words <= b.lanes) {
        return launch(task->place, multiply_staged<width, 1, V, O, C>, g, b, plan, way);
    }
    return launch(task->place, multiply_staged<width, most_tiles, V, O, C>, g, b, plan, way);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    return each_row_block(make_product<V, O, C>(task), task->shape.vectors, task->ldx, task->ldy,
                          [=](auto width, const row_block<V, O, C> &b) {
                              return launch_staged<decltype(width)::value>(task, b);
                          });
}

/* A line of X, 128 bytes, is read in one go by eight lanes; teams are then as many as can be, which
 * read their entries from shared memory at once. */
int lanes_for_lines(const tulle__spmv_shape *shape) {
    constexpr int of_a_line = 8;
    int lanes = lanes_for_columns(shape), words = 2 * lanes;
    while (lanes > of_a_line && lanes * most_tiles >= words) lanes /= 2;
    return lanes;
}

void defaults(const tulle__spmv_shape *shape, int *values) {
    constexpr int resident = 2;
    values[LANES] = lanes_for_lines(shape);
    int rows_at_once = threads / values[LANES], chunk = 8;
    while (chunk < 64 && chunk < shape->stats->mean_row) chunk *= 2;
    values[CHUNK] = chunk;
    values[STEPS] = steps_for(shape, rows_at_once, resident);
    values[APART] = values[STEPS] > 1 && has_planes(shape, rows_at_once);
}

bool eligible(const tulle__spmv_shape *shape, const int *) {
    return shape->x_layout == TULLE_ROW_MAJOR && shape->y_layout == TULLE_ROW_MAJOR &&
           (shape->index != TULLE_I32 || shape->nnz <= INT32_MAX - 64);
}

/* A once for every launch. */
int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return block_bytes(shape, beta_zero) + (launches_of(shape) - 1) * matrix_bytes(shape);
}

/* The slower of memory and L1; for uneven rows longer, by twice as much as spmm_csr_row, since all
 * teams of a warp wait for each chunk; or the longest row, a chunk after the other. A model without
 * a fit. */
double cost(const tulle__spmv_shape *shape, const int *values) {
    constexpr double us_a_chunk = 1, bytes_an_entry = 12;
    double launches = static_cast<double>(launches_of(shape));
    double memory = 1.1 * (static_cast<double>(tulle__spmv_minimal_bytes(shape, true)) +
                           (launches - 1) * static_cast<double>(matrix_bytes(shape)));
    double gather = gather_cost(shape, bytes_an_entry);
    double all = (1 + 0.5 * unevenness(shape)) * (memory > gather ? memory : gather);
    double longest = launches * us_a_chunk * static_cast<double>(shape->stats->max_row) /
                     values[CHUNK] * bytes_a_microsecond(shape);
    return launches * launch_cost(shape) + (longest > all ? longest : all);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_staged);
const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_staged) = {
    .name = "spmm_csr_staged",
    .summary = "row-major: lanes share the columns of a row; entries by way of shared memory",
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
