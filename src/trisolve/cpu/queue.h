/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches of rows that threads share through a queue: each stretch is taken once so many of the
 * first ones are done. A thread that gets no time on a busy machine delays the stretch that it has
 * taken, and the threads that wait for this stretch or a later one; all other stretches go to other
 * threads. At a barrier all threads would wait for the slow one each time. */
#ifndef TULLE_TRISOLVE_CPU_QUEUE_H
#define TULLE_TRISOLVE_CPU_QUEUE_H

#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "trisolve/trisolve.h"

enum { TULLE__QUEUE_LINE = 64, TULLE__QUEUE_LOOKS = 50000 };

/* The position of a thread: all of the thread's stretches before this number are done. INT64_MAX:
 * the thread has begun none, or none is left. */
typedef struct tulle__queue_turn {
    alignas(TULLE__QUEUE_LINE) atomic_int_least64_t at;
} tulle__queue_turn;

typedef struct tulle__queue {
    alignas(TULLE__QUEUE_LINE) atomic_int_least64_t taken;
    alignas(TULLE__QUEUE_LINE) const tulle__row_stretch *stretches;
    int64_t count;
    int threads;
    tulle__queue_turn turn[];
} tulle__queue;

static inline size_t tulle__queue_bytes(int threads) {
    return sizeof(tulle__queue) + (size_t)threads * sizeof(tulle__queue_turn);
}

static inline tulle__queue *tulle__queue_make(const tulle__row_stretch *stretches, int64_t count,
                                              int threads, void *memory) {
    tulle__queue *q = memory;
    q->stretches = stretches;
    q->count = count;
    q->threads = threads;
    atomic_init(&q->taken, 0);
    for (int u = 0; u < threads; u++) atomic_init(&q->turn[u].at, INT64_MAX);
    return q;
}

static inline void tulle__queue_await(tulle__queue *q, int64_t after) {
    for (int u = 0; u < q->threads; u++) {
        atomic_int_least64_t *at = &q->turn[u].at;
        for (int look = 1; atomic_load_explicit(at, memory_order_acquire) < after; look++) {
            if (look % TULLE__QUEUE_LOOKS == 0) sched_yield();
        }
    }
}

/* Returns the next stretch for a thread, or NULL. Before a thread takes a stretch, it announces a
 * number no higher than the number that it will get. A thread that takes a later stretch has seen
 * the announcement, because exchanges of `taken` are in one order, and so knows that this thread
 * has a stretch. */
static inline const tulle__row_stretch *tulle__queue_next(tulle__queue *q, int thread) {
    atomic_int_least64_t *at = &q->turn[thread].at;
    const int64_t least = atomic_load_explicit(&q->taken, memory_order_relaxed);
    atomic_store_explicit(at, least, memory_order_release);
    const int64_t next = atomic_fetch_add_explicit(&q->taken, 1, memory_order_acq_rel);
    const bool is = next < q->count;
    atomic_store_explicit(at, is ? next : INT64_MAX, memory_order_release);
    return is ? &q->stretches[next] : NULL;
}

/* Works through the queue; take(work, begin, end) solves some rows, one after the other. All
 * threads of a parallel region call this function, each with its own work. */
static inline void tulle__queue_work(tulle__queue *q, int thread, void *work,
                                     void (*take)(void *work, int64_t begin, int64_t end)) {
    for (const tulle__row_stretch *s; (s = tulle__queue_next(q, thread));) {
        tulle__queue_await(q, s->after);
        take(work, s->begin, s->end);
    }
}

#endif
