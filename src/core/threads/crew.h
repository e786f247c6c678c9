/* SPDX-License-Identifier: Apache-2.0 */
/* The workers of this process: threads that sleep until a team wants them. */
#ifndef TULLE_CORE_THREADS_CREW_H
#define TULLE_CORE_THREADS_CREW_H

#include "core/threads/team.h"

typedef struct tulle__worker {
    alignas(TULLE__LINE) tulle__bell called; /* rung when there is a team for it */
    tulle__team *team;
    int number;                 /* of its member in the team */
    struct tulle__worker *next; /* in the list of the idle ones, or of a team's */
} tulle__worker;

/* So many workers as a list; fewer where the system gives no more threads. */
typedef struct tulle__workers {
    tulle__worker *first, *last;
    int count;
} tulle__workers;
tulle__workers tulle__crew_take(int wanted);

/* They are idle again. */
void tulle__crew_return(const tulle__workers *workers);

/* What critical and atomic parts hold, whatever their names: one lock, which a thread may take
 * again, since a part may be within one of another name. */
void tulle__exclusive_start(void);
void tulle__exclusive_end(void);

#endif
