/* SPDX-License-Identifier: Apache-2.0 */
/* Products in blocks on the GPU. A group of 8, 16 or 32 lanes of a warp has a block of C, whose
 * numbers the lanes share out. The group takes as many blocks of A's row at a time as it has lanes:
 * each lane searches the row of B that its block meets for the column of C's block; then the group
 * goes through the blocks that were found, in the order of A's row, and adds their products in
 * registers. No two groups add to the same number, so there are no atomics. */
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/scalar.cuh"
#include "spgemm/functions.h"

namespace TULLE_GPU_NAMESPACE {
namespace {

/* Shape of the work: lanes that have a block of C, and the most numbers of it that a lane has. */
template <int lanes_, int most_>
struct block_group {
    static constexpr int lanes = lanes_, most = most_, groups = warp_lanes / lanes;
};

/* Returns the row of C's block e: the last one that begins at or before it. */
GPU_FUNCTION int64_t row_of_block(const tulle__block_operand &c, int64_t e) {
    int64_t row = 0;
    TULLE__LOWER_BOUND(row, c.rows, i, tulle__block_offset(&c, i + 1) <= e);
    return row;
}

/* The numbers of a block of C that a lane has: for each the place in a block of A where its row
 * begins, and its column. row[m] is -1 where the lane has fewer. */
template <class G>
struct own_cells {
    int row[G::most], column[G::most];

    GPU_FUNCTION own_cells(const tulle__blocks_task &t, int lane) {
        GPU_UNROLL
        for (int m = 0; m < G::most; m++) {
            const int cell = lane + m * G::lanes, r = cell / t.wide;
            row[m] = r < t.tall ? r * t.inner : -1;
            column[m] = cell - r * t.wide;
        }
    }
};

/* Adds the product of blocks p of A and q of B to a lane's numbers. */
template <class G, class V>
GPU_FUNCTION void add_product(const tulle__blocks_task &t, int64_t p, int64_t q,
                              const own_cells<G> &own, V (&sum)[G::most]) {
    const V *a = static_cast<const V *>(t.a.values) + p * t.tall * t.inner;
    const V *b = static_cast<const V *>(t.b.values) + q * t.inner * t.wide;
    GPU_UNROLL
    for (int m = 0; m < G::most; m++) {
        if (own.row[m] < 0) continue;
        for (int k = 0; k < t.inner; k++) {
            sum[m] += load(a + own.row[m] + k) * load(b + k * t.wide + own.column[m]);
        }
    }
}

template <class G, class V>
GPU_KERNEL void multiply_blocks(tulle__blocks_task t, scalar<V> alpha) {
    const int me = static_cast<int>(lane()) % G::lanes, group = static_cast<int>(lane()) / G::lanes;
    const own_cells<G> own(t, me);
    const int64_t e = loop_first() / warp_lanes * G::groups + group;
    const bool there = e < t.c.blocks;
    const int64_t row = there ? row_of_block(t.c, e) : 0;
    const int64_t column = there ? tulle__block_column(&t.c, e) : 0;
    const int64_t end = there ? tulle__block_offset(&t.a, row + 1) : 0;
    V sum[G::most];
    GPU_UNROLL
    for (int m = 0; m < G::most; m++) sum[m] = -V(0);
    int64_t from = there ? tulle__block_offset(&t.a, row) : 0;
    for (; any(full_warp, from < end); from += G::lanes) {
        int64_t met = -1;
        if (from + me < end) {
            const int64_t inner = tulle__block_column(&t.a, from + me);
            met = tulle__block_at(&t.b, tulle__block_offset(&t.b, inner),
                                  tulle__block_offset(&t.b, inner + 1), column);
        }
        unsigned found = ballot(full_warp, met >= 0) >> (group * G::lanes);
        if constexpr (G::lanes < warp_lanes) found &= (1u << G::lanes) - 1;
        while (any(full_warp, found != 0)) {
            const int next = found != 0 ? first_bit(found) : 0;
            const int64_t q = shuffle(full_warp, met, next, G::lanes);
            if (found == 0) continue;
            add_product(t, from + next, q, own, sum);
            found &= found - 1;
        }
    }
    V *to = static_cast<V *>(t.values) + e * t.tall * t.wide;
    GPU_UNROLL
    for (int m = 0; m < G::most; m++) {
        if (there && own.row[m] >= 0) to[me + m * G::lanes] = alpha.value() * sum[m];
    }
}

template <class G, class V>
tulle_status start(const tulle__blocks_task *task) {
    constexpr int threads = 128;
    const int64_t warps = tulle__ceil_div(task->c.blocks, G::groups);
    const grid g = {tulle__ceil_div(warps * warp_lanes, threads), threads};
    return launch(task->place, multiply_blocks<G, V>, g, *task, make_scalar<V>(task->alpha));
}

template <class V>
tulle_status run_blocks(const tulle__blocks_task *task) {
    const int cells = task->tall * task->wide;
    if (cells <= 8) return start<block_group<8, 1>, V>(task);
    if (cells <= 16) return start<block_group<16, 1>, V>(task);
    if (cells <= 32) return start<block_group<32, 1>, V>(task);
    if (cells <= 64) return start<block_group<32, 2>, V>(task);
    return start<block_group<32, 8>, V>(task);
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

extern "C" const tulle__blocks_kernel GPU_SYMBOL(blocks_groups);
const tulle__blocks_kernel GPU_SYMBOL(blocks_groups) = {
    .head = {.name = "blocks_groups",
             .summary = "a group of lanes a block of C, which searches B for the blocks it adds up",
             .source = "this library",
             .format = TULLE_BSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__REFERENCE | TULLE__DEFAULT},
    .run = {gpu::run_blocks<float>, gpu::run_blocks<double>},
};
