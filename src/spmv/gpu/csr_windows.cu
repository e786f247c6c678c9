/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of x in shared memory, for long sorted rows that share their columns: set covering and
 * crew scheduling, where 32 rows have an entry in every fourth column or more. A gather from the L1
 * reads a line for each lane, 32 in a row for the lanes of a warp; from shared memory the lanes
 * read 32 banks at once. So a block takes 32 rows and a window of columns after another:
 *
 * 1. Each warp searches in its rows for the entries at which the windows begin.
 * 2. The block copies a window of x.
 * 3. The entries of all 32 rows in the window are cut into chunks, and each warp takes the same
 *    number of chunks, so that a long row is shared by many warps.
 *
 * Rows that are too thin for their columns, by the entries and columns of the 32 together, are cut
 * in the same way, with x from the L1. Where there are few rows, several blocks take a part of
 * the windows each, and a second kernel adds their sums. All sums are in a fixed order. */
#include "core/search.h"
#include "spmv/gpu/csr_models.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, WINDOW, PARTS };
const int block_values[] = {256, 512};
const int window_values[] = {256, 4096, 8192, 16384};
const int parts_values[] = {1, 2, 4, 8, 16, 32, 64};
const tulle__param params[] = {
    {"block", "threads of a block", 2, block_values},
    {"window", "numbers of x in shared memory", 4, window_values},
    {"parts", "blocks that share the windows of 32 rows", 7, parts_values}};

/* Three blocks of the most threads are resident: 40 registers, and 64 KB of x for each. */
constexpr int most_warps = 16, group = 32, chunk = flight * 32;

/* Columns for each entry of the 32 rows up to which x is copied: a gather reads a sector of 32
 * bytes from the L2, and a copied number is four or eight bytes of one. */
constexpr int columns_an_entry = 4;

/* Entries of a lane's row that the block works on: [from, to). */
template <class O>
struct row_piece {
    O from, to;
};

/* Sums entries [from, to) of a row over the lanes of a warp. x_at: gives x of a column. */
template <class V, class O, class C, class X>
GPU_FUNCTION V sum_entries(const csr_product<V, O, C> &a, O from, O to, X x_at) {
    V sum = 0;
    for (O left = to - from - static_cast<O>(lane()); left > 0; left -= chunk) {
        const C *columns = a.cols_of + (to - left);
        const V *values = a.values + (to - left);
        C column[flight];
        V value[flight];
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (left <= f * 32) continue;
            column[f] = load_once(columns + f * 32);
            value[f] = load_once(values + f * 32);
        }
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (left > f * 32) sum += value[f] * x_at(column[f]);
        }
    }
    return sum_of_lanes(sum, 32);
}

/* Adds the products of the lanes' pieces to sums, of which the warp has 32 of its own. The chunks
 * of all pieces are one list, of which each warp takes an equal stretch. */
template <class V, class O, class C, class X>
GPU_FUNCTION void add_pieces(const csr_product<V, O, C> &a, row_piece<O> piece, X x_at,
                             shared<V> sums) {
    int64_t warp = thread() / 32, warps = block_size() / 32;
    int chunks = static_cast<int>((piece.to - piece.from + chunk - 1) / chunk), behind = chunks;
    GPU_UNROLL
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        int before = shuffle_up(full_warp, behind, delta);
        if (lane() >= delta) behind += before;
    }
    int all = shuffle(full_warp, behind, 31);
    int next = static_cast<int>(all * warp / warps),
        stop = static_cast<int>(all * (warp + 1) / warps);
    while (next < stop) {
        int r = static_cast<int>(first_bit(ballot(full_warp, behind > next)));
        int row_behind = shuffle(full_warp, behind, r);
        int row_first = row_behind - shuffle(full_warp, chunks, r);
        int last = row_behind < stop ? row_behind : stop;
        O row_from = shuffle(full_warp, piece.from, r), row_to = shuffle(full_warp, piece.to, r);
        O from = row_from + static_cast<O>(next - row_first) * chunk;
        O to = last == row_behind ? row_to : row_from + static_cast<O>(last - row_first) * chunk;
        V sum = sum_entries(a, from, to, x_at);
        if (lane() == 0) sums[r] += sum;
        next = last;
    }
}

/* Finds where the windows begin in the rows: starts[32 w + r] is the first entry of row r, counted
 * from the row's first, in window w or behind. Each warp takes some of the rows, a lane a
 * window. */
