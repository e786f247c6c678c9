/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of the computation of values, and its cancelling: the caller's thread reports between
 * rows, and the other threads begin no more rows once the caller has asked to stop. */
#ifndef TULLE_FACTOR_CPU_TELLING_H
#define TULLE_FACTOR_CPU_TELLING_H

#include <stdatomic.h>

#include "core/context.h"
#include "factor/cpu/shared_rows.h"

typedef struct tulle__telling {
    const tulle__factor_task *task;
    int64_t step;         /* number of rows between two reports */
    int64_t next;         /* number of rows at the next report; only the caller's thread uses it */
    _Atomic int64_t done; /* number of rows of the finished stretches of all threads */
    _Atomic int said;     /* TULLE_OK, or the status with which the call ends */
} tulle__telling;

/* Begins reports about every few milliseconds, if rows are like the mean row. */
static inline tulle__telling tulle__telling_of(const tulle__factor_task *task) {
    enum { WORK_A_TELL = 1 << 22 };
    const int64_t step = WORK_A_TELL / tulle__factor_work(task);
    return (tulle__telling){.task = task, .step = step < 1 ? 1 : step};
}

/* Returns true when a thread, which has done `here` rows of a stretch, is to go on. */
static inline bool tulle__goes_on(tulle__telling *t, int thread, int64_t here) {
    const int64_t done = atomic_load_explicit(&t->done, memory_order_relaxed) + here;
    if (thread == 0 && t->task->tells && done >= t->next) {
        t->next = done + t->step;
        const tulle_status status =
            tulle__progress(t->task->place->ctx, "factorising", done, t->task->rows);
        if (status != TULLE_OK) atomic_store_explicit(&t->said, status, memory_order_relaxed);
    }
    return atomic_load_explicit(&t->said, memory_order_relaxed) == TULLE_OK;
}

/* Notes that a stretch of so many rows is done. */
static inline void tulle__note_done(tulle__telling *t, int64_t rows) {
    atomic_fetch_add_explicit(&t->done, rows, memory_order_relaxed);
}

#endif
