/* SPDX-License-Identifier: Apache-2.0 */
/* A team does a parallel region: the thread that calls is its member 0, workers are the others. */
#ifndef TULLE_CORE_THREADS_TEAM_H
#define TULLE_CORE_THREADS_TEAM_H

#include <pthread.h>
#include <stdalign.h>

#include "core/threads/bell.h"

enum { TULLE__LINE = 64, TULLE__SHARES = 4 };

/* The iterations of a dynamic loop. They are counted from 0 in chunks, whatever the loop's variable
 * is: arithmetic modulo 2^64 leads back to it. */
typedef struct tulle__share {
    alignas(TULLE__LINE) atomic_uint_least64_t taken; /* number of chunks that members have taken */
    alignas(TULLE__LINE) atomic_uint open;            /* 1 + number of the loop that the share is
                                                         open for */
    uint64_t start, step, end;                        /* values of the loop's variable */
    uint64_t count, chunk;                            /* number of iterations, and of those in a
                                                         chunk */
    atomic_int inside;                                /* number of members that have not left the
                                                         loop */
    tulle__bell left;                                 /* rung when the last member leaves */
    tulle__bell ordered; /* rung when a chunk's ordered part is over; chunks are in their order */
} tulle__share;

/* Workers of one parallel region. A member may be at most TULLE__SHARES loops ahead of the slowest
 * member. */
typedef struct tulle__team {
    int size;
    void (*function)(void *);
    void *data;
    pthread_mutex_t opening;                 /* lock of the opening of shares */
    alignas(TULLE__LINE) atomic_int working; /* number of workers that are in the region */
    tulle__bell done;                        /* rung by the last worker of the region */
    alignas(TULLE__LINE) atomic_int missing; /* number of members that have not come to the
                                                barrier */
    tulle__bell barrier;
    tulle__share share[TULLE__SHARES];
} tulle__team;

/* The role of a thread in the region that it is in; all zero: it is in none. */
typedef struct tulle__member {
    tulle__team *team;   /* team of the region; NULL: the thread is alone */
    int number;          /* number of the member, from 0 */
    unsigned loops;      /* number of dynamic loops that it has begun in the region */
    tulle__share *share; /* share of the loop that it is in */
    tulle__share *alone; /* share for loops of a thread that is alone */
    uint64_t chunk;      /* chunk that it has, of an ordered loop */
} tulle__member;

/* The role of the calling thread. The variable is in the compiler's own model of thread-local ones:
 * the faster model, initial-exec, would keep programs from opening libtulle while they run, since
 * the system reserves little room for that model. */
extern _Thread_local tulle__member tulle__self;

/* Does function(data) as member `number`; NULL: alone. */
void tulle__be_member(tulle__team *team, int number, void (*function)(void *), void *data);

/* Waits until all members have come here. */
void tulle__team_barrier(tulle__team *team);

#endif
