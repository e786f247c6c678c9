/* SPDX-License-Identifier: Apache-2.0 */
/* CSR-Adaptive, as tulle has it: consecutive rows that fit a buffer in shared memory together are a
 * row block. A block of threads streams their entries, fully coalesced, multiplies, keeps the
 * products, and sums them row by row, with as many lanes a row as there are threads for; rows with
 * many times the products of the others get a warp each, once the others are done. A row that does
 * not fit is summed from memory: by a warp (long 0: Greathouse and Daga, SC 2014) or by the whole
 * block (long 1: Hiranandani, "CSR Adaptive"). Both papers' own is
 * spmv/published/csr_adaptive_published.cu.
 *
 * Row blocks are not found by a greedy walk over the rows: they are the rows that end in `buffer`
 * items of the list of rows and entries, as the pattern's marks tell (matrix/marks.h). So there is
 * nothing to analyse, a row block has fewer than `buffer` entries beside those of its first row, at
 * most `buffer` rows however many are empty, and their number is known beforehand. Shared memory
 * has room for a first row of up to `buffer` entries more. A plan keeps where row blocks begin,
 * which saves each of them a load that waits for another. */
#include "gpu/loop.cuh"
#include "matrix/marks.h"
#include "spmv/gpu/csr_models.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, BUFFER, LONG };
const int block_values[] = {128, 256, 1024};
/* Largest buffer; buffers are multiples of the marks' step. */
constexpr int most_buffer = 2048;
const int buffer_values[] = {128, 512, 1024, most_buffer};
const int long_values[] = {0, 1};
const tulle__param params[] = {
    {"block", "threads of a block", 3, block_values},
    {"buffer", "rows and entries of a row block", 4, buffer_values},
    {"long", "who sums a row that does not fit; 0: a warp, 1: the block", 2, long_values}};

/* Beginning of a row block: its first row, and that row's offset. */
template <class O>
struct row_start {
    O row, entry;
};

int64_t row_blocks(const tulle__spmv_shape *shape, const int *values) {
    return (shape->rows + shape->nnz) / values[BUFFER] + 1;
}

/* Returns the first row of row block t; behind the last one, the number of rows. */
template <class O>
GPU_FUNCTION int64_t first_row(const O *marks, int64_t t, int buffer, int64_t rows, int64_t nnz) {
    return t * buffer <= rows + nnz ? load(marks + t * (buffer / TULLE__MARK_STEP)) : rows;
}

template <class O>
GPU_FUNCTION row_start<O> start_at(const O *offsets, int64_t row) {
    return {static_cast<O>(row), load(offsets + row)};
}

template <class O>
GPU_KERNEL void find_starts(const O *marks, int buffer, const O *offsets, int64_t rows, int64_t nnz,
                            int64_t count, row_start<O> *found) {
    for (int64_t t = loop_first(); t <= count; t += loop_stride()) {
        found[t] = start_at(offsets, first_row(marks, t, buffer, rows, nnz));
    }
}

/* Makes the products of `count` entries from `first` on, a flight at a time. Threads that have
 * no entry left repeat the last one, so that no load waits for a condition. */
template <int threads, class V, class O, class C>
GPU_FUNCTION void stream(const csr_product<V, O, C> &a, O first, int count, shared<V> products) {
    const C *cols_of = a.cols_of + first;
    const V *values = a.values + first;
    int me = static_cast<int>(thread());
    for (int begin = 0; begin < count; begin += flight * threads) {
        C column[flight];
        V value[flight];
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            int e = me + begin + f * threads;
            column[f] = load_once(cols_of + (e < count ? e : count - 1));
        }
        if (begin == 0) await_previous();
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            int e = me + begin + f * threads;
            value[f] = load_once(values + (e < count ? e : count - 1));
        }
        GPU_UNROLL
        for (int f = 0; f < flight; f++) value[f] *= load_awaited(a.x + column[f]);
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            int e = me + begin + f * threads;
            if (e < count) products[e] = value[f];
        }
    }
    if (count == 0) await_previous();
}

/* Beginning and end of a row's entries, as places of its products in shared memory. */
template <class O>
struct row_span {
    O begin, end;
    GPU_FUNCTION int length() const { return static_cast<int>(end - begin); }
};

/* Sums the rows of a row block that fit together. Rows past the last are empty. */
template <class O>
struct rows_together {
    int64_t row;
    O entry;
    int rows, entries;
    GPU_FUNCTION row_span<O> span(const O *offsets, int r) const {
        if (r >= rows) return {entry, entry};
        return {load(offsets + row + r), load(offsets + row + r + 1)};
    }
    /* Sums every `lanes`-th product in a lane, and then over all lanes. */
    template <class V>
    GPU_FUNCTION V sum(row_span<O> of, int member, int lanes, shared<V> products) const {
        V sum = 0;
        int end = static_cast<int>(of.end - entry);
        for (int e = static_cast<int>(of.begin - entry) + member; e < end; e += lanes) {
            sum += products[e];
        }
        return sum_of_lanes(sum, lanes);
    }
};

