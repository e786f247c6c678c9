/* SPDX-License-Identifier: Apache-2.0 */
/* Merge path: rows and entries are one list of rows + nnz items, cut into tiles of equal length, so
 * that every block has the same work whatever the row lengths (Merrill and Garland, "Merge-based
 * parallel sparse matrix-vector multiplication", SC 2016). What they do item by item is done array
 * by array here (Blelloch's segmented sums, as in their kernel only between threads):
 *
 *   a block finds its tile; all threads multiply its entries, neighbours by neighbours, into shared
 *   memory, and each row that ends in the tile sets a bit for its last entry; each thread adds its
 *   own few products up in place, anew after every bit; a segmented scan over the block says what
 *   the threads before have left to each; each row picks up its sum at its last entry.
 *
 * A row that goes on after the tile is finished by the block in which it began, which reads on
 * (split=0): one launch. Rows too long for that leave a carry with each tile, and a second kernel
 * adds them (split=1). All in a fixed order: repeatable. A^T x: the same tiles, scattered with
 * atomics. */
#include "spmv/csr_row.cuh"
#include "spmv/merge_rows.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, ITEMS, SPLIT };
const int block_values[] = {128, 256};
/* Odd, so that threads that walk neighbouring pieces of shared memory meet no bank twice. */
const int items_values[] = {7, 11, 15};
const int split_values[] = {0, 1};
const tulle__param params[] = {
    {"block", "threads of a block", 2, block_values},
    {"items", "rows and entries of a tile, for each thread", 3, items_values},
    {"split", "1: a second kernel adds up rows that several tiles share", 2, split_values}};

/* What tiles leave for rows that end after them, if rows are split: a number for each tile. */
template <class V>
struct carries {
    int64_t *row; /* -1: nothing is carried. NULL: rows are not split */
    V *sum;
};

int64_t tile_size(const int *values) {
    return static_cast<int64_t>(values[BLOCK]) * values[ITEMS];
}

int64_t tiles_of(const tulle__spmv_shape *shape, const int *values) {
    int64_t size = tile_size(values);
    return (shape->rows + shape->nnz + size - 1) / size;
}

template <class O>
GPU_KERNEL void find_cuts(const O *offsets, int64_t rows, int64_t nnz, int64_t size, int64_t tiles,
                          int64_t *cuts) {
    int64_t t = (static_cast<int64_t>(block()) * block_size() + thread()) / 32;
    if (t > tiles) return;
    int64_t d = t * size < rows + nnz ? t * size : rows + nnz;
    using N = typename item_number<O>::type;
    N row = cut_row(static_cast<N>(d), offsets, static_cast<N>(rows), static_cast<N>(nnz));
    if (lane() == 0) cuts[t] = static_cast<int64_t>(row);
}

/* The entries from `begin` to `end`, a sum for each warp; 0 for those that have none. */
template <int threads, class V, class O, class C>
GPU_FUNCTION void sum_warps(const csr_product<V, O, C> &a, O begin, O end, shared<V> warp_sum) {
    constexpr int flight = 4;
    V sum = 0;
    int64_t first = static_cast<int64_t>(begin) + thread() / 32 * 32;
    for (; first < end; first += flight * threads) {
        C column[flight] = {};
        V value[flight] = {};
        int64_t own = first + lane();
        GPU_UNROLL
        for (int k = 0; k < flight; k++) {
            if (own + k * threads < end) {
                column[k] = load_once(a.cols_of + (own + k * threads));
                value[k] = load_once(a.values + (own + k * threads));
            }
        }
        GPU_UNROLL
        for (int k = 0; k < flight; k++) {
            if (own + k * threads < end) sum += value[k] * load(a.x + column[k]);
        }
    }
    GPU_UNROLL
    for (unsigned delta = 16; delta > 0; delta /= 2) sum += shuffle_down(full_warp, sum, delta);
    if (lane() == 0) warp_sum[thread() / 32] = sum;
}

/* Entries of the tile, `threads` apart. Threads that have no entry left repeat the last one, which
 * costs less than to ask each time; nobody reads what they write. */
template <int threads, int items, class V, class O, class C>
GPU_FUNCTION void load_columns(const csr_product<V, O, C> &a, const merge_tile<O> &tile,
                               C (&columns)[items]) {
    int me = static_cast<int>(thread());
    GPU_UNROLL
    for (int k = 0; k < items; k++) {
        columns[k] = load_once(a.cols_of + tile.entry_or_last(me + k * threads));
    }
}

/* Up to seven at a time, for registers. Asked for in a branch of their own, or the compiler would
 * wait for the first ones before it asks for the others. */
