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

/* A piece of a task on multivectors: its first row, or block row, and the one behind the last. */
struct some_rows {
    int64_t begin, end;
    GPU_FUNCTION some_rows(const tulle__task &t, int64_t piece) : begin(piece * t.unit_piece) {
        end = begin + t.unit_piece < t.units ? begin + t.unit_piece : t.units;
    }
};

/* What becomes of a dot's numbers in a piece. */
template <class V>
struct put_partial {
    const tulle__batch_job &job;
    const tulle__task &t;
    int64_t partial;
    GPU_FUNCTION put_partial(const tulle__batch_job &all, const tulle__task &task, int64_t piece)
        : job(all), t(task), partial(task.first_scratch + piece * task.k1 * task.k2) {}
    GPU_FUNCTION void operator()(int e, double sum) const {
        if (t.pieces == 1) {
            store_dot<V>(t, e, sum);
        } else {
            job.scratch[partial + e] = sum;
        }
    }
};

/* A piece of the task has ended. */
template <class V>
GPU_FUNCTION void finish(const tulle__batch_job &job, const tulle__task &t, int number,
                         shared<uint32_t> word) {
    if (t.pieces > 1) {
        if (!ends_last(job, t, number, word)) return;
        if (t.kind == TULLE__TASK_DOT) add_partials<V>(job, t);
    }
    sync();
    if (thread() == 0) store_release(job.done + number, 1u);
}

/* work(number of the task, its piece) for the items that the block's tickets name. */
template <class Work>
GPU_FUNCTION void each_item(const tulle__batch_job &job, shared<int64_t> ticket, Work work) {
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
        work(number, item - job.first_item[number]);
    }
}

template <class V, int most>
GPU_FUNCTION void run_item(const tulle__batch_job &job, int number, int64_t piece,
                           shared<double> room, shared<uint32_t> word) {
    const tulle__task &t = job.task[number];
    if (t.kind != TULLE__TASK_FACTOR && t.kind != TULLE__TASK_SOLVE) {
        const some_rows rows(t, piece);
        run_tiled<V>(t, rows.begin, rows.end, room, put_partial<V>(job, t, piece));
    } else if constexpr (most > 0) {
        run_on_factors<V, most>(job, t);
    }
    finish<V>(job, t, number, word);
}

/* most: of the sizes of blocks of factors; 0: no task is on any. */
template <int most>
GPU_KERNEL GPU_RESIDENT(loop_threads, 2) void run_queue(tulle__batch_job job) {
    GPU_SHARED(double, room, task_room);
    GPU_SHARED(uint32_t, word, 1);
    GPU_SHARED(int64_t, ticket, 1);
    each_item(job, ticket, [&](int number, int64_t piece) {
        if (job.task[number].type == TULLE_F32) {
            run_item<float, most>(job, number, piece, room, word);
        } else {
            run_item<double, most>(job, number, piece, room, word);
        }
    });
}

/* Nothing but dots of one kind: their kernel has the registers to load ahead. */
template <class V, int tiles, lie how>
GPU_KERNEL GPU_RESIDENT(loop_threads, 2) void run_dots(tulle__batch_job job) {
    GPU_SHARED(double, room, task_room);
    GPU_SHARED(uint32_t, word, 1);
    GPU_SHARED(int64_t, ticket, 1);
    each_item(job, ticket, [&](int number, int64_t piece) {
        const tulle__task &t = job.task[number];
        const some_rows rows(t, piece);
        dot_in_tiles<V, tiles, how, next_slabs::early>(t, rows.begin, rows.end, room,
                                                       put_partial<V>(job, t, piece));
        finish<V>(job, t, number, word);
    });
}

static tulle_status run_all(const tulle__place *place, const tulle__batch_job *job,
                            void (*kernel)(tulle__batch_job)) {
    int64_t blocks;
    GPU_TRY(resident_blocks(place, kernel, loop_threads, 0, &blocks));
    GPU_TRY(TULLE__HERE(set_bytes)(place, job->ticket, 0, job->queue_bytes));
    return launch(place, kernel, {blocks, loop_threads}, *job);
}

/* Tiles of columns of a dot that run_dots knows, or 0. */
static int tiles_of(const tulle__task &t) {
    const int widest = t.k1 > t.k2 ? t.k1 : t.k2;
    if (t.kind != TULLE__TASK_DOT || t.lie == TULLE__LIE_ANY || widest > most_tiled) return 0;
    return widest <= tile_side ? 1 : 2;
}

/* The kernel for nothing but dots like the first task, or NULL. */
static void (*dots_kernel(const tulle__batch_job *job))(tulle__batch_job) {
    const tulle__task &first = job->host_task[0];
    const int tiles = tiles_of(first);
    bool alike = tiles > 0;
    for (int i = 1; i < job->tasks && alike; i++) {
        const tulle__task &t = job->host_task[i];
        alike = tiles_of(t) == tiles && t.type == first.type && t.lie == first.lie;
    }
    if (!alike) return nullptr;
    static void (*const of[2][2][2])(tulle__batch_job) = {
        {{run_dots<float, 1, lie::columns>, run_dots<float, 1, lie::rows>},
         {run_dots<float, 2, lie::columns>, run_dots<float, 2, lie::rows>}},
        {{run_dots<double, 1, lie::columns>, run_dots<double, 1, lie::rows>},
         {run_dots<double, 2, lie::columns>, run_dots<double, 2, lie::rows>}}};
    return of[first.type == TULLE_F64][tiles - 1][first.lie == TULLE__LIE_ROWS];
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(batch_grouped)(const tulle__place *place, const tulle__batch_job *job) {
    const auto dots = job->widest == 0 ? gpu::dots_kernel(job) : nullptr;
    if (dots) return gpu::run_all(place, job, dots);
    if (job->widest == 0) return gpu::run_all(place, job, gpu::run_queue<0>);
    return gpu::run_all(place, job,
                        job->widest <= gpu::small_block ? gpu::run_queue<gpu::small_block>
                                                        : gpu::run_queue<TULLE__MOST_BLOCK>);
}
