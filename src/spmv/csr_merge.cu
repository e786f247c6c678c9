/* SPDX-License-Identifier: Apache-2.0 */
/* Merge path: rows and entries are one list of rows + nnz items, cut into tiles of equal length, so
 * that every block has the same work whatever the row lengths (Merrill and Garland, "Merge-based
 * parallel sparse matrix-vector multiplication", SC 2016). The cut at item d lies at the row i with
 * end[i] > d - i - 1 for the first time, end[i] = offsets[i + 1], and the entry d - i.
 *
 * A block loads its tile's entries with all threads, multiplies, and keeps the products and row
 * ends in shared memory; then each thread walks its own few items. What a thread has summed when
 * its items end goes to the thread that ends the row, by a segmented scan over the block; what a
 * block has left goes to a carry, and a second kernel adds the carries. All in a fixed order:
 * repeatable. A^T x: the same tiles, scattered with atomics. */
#include "spmv/csr.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, ITEMS };
const int block_values[] = {64, 128};
/* Odd, so that threads that walk neighbouring pieces of shared memory meet no bank twice. */
const int items_values[] = {5, 7, 11};
const tulle__param params[] = {{"block", "threads of a block", 2, block_values},
                               {"items", "rows and entries that a thread walks", 3, items_values}};

/* Scratch: the cuts (unless a plan has them), and a carry for each tile. */
template <class V>
struct scratch_of {
    const int64_t *cuts; /* tiles + 1 rows */
    int64_t *carry_row;  /* -1: nothing is carried */
    V *carry;
};

int64_t tiles_of(const tulle__spmv_shape *shape, const int *values) {
    int64_t tile = static_cast<int64_t>(values[BLOCK]) * values[ITEMS];
    return (shape->rows + shape->nnz + tile - 1) / tile;
}

/* The row of the cut before item d of the list that begins at entry `origin`. */
template <class Ends>
GPU_FUNCTION int64_t cut_row(int64_t d, Ends ends, int64_t rows, int64_t entries, int64_t origin) {
    int64_t low = d > entries ? d - entries : 0;
    int64_t high = d < rows ? d : rows;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (static_cast<int64_t>(ends[middle]) - origin <= d - middle - 1) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

template <class O>
GPU_KERNEL void find_cuts(const O *offsets, int64_t rows, int64_t nnz, int64_t tile, int64_t tiles,
                          int64_t *cuts) {
    int64_t t = static_cast<int64_t>(block()) * block_size() + thread();
    if (t > tiles) return;
    int64_t d = t * tile < rows + nnz ? t * tile : rows + nnz;
    cuts[t] = cut_row(d, offsets + 1, rows, nnz, 0);
}

template <class O>
tulle_status cut(const tulle__spmv_task *task, int64_t *cuts) {
    int64_t tiles = tiles_of(&task->shape, task->params);
    int64_t tile = static_cast<int64_t>(task->params[BLOCK]) * task->params[ITEMS];
    return launch(task->place, find_cuts<O>, {(tiles + 128) / 128, 128},
                  static_cast<const O *>(task->offsets), task->shape.rows, task->shape.nnz, tile,
                  tiles, cuts);
}

/* The sum that the threads before this one leave to it, and the block's own rest: an exclusive scan
 * that starts anew at every thread that has ended a row. */
template <class V>
GPU_FUNCTION V carry_in(V sum, bool ended, V *rest) {
    GPU_SHARED(V, warp_sum, 32);
    GPU_SHARED(int, warp_ended, 32);
    int flag = ended;
    GPU_UNROLL
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        V before = shuffle_up(full_warp, sum, delta);
        int flag_before = shuffle_up(full_warp, flag, delta);
        if (lane() >= delta) {
            if (!flag) sum += before;
            flag |= flag_before;
        }
    }
    unsigned warp = thread() / 32;
    if (lane() == 31) {
        warp_sum[warp] = sum;
        warp_ended[warp] = flag;
    }
    sync();
    V carried = 0;
    for (unsigned w = 0; w < warp; w++) {
        carried = warp_ended[w] ? V(warp_sum[w]) : carried + V(warp_sum[w]);
    }
    V inclusive = flag ? sum : carried + sum;
    *rest = inclusive;
    V exclusive = shuffle_up(full_warp, inclusive, 1u);
    return lane() == 0 ? carried : exclusive;
}

