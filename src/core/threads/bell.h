/* SPDX-License-Identifier: Apache-2.0 */
/* How a thread waits for another one: it looks for a short time, then it sleeps until it is woken.
 */
#ifndef TULLE_CORE_THREADS_BELL_H
#define TULLE_CORE_THREADS_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Counts how often it was rung, by twos; the lowest bit is set while somebody may sleep. */
typedef atomic_uint tulle__bell;

/* How often the bell has been rung: the number to wait with. */
static inline unsigned tulle__bell_count(tulle__bell *bell) {
    return atomic_load_explicit(bell, memory_order_acquire) & ~1u;
}

/* Wakes all that wait. The bell's memory is not touched once they can see that it was rung, so the
 * one who waits may free it. */
void tulle__bell_ring(tulle__bell *bell);

/* Returns once the bell is rung, where it had been rung `seen` times; false: it was not for `ms`
 * milliseconds (0: there is no limit). */
bool tulle__bell_await(tulle__bell *bell, unsigned seen, int ms);

/* The threads that may look: workers, and callers that are in a region. Where they are more than
 * the cores, nobody looks. One caller is always counted, since between two regions of its it needs
 * its core. Who sleeps is left out by tulle__bell_await. */
void tulle__count_worker(int more);
void tulle__count_caller(int more);

/* The calling thread is a worker, and stays one. */
void tulle__bell_of_worker(void);

/* In a forked child there are none. */
void tulle__forget_counts(void);

/* Says how many cores there are. */
void tulle__bell_cores(int cores);

#endif
