/* SPDX-License-Identifier: Apache-2.0 */
/* BSR. For square blocks of the usual sizes, a kernel each: lanes share out a block cell by cell,
 * row after row, so that they load neighbouring values; a lane keeps to one column c of the blocks
 * and loads x once for its `tall` cells, `height` rows apart. Where a warp has room for more,
 * further lanes take the next blocks of the block row at the same time (at_once), or a block each
 * of further block rows. Shuffles add up columns and blocks at the end of the block row, in a fixed
 * order.
 *
 *   b = 3: 9 lanes a block; 3 blocks at once are 27 neighbouring values
 *   b = 8: height 4, 32 lanes a block, 2 cells each
 *
 * Other blocks: a lane has a row of a block and walks its columns. A^T x, any blocks: a lane has a
 * column of a block, walks its rows, and adds its sum to y with an atomic. Saad, BSR format; lanes
 * that share a row after Reguly and Giles (2012). */
#include "spmv/gpu/bsr.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { AT_ONCE, BLOCK };
const int at_once_values[] = {1, 32};
const int block_values[] = {64, 128, 256};
const tulle__param params[] = {
    {"at_once", "blocks of a block row that a warp works on at once, if it has room", 2,
     at_once_values},
    {"block", "threads of a block of the grid", 3, block_values}};

/* Returns n / d for n < 32 and d <= 32. */
GPU_FUNCTION int lane_quotient(int n, int d) {
    return n * ((1023 + d) / d) >> 10;
}

/* Returns, in the lanes of the first of `count` groups of `step` lanes, the sum over the groups. */
template <int count, int step, class V>
GPU_FUNCTION V sum_of_groups(V mine) {
    V sum = mine;
    if constexpr ((count & (count - 1)) == 0) {
        GPU_UNROLL
        for (int delta = count / 2; delta > 0; delta /= 2) {
            sum += shuffle_down(full_warp, sum, static_cast<unsigned>(delta * step));
        }
    } else {
        GPU_UNROLL
        for (int group = 1; group < count; group++) {
            sum += shuffle_down(full_warp, mine, static_cast<unsigned>(group * step));
        }
    }
    return sum;
}

/* A lane loads the values of several blocks, a flight, before it uses the first of them.
 * loads_in_flight: number of values of a flight; flight_of: number of blocks of a flight, where a
 * lane has `tall` values of a block. */
template <class V>
constexpr int loads_in_flight = sizeof(V) == 4 ? 9 : 5;
template <class V, int tall>
constexpr int flight_of = loads_in_flight<V> > tall ? loads_in_flight<V> / tall : 1;

/* Adds a flight of blocks to a lane's sums. whole: it has so many left. */
template <bool whole, int b, int height, int at_once, bool masked, class V, class C>
GPU_FUNCTION void add_flight(const bsr_product<V, C> &a, const bsr_walk<V, C> &walk, int cell,
                             int c, V *sum) {
    constexpr int tall = b / height, next_cell = height * b, flight = flight_of<V, tall>;
    C column[flight];
    V value[flight][tall], x[flight];
    bool entry[flight][tall];
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        if (!whole && walk.left <= f * at_once) continue;
        column[f] = load_once(walk.column + f * at_once);
        GPU_UNROLL
        for (int t = 0; t < tall; t++) {
            value[f][t] = load_once(walk.value + f * at_once * b * b + t * next_cell);
            entry[f][t] =
                !masked || a.is_entry(walk.block + f * at_once, b * b, cell + t * next_cell);
        }
    }
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        if (!whole && walk.left <= f * at_once) continue;
        uint32_t j = static_cast<uint32_t>(column[f]) * b + c;
        x[f] = !masked || j < a.cols ? load_awaited(a.x + j) : V(0);
    }
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        if (!whole && walk.left <= f * at_once) continue;
        GPU_UNROLL
        for (int t = 0; t < tall; t++) {
            if (entry[f][t]) sum[t] += value[f][t] * x[f];
        }
    }
}

/* Lanes of a block row agree on whether a flight is whole. */
template <int b, int height, int at_once, bool masked, class V, class C>
GPU_KERNEL void forward(bsr_product<V, C> a) {
    allow_next();
    await_previous();
    constexpr int tall = b / height, lanes_a_block = height * b,
                  lanes_a_row = at_once * lanes_a_block;
    constexpr int block_rows = 32 / lanes_a_row, blocks_a_flight = flight_of<V, tall> * at_once;
    int me = static_cast<int>(lane()), row = lane_quotient(me, lanes_a_row);
    int in_row = me - row * lanes_a_row, k = lane_quotient(in_row, lanes_a_block);
    int cell = in_row - k * lanes_a_block, r = lane_quotient(cell, b), c = cell - r * b;
    int64_t i = warp_number() * block_rows + row;
    bool works = row < block_rows && i < a.block_rows;
    bsr_walk<V, C> walk = {nullptr, nullptr, 0, 0};
    if (works) walk = start_walk(a, i, k, b * b, cell);
    V sum[tall] = {};
    while (walk.left + k >= blocks_a_flight) {
        add_flight<true, b, height, at_once, masked>(a, walk, cell, c, sum);
        walk.advance(blocks_a_flight, b * b);
    }
    if (walk.left + k > 0) add_flight<false, b, height, at_once, masked>(a, walk, cell, c, sum);
    GPU_UNROLL
    for (int t = 0; t < tall; t++) {
        V all = sum_of_groups<b, 1>(sum_of_groups<at_once, lanes_a_block>(sum[t]));
        int64_t at = i * b + r + static_cast<int64_t>(t) * height;
        if (works && k == 0 && c == 0 && at < a.rows) {
            a.y[at] = combine(a.alpha.value(), all, a.beta.value(), a.y + at);
        }
    }
}

