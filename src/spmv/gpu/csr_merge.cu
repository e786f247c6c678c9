/* SPDX-License-Identifier: Apache-2.0 */
/* Merge path: rows and entries are one list of rows + nnz items, cut into tiles of equal length, so
 * that every block has the same work whatever the row lengths (Merrill and Garland, "Merge-based
 * parallel sparse matrix-vector multiplication", SC 2016). In their kernel each thread walks along
 * its items one by one, and segmented sums (Blelloch) join the threads only. Here a block does one
 * step after another for all items of its tile:
 *
 * 1. The block finds its tile by the pattern's marks.
 * 2. Each row that ends in the tile sets a bit for its last entry.
 * 3. All threads multiply entries into shared memory; neighbouring threads take neighbouring
 *    entries.
 * 4. Each thread adds up its own few products in place, and begins a new sum after every bit.
 * 5. A segmented scan over the block gives each thread the sum that the threads before it have
 * begun for the row in which its products start.
 * 6. Each row takes its sum from the place of its last entry.
 *
 * A row that goes on after the tile leaves a carry, and a second kernel adds those, which starts
 * while the first one ends. All in a fixed order: repeatable. A^T x: the same tiles, scattered with
 * atomics. */
#include "core/search.h"
#include "spmv/gpu/csr_models.cuh"
#include "spmv/gpu/merge_rows.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, ITEMS };
const int block_values[] = {256, 512};
/* Numbers of items of a thread: odd, so that threads that walk neighbouring pieces of shared
 * memory meet no bank twice. */
const int items_values[] = {3, 5, 7, 11};
const tulle__param params[] = {
    {"block", "threads of a block", 2, block_values},
    {"items", "rows and entries of a tile, for each thread", 4, items_values}};

/* True when shared memory has room: for products of 512 threads with 11 items each it has none
 * in f64. */
constexpr bool has_room(int threads, int items, size_t value) {
    return static_cast<size_t>(threads) * items * value <= 40 << 10;
}

/* Carries of rows that end after their tiles: a number for each tile. */
template <class V>
struct carries {
    int64_t *row; /* row of each carry; -1: nothing is carried */
    V *sum;
};

/* True where a flight's columns are asked for together with the values and x of the flight before
 * it, so that a flight waits once and not twice. In f64 the registers for that are missing
 * (docs/lab-notes.md, "csr_merge: columns a flight early"). */
template <class V>
constexpr bool is_early = sizeof(V) == 4;

/* Number of products that a thread has in flight, and of resident threads of that kind: as many
 * loads as registers allow at full occupancy, or in f64 a few more at three quarters of it. From a
 * sweep on an H200 (docs/lab-notes.md, "csr_merge: marks"). */
template <int threads, int items, class V>
constexpr int flight_of = items <= 5                      ? items
                          : is_early<V> || threads == 512 ? 4
                          : items == 7                    ? 7
                                                          : 6;
template <int threads, int items, class V>
constexpr int resident = (flight_of<threads, items, V> <= 5 ? 2048 : 1536) / threads;

int64_t tile_size(const int *values) {
    return static_cast<int64_t>(values[BLOCK]) * values[ITEMS];
}

int64_t tiles_of(const tulle__spmv_shape *shape, const int *values) {
    int64_t size = tile_size(values);
    return (shape->rows + shape->nnz + size - 1) / size;
}

/* The columns of a flight of entries of the tile, `threads` apart, from entry number `first` of
 * the thread on. Threads that have no entry left repeat the last one, which costs less than a
 * condition each time; nobody uses these products. */
template <int threads, int items, int ahead, class O, class C>
GPU_FUNCTION void load_columns(const C *cols_of, const merge_tile<O> &tile, int first,
                               C (&column)[ahead]) {
    if (first * threads >= tile.entries) return;
    GPU_UNROLL
    for (int k = 0; k < ahead && first + k < items; k++) {
        column[k] = load_once(
            cols_of + tile.entry_or_last(static_cast<int>(thread()) + (first + k) * threads));
    }
}

/* Multiplies the entries of the tile, a flight at a time. column: those of the first flight, where
 * they are early. Products are asked for in a branch of their own, or the compiler would wait for
 * the first ones before it asks for the others. */
