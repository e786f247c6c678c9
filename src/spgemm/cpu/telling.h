/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the progress of a phase that goes through all chunks, and lets the caller cancel it.
 * The thread that called the kernel reports between chunks; no thread begins another chunk once
 * the phase is to stop. */
#ifndef TULLE_SPGEMM_CPU_TELLING_H
#define TULLE_SPGEMM_CPU_TELLING_H

#include <omp.h>
#include <stdatomic.h>

#include "spgemm/cpu/chunks.h"

typedef struct tulle__spgemm_telling {
    tulle__spgemm_task *task;
    const tulle__spgemm_chunks *chunks;
    tulle__spgemm_phase phase;
    int64_t step;         /* work between two reports */
    int64_t next;         /* work at the next report; threads but the caller's leave it alone */
    _Atomic int64_t done; /* work of chunks that are done, of all threads */
    _Atomic int said;     /* TULLE_OK, or the status that the phase ends with */
} tulle__spgemm_telling;

/* Starts reports of a phase. A million multiplications take a thread from one to twenty
 * milliseconds. */
static inline tulle__spgemm_telling tulle__spgemm_telling_of(tulle__spgemm_task *task,
                                                             const tulle__spgemm_chunks *chunks,
                                                             tulle__spgemm_phase phase) {
    enum { WORK_A_TELL = 1 << 20 };
    const int64_t step = (int64_t)chunks->threads * WORK_A_TELL;
    return (tulle__spgemm_telling){
        .task = task, .chunks = chunks, .phase = phase, .step = step, .next = step};
}

/* True when another chunk is to be done. */
static inline bool tulle__spgemm_goes_on(tulle__spgemm_telling *t) {
    const int64_t done = atomic_load_explicit(&t->done, memory_order_relaxed);
    if (omp_get_thread_num() == 0 && done >= t->next) {
        const double all = (double)tulle__spgemm_work_before(t->chunks, t->chunks->count);
        const tulle_status status = t->task->tells(t->task, t->phase, (double)done / all);
        t->next = done + t->step;
        if (status != TULLE_OK) atomic_store_explicit(&t->said, status, memory_order_relaxed);
    }
    return atomic_load_explicit(&t->said, memory_order_relaxed) == TULLE_OK;
}

static inline void tulle__spgemm_note_done(tulle__spgemm_telling *t, int chunk) {
    const int64_t before = tulle__spgemm_work_before(t->chunks, chunk);
    const int64_t after = tulle__spgemm_work_before(t->chunks, chunk + 1);
    atomic_fetch_add_explicit(&t->done, after - before, memory_order_relaxed);
}

static inline tulle_status tulle__spgemm_said(tulle__spgemm_telling *t) {
    return (tulle_status)atomic_load(&t->said);
}

#endif