template <int threads, int items, class V, class O, class C>
GPU_FUNCTION void multiply(const csr_product<V, O, C> &a, const merge_tile<O> &tile,
                           const C (&columns)[items], shared<V> products) {
    constexpr int flights = (items + 6) / 7, flight = (items + flights - 1) / flights;
    int me = static_cast<int>(thread());
    GPU_UNROLL
    for (int first = 0; first < items; first += flight) {
        V value[flight] = {}, factor[flight] = {};
        if (first * threads < tile.entries) {
            GPU_UNROLL
            for (int k = 0; k < flight && first + k < items; k++) {
                value[k] = load_once(a.values + tile.entry_or_last(me + (first + k) * threads));
                factor[k] = load(a.x + columns[first + k]);
            }
        }
        GPU_UNROLL
        for (int k = 0; k < flight && first + k < items; k++) {
            products[me + (first + k) * threads] = value[k] * factor[k];
        }
    }
}

/* The row in which the tile stops, if it begins there and is not split: what follows the tile. */
template <int threads, class V, class O, class C>
GPU_FUNCTION void read_on(const csr_product<V, O, C> &a, const merge_tile<O> &tile,
                          shared<V> tail) {
    int64_t row = tile.row + tile.rows;
    if (row >= a.rows) return;
    O begin = load(a.offsets + row), end = load(a.offsets + row + 1);
    O from = tile.entry + static_cast<O>(tile.entries);
    if (begin >= tile.entry && begin < from) sum_warps<threads>(a, from, end, tail);
}

/* Rows 0 to tile.rows - 1 end in the tile. The next one, if there is one, may begin in it or go
 * right through; what the tile has of it is found like any other row's sum. */
template <int threads, int items, class V, class O, class C>
GPU_KERNEL void forward(csr_product<V, O, C> a, const int64_t *cuts, carries<V> s) {
    GPU_SHARED(V, sums, threads * items);
    GPU_SHARED(V, before, threads);
    GPU_SHARED(V, tail, threads / 32);
    GPU_SHARED(unsigned, row_ends, threads);
    int me = static_cast<int>(thread());
    row_ends[me] = 0;
    merge_tile<O> tile = find_tile(cuts, threads * items, a.offsets, a.rows, a.nnz);
    int last = tile.row + tile.rows < a.rows ? tile.rows : tile.rows - 1;

    C columns[items] = {};
    if (tile.entries > 0) load_columns<threads>(a, tile, columns);
    stretch row = row_of(a.offsets, tile, me, last);
    stretch next = row_of(a.offsets, tile, me + threads, last);
    mark_end<items>(row, row_ends);
    mark_end<items>(next, row_ends);
    for (int r = me + 2 * threads; r <= last; r += threads) {
        mark_end<items>(row_of(a.offsets, tile, r, last), row_ends);
    }
    multiply<threads>(a, tile, columns, sums);
    if (!s.row) read_on<threads>(a, tile, tail);
    sync();
    sum_segments<threads, items>(sums, row_ends, before);
    sync();

    V alpha = a.alpha.value(), beta = a.beta.value();
    V *y = a.y + tile.row;
    for (int r = me; r <= last; r += threads) {
        V sum = sum_of<items>(row, sums, before);
        if (s.row && r == tile.rows) {
            s.row[block()] = row.empty() ? -1 : tile.row + r;
            s.sum[block()] = sum;
        } else if (s.row || (row.begin >= 0 && (r < tile.rows || !row.empty()))) {
            if (r == tile.rows) {
                for (int w = 0; w < threads / 32; w++) sum += tail[w];
            }
            y[r] = combine(alpha, sum, beta, y + r);
        }
        row = next;
        if (r + 2 * threads <= last) next = row_of(a.offsets, tile, r + 2 * threads, last);
    }
    if (s.row && last < tile.rows && me == 0) s.row[block()] = -1;
}

/* A warp a tile: the first tile that carries to a row adds up all carries to it. They stand one
 * after the other, because rows ascend. */
