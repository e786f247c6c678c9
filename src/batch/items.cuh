/* SPDX-License-Identifier: Apache-2.0 */
/* Items, which are pieces of tasks, by blocks of loop_threads: which task one is of, what to do,
 * and what the last piece of a task to end does, which adds up what all have, in their order. */
#ifndef TULLE_BATCH_ITEMS_CUH
#define TULLE_BATCH_ITEMS_CUH

#include "batch/solve_rows.cuh"
#include "batch/tiled.cuh"

namespace TULLE_GPU_NAMESPACE {

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

/* Whether this block's piece is the last of its task to end: then it sees what all have done. The
 * count is 0 again after it. */
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
                            shared<uint32_t> word) {
    if (t.pieces == 1) return true;
    if (!ends_last(job, t, number, word)) return false;
    if (t.kind == TULLE__TASK_DOT) add_partials<V>(job, t);
    return true;
}

/* most: of the sizes of blocks of factors; 0: no task is on any. */
template <class V, int most>
GPU_FUNCTION void run_item(const tulle__batch_job &job, const tulle__task &t, int64_t piece,
                           shared<double> room) {
    if (t.kind != TULLE__TASK_FACTOR && t.kind != TULLE__TASK_SOLVE) {
        const some_rows rows(t, piece);
        run_tiled<V>(t, rows.begin, rows.end, room, put_partial<V>(job, t, piece));
    } else if constexpr (most > 0) {
        run_on_factors<V, most>(job, t);
    }
}

/* The block's item in a launch of the tasks from `begin` to `end` alone. Each has an item at least,
 * so where there are no more than tasks, nothing has to be looked up. */
struct own_item {
    int number;
    int64_t piece;
    GPU_FUNCTION own_item(const tulle__batch_job &job, int begin, int end)
        : number(begin + static_cast<int>(block())), piece(0) {
        if (end - begin == 1) {
            number = begin;
            piece = block();
        } else if (static_cast<int64_t>(grid_size()) > end - begin) {
            const int64_t item = load(job.first_item + begin) + block();
            number = task_of(job.first_item, begin, end, item);
            piece = item - load(job.first_item + number);
        }
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
