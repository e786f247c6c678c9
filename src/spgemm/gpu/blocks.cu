/* SPDX-License-Identifier: Apache-2.0 */
/* Products in blocks on the GPU. A warp has a stretch of C: short rows of blocks as a whole, or
 * part of a long one. It keeps the sums of a row in shared memory, and takes the blocks of A's row
 * one after the other. Each lane looks up where C has a block of the row of B that A's block meets,
 * in a list of C's columns in shared memory; then each lane adds a column of a product of blocks to
 * C's. The blocks of a row of B have different columns, so that no two lanes add to the same
 * number, and each sum adds in the order of A's row: no atomics, and the bits of the product by
 * numbers. (Rows of C in shared memory: paper 4, section III.C, of blocks.) */
#include "gpu/fetch.cuh"
#include "gpu/reduce.cuh"
#include "gpu/scalar.cuh"
#include "spgemm/functions.h"

namespace TULLE_GPU_NAMESPACE {
namespace {

constexpr int stretch_warps = 4;

/* Bytes of shared memory for a warp's row, so that a multiprocessor has some twenty warps; number
 * of warps that fill the largest GPU; rows of C that a stretch has where they are short. */
constexpr int64_t row_bytes = 10240, enough_warps = 4096, most_rows = 4;

constexpr int stretch_values[] = {0, 1, 2, 8, 32, 128};
constexpr tulle__param params[] = {
    {"stretch", "blocks of C that a warp has at most; 0: as many as suit C", 6, stretch_values}};

/* Returns the row of C's block e: the last one that begins at or before it. */
GPU_FUNCTION int64_t row_of_block(const tulle__block_operand &c, int64_t e) {
    int64_t row = 0;
    TULLE__LOWER_BOUND(row, c.rows, i, tulle__block_offset(&c, i + 1) <= e);
    return row;
}

/* Shapes of blocks that the compiler knows, so that loops have no ends to ask for; 0: any number.
 */
template <int tall_, int inner_, int wide_>
struct block_shape {
    static constexpr int cells_of_a = tall_ * inner_;
    /* Rows of a product that a lane adds at a time. */
    static constexpr int rows = tall_ > 0 && tall_ <= 8 ? tall_ : 4;
    /* True where a lane keeps a block of A in registers. */
    static constexpr bool keeps = cells_of_a > 0 && cells_of_a <= 16;
    GPU_FUNCTION static int tall(const tulle__blocks_task &t) { return tall_ > 0 ? tall_ : t.tall; }
    GPU_FUNCTION static int inner(const tulle__blocks_task &t) {
        return inner_ > 0 ? inner_ : t.inner;
    }
    GPU_FUNCTION static int wide(const tulle__blocks_task &t) { return wide_ > 0 ? wide_ : t.wide; }
};

/* A stretch begins where so many blocks of C come before it, or at the beginning of that row where
 * the row is no longer than a stretch. */
GPU_FUNCTION int64_t begin_of_stretch(const tulle__block_operand &c, int64_t index,
                                      int64_t stretch) {
    const int64_t e = index * stretch;
    if (e >= c.blocks) return c.blocks;
    const int64_t row = row_of_block(c, e), begin = tulle__block_offset(&c, row);
    return tulle__block_offset(&c, row + 1) - begin <= stretch ? begin : e;
}

/* A warp's row of C, or the part [begin, end) of one. The numbers in row r of C's blocks stand in
 * row r of the sums, so that lanes with neighbouring columns use different banks. */
template <class S, class V>
struct blocks_row {
    const tulle__blocks_task &t;
    shared<int64_t> columns;
    shared<V> sums;
    int stretch, count, steps; /* room, blocks, and half of their number, a power of 2 */