/* Grid of enough warps, of so many block rows each. */
grid grid_for(const tulle__spmv_task *task, int64_t block_rows, int block_rows_a_warp) {
    int64_t a_block = static_cast<int64_t>(task->params[BLOCK] / 32) * block_rows_a_warp;
    return {tulle__ceil_div(block_rows, a_block), task->params[BLOCK]};
}

template <int b, int height, int at_once, class V, class C>
tulle_status start(const tulle__spmv_task *task, const bsr_product<V, C> &a) {
    grid g = grid_for(task, a.block_rows, 32 / (at_once * height * b));
    if (a.mask) return launch_early(task->place, forward<b, height, at_once, true, V, C>, g, a);
    return launch_early(task->place, forward<b, height, at_once, false, V, C>, g, a);
}

template <int b, int height, class V, class C>
tulle_status start_size(const tulle__spmv_task *task, const bsr_product<V, C> &a) {
    if (task->params[AT_ONCE] == 1) return start<b, height, 1>(task, a);
    return start<b, height, 32 / (height * b)>(task, a);
}

template <class V, class C>
tulle_status start_any(const tulle__spmv_task *task, const bsr_product<V, C> &a) {
    const bool forward = task->shape.trans == TULLE_N;
    int lanes_a_block = forward ? a.tall : a.wide;
    int at_once = task->params[AT_ONCE] == 1 ? 1 : 32 / lanes_a_block;
    grid g = grid_for(task, a.block_rows, 32 / (at_once * lanes_a_block));
    if (forward) {
        return launch_early(task->place, forward_any<V, C>, g, a, at_once);
    }
    GPU_TRY(scale(task->place, a.cols, a.beta, a.y));
    return launch(task->place, transposed<V, C>, g, a, at_once);
}

/* Square blocks of the usual sizes with 32-bit columns have kernels of their own. */
template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    bsr_product<V, C> a = make_bsr_product<V, O, C>(task);
    if constexpr (sizeof(C) == 4) {
        switch (task->shape.trans == TULLE_N && a.tall == a.wide ? a.tall : 0) {
            case 2:
                return start_size<2, 2>(task, a);
            case 3:
                return start_size<3, 3>(task, a);
            case 4:
                return start_size<4, 4>(task, a);
            case 5:
                return start_size<5, 5>(task, a);
            case 6:
                return start_size<6, 3>(task, a);
            case 8:
                return start_size<8, 4>(task, a);
            case 16:
                return start_size<16, 2>(task, a);
        }
    }
    return start_any(task, a);
}

/* Sets one block at once unless block rows are long: a sweep on an H200 (docs/lab-notes.md,
 * "Formats: parameters"). */
void defaults(const tulle__spmv_shape *shape, int *values) {
    constexpr int64_t short_row = 64;
    int64_t rows_of_blocks = tulle__bsr_blocks(shape->storage) * tulle__block_rows(shape->storage);
    values[AT_ONCE] = rows_of_blocks <= short_row * shape->rows ? 1 : 32;
    values[BLOCK] = 64;
}

/* Bytes: x once for each cell; of A^T x, y is loaded and stored once for each column of a block. */
int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    const tulle_storage *s = shape->storage;
    int64_t value = tulle_type_size(shape->type),
            minimal = tulle__spmv_minimal_bytes(shape, beta_zero);
    if (shape->trans == TULLE_N) return minimal + (s->stored - shape->cols) * value;
    return minimal +
           (s->stored - shape->rows + 2 * tulle__bsr_blocks(s) * tulle__block_cols(s)) * value;
}

/* Cost by a model without a fit: no other kernel competes. */
double cost(const tulle__spmv_shape *shape, const int *) {
    int launches = shape->trans == TULLE_N ? 1 : 2;
    return launches * launch_cost(shape) +
           1.05 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_bsr);
const tulle__spmv_kernel GPU_SYMBOL(spmv_bsr) = {
    .head = {.name = "spmv_bsr",
             .summary = "lanes share out a block cell by cell; several blocks of a row at once",
             .source = "Saad, BSR format; Reguly and Giles 2012, cooperating threads",
             .format = TULLE_BSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REFERENCE,
             .param_count = 2,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
