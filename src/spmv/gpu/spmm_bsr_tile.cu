/* SPDX-License-Identifier: Apache-2.0 */
/* BSR without padding times a multivector on the matrix units for doubles (gpu/tile.cuh). The
 * blocks of a line of op(A), a block row or a block column, are one matrix of `size` rows, as are
 * the rows of X that they meet; a warp multiplies the two, four or eight columns of A at a time,
 * straight from memory into the registers of the units: lane l has row l / 4 of A and column l / 4
 * of X. Blocks of 2, 3 and 4 share a tile with those of neighbouring lines, of whose product the
 * squares on the diagonal count; larger ones than 8 take two tiles.
 *
 *   size   lines   tiles   a flight: cells of a line's row   that is, blocks
 *      2       4       1                              16               8
 *      3       2       1                              24               8
 *      4       2       1                              32               8
 *      5       1       1                              20               4
 *      8       1       1                              32               4
 *     16       1       2                              32               2
 *  other       1    1, 2                     of one block               1
 *
 * While a flight of A and X is on its way, the columns of the next one are asked for, and where the
 * lines after it begin: of the chain from a line to its columns to X a warp waits for X alone. f32
 * is multiplied as f64, which is exact, and rounded at the end.
 *
 * Lines by length and block columns of the same blocks after Afanasyev, Potapov, Sobolev and
 * Kharchenko, YSC 2015, whose groups of size^2 threads a line are a warp here. */
#include <cmath>

#include "gpu/tile.cuh"
#include "spmv/gpu/spmm_bsr.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BY_LENGTH, STEPS, BLOCK };
const int steps_values[] = {1, 2, 4, 8, 16};
const int block_values[] = {128, 256};
const tulle__param params[] = {
    {"by_length", by_length_text, 2, by_length_values},
    {"steps", "groups of lines that a warp works through", 5, steps_values},
    {"block", "threads of a block of the grid", 2, block_values}};

constexpr int most_threads = 256;
constexpr int tile_side = 8;

/* How lines of blocks of a size, 0: of any up to tall tiles, meet `wide` tiles of columns of X. */
template <int size_, int tall_, int wide_, bool transposed_>
struct mapping {
    static constexpr int size = size_, tall = tall_, wide = wide_;
    static constexpr bool transposed = transposed_;
    /* Lines that share a tile, and the rows of it that each has. */
    static constexpr int lines = size == 2 ? 4 : size == 3 || size == 4 ? 2 : 1;
    static constexpr int side = tile_side / lines;
    /* Neighbours in a row of a block that a lane loads in one go. */
    static constexpr int pair = !transposed && size > 0 && size % 2 == 0 ? 2 : 1;
    /* Cells of a line's row in a flight: whole blocks, and fewer where there are more columns. */
    static constexpr int all_cells = size == 0   ? tile_side * tall
                                     : size == 2 ? 16
                                     : size == 3 ? 24
                                     : size == 5 ? 20
                                                 : 32;
    static constexpr bool fewer = wide > 2 && size > 0 && size != 5;
    static constexpr int cells = fewer ? all_cells / 2 : all_cells;
    static constexpr int divisor = size == 0 ? cells : size;
    static constexpr int blocks = cells / divisor;
    static constexpr int loads = cells / (4 * pair);
    /* Whether a load has cells of one block alone, known when this is compiled. */
    static constexpr bool aligned = divisor % (4 * pair) == 0;
    /* Loads after which it all begins again, so many blocks further. */
    static constexpr int period = divisor % 2 == 1 ? divisor : 1;

    /* The block of a flight, and the cell of its row, that quarter q of load f begins with. */
    GPU_FUNCTION static int block_of(int f, int q) {
        if constexpr (aligned) return 4 * pair * f / divisor;
        return f / period * (4 * pair * period / divisor) + (4 * (f % period) + q) * pair / divisor;
    }
    GPU_FUNCTION static int cell_of(int f, int q) {
        if constexpr (aligned) return 4 * pair * f % divisor + pair * q;
        return (4 * (f % period) + q) * pair % divisor;
    }
};

/* Blocks of the grid that a multiprocessor holds: as many as registers allow for what is on its
 * way. */
template <class M, class V>
constexpr int resident = M::tall == 2 || M::wide > 2 ? 2
                         : sizeof(V) == 8            ? 3
                                                     : 4;

/* The rest of a line. i: which one; -1: none. */
struct line_rest {
    int i, at, left;
};