    GPU_FUNCTION void open(int64_t begin, int64_t end) {
        count = static_cast<int>(end - begin);
        for (steps = 1; 2 * steps < count; steps *= 2) {
        }
        for (int k = static_cast<int>(lane()); k < count; k += warp_lanes) {
            columns[k] = tulle__block_column(&t.c, begin + k);
        }
        const int across = count * S::wide(t);
        for (int r = 0; r < S::tall(t); r++) {
            for (int j = static_cast<int>(lane()); j < across; j += warp_lanes) {
                sums[r * stretch * S::wide(t) + j] = -V(0);
            }
        }
        sync_warp(full_warp);
    }
    /* Returns the block that has the column; there is one. */
    GPU_FUNCTION int find(int64_t column) const {
        int at = 0;
        for (int step = steps; step > 0; step /= 2) {
            if (at + step < count && columns[at + step] <= column) at += step;
        }
        return at;
    }
    /* Adds a column of the product of a block of A and one of B, which begins at b, to C's at `to`.
     */
    GPU_FUNCTION void add_column(const V *a, const V (&kept)[S::keeps ? S::cells_of_a : 1],
                                 const V *b, int to) const {
        const int tall = S::tall(t), inner = S::inner(t), wide = S::wide(t);
        const int across = stretch * wide;
        for (int first = 0; first < tall; first += S::rows) {
            V sum[S::rows];
            GPU_UNROLL
            for (int r = 0; r < S::rows; r++) {
                if (first + r < tall) sum[r] = sums[(first + r) * across + to];
            }
            for (int k = 0; k < inner; k++) {
                const V factor = load(b + k * wide);
                GPU_UNROLL
                for (int r = 0; r < S::rows; r++) {
                    if (first + r >= tall) continue;
                    if constexpr (S::keeps) {
                        sum[r] += kept[r * inner + k] * factor;
                    } else {
                        sum[r] += load(a + (first + r) * inner + k) * factor;
                    }
                }
            }
            GPU_UNROLL
            for (int r = 0; r < S::rows; r++) {
                if (first + r < tall) sums[(first + r) * across + to] = sum[r];
            }
        }
    }
    /* Adds the products of A's block p and the blocks [q, end) of B. */
    GPU_FUNCTION void add_products(int64_t p, int64_t q, int64_t end) const {
        const int inner = S::inner(t), wide = S::wide(t);
        const V *a = static_cast<const V *>(t.a.values) + p * S::tall(t) * inner;
        V kept[S::keeps ? S::cells_of_a : 1];
        GPU_UNROLL
        for (int k = 0; S::keeps && k < S::cells_of_a; k++) kept[k] = load(a + k);
        for (; q < end; q += warp_lanes) {
            const int some = end - q < warp_lanes ? static_cast<int>(end - q) : warp_lanes;
            const bool there = static_cast<int>(lane()) < some;
            const int place = there ? find(tulle__block_column(&t.b, q + lane())) : 0;
            const V *b = static_cast<const V *>(t.b.values) + q * inner * wide;
            for (int first = 0; first < some * wide; first += warp_lanes) {
                const int m = first + static_cast<int>(lane()), which = m / wide;
                const int column = m - which * wide;
                const int at = shuffle(full_warp, place, which % warp_lanes, warp_lanes);
                if (which >= some) continue;
                add_column(a, kept, b + which * inner * wide + column, at * wide + column);
            }
        }
        sync_warp(full_warp);
    }
    /* Adds all products of A's row; whole: C's row is there as a whole, with all columns of B's
     * rows. */
    GPU_FUNCTION void add_row(int64_t row, bool whole) const {
        const int64_t low = columns[0], high = columns[count - 1];
        const int64_t behind = tulle__block_offset(&t.a, row + 1);
        for (int64_t from = tulle__block_offset(&t.a, row); from < behind; from += warp_lanes) {
            int64_t first = 0, last = 0;
            if (from + lane() < behind) {
                const int64_t inner = tulle__block_column(&t.a, from + lane());
                first = tulle__block_offset(&t.b, inner);
                last = tulle__block_offset(&t.b, inner + 1);
            }
            if (!whole) {
                TULLE__LOWER_BOUND(first, last, i, tulle__block_column(&t.b, i) < low);
                int64_t end = first;
                TULLE__LOWER_BOUND(end, last, i, tulle__block_column(&t.b, i) <= high);
                last = end;
            }
            for (unsigned met = ballot(full_warp, first < last); met != 0; met &= met - 1) {
                const int next = first_bit(met);
                add_products(from + next, shuffle(full_warp, first, next, warp_lanes),
                             shuffle(full_warp, last, next, warp_lanes));
            }
        }
    }
    GPU_FUNCTION void store(int64_t begin, V alpha) const {
        const int wide = S::wide(t), cells = S::tall(t) * wide;
        V *to = static_cast<V *>(t.values) + begin * cells;
        for (int i = static_cast<int>(lane()); i < count * cells; i += warp_lanes) {
            const int k = i / cells, cell = i - k * cells, r = cell / wide;
            to[i] = alpha * sums[(r * stretch + k) * wide + cell - r * wide];
        }
        sync_warp(full_warp);
    }
};

template <class S, class V>
GPU_KERNEL void multiply_stretches(tulle__blocks_task t, int stretch, scalar<V> alpha) {
    GPU_DYNAMIC_SHARED(int64_t, all);
    const int64_t warp = thread() / warp_lanes;
    const int64_t numbers = static_cast<int64_t>(stretch) * S::tall(t) * S::wide(t);
    const shared<V> sums = shared<V>(all + static_cast<int64_t>(stretch_warps) * stretch);
    blocks_row<S, V> own{t, part_of(all, warp * stretch, stretch),
                         part_of(sums, warp * numbers, numbers), stretch};
    const int64_t index = block() * static_cast<int64_t>(stretch_warps) + warp;
    const int64_t limit = begin_of_stretch(t.c, index + lane() % 2, stretch);
    int64_t begin = shuffle(full_warp, limit, 0, warp_lanes);
    const int64_t behind = shuffle(full_warp, limit, 1, warp_lanes);
    while (begin < behind) {
        const int64_t row = row_of_block(t.c, begin), last = tulle__block_offset(&t.c, row + 1);
        const int64_t end = last < behind ? last : behind;
        own.open(begin, end);
        own.add_row(row, end == last && begin == tulle__block_offset(&t.c, row));
        own.store(begin, alpha.value());
        begin = end;
    }
}

/* Returns the blocks of a stretch: as many as there is room for and a few rows have, fewer where
 * that leaves multiprocessors without work. */
int64_t stretch_for(const tulle__blocks_task *task, int64_t block_bytes) {
    const int64_t places = row_bytes / (block_bytes + static_cast<int64_t>(sizeof(int64_t)));
    const int64_t rows = most_rows * tulle__ceil_div(task->c.blocks, task->c.rows);
    const int64_t share = tulle__ceil_div(task->c.blocks, enough_warps);
    int64_t stretch = rows < share ? rows : share;
    if (task->params[0] > 0) stretch = task->params[0];
    if (places < stretch) stretch = places;
    return stretch > 1 ? stretch : 1;
}

template <class S, class V>
tulle_status start(const tulle__blocks_task *task) {
    const int64_t block_bytes = static_cast<int64_t>(sizeof(V)) * task->tall * task->wide;
    const int64_t stretch = stretch_for(task, block_bytes);
    const int64_t warps = tulle__ceil_div(task->c.blocks, stretch);
    const int64_t room = stretch_warps * stretch * (block_bytes + sizeof(int64_t));
    const grid g = {tulle__ceil_div(warps, stretch_warps), stretch_warps * warp_lanes,
                    static_cast<size_t>(room)};
    return launch(task->place, multiply_stretches<S, V>, g, *task, static_cast<int>(stretch),
                  make_scalar<V>(task->alpha));
}

template <class V>
tulle_status run_blocks(const tulle__blocks_task *task) {
    struct known {
        int tall, inner, wide;
        tulle_status (*run)(const tulle__blocks_task *);
    };
    static constexpr known shapes[] = {
        {2, 2, 2, start<block_shape<2, 2, 2>, V>}, {3, 3, 3, start<block_shape<3, 3, 3>, V>},
        {4, 4, 4, start<block_shape<4, 4, 4>, V>}, {6, 6, 6, start<block_shape<6, 6, 6>, V>},
        {8, 8, 8, start<block_shape<8, 8, 8>, V>}, {3, 3, 6, start<block_shape<3, 3, 6>, V>},
        {6, 3, 6, start<block_shape<6, 3, 6>, V>},
    };
    for (const known &s : shapes) {
        if (s.tall == task->tall && s.inner == task->inner && s.wide == task->wide) {
            return s.run(task);
        }
    }
    return start<block_shape<0, 0, 0>, V>(task);
}

/* Finds the least row in which the product has a block that C lacks; a thread has a block of A. */
GPU_KERNEL void look_outside(tulle__blocks_task t, int64_t *least) {
    for (int64_t p = loop_first(); p < t.a.blocks; p += loop_stride()) {
        const int64_t row = row_of_block(t.a, p), inner = tulle__block_column(&t.a, p);
        const int64_t begin = tulle__block_offset(&t.c, row);
        const int64_t end = tulle__block_offset(&t.c, row + 1);
        const int64_t last = tulle__block_offset(&t.b, inner + 1);
        for (int64_t q = tulle__block_offset(&t.b, inner); q < last; q++) {
            if (tulle__block_at(&t.c, begin, end, tulle__block_column(&t.b, q)) >= 0) continue;
            atomic_min(least, row);
        }
    }
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(find_outside_blocks)(const tulle__blocks_task *task,
                                             int64_t *host_outside) {
    gpu::scratch room(task->place);
    int64_t *least = nullptr;
    GPU_TRY(room.get(1, &least));
    GPU_TRY(GPU_SYMBOL(set_bytes)(task->place, least, 0x7f, sizeof *least));
    GPU_TRY(
        gpu::launch(task->place, gpu::look_outside, gpu::loop_grid(task->a.blocks), *task, least));
    GPU_TRY(gpu::to_host(task->place, host_outside, least, sizeof *least));
    if (*host_outside >= task->a.rows) *host_outside = -1;
    return TULLE_OK;
}

extern "C" const tulle__blocks_kernel GPU_SYMBOL(blocks_stretches);
const tulle__blocks_kernel GPU_SYMBOL(blocks_stretches) = {
    .head = {.name = "blocks_stretches",
             .summary = "a warp a row of blocks, or a part of one, with its sums in shared memory",
             .source = "this library",
             .format = TULLE_BSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__REFERENCE | TULLE__DEFAULT,
             .param_count = 1,
             .params = gpu::params},
    .run = {gpu::run_blocks<float>, gpu::run_blocks<double>},
};
