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
 * milliseconds (0: there is no limit). The caller is counted among the awake. A thread that waits
 * between parallel regions, outside a team, leaves a core to the thread that is going to call it.
 */
bool tulle__bell_await(tulle__bell *bell, unsigned seen, bool in_team, int ms);

/* The threads of tulle's that have something to do or look for something: members of teams, and
 * workers that do not sleep. Where they are more than the cores, nobody looks. */
void tulle__add_awake(int more);

/* In a forked child, nobody is. */
void tulle__forget_awake(void);

/* Says how many cores there are. */
void tulle__bell_cores(int cores);

#endif
