/* SPDX-License-Identifier: Apache-2.0 */
/* Items, which are pieces of tasks, by blocks of loop_threads: which task one is of, what to do,
 * and what the last piece of a task to end does, which adds up what all have, in their order. */
#ifndef TULLE_BATCH_GPU_ITEMS_CUH
#define TULLE_BATCH_GPU_ITEMS_CUH

#include "batch/gpu/norms.cuh"
#include "batch/gpu/stretches.cuh"
#include "batch/gpu/tiled.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Tasks from `begin` to `end`. pieces: number of pieces of each task; 0: tasks differ in it. */
struct stretch_of_items {
    int begin, end, pieces;
};

/* The last of the tasks from `begin` to `end` with first[task] <= item, by a whole warp, which
 * looks at as many places at once as it has lanes. */
GPU_FUNCTION int task_of(const int64_t *first, int begin, int end, int64_t item) {
    int count = end - begin;
    while (count > 1) {
        const int step = (count + warp_lanes - 1) / warp_lanes;
        const int at = static_cast<int>(lane()) * step;
        const bool before = at < count && load(first + begin + at) <= item;
        const int skipped = (count_bits(ballot(full_warp, before)) - 1) * step;
        begin += skipped;
        count = count - skipped < step ? count - skipped : step;
    }
    return begin;
}

/* A piece of a task on multivectors: its first row, or block row, and the one behind the last. */
struct some_rows {
    int64_t begin, end;
    GPU_FUNCTION some_rows(const tulle__task &t, int64_t piece) : begin(piece * t.unit_piece) {
        end = begin + t.unit_piece < t.units ? begin + t.unit_piece : t.units;
    }
};

/* Puts the numbers of a dot where they belong: into y, or, of one of several pieces, into scratch.
 */
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

/* This block's piece is the last of its task to end: then it sees the numbers of all. The count is
 * 0 again after it. */
GPU_FUNCTION bool ends_last(const tulle__batch_job &job, const tulle__task &t, int number,
                            shared<uint32_t> word) {
    sync();
    if (thread() == 0) {
        fence();
        const uint32_t before = atomic_add(job.ended + number, 1u);
        fence();
        word[0] = before;
        if (before + 1 == static_cast<uint32_t>(t.pieces)) store_relaxed(job.ended + number, 0u);
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

/* A piece of the task has ended: whether that was all of it. */
template <class V>
GPU_FUNCTION bool ends_task(const tulle__batch_job &job, const tulle__task &t, int number,
                            shared<double> room, shared<uint32_t> word) {
    if (t.pieces == 1) return true;
    if (!ends_last(job, t, number, word)) return false;
    if (t.kind == TULLE__TASK_DOT) add_partials<V>(job, t);
    if (tulle__task_is_norm(t.kind)) join_norms<V>(job, t, room);
    return true;
}

/* A task, by its place, and a piece of it. */
struct item_of {
    int number;
    int64_t piece;
};

GPU_FUNCTION item_of item_number(const tulle__batch_job &job, const stretch_of_items &s,
                                 int64_t item) {
    const int number = task_of(job.first_item, s.begin, s.end, item);
    return {number, item - load(job.first_item + number)};
}

/* The block's item in a launch of some tasks alone. Where each of them has as many pieces, nothing
 * has to be looked up. */
GPU_FUNCTION item_of own_item(const tulle__batch_job &job, const stretch_of_items &s) {
    if (s.pieces == 0) return item_number(job, s, load(job.first_item + s.begin) + block());
    const int before = static_cast<int>(block()) / s.pieces;
    return {s.begin + before, static_cast<int>(block()) - before * s.pieces};
}

inline stretch_of_items items_of(const tulle__batch_job *job, tulle__stretch s) {
    const int64_t each = job->host_task[s.begin].pieces;
    bool alike = each <= INT32_MAX;
    for (int p = s.begin; p < s.end; p++) alike = alike && job->host_task[p].pieces == each;
    return {s.begin, s.end, alike ? static_cast<int>(each) : 0};
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