/* What a lane has on its way. */
template <class M>
struct flight_blocks {
    int other[M::loads], slot[M::loads];
};
template <class M, class V>
struct flight_numbers {
    pack<V, M::pair> a[M::loads][M::tall];
    pack<V, 1> x[M::loads][M::pair][M::wide];
};

template <class V>
using product_of_blocks = block_product<V, int32_t, int32_t>;

/* Where a lane stands: row or column m of its line's share of a tile, quarter q; the first column
 * of Y that the warp has; and the lane's own column of X. */
template <class V>
struct tile_lane {
    int q, line, m, column;
    const V *x;
    unsigned x_step; /* bytes from a row of X to the next */
};

/* The line of a lane in a step of its warp. */
template <class M, class V>
GPU_FUNCTION int line_at(const product_of_blocks<V> &a, const tile_lane<V> &l, int64_t first,
                         int step, int steps) {
    int64_t warps = block_size() / 32;
    int64_t line = (first + step * warps + thread() / 32) * M::lines + l.line;
    if (step >= steps || line >= a.lines) return -1;
    return a.order ? load(a.order + line) : static_cast<int>(line);
}

template <class V>
GPU_FUNCTION line_rest open_line(const product_of_blocks<V> &a, int i) {
    if (i < 0) return {-1, 0, 0};
    int at = load(a.offsets + i);
    return {i, at, load(a.offsets + i + 1) - at};
}

template <class M, class V>
GPU_FUNCTION void list_blocks(const product_of_blocks<V> &a, const tile_lane<V> &l,
                              const line_rest &line, flight_blocks<M> &list) {
    GPU_UNROLL
    for (int f = 0; f < M::loads; f++) {
        int k = M::block_of(f, l.q);
        if (M::aligned && f > 0 && k == M::block_of(f - 1, l.q)) {
            list.other[f] = list.other[f - 1];
            list.slot[f] = list.slot[f - 1];
            continue;
        }
        bool there = k < line.left;
        list.other[f] =
            load_if(there, reinterpret_cast<const pack<int, 1> *>(a.others + line.at + k)).at[0];
        list.slot[f] = line.at + k;
        if constexpr (M::transposed) {
            list.slot[f] =
                load_if(there, reinterpret_cast<const pack<int, 1> *>(a.slots + line.at + k)).at[0];
        }
    }
}

/* Zeros stand for what is not there: where a line has no cell, both of A and of X. */
template <class M, class V>
GPU_FUNCTION void fetch(const product_of_blocks<V> &a, const tile_lane<V> &l, const line_rest &line,
                        const flight_blocks<M> &list, flight_numbers<M, V> &numbers) {
    const int size = M::size > 0 ? M::size : a.size, cells = size * size;
    GPU_UNROLL
    for (int f = 0; f < M::loads; f++) {
        int c = M::cell_of(f, l.q);
        bool there = M::block_of(f, l.q) < line.left && (M::size > 0 || c < size);
        const V *block = a.values + static_cast<int64_t>(list.slot[f]) * cells;
        unsigned row = static_cast<unsigned>(list.other[f] * size + c);
        GPU_UNROLL
        for (int t = 0; t < M::tall; t++) {
            int r = l.m + tile_side * t, cell = M::transposed ? c * size + r : r * size + c;
            numbers.a[f][t] = load_if(there && r < size,
                                      reinterpret_cast<const pack<V, M::pair> *>(block + cell));
        }
        GPU_UNROLL
        for (int p = 0; p < M::pair; p++) {
            uint64_t at = static_cast<uint64_t>(row + p) * l.x_step;
            GPU_UNROLL
            for (int u = 0; u < M::wide; u++) {
                bool has = there && l.column + l.m + u * M::side < a.vectors;
                const V *x = l.x + u * (M::side * a.x.col_step);
                numbers.x[f][p][u] = load_if(has, reinterpret_cast<const pack<V, 1> *>(
                                                      reinterpret_cast<const char *>(x) + at));
            }
        }
    }
}

template <class M, class V>
GPU_FUNCTION void multiply_flight(const flight_numbers<M, V> &numbers,
                                  tile_f64 (&sum)[M::tall][M::wide]) {
    GPU_UNROLL
    for (int f = 0; f < M::loads; f++) {
        GPU_UNROLL
        for (int p = 0; p < M::pair; p++) {
            GPU_UNROLL
            for (int t = 0; t < M::tall; t++) {
                GPU_UNROLL
                for (int u = 0; u < M::wide; u++) {
                    multiply_add_8x8x4(sum[t][u], static_cast<double>(numbers.a[f][t].at[p]),
                                       static_cast<double>(numbers.x[f][p][u].at[0]));
                }
            }
        }
    }
}

