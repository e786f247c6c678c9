/* SPDX-License-Identifier: Apache-2.0 */
/* All tasks in one launch: blocks take pieces by a ticket, in the order of tasks. What a piece
 * waits for was taken before, by a block that runs, so no order of blocks can stop it. The last
 * piece of a task to end adds up what all have, in their order. */
#include "batch/functions.h"
#include "batch/solve_rows.cuh"
#include "batch/tiled.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The task that an item is of. */
GPU_FUNCTION int task_of(const tulle__batch_job &job, int64_t item) {
    int low = 0, high = job.tasks - 1;
    TULLE__LOWER_BOUND(low, high, middle, job.first_item[middle + 1] <= item);
    return low;
}

GPU_FUNCTION void await_tasks(const tulle__batch_job &job, const tulle__task &t) {
    for (int w = static_cast<int>(thread()); w < t.waits; w += static_cast<int>(block_size())) {
        while (load_acquire(job.done + job.wait[t.first_wait + w]) == 0) spin();
    }
    sync();
}

/* Whether this block's piece is the last of its task to end: then it sees what all have done. */
GPU_FUNCTION bool ends_last(const tulle__batch_job &job, const tulle__task &t, int number,
                            shared<uint32_t> word) {
    sync();
    if (thread() == 0) {
        fence();
        word[0] = atomic_add(job.ended + number, 1u);
        fence();
    }
    sync();
    const bool last = word[0] + 1 == static_cast<uint32_t>(t.pieces);
    sync();
    return last;
}

template <class V>
GPU_FUNCTION void add_partials(const tulle__batch_job &job, const tulle__task &t) {
    const int all = t.k1 * t.k2;
    for (int e = static_cast<int>(thread()); e < all; e += static_cast<int>(block_size())) {
        double sum = 0;
        for (int64_t p = 0; p < t.pieces; p++) sum += job.scratch[t.first_scratch + p * all + e];
        store_dot<V>(t, e, sum);
    }
}

template <class V>
GPU_FUNCTION void run_some(const tulle__batch_job &job, const tulle__task &t, int64_t piece,
                           shared<double> room) {
    const int64_t begin = piece * t.unit_piece;
    const int64_t end = begin + t.unit_piece < t.units ? begin + t.unit_piece : t.units;
    const int64_t partial = t.first_scratch + piece * t.k1 * t.k2;
    run_tiled<V>(t, begin, end, room, [&](int e, double sum) {
        if (t.pieces == 1) {
            store_dot<V>(t, e, sum);
        } else {
            job.scratch[partial + e] = sum;
        }
    });
}

template <class V, int most>
GPU_FUNCTION void run_item(const tulle__batch_job &job, int number, int64_t piece,
                           shared<double> room, shared<uint32_t> word) {
    const tulle__task &t = job.task[number];
    if (t.kind != TULLE__TASK_FACTOR && t.kind != TULLE__TASK_SOLVE) {
        run_some<V>(job, t, piece, room);
    } else if constexpr (most > 0) {
        run_on_factors<V, most>(job, t);
    }
    if (t.pieces > 1) {
        if (!ends_last(job, t, number, word)) return;
        if (t.kind == TULLE__TASK_DOT) add_partials<V>(job, t);
    }
    sync();
    if (thread() == 0) store_release(job.done + number, 1u);
}

/* most: of the sizes of blocks of factors; 0: no task is on any. */
template <int most>
GPU_KERNEL GPU_RESIDENT(loop_threads, 2) void run_queue(tulle__batch_job job) {
    GPU_SHARED(double, room, task_room);
    GPU_SHARED(uint32_t, word, 1);
    GPU_SHARED(int64_t, ticket, 1);
    const int64_t items = job.first_item[job.tasks];
    for (;;) {
        sync();
        if (thread() == 0) {
            ticket[0] = static_cast<int64_t>(atomic_add(job.ticket, uint64_t{1}));
        }
        sync();
        const int64_t item = ticket[0];
        if (item >= items) return;
        const int number = task_of(job, item);
        await_tasks(job, job.task[number]);
        if (job.task[number].type == TULLE_F32) {
            run_item<float, most>(job, number, item - job.first_item[number], room, word);
        } else {
            run_item<double, most>(job, number, item - job.first_item[number], room, word);
        }
    }
}

template <int most>
static tulle_status run_all(const tulle__place *place, const tulle__batch_job *job) {
    int64_t blocks;
    GPU_TRY(resident_blocks(place, run_queue<most>, loop_threads, 0, &blocks));
    GPU_TRY(TULLE__HERE(set_bytes)(place, job->ticket, 0, job->queue_bytes));
    return launch(place, run_queue<most>, {blocks, loop_threads}, *job);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(batch_grouped)(const tulle__place *place, const tulle__batch_job *job) {
    if (job->widest == 0) return gpu::run_all<0>(place, job);
    return job->widest <= gpu::small_block ? gpu::run_all<gpu::small_block>(place, job)
                                           : gpu::run_all<TULLE__MOST_BLOCK>(place, job);
}
