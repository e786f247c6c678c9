/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule's places, cut into stretches for a queue; those of a level wait for all earlier
 * levels. */
#ifndef TULLE_TRISOLVE_CPU_BY_LEVEL_H
#define TULLE_TRISOLVE_CPU_BY_LEVEL_H

#include "trisolve/cpu/queue.h"

/* Number of stretches of a level per thread; with more than one, a thread that starts late has less
 * to do. */
enum { TULLE__LEVEL_SHARES = 2 };

static inline int64_t tulle__level_shares(int64_t rows, int64_t least, int threads) {
    const int64_t most = (int64_t)TULLE__LEVEL_SHARES * threads, shares = rows / least;
    return shares < most ? shares : most;
}

/* Returns the bytes for the stretches; least: number of rows that is worth a turn of its own. A
 * shared level has two or more stretches of so many rows, and there is one stretch of thin levels
 * between two shared ones. */
static inline size_t tulle__level_bytes(const tulle__schedule *s, int64_t least) {
    return (2 * (size_t)(s->rows / least) + 1) * sizeof(tulle__row_stretch);
}

/* Makes the stretches, and returns their number. Successive levels that are too thin to be shared
 * are one stretch. */
static inline int64_t tulle__level_stretches(const tulle__schedule *s, int64_t least, int threads,
                                             tulle__row_stretch *stretches) {
    const int64_t *begins = s->level_begins;
    int64_t count = 0;
    for (int64_t level = 0; level < s->levels;) {
        const int64_t begin = begins[level], after = count;
        int64_t end = begins[++level];
        const int64_t shares = tulle__level_shares(end - begin, least, threads);
        if (shares > 1) {
            for (int64_t k = 0; k < shares; k++) {
                stretches[count++] =
                    (tulle__row_stretch){begin + (end - begin) * k / shares,
                                         begin + (end - begin) * (k + 1) / shares, after};
            }
        } else {
            while (level < s->levels &&
                   tulle__level_shares(begins[level + 1] - end, least, threads) < 2) {
                end = begins[++level];
            }
            stretches[count++] = (tulle__row_stretch){begin, end, after};
        }
    }
    return count;
}

/* tulle__level_queue_bytes returns the bytes of a queue; the next function makes the queue in such
 * memory. */
static inline size_t tulle__level_queue_bytes(const tulle__schedule *s, int64_t least,
                                              int threads) {
    return tulle__queue_bytes(threads) + tulle__level_bytes(s, least);
}

static inline tulle__queue *tulle__level_queue(const tulle__schedule *s, int64_t least, int threads,
                                               void *memory) {
    tulle__row_stretch *stretches =
        (tulle__row_stretch *)(void *)((char *)memory + tulle__queue_bytes(threads));
    const int64_t count = tulle__level_stretches(s, least, threads, stretches);
    return tulle__queue_make(stretches, count, threads, memory);
}

#endif
