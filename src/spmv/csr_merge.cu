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
#include "spmv/csr.cuh"
#include "spmv/merge_tile.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, ITEMS, SPLIT };
const int block_values[] = {128, 256};
/* Odd, so that threads that walk neighbouring pieces of shared memory meet no bank twice. */
const int items_values[] = {7, 11};
const int split_values[] = {0, 1};
const tulle__param params[] = {
    {"block", "threads of a block", 2, block_values},
    {"items", "rows and entries of a tile, for each thread", 2, items_values},
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
    int64_t row = cut_row(d, offsets, rows, nnz);
    if (lane() == 0) cuts[t] = row;
}

/* Of the lanes up to this one, from the last that has ended a row on. */
template <class V>
GPU_FUNCTION V scan_warp(V sum, unsigned ended) {
    unsigned nearest_first = ended << (31 - lane());
    GPU_UNROLL
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        V before = shuffle_up(full_warp, sum, delta);
        bool none = nearest_first >> (32 - delta) == 0;
        if (lane() >= delta && none) sum += before;
    }
    return sum;
}

/* What the threads before this one leave to it, given what each leaves of its own and whether it
 * has ended a row; and what the block leaves, right in its last thread. */
template <int threads, class V>
GPU_FUNCTION V carry_in(V sum, bool has_ended, V *rest) {
    GPU_SHARED(V, warp_sum, threads / 32);
    GPU_SHARED(unsigned, warp_ended, threads / 32);
    int warp = static_cast<int>(thread() / 32);
    unsigned ended = ballot(full_warp, has_ended);
    V inclusive = scan_warp(sum, ended);
    if (lane() == 31) {
        warp_sum[warp] = inclusive;
        warp_ended[warp] = ended;
    }
    sync();
    V carried = 0;
    for (int w = warp - 1; w >= 0; w--) {
        carried += warp_sum[w];
        unsigned any_ended = warp_ended[w];
        if (any_ended) break;
    }
    if (ended << (31 - lane()) == 0) inclusive += carried;
    *rest = inclusive;
    V exclusive = shuffle_up(full_warp, inclusive, 1u);
    return lane() == 0 ? carried : exclusive;
}

/* This thread's share of the entries from `begin` to `end`. */
template <int threads, class V, class O, class C>
GPU_FUNCTION V strided_sum(const csr_product<V, O, C> &a, O begin, O end) {
    constexpr int flight = 4;
    V sum = 0;
    for (int64_t first = static_cast<int64_t>(begin) + thread(); first < end;
         first += flight * threads) {
        GPU_UNROLL
        for (int k = 0; k < flight; k++) {
            int64_t e = first + k * threads;
            if (e < end) sum += load_once(a.values + e) * load(a.x + load_once(a.cols_of + e));
        }
    }
    return sum;
}

/* What follows the tile of the row in which it stops: all of it, in the thread that asks. */
template <int threads, class V>
GPU_FUNCTION void sum_warps(V sum, shared<V> warps) {
    GPU_UNROLL
    for (unsigned delta = 16; delta > 0; delta /= 2) sum += shuffle_down(full_warp, sum, delta);
    if (lane() == 0) warps[thread() / 32] = sum;
}

template <int threads, int items, class V, class O, class C>
GPU_KERNEL void forward(csr_product<V, O, C> a, const int64_t *cuts, carries<V> s) {
    constexpr int size = threads * items;
    GPU_SHARED(V, sums, size);
    GPU_SHARED(V, before, threads);
    GPU_SHARED(V, tail, threads / 32);
    GPU_SHARED(unsigned, row_ends, threads);
    int me = static_cast<int>(thread());
    row_ends[me] = 0;
    merge_tile<O> tile = find_tile(cuts, size, a.offsets, a.rows, a.nnz);
    bool split = s.row != nullptr;

    C columns[items] = {};
    GPU_UNROLL
    for (int k = 0; k < items; k++) {
        int e = k * threads + me;
        if (e < tile.entries) columns[k] = load_once(a.cols_of + tile.entry + e);
    }
    int64_t next_row = tile.row + tile.rows;
    O next_begin = load(a.offsets + next_row);
    O next_end = load(a.offsets + (next_row < a.rows ? next_row + 1 : next_row));
    O end_entry = tile.entry + static_cast<O>(tile.entries);
    bool pending = next_begin < end_entry;
    bool reads_on = pending && next_begin >= tile.entry && !split;
    for (int r = me; r < tile.rows; r += threads) {
        int begin = tile.local(load(a.offsets + tile.row + r));
        int end = tile.local(load(a.offsets + tile.row + r + 1));
        if (begin < end) atomic_add(row_ends + (end - 1) / items, 1u << (end - 1) % items);
    }
    GPU_UNROLL
    for (int k = 0; k < items; k++) {
        int e = k * threads + me;
        V product = 0;
        if (e < tile.entries) {
            product = load_once(a.values + tile.entry + e) * load(a.x + columns[k]);
        }
        sums[e] = product;
    }
    if (reads_on) sum_warps<threads>(strided_sum<threads>(a, end_entry, next_end), tail);
    sync();

    unsigned ends = row_ends[me];
    V sum = 0;
    GPU_UNROLL
    for (int k = 0; k < items; k++) {
        sum += sums[me * items + k];
        if (ends >> k & 1) {
            sums[me * items + k] = sum;
            sum = 0;
        }
    }
    V rest = 0;
    before[me] = carry_in<threads>(sum, ends != 0, &rest);
    sync();

    V alpha = a.alpha.value(), beta = a.beta.value();
    for (int r = me; r < tile.rows; r += threads) {
        O row_begin = load(a.offsets + tile.row + r);
        if (row_begin < tile.entry && !split) continue;
        int begin = tile.local(row_begin);
        int end = tile.local(load(a.offsets + tile.row + r + 1));
        V row_sum = 0;
        if (begin < end) {
            int owner = (end - 1) / items;
            row_sum = sums[end - 1];
            if (begin < owner * items) row_sum += before[owner];
        }
        V *y = a.y + tile.row + r;
        *y = combine(alpha, row_sum, beta, y);
    }
    if (me != threads - 1) return;
    if (split) {
        s.row[block()] = pending ? next_row : -1;
        s.sum[block()] = rest;
    }
    if (reads_on) {
        for (int w = 0; w < threads / 32; w++) rest += tail[w];
        V *y = a.y + next_row;
        *y = combine(alpha, rest, beta, y);
    }
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
    return task->params[ITEMS] == 7 ? run_tiles<threads, 7>(task, a, s)
                                    : run_tiles<threads, 11>(task, a, s);
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

/* Rows that a block finishes by itself although they are longer than its tile: what the rest of
 * them costs a block stays below what another launch costs all. */
constexpr int64_t longest_whole = 4096;

void defaults(const tulle__spmv_shape *shape, int *values) {
    values[BLOCK] = 256;
    values[ITEMS] = 7;
    values[SPLIT] = shape->stats->max_row > longest_whole;
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
