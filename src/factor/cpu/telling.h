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
    int64_t step;     /* rows from one time to the next */
    int64_t next;     /* rows of the caller's thread; the others leave it alone */
    _Atomic int said; /* TULLE_OK, or what the call ends as */
} tulle__telling;

/* Some milliseconds' multiplications, where rows are like the mean. */
static inline tulle__telling tulle__telling_of(const tulle__factor_task *task) {
    enum { WORK_A_TELL = 1 << 22 };
    const int64_t step = WORK_A_TELL / tulle__factor_work(task);
    return (tulle__telling){.task = task, .step = step < 1 ? 1 : step};
}

/* Whether to go on, where `done` rows are, as a thread reckons from its own. */
static inline bool tulle__goes_on(tulle__telling *t, int thread, int64_t done) {
    if (thread == 0 && t->task->tells && done >= t->next) {
        const int64_t rows = t->task->rows;
        t->next = done + t->step;
        const tulle_status status =
            tulle__progress(t->task->place->ctx, "factorising", done < rows ? done : rows, rows);
        if (status != TULLE_OK) atomic_store_explicit(&t->said, status, memory_order_relaxed);
    }
    return atomic_load_explicit(&t->said, memory_order_relaxed) == TULLE_OK;
}

#endif
