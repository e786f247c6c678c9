/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of values of factors, and its cancelling: the caller's thread asks, between rows, and
 * the others do no more rows once it was told to stop. */
#ifndef TULLE_FACTOR_CPU_TELLING_H
#define TULLE_FACTOR_CPU_TELLING_H

#include <stdatomic.h>

#include "core/context.h"
#include "factor/cpu/shared_rows.h"

typedef struct tulle__telling {
    const tulle__factor_task *task;
    int64_t step;         /* rows from one time to the next */
    int64_t next;         /* rows; threads but the caller's leave it alone */
    _Atomic int64_t done; /* rows of stretches that are done, of all threads */
    _Atomic int said;     /* TULLE_OK, or what the call ends as */
} tulle__telling;

/* Some milliseconds' multiplications, where rows are like the mean. */
static inline tulle__telling tulle__telling_of(const tulle__factor_task *task) {
    enum { WORK_A_TELL = 1 << 22 };
    const int64_t step = WORK_A_TELL / tulle__factor_work(task);
    return (tulle__telling){.task = task, .step = step < 1 ? 1 : step};
}

/* Whether to go on, where a thread has done `here` rows of a stretch. */
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

/* A stretch of so many rows is done. */
static inline void tulle__note_done(tulle__telling *t, int64_t rows) {
    atomic_fetch_add_explicit(&t->done, rows, memory_order_relaxed);
}

#endif