template <int threads, int items, int ahead, class V, class O, class C>
GPU_FUNCTION void multiply(const csr_product<V, O, C> &a, const merge_tile<O> &tile,
                           C (&column)[ahead], shared<V> products) {
    int me = static_cast<int>(thread());
    GPU_UNROLL
    for (int first = 0; first < items; first += ahead) {
        V value[ahead] = {};
        if (!is_early<V>) load_columns<threads, items>(a.cols_of, tile, first, column);
        if (first * threads < tile.entries) {
            V factor[ahead];
            GPU_UNROLL
            for (int k = 0; k < ahead && first + k < items; k++) {
                value[k] = load_once(a.values + tile.entry_or_last(me + (first + k) * threads));
            }
            GPU_UNROLL
            for (int k = 0; k < ahead && first + k < items; k++) {
                factor[k] = load_awaited(a.x + column[k]);
            }
            if (is_early<V>) load_columns<threads, items>(a.cols_of, tile, first + ahead, column);
            GPU_UNROLL
            for (int k = 0; k < ahead && first + k < items; k++) value[k] *= factor[k];
        }
        GPU_UNROLL
        for (int k = 0; k < ahead && first + k < items; k++) {
            products[me + (first + k) * threads] = value[k];
        }
    }
}

/* Sums the rows of a tile. Rows 0 to tile.rows - 1 end in it. The next one, if there is one, may
 * begin in it or go right through; its part in the tile is summed like any other row. */
template <int threads, int items, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(threads, (resident<threads, items, V>)) void forward(csr_product<V, O, C> a,
                                                                             const O *marks,
                                                                             carries<V> s) {
    GPU_SHARED(V, sums, threads * items);
    GPU_SHARED(V, before, threads);
    GPU_SHARED(unsigned, row_ends, threads);
    allow_next();
    int me = static_cast<int>(thread());
    row_ends[me] = 0;
    merge_tile<O> tile = find_tile(marks, threads * items, a.offsets, a.rows, a.nnz);
    int last = tile.row + tile.rows < a.rows ? tile.rows : tile.rows - 1;
    C column[flight_of<threads, items, V>] = {};
    if (is_early<V>) load_columns<threads, items>(a.cols_of, tile, 0, column);
    sync();
    for (warp_rows rows(last, threads); rows.any(); rows.advance()) {
        mark_end<items>(rows.find(a.offsets, tile), row_ends);
    }
    await_previous();
    multiply<threads, items>(a, tile, column, sums);
    sync();
    sum_segments<threads, items>(sums, row_ends, before);
    sync();

    for (warp_rows rows(last, threads); rows.any(); rows.advance()) {
        stretch row = rows.find(a.offsets, tile);
        if (!rows.is_row()) continue;
        int r = rows.own();
        V sum = sum_of<items>(row, sums, before);
        if (r == tile.rows) {
            s.row[block()] = row.empty() ? -1 : tile.row + r;
            s.sum[block()] = sum;
        } else {
            V *y = a.y + tile.row + r;
            *y = combine(a.alpha.value(), sum, a.beta.value(), y);
        }
    }
    if (last < tile.rows && me == 0) s.row[block()] = -1;
}

/* Adds carries, one warp per tile: the first tile that carries to a row adds up all carries to it.
 * They stand one after the other, because rows ascend. */
template <class V>
GPU_KERNEL void add_carries(int64_t tiles, carries<V> s, scalar<V> alpha, V *y) {
    allow_next();
    await_previous();
    int64_t t = (static_cast<int64_t>(block()) * block_size() + thread()) / 32;
    int64_t row = t < tiles ? s.row[t] : -1;
    bool first = row >= 0 && (t == 0 || s.row[t - 1] != row);
    V sum = 0;
    if (first) {
        for (int64_t u = t + lane(); u < tiles && s.row[u] == row; u += 32) sum += s.sum[u];
    }
    GPU_UNROLL
    for (unsigned delta = 16; delta > 0; delta /= 2) sum += shuffle_down(full_warp, sum, delta);
    if (first && lane() == 0) y[row] += alpha.value() * sum;
}

/* Scatters A^T x: the row of each entry is searched among the ends of the tile's rows. */
template <class V, class O, class C>
GPU_KERNEL void transposed(csr_product<V, O, C> a, const O *marks, int size) {
    GPU_DYNAMIC_SHARED(int, ends);
    merge_tile<O> tile = find_tile(marks, size, a.offsets, a.rows, a.nnz);
    int me = static_cast<int>(thread()), threads = static_cast<int>(block_size());
    for (int r = me; r < tile.rows; r += threads) {
        ends[r] = tile.local(load(a.offsets + tile.row + r + 1));
    }
    sync();
    V alpha = a.alpha.value();
    for (int e = me; e < tile.entries; e += threads) {
        int low = 0;
        TULLE__LOWER_BOUND(low, tile.rows, middle, ends[middle] <= e);
        scatter<false>(a, tile.entry + static_cast<O>(e), alpha,
                       load_awaited(a.x + tile.row + low));
    }
}