/* Y's numbers of a lane: two neighbours of a row of each tile, where that is in its own line's
 * square. */
template <class M, class V>
GPU_FUNCTION void finish_line(const product_of_blocks<V> &a, const tile_lane<V> &l, int i,
                              const tile_f64 (&sum)[M::tall][M::wide]) {
    const int size = M::size > 0 ? M::size : a.size;
    double alpha = static_cast<double>(a.alpha.value()), beta = static_cast<double>(a.beta.value());
    if (i < 0 || 2 * l.q / M::side != l.line) return;
    GPU_UNROLL
    for (int t = 0; t < M::tall; t++) {
        int r = l.m + tile_side * t;
        int64_t row = static_cast<int64_t>(i) * size + r;
        if (r >= size || row >= a.rows) continue;
        GPU_UNROLL
        for (int u = 0; u < M::wide; u++) {
            int column = l.column + u * M::side + 2 * l.q % M::side;
            GPU_UNROLL
            for (int h = 0; h < 2; h++) {
                if (column + h >= a.vectors) continue;
                V *y = a.y.at(row, column + h);
                double number = alpha * sum[t][u].c[h];
                if (beta != 0) number += beta * static_cast<double>(*y);
                *y = static_cast<V>(number);
            }
        }
    }
}

template <class M, class V>
GPU_KERNEL GPU_RESIDENT(most_threads, (resident<M, V>)) void multiply_tiles(product_of_blocks<V> a,
                                                                            int steps, int passes) {
    const int n = static_cast<int>(lane()) / 4, pass = static_cast<int>(block()) % passes;
    const int column = pass * (M::wide * M::side), m = n % M::side;
    const tile_lane<V> l = {static_cast<int>(lane()) % 4,
                            n / M::side,
                            m,
                            column,
                            a.x.at(0, column + m),
                            static_cast<unsigned>(a.x.row_step * sizeof(V))};
    const int64_t first = static_cast<int64_t>(block()) / passes * steps * (block_size() / 32);
    line_rest now = open_line(a, line_at<M>(a, l, first, 0, steps));
    line_rest next = open_line(a, line_at<M>(a, l, first, 1, steps));
    int later = line_at<M>(a, l, first, 2, steps);
    flight_blocks<M> list;
    list_blocks(a, l, now, list);
    GPU_KEEP_LOOP
    for (int step = 0; any(full_warp, now.i >= 0); step++) {
        line_rest after = open_line(a, later);
        later = line_at<M>(a, l, first, step + 3, steps);
        const int i = now.i;
        tile_f64 sum[M::tall][M::wide] = {};
        bool more = true;
        GPU_KEEP_LOOP
        while (more) {
            flight_numbers<M, V> numbers;
            fetch(a, l, now, list, numbers);
            more = any(full_warp, now.left > M::blocks);
            now.i = more ? now.i : next.i;
            now.at = more ? now.at + M::blocks : next.at;
            now.left = more ? now.left - M::blocks : next.left;
            list_blocks(a, l, now, list);
            multiply_flight<M>(numbers, sum);
        }
        finish_line<M>(a, l, i, sum);
        next = after;
    }
}

/* Tiles that all columns take, as many as fit beside each other into one, and those of a pass. */
int tiles_for(int64_t size, int64_t vectors) {
    const int side = size == 2 ? 2 : size == 3 || size == 4 ? 4 : tile_side;
    return static_cast<int>(tulle__ceil_div(vectors, side));
}
int tiles_of_pass(int64_t size, int64_t vectors) {
    if (size > tile_side) return 2;
    return tiles_for(size, vectors) == 1 ? 1 : 4;
}
int64_t passes_of(const tulle__spmv_shape *shape) {
    const int64_t size = shape->storage->block;
    return tulle__ceil_div(tiles_for(size, shape->vectors), tiles_of_pass(size, shape->vectors));
}

int lines_of_warp(int64_t size) {
    return size == 2 ? 4 : size == 3 || size == 4 ? 2 : 1;
}

template <class M, class V>
tulle_status start(const tulle__spmv_task *task) {
    const int *values = task->params;
    const int64_t passes = passes_of(&task->shape);
    auto a = make_block_product<V, int32_t, int32_t>(task, values[BY_LENGTH] != 0);
    /* A load of several cells is aligned as they are together; steps have 32 bits. */
    if (!is_aligned(a.values, M::pair * sizeof(V))) return TULLE_UNSUPPORTED;
    if (a.x.row_step > INT32_MAX / 8 || a.vectors > INT32_MAX / 2) return TULLE_UNSUPPORTED;
    const int64_t group = int64_t{values[BLOCK]} / 32 * values[STEPS] * M::lines;
    grid g = {tulle__ceil_div(a.lines, group) * passes, values[BLOCK]};
    return launch(task->place, multiply_tiles<M, V>, g, a, values[STEPS], static_cast<int>(passes));
}