template <class O, class C>
GPU_FUNCTION void find_windows(const C *cols_of, row_piece<O> row, int64_t first_column, int window,
                               shared<int> starts) {
    const int warps = static_cast<int>(block_size() / 32);
    int64_t wanted = first_column + static_cast<int64_t>(lane()) * window;
    for (int r = static_cast<int>(thread() / 32); r < group; r += warps) {
        O from = shuffle(full_warp, row.from, r), to = shuffle(full_warp, row.to, r);
        O low = from;
        TULLE__LOWER_BOUND(low, to, middle, load(cols_of + middle) < wanted);
        starts[static_cast<int>(lane()) * group + r] = static_cast<int>(low - from);
    }
}

/* The columns of 32 rows together, from first to last, and the number of their entries. */
template <class C>
struct extent {
    C first, last;
    int64_t entries;
    GPU_FUNCTION bool is_thin() const {
        return static_cast<int64_t>(last) - first >= entries * columns_an_entry;
    }
    GPU_FUNCTION int windows(int window) const {
        return entries > 0 ? static_cast<int>((last - first) / window) + 1 : 0;
    }
};

template <class O, class C>
GPU_FUNCTION extent<C> extent_of(const C *cols_of, row_piece<O> row) {
    constexpr C beyond = sizeof(C) == 4 ? INT32_MAX : INT64_MAX;
    extent<C> e = {beyond, 0, static_cast<int64_t>(row.to - row.from)};
    if (row.from < row.to) {
        e.first = load(cols_of + row.from);
        e.last = load(cols_of + row.to - 1);
    }
    GPU_UNROLL
    for (unsigned mask = 16; mask > 0; mask /= 2) {
        C first = shuffle_xor(full_warp, e.first, mask),
          last = shuffle_xor(full_warp, e.last, mask);
        if (first < e.first) e.first = first;
        if (last > e.last) e.last = last;
        e.entries += shuffle_xor(full_warp, e.entries, mask);
    }
    return e;
}

/* Adds the block's part of 32 thin rows to the warp's own sums: an equal share of each. */
template <class V, class O, class C>
GPU_FUNCTION void add_thin(const csr_product<V, O, C> &a, row_piece<O> row, int part, int parts,
                           shared<V> own) {
    int64_t length = row.to - row.from;
    add_pieces(
        a,
        row_piece<O>{row.from + static_cast<O>(length * part / parts),
                     row.from + static_cast<O>(length * (part + 1) / parts)},
        [&](C column) { return load_awaited(a.x + column); }, own);
}

/* Adds the entries of 32 rows in columns from `base` on to the warp's own sums; starts: where they
 * begin in the rows, and 32 further on where they end. */
template <class V, class O, class C>
GPU_FUNCTION void add_window(const csr_product<V, O, C> &a, O row_from, C base, int window,
                             shared<int> starts, shared<V> x_window, shared<V> own) {
    const C rest = static_cast<C>(a.cols - base);
    const int count = rest < window ? static_cast<int>(rest) : window;
    for (int c = static_cast<int>(thread()); c < count; c += static_cast<int>(block_size())) {
        x_window[c] = load_awaited(a.x + base + c);
    }
    sync();
    const int r = static_cast<int>(lane());
    add_pieces(
        a,
        row_piece<O>{row_from + static_cast<O>(starts[r]),
                     row_from + static_cast<O>(starts[group + r])},
        [&](C column) { return x_window[static_cast<int>(column - base)]; }, own);
    sync();
}

/* Sums 32 rows, or the block's part of them. sums: NULL where the rows have one part, else place
 * for rows * parts sums. */
