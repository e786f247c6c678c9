/* SPDX-License-Identifier: Apache-2.0 */
/* A bell, by which a thread waits for another one: it looks for a short time, then it sleeps
 * until it is woken. */
#ifndef TULLE_CORE_THREADS_BELL_H
#define TULLE_CORE_THREADS_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Counts how often it was rung, by twos; the lowest bit is set while somebody may sleep. */
typedef atomic_uint tulle__bell;

/* Number of times that the bell has been rung: the number to wait with. */
static inline unsigned tulle__bell_count(tulle__bell *bell) {
    return atomic_load_explicit(bell, memory_order_acquire) & ~1u;
}

/* Wakes all that wait. The bell's memory is not touched once they can see that it was rung, so the
 * one who waits may free it. */
void tulle__bell_ring(tulle__bell *bell);

/* Returns once the bell is rung, where it had been rung `seen` times; false: `ms` milliseconds
 * went by without that (0: there is no limit). */
bool tulle__bell_await(tulle__bell *bell, unsigned seen, int ms);

/* Count the threads that may look: workers, and callers that are in a region. Where they are
 * more than the cores, nobody looks. One caller is always counted, since between two of its
 * regions it needs its core. Threads that sleep are left out by tulle__bell_await. */
void tulle__count_worker(int more);
void tulle__count_caller(int more);

/* Makes the calling thread a worker, which it stays. */
void tulle__bell_of_worker(void);

/* Forgets all workers and callers, as a forked child has none. */
void tulle__forget_counts(void);

/* Says how many cores there are. */
void tulle__bell_cores(int cores);

#endif