template <int threads, int items, class V, class O, class C>
tulle_status run_tiles(const tulle__spmv_task *task, const csr_product<V, O, C> &a, carries<V> s) {
    return launch_early(task->place, forward<threads, items, V, O, C>,
                        {tiles_of(&task->shape, task->params), threads}, a,
                        static_cast<const O *>(task->marks), s);
}

template <int threads, class V, class O, class C>
tulle_status run_threads(const tulle__spmv_task *task, const csr_product<V, O, C> &a,
                         carries<V> s) {
    switch (task->params[ITEMS]) {
        case 3:
            return run_tiles<threads, 3>(task, a, s);
        case 5:
            return run_tiles<threads, 5>(task, a, s);
        case 7:
            return run_tiles<threads, 7>(task, a, s);
        default:
            return run_tiles < has_room(threads, 11, sizeof(V)) ? threads : 256, 11 > (task, a, s);
    }
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    if (!task->marks) return TULLE_UNSUPPORTED;
    csr_product<V, O, C> a = make_product<V, O, C>(task);
    int64_t tiles = tiles_of(&task->shape, task->params);
    if (task->shape.trans == TULLE_T) {
        GPU_TRY(scale(task->place, a.cols, a.beta, a.y));
        size_t size = static_cast<size_t>(tile_size(task->params));
        return launch(task->place, transposed<V, O, C>,
                      {tiles, task->params[BLOCK], size * sizeof(int)}, a,
                      static_cast<const O *>(task->marks), static_cast<int>(size));
    }
    carries<V> s = {};
    parts scratch(task->place, task->workspace);
    GPU_TRY(scratch.take(tiles, &s.row));
    GPU_TRY(scratch.take(tiles, &s.sum));
    GPU_TRY(task->params[BLOCK] == 256 ? run_threads<256>(task, a, s)
                                       : run_threads<512>(task, a, s));
    constexpr int warps = 4;
    return launch_early(task->place, add_carries<V>, {(tiles + warps - 1) / warps, 32 * warps},
                        tiles, s, a.alpha, a.y);
}

/* Number of tiles that keep every multiprocessor of the largest GPU busy. */
constexpr int64_t enough_tiles = 2048;

/* Sets the tiles, large ones, and small ones where there are few entries. From sweeps over 57
 * matrices on an H200 (docs/lab-notes.md, "csr_merge: marks", "csr_merge: tiles in f64"). */
void defaults(const tulle__spmv_shape *shape, int *values) {
    int64_t items = shape->rows + shape->nnz;
    bool large_blocks = shape->type == TULLE_F32 && items / 512 / 11 >= enough_tiles;
    values[BLOCK] = large_blocks ? 512 : 256;
    values[ITEMS] = 11;
    for (int i = 2; i >= 0 && items / tile_size(values) < enough_tiles; i--) {
        values[ITEMS] = items_values[i];
    }
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    size_t value = static_cast<size_t>(tulle_type_size(shape->type));
    return tiles_of(shape, values) < INT32_MAX && has_room(values[BLOCK], values[ITEMS], value);
}

int64_t carry_bytes(const tulle__spmv_shape *shape) {
    return static_cast<int64_t>(sizeof(int64_t)) + tulle_type_size(shape->type);
}

size_t workspace(const tulle__spmv_shape *shape, const int *values) {
    if (shape->trans == TULLE_T) return 0;
    int64_t tiles = tiles_of(shape, values);
    return part_bytes<int64_t>(tiles) + part_bytes<char>(tiles * tulle_type_size(shape->type));
}

/* Bytes: offsets twice, and carries written and read. */
int64_t bytes(const tulle__spmv_shape *shape, const int *values, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero) + shape->rows * tulle_offset_size(shape->index) +
           (shape->trans == TULLE_N ? 2 * tiles_of(shape, values) * carry_bytes(shape) : 0);
}

/* Cost: even work whatever the rows, for staging through shared memory and a second launch, and
 * what tiles gather from memory of a wide x. */
double cost(const tulle__spmv_shape *shape, const int *) {
    return TULLE__MERGE_LAUNCHES * launch_cost(shape) + row_bytes(shape) + gathered_bytes(shape) +
           TULLE__MERGE_BYTES * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_merge);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_merge) = {
    .head = {.name = "spmv_csr_merge",
             .summary =
                 "merge path: rows and entries dealt out in equal tiles, summed by segmented scans",
             .source = "Merrill and Garland, SC 2016",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE,
             .param_count = 2,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