template <class V>
GPU_KERNEL void add_carries(int64_t tiles, carries<V> s, scalar<V> alpha, V *y) {
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

/* The row of each entry is searched among the ends of the tile's rows. */
template <class V, class O, class C>
GPU_KERNEL void transposed(csr_product<V, O, C> a, int size) {
    GPU_DYNAMIC_SHARED(int, ends);
    merge_tile<O> tile = find_tile(nullptr, size, a.offsets, a.rows, a.nnz);
    int me = static_cast<int>(thread()), threads = static_cast<int>(block_size());
    for (int r = me; r < tile.rows; r += threads) {
        ends[r] = tile.local(load(a.offsets + tile.row + r + 1));
    }
    sync();
    V alpha = a.alpha.value();
    for (int e = me; e < tile.entries; e += threads) {
        int low = 0, high = tile.rows;
        while (low < high) {
            int middle = (low + high) / 2;
            if (ends[middle] <= e) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        scatter(a, tile.entry + static_cast<O>(e), alpha * load(a.x + tile.row + low));
    }
}

template <int threads, int items, class V, class O, class C>
tulle_status run_tiles(const tulle__spmv_task *task, const csr_product<V, O, C> &a, carries<V> s) {
    return launch(task->place, forward<threads, items, V, O, C>,
                  {tiles_of(&task->shape, task->params), threads}, a,
                  static_cast<const int64_t *>(task->prepared), s);
}

template <int threads, class V, class O, class C>
tulle_status run_threads(const tulle__spmv_task *task, const csr_product<V, O, C> &a,
                         carries<V> s) {
    switch (task->params[ITEMS]) {
        case 7:
            return run_tiles<threads, 7>(task, a, s);
        case 11:
            return run_tiles<threads, 11>(task, a, s);
        default:
            return run_tiles<threads, 15>(task, a, s);
    }
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    csr_product<V, O, C> a = make_product<V, O, C>(task);
    int64_t tiles = tiles_of(&task->shape, task->params);
    if (task->shape.trans == TULLE_T) {
        GPU_TRY(scale(task->place, a.cols, a.beta, a.y));
        size_t size = static_cast<size_t>(tile_size(task->params));
        return launch(task->place, transposed<V, O, C>,
                      {tiles, task->params[BLOCK], size * sizeof(int)}, a, static_cast<int>(size));
    }
    carries<V> s = {};
    if (task->params[SPLIT]) {
        s.row = static_cast<int64_t *>(task->workspace);
        s.sum = reinterpret_cast<V *>(s.row + tiles);
    }
    GPU_TRY(task->params[BLOCK] == 128 ? run_threads<128>(task, a, s)
                                       : run_threads<256>(task, a, s));
    if (!task->params[SPLIT]) return TULLE_OK;
    constexpr int warps = 4;
    return launch(task->place, add_carries<V>, {(tiles + warps - 1) / warps, 32 * warps}, tiles, s,
                  a.alpha, a.y);
}

/* Another launch costs small matrices most, large ones nothing; there it keeps all blocks alike. */
constexpr int64_t small = 8 << 20;
/* What a block can read on to in the time of another launch. */
constexpr int64_t longest_whole = 32 << 10;

/* From a sweep on an H200 (docs/lab-notes.md, "csr_merge: parameters"). In f64, 15 items keep too
 * few blocks resident to hide the latency of scattered x, which short and uneven rows stand for. */
void defaults(const tulle__spmv_shape *shape, int *values) {
    const tulle__stats *stats = shape->stats;
    double uneven = unevenness(shape);
    bool scattered = stats->mean_row < 8 || uneven > 3;
    values[BLOCK] = uneven > 1 ? 256 : 128;
    values[ITEMS] = shape->type == TULLE_F64 && scattered ? 11 : 15;
    values[SPLIT] = shape->rows + shape->nnz > small || stats->max_row > longest_whole;
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return tiles_of(shape, values) < INT32_MAX;
}

size_t prepared_bytes(const tulle__spmv_shape *shape, const int *values) {
    return static_cast<size_t>(tiles_of(shape, values) + 1) * sizeof(int64_t);
}

template <class O>
tulle_status cut(const tulle__spmv_task *task, int64_t *cuts) {
    constexpr int warps = 4;
    int64_t tiles = tiles_of(&task->shape, task->params);
    return launch(task->place, find_cuts<O>, {(tiles + warps) / warps, 32 * warps},
                  static_cast<const O *>(task->offsets), task->shape.rows, task->shape.nnz,
                  tile_size(task->params), tiles, cuts);
}

tulle_status prepare(const tulle__spmv_task *task, void *prepared) {
    int64_t *cuts = static_cast<int64_t *>(prepared);
    return task->shape.index == TULLE_I32 ? cut<int32_t>(task, cuts) : cut<int64_t>(task, cuts);
}

size_t workspace(const tulle__spmv_shape *shape, const int *values) {
    size_t value = static_cast<size_t>(tulle_type_size(shape->type));
    return values[SPLIT] && shape->trans == TULLE_N
               ? static_cast<size_t>(tiles_of(shape, values)) * (sizeof(int64_t) + value)
               : 0;
}

/* Offsets twice, and carries written and read. */
int64_t bytes(const tulle__spmv_shape *shape, const int *values, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero) + shape->rows * tulle_offset_size(shape->index) +
           2 * static_cast<int64_t>(workspace(shape, values));
}

/* Even work whatever the rows, for staging through shared memory, the search for the tiles and
 * perhaps a second launch. */
double cost(const tulle__spmv_shape *shape, const int *values) {
    return (values[SPLIT] ? 3 : 2) * launch_cost(shape) +
           1.3 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_merge);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_merge) = {
    .name = "spmv_csr_merge",
    .summary = "merge path: rows and entries dealt out in equal tiles, summed by segmented scans",
    .source = "Merrill and Garland, SC 2016",
    .format = TULLE_CSR,
    .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE,
    .param_count = 3,
    .params = gpu::params,
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .prepared_bytes = gpu::prepared_bytes,
    .prepare = gpu::prepare,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