/* Largest number of products that a lane sums by itself. */
constexpr int most_alone = 24;
/* Largest number of rows of a row block that have more products than that. */
constexpr int most_wide = 2 * most_buffer / most_alone;

/* Number of lanes of a row, as a power of two: as many as leave no thread idle, up to a warp. */
GPU_FUNCTION int lanes_power(int rows, int threads) {
    int power = 0;
    while (power < 5 && rows << (power + 1) <= threads) power++;
    return power;
}

template <class V, class O, class C>
GPU_FUNCTION void finish(const csr_product<V, O, C> &a, int64_t row, V sum) {
    a.y[row] = combine(a.alpha.value(), sum, a.beta.value(), a.y + row);
}

/* Streams a row block. The spans of the threads' first rows are loaded along with the entries.
 * has_wide: true when the matrix has rows of more than most_alone entries. */
template <int threads, bool has_wide, class V, class O, class C>
GPU_FUNCTION void sum_rows(const csr_product<V, O, C> &a, const rows_together<O> &at,
                           shared<V> products) {
    GPU_SHARED(int, wide, has_wide ? most_wide : 1);
    GPU_SHARED(int, wide_count, 1);
    int me = static_cast<int>(thread());
    int power = lanes_power(at.rows, threads), lanes = 1 << power;
    int member = me & (lanes - 1), r = me >> power, side_by_side = threads >> power;
    row_span<O> span = at.span(a.offsets, r);
    if (has_wide && me == 0) wide_count[0] = 0;
    stream<threads>(a, at.entry, at.entries, products);
    sync();
    for (int done = 0; done < at.rows; done += side_by_side) {
        bool is_wide = has_wide && lanes < 32 && span.length() > most_alone << power;
        if (is_wide) span.end = span.begin;
        V sum = at.sum(span, member, lanes, products);
        if (member == 0 && is_wide) wide[atomic_add(wide_count, 1)] = r;
        if (member == 0 && !is_wide && r < at.rows) finish(a, at.row + r, sum);
        r += side_by_side;
        span = at.span(a.offsets, r);
    }
    if (!has_wide) return;
    sync();
    int count = wide_count[0];
    for (int w = me / 32; w < count; w += threads / 32) {
        int row = wide[w];
        V sum = at.sum(at.span(a.offsets, row), static_cast<int>(lane()), 32, products);
        if (lane() == 0) finish(a, at.row + row, sum);
    }
}

/* Sums a row that does not fit, by the first `walkers` threads of the block, whole warps. */
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
        finish(a, row, all);
    }
}

/* Kinds of the longest row of the matrix: one like the others, one that gets a warp of its own,
 * or one that shared memory has no room for; it takes registers to be ready for each. */
enum longest_row { NARROW, WIDE, TOO_LONG };

template <int threads, int longest, class V>
constexpr int resident = (sizeof(V) == 8        ? longest == TOO_LONG ? 1280 : 1536
                          : longest == TOO_LONG ? 1536
                                                : 2048) /
                         threads;

/* Multiplies, a block of threads for each row block. starts: the first rows of a plan, or NULL. */
template <int threads, longest_row longest, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(threads, (resident<threads, longest, V>)) void forward(
    csr_product<V, O, C> a, const O *marks, const row_start<O> *starts, int buffer, int room,
    int walkers) {
    GPU_DYNAMIC_SHARED(V, products);
    allow_next();
    int64_t t = block();
    row_start<O> start, next;
    if (starts) {
        start = {load(&starts[t].row), load(&starts[t].entry)};
        next = {load(&starts[t + 1].row), load(&starts[t + 1].entry)};
    } else {
        int64_t row = first_row(marks, t, buffer, a.rows, a.nnz);
        int64_t next_row = first_row(marks, t + 1, buffer, a.rows, a.nnz);
        start = start_at(a.offsets, row);
        next = start_at(a.offsets, next_row);
    }
    int64_t first = start.row;
    bool first_is_long = longest == TOO_LONG && next.entry - start.entry > room;
    if (first_is_long) start = {start.row + 1, load(a.offsets + start.row + 1)};
    rows_together<O> at = {start.row, start.entry, static_cast<int>(next.row - start.row),
                           static_cast<int>(next.entry - start.entry)};
    sum_rows<threads, longest != NARROW>(a, at, products);
    if (first_is_long) sum_long_row(a, first, walkers);
}

longest_row longest_of(const tulle__spmv_shape *shape, const int *values) {
    int64_t longest = shape->stats->max_row;
    return longest > values[BUFFER] ? TOO_LONG : longest > most_alone ? WIDE : NARROW;
}

/* Number of entries that fit into shared memory: `buffer`, and those that the first row has
 * before. */