template <int size, int tall, int wide, class V>
tulle_status start_way(const tulle__spmv_task *task) {
    if (task->shape.trans == TULLE_N) return start<mapping<size, tall, wide, false>, V>(task);
    return start<mapping<size, tall, wide, true>, V>(task);
}

template <int size, class V>
tulle_status start_small(const tulle__spmv_task *task) {
    if (tiles_of_pass(size, task->shape.vectors) == 1) return start_way<size, 1, 1, V>(task);
    return start_way<size, 1, 4, V>(task);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    const int64_t size = task->shape.storage->block;
    switch (size) {
        case 2:
            return start_small<2, V>(task);
        case 3:
            return start_small<3, V>(task);
        case 4:
            return start_small<4, V>(task);
        case 5:
            return start_small<5, V>(task);
        case 8:
            return start_small<8, V>(task);
        case 16:
            return start_way<16, 2, 2, V>(task);
    }
    if (size > tile_side) return start_way<0, 2, 2, V>(task);
    return tiles_of_pass(size, task->shape.vectors) == 1 ? start_way<0, 1, 1, V>(task)
                                                         : start_way<0, 1, 4, V>(task);
}

/* More steps as long as there are some warps for each that may run at once. */
void defaults(const tulle__spmv_shape *shape, int *values) {
    constexpr int64_t resident = 24, rounds = 4;
    int64_t warps = tulle__ceil_div(lines_of(shape), lines_of_warp(shape->storage->block));
    int64_t enough = resident * rounds * shape->device->multiprocessors;
    values[BY_LENGTH] = by_length_for(shape);
    values[BLOCK] = most_threads;
    values[STEPS] = 1;
    while (values[STEPS] < 16 && warps * passes_of(shape) > int64_t{2} * values[STEPS] * enough) {
        values[STEPS] *= 2;
    }
}

/* Where padding meets Inf in X, the units would not leave it out. */
bool eligible(const tulle__spmv_shape *shape, const int *) {
    return shape->storage->full;
}

bool wants_lines(const tulle__spmv_shape *shape, const int *values) {
    return shape->trans == TULLE_T || values[BY_LENGTH] != 0;
}

int64_t bytes(const tulle__spmv_shape *shape, const int *values, bool beta_zero) {
    return block_lines_bytes(shape, values[BY_LENGTH] != 0, passes_of(shape), beta_zero);
}

/* The slowest of memory; of the L1, from which A and X come, X once for each block; and of the
 * units, which take tiles whole. A model without a fit. */
double cost(const tulle__spmv_shape *shape, const int *) {
    constexpr double l1_to_copy = 6.9, busy = 0.5, uneven = 0.5;
    const int arch = shape->device->architecture;
    /* Products of f64 in the time of a copied byte; consumer's GPUs have a sixty-fourth of it. */
    const double products = arch == 80 || arch == 90 || arch == 100 ? 6 : 0.1;
    const double size = static_cast<double>(shape->storage->block);
    const double side = size <= tile_side ? tile_side : 2 * tile_side;
    double passes = static_cast<double>(passes_of(shape));
    double stored = static_cast<double>(shape->storage->stored);
    double memory = 1.15 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
    double numbers = stored * passes * static_cast<double>(tulle_type_size(shape->type)) +
                     vector_bytes(shape, stored / size);
    double tiles = tiles_for(shape->storage->block, shape->vectors);
    double units = stored / size * side * tile_side * tiles /
                   (lines_of_warp(shape->storage->block) * products);
    double slowest = fmax(memory, fmax(numbers / (l1_to_copy * busy), units));
    return launch_cost(shape) + (1 + uneven * by_length_for(shape)) * slowest;
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmm_bsr_tile);
const tulle__spmv_kernel GPU_SYMBOL(spmm_bsr_tile) = {
    .head = {.name = "spmm_bsr_tile",
             .summary = "no padding: a warp a line of blocks, on the matrix units for doubles",
             .source = "Afanasyev, Potapov, Sobolev and Kharchenko, YSC 2015, section 3.3",
             .format = TULLE_BSR,
             .flags = TULLE__MULTIVECTOR | TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE |
                      TULLE__REPEATABLE_T,
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .wants_lines = gpu::wants_lines,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_I32(gpu::run),
};
