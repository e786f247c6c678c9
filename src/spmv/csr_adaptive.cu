/* SPDX-License-Identifier: Apache-2.0 */
/* CSR-Adaptive: consecutive rows that fit a buffer in shared memory together are a row block. A
 * block of threads streams their entries, fully coalesced, multiplies, keeps the products, and sums
 * them row by row, with as many lanes a row as there are threads for. A row that does not fit is
 * summed from memory: by a warp (long 0: Greathouse and Daga, SC 2014) or by the whole block (long
 * 1: Hiranandani, "CSR Adaptive").
 *
 * Row blocks are found by one pass over the offsets with a thread a row, not by a greedy walk: row
 * block t has the rows whose key, offsets[i] + i, is in [t * buffer, (t + 1) * buffer). So it has
 * fewer than `buffer` entries before its last row, at most `buffer` rows however many are empty,
 * and their number is known beforehand. Shared memory has room for one more row of up to `buffer`
 * entries; only the last row of a row block can be too long for it. */
#include "gpu/loop.cuh"
#include "spmv/csr_row.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, BUFFER, LONG };
const int block_values[] = {128, 256, 1024};
/* 32 makes long rows of all that a warp could not hold: the long rows' code nearly alone. */
/* Powers of two. */
const int buffer_values[] = {32, 512, 1024, 2048};
const int long_values[] = {0, 1};
const tulle__param params[] = {
    {"block", "threads of a block", 3, block_values},
    {"buffer", "rows and entries of a row block", 4, buffer_values},
    {"long", "who sums a row that does not fit; 0: a warp, 1: the block", 2, long_values}};

/* Where a row block begins: its first row, and that row's offset. */
struct row_block {
    int64_t row, entry;
};

int64_t row_blocks(const tulle__spmv_shape *shape, const int *values) {
    return (shape->rows + shape->nnz) / values[BUFFER] + 1;
}

/* Thread i: the row blocks that begin at row i, those with key(i - 1) < t * buffer <= key(i), of
 * which floor(key / buffer) is told by a shift. What remains after the last whole buffer is the
 * last row block. Offsets may begin at any number: keys count from there. */
template <class O>
GPU_KERNEL void find_row_blocks(const O *offsets, int64_t rows, int shift, int64_t count,
                                row_block *found) {
    int64_t origin = load(offsets);
    for (int64_t i = loop_first(); i <= rows; i += loop_stride()) {
        int64_t entry = load(offsets + i);
        int64_t t = i > 0 ? ((load(offsets + i - 1) - origin + i - 1) >> shift) + 1 : 0;
        int64_t last = i < rows ? (entry - origin + i) >> shift : count;
        for (; t <= last; t++) found[t] = {i, entry};
    }
}

template <class O>
tulle_status find(const tulle__spmv_task *task, row_block *found) {
    int shift = 0;
    while (1 << shift < task->params[BUFFER]) shift++;
    return launch(task->place, find_row_blocks<O>, loop_grid(task->shape.rows + 1),
                  static_cast<const O *>(task->offsets), task->shape.rows, shift,
                  row_blocks(&task->shape, task->params), found);
}

/* The products of `count` entries from `first` on. The warp's barriers keep the compiler from
 * waiting for some of the loads before it asks for the others. */
template <int threads, class V, class O, class C>
GPU_FUNCTION void stream(const csr_product<V, O, C> &a, int64_t first, int count,
                         shared<V> products) {
    const C *cols_of = a.cols_of + first;
    const V *values = a.values + first;
    for (int begin = 0; begin < count; begin += flight * threads) {
        int e = begin + static_cast<int>(thread());
        C column[flight];
        V value[flight], factor[flight];
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (e + f * threads < count) column[f] = load_once(cols_of + e + f * threads);
            if (e + f * threads < count) value[f] = load_once(values + e + f * threads);
        }
        sync_warp(full_warp);
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (e + f * threads < count) factor[f] = load(a.x + column[f]);
        }
        sync_warp(full_warp);
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (e + f * threads < count) products[e + f * threads] = value[f] * factor[f];
        }
    }
}

/* A row's products in shared memory. Rows past the last are empty. */
struct row_span {
    int begin, end;
};

template <class O>
GPU_FUNCTION row_span span_of(const O *offsets, int r, int rows, O first) {
    if (r >= rows) return {0, 0};
    return {static_cast<int>(load(offsets + r) - first),
            static_cast<int>(load(offsets + r + 1) - first)};
}

/* As many lanes a row as leave no thread idle, up to a warp; as a power of two. */
GPU_FUNCTION int lanes_power(int rows, int threads) {
    int power = 0;
    while (power < 5 && rows << (power + 1) <= threads) power++;
    return power;
}

/* Rows that fit together. The spans of the threads' first rows are loaded along with the entries.
 */
template <int threads, class V, class O, class C>
GPU_FUNCTION void sum_rows(const csr_product<V, O, C> &a, row_block at, int rows, int entries,
                           shared<V> products) {
    int power = lanes_power(rows, threads), lanes = 1 << power;
    int member = static_cast<int>(thread()) & (lanes - 1), r = static_cast<int>(thread()) >> power;
    row_span span = span_of(a.offsets + at.row, r, rows, static_cast<O>(at.entry));
    stream<threads>(a, at.entry, entries, products);
    sync();
    int side_by_side = threads >> power;
    for (int done = 0; done < rows; done += side_by_side) {
        V sum = 0;
        for (int e = span.begin + member; e < span.end; e += lanes) sum += products[e];
        sum = sum_of_lanes(sum, lanes);
        if (member == 0 && r < rows) {
            V *y = a.y + at.row + r;
            *y = combine(a.alpha.value(), sum, a.beta.value(), y);
        }
        r += side_by_side;
        span = span_of(a.offsets + at.row, r, rows, static_cast<O>(at.entry));
    }
}