/* A tile's place in the list, and its row ends in shared memory, as entries of the tile. */
struct tile_place {
    int64_t row, entry;
    int rows, entries;
};

GPU_FUNCTION tile_place place_of(const int64_t *cuts, int64_t tile, int64_t all) {
    int64_t t = block();
    int64_t first = t * tile, last = first + tile < all ? first + tile : all;
    int64_t row = cuts[t], end_row = cuts[t + 1];
    int64_t entry = first - row;
    return {row, entry, static_cast<int>(end_row - row),
            static_cast<int>((last - end_row) - entry)};
}

/* The ends of the tile's rows, as entries of the tile. */
template <class O>
GPU_FUNCTION void load_ends(const O *offsets, const tile_place &p, shared<int> ends) {
    for (int r = static_cast<int>(thread()); r < p.rows; r += static_cast<int>(block_size())) {
        ends[r] =
            static_cast<int>(static_cast<int64_t>(load_once(offsets + p.row + r + 1)) - p.entry);
    }
}

template <int threads, int items, class V, class O, class C>
GPU_KERNEL void forward(csr_product<V, O, C> a, scratch_of<V> s) {
    constexpr int tile = threads * items;
    GPU_SHARED(int, ends, tile);
    GPU_SHARED(V, products, tile);
    tile_place p = place_of(s.cuts, tile, a.rows + a.nnz);
    load_ends(a.offsets, p, ends);
    GPU_UNROLL
    for (int k = 0; k < items; k++) {
        int e = k * threads + static_cast<int>(thread());
        if (e < p.entries) {
            products[e] =
                load_once(a.values + p.entry + e) * load(a.x + load_once(a.cols_of + p.entry + e));
        }
    }
    sync();

    int d = static_cast<int>(thread()) * items;
    int all = p.rows + p.entries;
    int stop = d + items < all ? d + items : all;
    if (d > all) d = all;
    int row = static_cast<int>(cut_row(d, ends, p.rows, p.entries, 0));
    int entry = d - row;
    int first_ended = row;
    V sum = 0, first_sum = 0;
    V alpha = a.alpha.value(), beta = a.beta.value();
    for (; d < stop; d++) {
        if (row < p.rows && entry >= ends[row]) {
            if (row == first_ended) {
                first_sum = sum;
            } else {
                V *y = a.y + p.row + row;
                *y = combine(alpha, sum, beta, y);
            }
            sum = 0;
            row++;
        } else {
            sum += products[entry++];
        }
    }
    bool ended = row > first_ended;
    V rest = 0;
    V before = carry_in(sum, ended, &rest);
    if (ended) {
        V *y = a.y + p.row + first_ended;
        *y = combine(alpha, before + first_sum, beta, y);
    }
    if (thread() == threads - 1) {
        int pending = p.rows > 0 ? p.entries - ends[p.rows - 1] : p.entries;
        s.carry_row[block()] = pending > 0 ? p.row + p.rows : -1;
        s.carry[block()] = rest;
    }
}

/* A warp a tile: the first tile that carries to a row adds up all carries to it. They stand one
 * after the other, because rows ascend. */
template <class V>
GPU_KERNEL void add_carries(int64_t tiles, scratch_of<V> s, scalar<V> alpha, V *y) {
    int64_t t = (static_cast<int64_t>(block()) * block_size() + thread()) / 32;
    int64_t row = t < tiles ? s.carry_row[t] : -1;
    bool first = row >= 0 && (t == 0 || s.carry_row[t - 1] != row);
    V sum = 0;
    if (first) {
        for (int64_t u = t + lane(); u < tiles && s.carry_row[u] == row; u += 32) sum += s.carry[u];
    }
    GPU_UNROLL
    for (unsigned delta = 16; delta > 0; delta /= 2) sum += shuffle_down(full_warp, sum, delta);
    if (first && lane() == 0) y[row] += alpha.value() * sum;
}

