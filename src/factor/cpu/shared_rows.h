/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that threads share through a queue: stretches of successive rows, or the rows of a level. */
#ifndef TULLE_FACTOR_CPU_SHARED_ROWS_H
#define TULLE_FACTOR_CPU_SHARED_ROWS_H

#include "core/access.h"
#include "core/threads/sizes.h"
#include "factor/factor.h"
#include "trisolve/cpu/by_level.h"

/* Number of multiplications that is worth a turn of its own: half a microsecond or so. */
enum { TULLE__FACTOR_TURN = 1024 };

/* Least number of threads with which rows of few multiplications go by level. By level such rows
 * cost up to three times as much as in their own order, in which memory is read as a stream; fewer
 * threads do not make up for it. */
enum { TULLE__FEW_THREADS = 4 };

/* Returns the multiplications of a row of mean length: half of its entries take a row each, of
 * which half is behind the diagonal. */
static inline int64_t tulle__factor_work(const tulle__factor_task *t) {
    const int64_t mean = t->entries / t->rows, cells = (int64_t)t->block * t->block * t->block;
    return (2 * mean + mean * mean / 4) * cells;
}

/* Returns the number of rows that are worth a turn. */
static inline int64_t tulle__factor_least_rows(const tulle__factor_task *t) {
    const int64_t work = tulle__factor_work(t);
    return work < TULLE__FACTOR_TURN ? TULLE__FACTOR_TURN / work : 1;
}

/* Returns true when rows go in their own order: in stretches, or by one thread. */
static inline bool tulle__factor_in_order(const tulle__factor_task *t, int threads) {
    return threads == 1 || t->schedule->stretches;
}

/* Returns the number of threads that are of use. */
static inline int tulle__factor_threads(const tulle__factor_task *t) {
    const int threads =
        tulle__threads_for(t->place, TULLE__WORK_ENTRIES, t->rows * tulle__factor_work(t));
    const bool thin = t->rows / t->schedule->levels < 2 * tulle__factor_least_rows(t);
    const bool few = threads < TULLE__FEW_THREADS && tulle__factor_work(t) < TULLE__FACTOR_TURN;
    return (thin || few) && !t->schedule->stretches ? 1 : threads;
}

static inline size_t tulle__factor_queue_bytes(const tulle__factor_task *t) {
    const int threads = t->place->threads;
    return t->schedule->stretches
               ? tulle__queue_bytes(threads)
               : tulle__level_queue_bytes(t->schedule, tulle__factor_least_rows(t), threads);
}

static inline tulle__queue *tulle__factor_queue(const tulle__factor_task *t) {
    const tulle__schedule *s = t->schedule;
    const int threads = t->place->threads;
    if (s->stretches) {
        return tulle__queue_make(s->stretches, s->stretch_count, threads, t->workspace);
    }
    return tulle__level_queue(s, tulle__factor_least_rows(t), threads, t->workspace);
}

static inline int64_t tulle__factor_row_at(const tulle__factor_task *task, int64_t place) {
    return tulle__get(task->schedule->order, tulle_offset_size(task->index), place);
}

#endif