/* By the first `walkers` threads of the block, whole warps. */
template <class V, class O, class C>
GPU_FUNCTION void sum_long_row(const csr_product<V, O, C> &a, int64_t row, int walkers) {
    GPU_SHARED(V, warp_sum, 32);
    V sum = 0;
    if (static_cast<int>(thread()) < walkers) {
        sum = partial_sum<false>(a, load(a.offsets + row), load(a.offsets + row + 1),
                                 static_cast<int>(thread()), walkers);
    }
    sum = sum_of_lanes(sum, 32);
    if (lane() == 0) warp_sum[thread() / 32] = sum;
    sync();
    if (thread() == 0) {
        V all = warp_sum[0];
        for (int w = 1; w < walkers / 32; w++) all += warp_sum[w];
        a.y[row] = combine(a.alpha.value(), all, a.beta.value(), a.y + row);
    }
}

/* A block of threads for each row block. may_be_long: the matrix has rows that shared memory has no
 * room for, `room` entries; it takes registers to be ready for them. */
template <int threads, bool may_be_long, class V, class O, class C>
GPU_KERNEL void forward(csr_product<V, O, C> a, const row_block *blocks, int room, int walkers) {
    GPU_DYNAMIC_SHARED(V, products);
    allow_next();
    await_previous();
    const row_block *b = blocks + block();
    row_block at = {load(&b[0].row), load(&b[0].entry)},
              next = {load(&b[1].row), load(&b[1].entry)};
    bool last_is_long = may_be_long && next.entry - at.entry > room;
    if (last_is_long) next = {next.row - 1, load(a.offsets + next.row - 1)};
    int rows = static_cast<int>(next.row - at.row);
    sum_rows<threads>(a, at, rows, static_cast<int>(next.entry - at.entry), products);
    if (last_is_long) sum_long_row(a, at.row + rows, walkers);
}

bool may_be_long(const tulle__spmv_shape *shape, const int *values) {
    return shape->stats->max_row > values[BUFFER];
}

/* Entries that fit into shared memory: those before the last row, and that row. */
int room_of(const tulle__spmv_shape *shape, const int *values) {
    int64_t last = may_be_long(shape, values) ? values[BUFFER] : shape->stats->max_row;
    return values[BUFFER] + static_cast<int>(last);
}

template <int threads, class V, class O, class C>
tulle_status run_threads(const tulle__spmv_task *task, const row_block *blocks) {
    int room = room_of(&task->shape, task->params);
    bool ready = may_be_long(&task->shape, task->params);
    return launch_early(
        task->place, ready ? forward<threads, true, V, O, C> : forward<threads, false, V, O, C>,
        {row_blocks(&task->shape, task->params), threads, static_cast<size_t>(room) * sizeof(V)},
        make_product<V, O, C>(task), blocks, room, task->params[LONG] ? threads : 32);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    const row_block *blocks = static_cast<const row_block *>(task->prepared);
    if (!blocks) {
        GPU_TRY(find<O>(task, static_cast<row_block *>(task->workspace)));
        blocks = static_cast<const row_block *>(task->workspace);
    }
    switch (task->params[BLOCK]) {
        case 128:
            return run_threads<128, V, O, C>(task, blocks);
        case 256:
            return run_threads<256, V, O, C>(task, blocks);
        default:
            return run_threads<1024, V, O, C>(task, blocks);
    }
}

/* A thread streams four products, one flight of loads. */
/* From a sweep on an H200 (docs/lab-notes.md, "csr_adaptive: parameters"). */
void defaults(const tulle__spmv_shape *shape, int *values) {
    bool even = shape->stats->mean_row > 8 && unevenness(shape) < 1;
    values[BLOCK] = 128;
    values[BUFFER] = even ? 1024 : 512;
    values[LONG] = 1;
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return row_blocks(shape, values) <= INT32_MAX;
}

/* The same bytes, whether a plan keeps them or the workspace. */
size_t blocks_bytes(const tulle__spmv_shape *shape, const int *values) {
    return static_cast<size_t>(row_blocks(shape, values) + 1) * sizeof(row_block);
}

tulle_status prepare(const tulle__spmv_task *task, void *prepared) {
    row_block *found = static_cast<row_block *>(prepared);
    return task->shape.index == TULLE_I32 ? find<int32_t>(task, found) : find<int64_t>(task, found);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *values, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero) +
           2 * static_cast<int64_t>(blocks_bytes(shape, values));
}

/* Staging through shared memory and one more launch, as csr_merge; or the longest row, which has
 * one block, or one warp, for itself. */
double cost(const tulle__spmv_shape *shape, const int *values) {
    double all = 1.5 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
    double longest =
        longest_row_us(shape, values[LONG] ? values[BLOCK] : 32) * bytes_a_microsecond(shape);
    return 4 * launch_cost(shape) + (longest > all ? longest : all);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_adaptive);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_adaptive) = {
    .name = "spmv_csr_adaptive",
    .summary = "row blocks that fit shared memory are streamed; long rows get a warp or a block",
    .source = "Hiranandani, IV.C; Greathouse and Daga, SC 2014",
    .format = TULLE_CSR,
    .flags = TULLE__FORWARD | TULLE__REPEATABLE,
    .param_count = 3,
    .params = gpu::params,
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::blocks_bytes,
    .prepared_bytes = gpu::blocks_bytes,
    .prepare = gpu::prepare,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