template <int threads, int items, class V, class O, class C>
GPU_KERNEL void transposed(csr_product<V, O, C> a, const int64_t *cuts) {
    constexpr int tile = threads * items;
    GPU_SHARED(int, ends, tile);
    tile_place p = place_of(cuts, tile, a.rows + a.nnz);
    load_ends(a.offsets, p, ends);
    sync();
    V alpha = a.alpha.value();
    for (int e = static_cast<int>(thread()); e < p.entries; e += threads) {
        int low = 0, high = p.rows;
        while (low < high) {
            int middle = (low + high) / 2;
            if (ends[middle] <= e) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        scatter(a, static_cast<O>(p.entry + e), alpha * load(a.x + p.row + low));
    }
}

template <int threads, int items, class V, class O, class C>
tulle_status run_tiles(const tulle__spmv_task *task, int64_t tiles, scratch_of<V> s) {
    csr_product<V, O, C> a = make_product<V, O, C>(task);
    grid g = {tiles, threads};
    if (task->shape.trans == TULLE_T) {
        GPU_TRY(scale(task->place, a.cols, a.beta, a.y));
        return launch(task->place, transposed<threads, items, V, O, C>, g, a, s.cuts);
    }
    if (tiles == 0) return TULLE_OK;
    GPU_TRY(launch(task->place, forward<threads, items, V, O, C>, g, a, s));
    constexpr int warps = 4;
    return launch(task->place, add_carries<V>, {(tiles + warps - 1) / warps, 32 * warps}, tiles, s,
                  a.alpha, a.y);
}

template <int threads, class V, class O, class C>
tulle_status run_threads(const tulle__spmv_task *task, int64_t tiles, scratch_of<V> s) {
    switch (task->params[ITEMS]) {
        case 5:
            return run_tiles<threads, 5, V, O, C>(task, tiles, s);
        case 7:
            return run_tiles<threads, 7, V, O, C>(task, tiles, s);
        default:
            return run_tiles<threads, 11, V, O, C>(task, tiles, s);
    }
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    int64_t tiles = tiles_of(&task->shape, task->params);
    int64_t *cuts = static_cast<int64_t *>(task->workspace);
    int64_t *carry_row = cuts + tiles + 1;
    scratch_of<V> s = {cuts, carry_row, reinterpret_cast<V *>(carry_row + tiles)};
    if (task->prepared) {
        s.cuts = static_cast<const int64_t *>(task->prepared);
    } else {
        GPU_TRY(cut<O>(task, cuts));
    }
    switch (task->params[BLOCK]) {
        case 64:
            return run_threads<64, V, O, C>(task, tiles, s);
        default:
            return run_threads<128, V, O, C>(task, tiles, s);
    }
}

void defaults(const tulle__spmv_shape *, int *values) {
    values[BLOCK] = 128;
    values[ITEMS] = 7;
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return tiles_of(shape, values) < INT32_MAX;
}

size_t prepared_bytes(const tulle__spmv_shape *shape, const int *values) {
    return static_cast<size_t>(tiles_of(shape, values) + 1) * sizeof(int64_t);
}

tulle_status prepare(const tulle__spmv_task *task, void *prepared) {
    int64_t *cuts = static_cast<int64_t *>(prepared);
    return task->shape.index == TULLE_I32 ? cut<int32_t>(task, cuts) : cut<int64_t>(task, cuts);
}

size_t workspace(const tulle__spmv_shape *shape, const int *values) {
    size_t tiles = static_cast<size_t>(tiles_of(shape, values));
    return (2 * tiles + 1) * sizeof(int64_t) +
           tiles * static_cast<size_t>(tulle_type_size(shape->type));
}

int64_t bytes(const tulle__spmv_shape *shape, const int *values, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero) +
           2 * static_cast<int64_t>(workspace(shape, values));
}

/* Even work whatever the rows, for staging through shared memory and two more launches. Constants
 * fitted to measurements (docs/lab-notes.md, "The first rule"). */
double cost(const tulle__spmv_shape *shape, const int *) {
    return 4 * launch_cost(shape) +
           1.5 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_merge);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_merge) = {
    .name = "spmv_csr_merge",
    .summary = "merge path: rows and entries dealt out in equal tiles",
    .source = "Merrill and Garland, SC 2016",
    .format = TULLE_CSR,
    .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE,
    .param_count = 2,
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