int room_of(const tulle__spmv_shape *shape, const int *values) {
    int64_t longest = shape->stats->max_row, most = values[BUFFER];
    return static_cast<int>(most + (longest < most ? longest : most));
}

template <int threads, class V, class O, class C>
tulle_status run_threads(const tulle__spmv_task *task) {
    const int *values = task->params;
    int room = room_of(&task->shape, values);
    longest_row longest = longest_of(&task->shape, values);
    return launch_early(
        task->place,
        longest == TOO_LONG ? forward<threads, TOO_LONG, V, O, C>
        : longest == WIDE   ? forward<threads, WIDE, V, O, C>
                            : forward<threads, NARROW, V, O, C>,
        {row_blocks(&task->shape, values), threads, static_cast<size_t>(room) * sizeof(V)},
        make_product<V, O, C>(task), static_cast<const O *>(task->marks),
        static_cast<const row_start<O> *>(task->prepared), values[BUFFER], room,
        values[LONG] ? threads : 32);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    if (!task->marks) return TULLE_UNSUPPORTED;
    switch (task->params[BLOCK]) {
        case 128:
            return run_threads<128, V, O, C>(task);
        case 256:
            return run_threads<256, V, O, C>(task);
        default:
            return run_threads<1024, V, O, C>(task);
    }
}

/* Number of items up to which a matrix needs row blocks smaller than two flights to be
 * everywhere. */
constexpr int64_t few_items = 2 << 20;
/* Bytes of shared memory for all blocks of a multiprocessor: the rest is the L1, which x needs. */
constexpr int64_t most_shared = 128 << 10;

/* Sets a buffer of two flights for each thread. Thread blocks are large if rows are so long that
 * the room for a first row would otherwise take the L1 cache, which happens in f64 only. These
 * numbers are from sweeps over 85 matrices on an H200 (docs/lab-notes.md, "csr_adaptive: marks").
 */
void defaults(const tulle__spmv_shape *shape, int *values) {
    constexpr int small = 128, large = 256;
    values[LONG] = 1;
    values[BLOCK] = small;
    values[BUFFER] = 2 * flight * small;
    int64_t blocks = (shape->type == TULLE_F32 ? 2048 : 1536) / small;
    int64_t taken = blocks * room_of(shape, values) * tulle_type_size(shape->type);
    bool few = shape->rows + shape->nnz < few_items;
    if (few || taken > most_shared) values[BLOCK] = large;
    if (!few && taken > most_shared) values[BUFFER] = 2 * flight * large;
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return row_blocks(shape, values) <= INT32_MAX;
}

size_t starts_bytes(const tulle__spmv_shape *shape, const int *values) {
    return static_cast<size_t>(row_blocks(shape, values) + 1) * 2 *
           static_cast<size_t>(tulle_offset_size(shape->index));
}

template <class O>
tulle_status find(const tulle__spmv_task *task, void *found) {
    const tulle__spmv_shape *shape = &task->shape;
    int64_t count = row_blocks(shape, task->params);
    return launch(task->place, find_starts<O>, loop_grid(count + 1),
                  static_cast<const O *>(task->marks), task->params[BUFFER],
                  static_cast<const O *>(task->offsets), shape->rows, shape->nnz, count,
                  static_cast<row_start<O> *>(found));
}

tulle_status prepare(const tulle__spmv_task *task, void *found, int64_t *) {
    if (!task->marks) return TULLE_UNSUPPORTED;
    return task->shape.index == TULLE_I32 ? find<int32_t>(task, found) : find<int64_t>(task, found);
}

/* Bytes: offsets of rows that begin row blocks are read twice. */
int64_t bytes(const tulle__spmv_shape *shape, const int *values, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero) +
           static_cast<int64_t>(starts_bytes(shape, values));
}

/* Cost of staging through shared memory, where blocks of uneven rows wait for the longest; and of
 * the longest row of all, if that does not fit and has one block, or one warp, for itself, which
 * may be the last to begin. */
double cost(const tulle__spmv_shape *shape, const int *values) {
    double all = (TULLE__ADAPTIVE_EVEN + TULLE__ADAPTIVE_UNEVEN * unevenness(shape)) *
                     static_cast<double>(tulle__spmv_minimal_bytes(shape, true)) +
                 row_bytes(shape);
    if (longest_of(shape, values) == TOO_LONG)
        all += longest_bytes(shape, values[LONG] ? values[BLOCK] : 32);
    return launch_cost(shape) + all;
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_adaptive);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_adaptive) = {
    .head = {.name = "spmv_csr_adaptive",
             .summary =
                 "row blocks that fit shared memory are streamed; long rows get a warp or a block",
             .source = "Hiranandani, IV.C; Greathouse and Daga, SC 2014",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE,
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .prepared_bytes = gpu::starts_bytes,
    .prepare = gpu::prepare,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
