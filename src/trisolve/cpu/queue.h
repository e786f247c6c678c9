/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by level, shared by threads through a queue: a stretch of rows is taken once all levels
 * before its own are done. A thread that gets no turn on a busy machine holds up no more than the
 * stretch that it has taken, and those behind it go to others; a barrier after each level would
 * wait for it each time. */
#ifndef TULLE_TRISOLVE_CPU_QUEUE_H
#define TULLE_TRISOLVE_CPU_QUEUE_H

#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "trisolve/trisolve.h"

/* Places of the schedule, whose rows one thread takes in their order, and how many stretches go
 * before all of them. */
typedef struct tulle__stretch {
    int64_t begin, end, after;
} tulle__stretch;

enum { TULLE__QUEUE_LINE = 64, TULLE__QUEUE_LOOKS = 50000 };

/* Both counters on lines of their own. Whoever waits for `after` stretches sees these alone in
 * `done`: no other can be done, since each of them waits for them, too. */
typedef struct tulle__queue {
    alignas(TULLE__QUEUE_LINE) atomic_int_least64_t taken;
    alignas(TULLE__QUEUE_LINE) atomic_int_least64_t done;
    alignas(TULLE__QUEUE_LINE) int64_t count;
    tulle__stretch stretch[];
} tulle__queue;

/* Stretches of a level for each thread, so that one who starts late has less to do. */
enum { TULLE__QUEUE_SHARES = 2 };

static inline int64_t tulle__queue_shares(int64_t rows, int64_t least, int threads) {
    const int64_t most = (int64_t)TULLE__QUEUE_SHARES * threads, shares = rows / least;
    return shares < most ? shares : most;
}

/* Bytes of a queue's memory, whole lines; least: rows that are worth a turn of their own. Shared
 * levels have two stretches or more of so many, and one of thin levels between them. */
static inline size_t tulle__queue_bytes(const tulle__schedule *s, int64_t least) {
    const size_t stretches = 2 * (size_t)(s->rows / least) + 1;
    const size_t bytes = sizeof(tulle__queue) + stretches * sizeof(tulle__stretch);
    return (bytes + TULLE__QUEUE_LINE - 1) / TULLE__QUEUE_LINE * TULLE__QUEUE_LINE;
}

/* Neighbouring levels that are too thin to be shared are one stretch. */
static inline tulle__queue *tulle__queue_make(const tulle__schedule *s, int64_t least, int threads,
                                              void *memory) {
    tulle__queue *q = memory;
    const int64_t *begins = s->level_begins;
    int64_t count = 0;
    for (int64_t level = 0; level < s->levels;) {
        const int64_t begin = begins[level], after = count;
        int64_t end = begins[++level];
        const int64_t shares = tulle__queue_shares(end - begin, least, threads);
        if (shares > 1) {
            for (int64_t k = 0; k < shares; k++) {
                q->stretch[count++] =
                    (tulle__stretch){begin + (end - begin) * k / shares,
                                     begin + (end - begin) * (k + 1) / shares, after};
            }
        } else {
            while (level < s->levels &&
                   tulle__queue_shares(begins[level + 1] - end, least, threads) < 2) {
                end = begins[++level];
            }
            q->stretch[count++] = (tulle__stretch){begin, end, after};
        }
    }
    q->count = count;
    atomic_init(&q->taken, 0);
    atomic_init(&q->done, 0);
    return q;
}

static inline void tulle__queue_await(tulle__queue *q, int64_t after) {
    for (int look = 1; atomic_load_explicit(&q->done, memory_order_acquire) < after; look++) {
        if (look % TULLE__QUEUE_LOOKS == 0) sched_yield();
    }
}

/* take(work, begin, end) takes the rows at some places, one after the other. All of a parallel
 * region's threads call this, each with work of its own. */
static inline void tulle__queue_work(tulle__queue *q, void *work,
                                     void (*take)(void *work, int64_t begin, int64_t end)) {
    for (;;) {
        const int64_t next = atomic_fetch_add_explicit(&q->taken, 1, memory_order_relaxed);
        if (next >= q->count) return;
        const tulle__stretch *s = &q->stretch[next];
        tulle__queue_await(q, s->after);
        take(work, s->begin, s->end);
        atomic_fetch_add_explicit(&q->done, 1, memory_order_release);
    }
}

#endif
