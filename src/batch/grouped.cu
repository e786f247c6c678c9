/* SPDX-License-Identifier: Apache-2.0 */
/* All tasks at once. Where some wait for others, one launch: blocks take pieces by a ticket, in the
 * order of tasks. What a piece waits for was taken before, by a block that runs, so no order of
 * blocks can stop it. Where none does, a block has a piece, and tasks that are alike a launch of
 * their own kernel, unless they are of too many kinds and on no factors. */
#include "batch/functions.h"
#include "batch/items.cuh"
#include "batch/stretches.cuh"

namespace TULLE_GPU_NAMESPACE {

GPU_FUNCTION void await_tasks(const tulle__batch_job &job, const tulle__task &t) {
    for (int w = static_cast<int>(thread()); w < t.waits; w += static_cast<int>(block_size())) {
        while (load_acquire(job.done + job.wait[t.first_wait + w]) == 0) spin();
    }
    sync();
}

template <class V, int most>
GPU_FUNCTION void run_taken(const tulle__batch_job &job, int number, int64_t piece,
                            shared<double> room, shared<uint32_t> word) {
    const tulle__task &t = job.task[number];
    run_item<V, most>(job, t, piece, room);
    if (!ends_task<V>(job, t, number, word)) return;
    sync();
    if (thread() == 0) store_release(job.done + number, 1u);
}

template <int most>
GPU_KERNEL GPU_RESIDENT(loop_threads, 2) void run_queue(tulle__batch_job job) {
    GPU_SHARED(double, room, task_room);
    GPU_SHARED(uint32_t, word, 1);
    GPU_SHARED(int64_t, ticket, 1);
    const int64_t items = load(job.first_item + job.tasks);
    for (;;) {
        sync();
        if (thread() == 0) {
            ticket[0] = static_cast<int64_t>(atomic_add(job.ticket, uint64_t{1}));
        }
        sync();
        const int64_t item = ticket[0];
        if (item >= items) return;
        const int number = task_of(job.first_item, 0, job.tasks, item);
        const int64_t piece = item - load(job.first_item + number);
        await_tasks(job, job.task[number]);
        if (job.task[number].type == TULLE_F32) {
            run_taken<float, most>(job, number, piece, room, word);
        } else {
            run_taken<double, most>(job, number, piece, room, word);
        }
    }
}

static tulle_status run_ordered(const tulle__place *place, const tulle__batch_job *job) {
    auto kernel = run_queue<0>;
    if (job->widest > 0) kernel = run_queue<small_block>;
    if (job->widest > small_block) kernel = run_queue<TULLE__MOST_BLOCK>;
    int64_t blocks;
    GPU_TRY(resident_blocks(place, kernel, loop_threads, 0, &blocks));
    GPU_TRY(TULLE__HERE(set_bytes)(place, job->ticket, 0, job->queue_bytes));
    return launch(place, kernel, {blocks, loop_threads}, *job);
}

/* More launches than this take longer than they gain where tasks are tiny. */
constexpr int most_kinds = 4;

static int count_kinds(const tulle__batch_job *job, int begin, int end) {
    int kinds = 0;
    for (; begin < end && kinds <= most_kinds; kinds++) {
        begin = tulle__end_of_alike(job, begin, end);
    }
    return kinds;
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(batch_stretch)(const tulle__place *place, const tulle__batch_job *job,
                                       int begin, int end) {
    if (job->widest == 0 && gpu::count_kinds(job, begin, end) > gpu::most_kinds) {
        return GPU_SYMBOL(batch_any)(place, job, {begin, end});
    }
    for (int next; begin < end; begin = next) {
        next = tulle__end_of_alike(job, begin, end);
        GPU_TRY(tulle__launch_stretch(place, job, {begin, next}));
    }
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(batch_grouped)(const tulle__place *place, const tulle__batch_job *job) {
    if (job->ordered) return gpu::run_ordered(place, job);
    return GPU_SYMBOL(batch_stretch)(place, job, 0, job->tasks);
}
