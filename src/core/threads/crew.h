/* SPDX-License-Identifier: Apache-2.0 */
/* The workers of this process: threads that sleep until a team wants them. */
#ifndef TULLE_CORE_THREADS_CREW_H
#define TULLE_CORE_THREADS_CREW_H

#include "core/threads/team.h"

/* The lines of a worker have one writer at a time: the first one the thread that calls the worker,
 * the second one who holds the list that the worker is in, and rarely, since regions that follow
 * each other have the same list. */
typedef struct tulle__worker {
    alignas(TULLE__LINE) tulle__bell called; /* rung when there is a team for the worker */
    tulle__team *team;
    int number; /* number of the worker's member in the team */
    alignas(
        TULLE__LINE) struct tulle__worker *next; /* next worker of the idle ones, or of a team's */
} tulle__worker;

/* Takes `count` workers as a list; fewer where the system gives no more threads. */
typedef struct tulle__workers {
    tulle__worker *first, *last;
    int count;
} tulle__workers;
tulle__workers tulle__crew_take(int wanted);

/* Calls the workers of a list as members 1, 2, ... of the team. Waking a thread takes microseconds,
 * and even a thread that looks has its line in another cache: the caller calls each
 * TULLE__CALLED_BY_ONE-th worker, and that one calls those behind it. */
enum { TULLE__CALLED_BY_ONE = 4 };
void tulle__crew_call(const tulle__workers *workers, tulle__team *team);

/* Puts the workers of a list back among the idle ones. */
void tulle__crew_return(const tulle__workers *workers);

/* Begin and end a critical or atomic part, whatever its name: one lock, which a thread may take
 * again, since a part may be within one of another name. */
void tulle__exclusive_start(void);
void tulle__exclusive_end(void);

#endif