template <class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(most_warps * 32, 3) void forward(csr_product<V, O, C> a, int groups,
                                                         int window, int parts, V *sums) {
    GPU_DYNAMIC_SHARED(V, x_window);
    GPU_SHARED(V, warp_sums, most_warps * group);
    GPU_SHARED(int, starts, 32 * group);
    allow_next();
    const int part = static_cast<int>(block()) / groups, me = static_cast<int>(thread());
    const int64_t first_row = static_cast<int64_t>(static_cast<int>(block()) % groups) * group;
    row_piece<O> row = {0, 0};
    if (first_row + lane() < a.rows) {
        row = {load(a.offsets + first_row + lane()), load(a.offsets + first_row + lane() + 1)};
    }
    extent<C> all = extent_of(a.cols_of, row);
    for (int k = me; k < most_warps * group; k += static_cast<int>(block_size())) warp_sums[k] = 0;
    shared<V> own = warp_sums + me / 32 * group;

    if (all.is_thin()) {
        await_previous();
        sync();
        add_thin(a, row, part, parts, own);
    } else {
        const int64_t windows = all.windows(window);
        const int begin = static_cast<int>(windows * part / parts);
        const int end = static_cast<int>(windows * (part + 1) / parts);
        constexpr int at_once = 31;
        for (int w = begin; w < end; w++) {
            C base = static_cast<C>(all.first + static_cast<int64_t>(w) * window);
            const int start = (w - begin) % at_once * group;
            if (start == 0) find_windows(a.cols_of, row, base, window, starts);
            if (w == begin) await_previous();
            add_window(a, row.from, base, window, starts + start, x_window, own);
        }
        if (begin == end) await_previous();
    }
    sync();
    const int64_t i = first_row + me;
    if (me >= group || i >= a.rows) return;
    V sum = 0;
    for (int w = 0; w < static_cast<int>(block_size()) / 32; w++) sum += warp_sums[w * group + me];
    if (sums) {
        sums[part * a.rows + i] = sum;
    } else {
        a.y[i] = combine(a.alpha.value(), sum, a.beta.value(), a.y + i);
    }
}

/* Adds the sums of the parts of each row. */
template <class V>
GPU_KERNEL void add_parts(int64_t rows, int parts, const V *sums, scalar<V> alpha, scalar<V> beta,
                          V *y) {
    allow_next();
    await_previous();
    int64_t i = static_cast<int64_t>(block()) * block_size() + thread();
    if (i >= rows) return;
    V sum = 0;
    for (int p = 0; p < parts; p++) sum += load_awaited(sums + p * rows + i);
    y[i] = combine(alpha.value(), sum, beta.value(), y + i);
}

int64_t blocks_of(const tulle__spmv_shape *shape, const int *values) {
    return (shape->rows + group - 1) / group * values[PARTS];
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    csr_product<V, O, C> a = make_product<V, O, C>(task);
    const int *values = task->params;
    V *sums = NULL;
    parts scratch(task->place, task->workspace);
    if (values[PARTS] > 1) GPU_TRY(scratch.take(a.rows * values[PARTS], &sums));
    GPU_TRY(launch_early(task->place, forward<V, O, C>,
                         {blocks_of(&task->shape, values), values[BLOCK],
                          static_cast<size_t>(values[WINDOW]) * sizeof(V)},
                         a, static_cast<int>((a.rows + group - 1) / group), values[WINDOW],
                         values[PARTS], sums));
    if (!sums) return TULLE_OK;
    constexpr int threads = 128;
    return launch_early(task->place, add_parts<V>, {(a.rows + threads - 1) / threads, threads},
                        a.rows, values[PARTS], sums, a.alpha, a.beta, a.y);
}

/* Sets windows of 32 KB (f32) or 64 KB, of which a multiprocessor holds three or four, and as many
 * parts as give every multiprocessor eight blocks. */
void defaults(const tulle__spmv_shape *shape, int *values) {
    values[BLOCK] = 512;
    values[WINDOW] = 8192;
    values[PARTS] = 1;
    int64_t enough = int64_t{8} * shape->device->multiprocessors;
    while (values[PARTS] < 64 && blocks_of(shape, values) < enough) values[PARTS] *= 2;
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return shape->trans == TULLE_N && shape->stats->sorted &&
           shape->stats->max_row < INT32_MAX / group && blocks_of(shape, values) < INT32_MAX;
}

size_t workspace(const tulle__spmv_shape *shape, const int *values) {
    if (values[PARTS] == 1) return 0;
    return part_bytes<char>(shape->rows * values[PARTS] * tulle_type_size(shape->type));
}

/* Bytes: those of CSR, and the sums of parts written and read. */
int64_t bytes(const tulle__spmv_shape *shape, const int *values, bool beta_zero) {
    int64_t sums = values[PARTS] > 1 ? 2 * shape->rows * values[PARTS] : 0;
    return tulle__spmv_csr_bytes(shape, beta_zero) + sums * tulle_type_size(shape->type);
}

/* Cost: a block walks 32 rows at least, however short. */
double cost(const tulle__spmv_shape *shape, const int *) {
    return 2 * launch_cost(shape) + 4 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_windows);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_windows) = {
    .head = {.name = "spmv_csr_windows",
             .summary =
                 "32 rows a block, x by windows in shared memory: long rows that share columns",
             .source = "tulle",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE,
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
