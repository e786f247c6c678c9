/* SPDX-License-Identifier: Apache-2.0 */
/* The search of the run-time tuner, apart from measuring: it is told how long a point took and says
 * which to run next. Points are kernels with places on the axes of their parameters. */
#ifndef TULLE_TUNE_SEARCH_H
#define TULLE_TUNE_SEARCH_H

#include <stdbool.h>

#include "core/kernel.h"

enum { TULLE__MOST_CANDIDATES = 24, TULLE__MOST_TRIED = 48 };

typedef struct tulle__point {
    int kernel;                /* of the terrain */
    int at[TULLE__MAX_PARAMS]; /* which value of each parameter */
} tulle__point;

/* A kernel as the search sees it. */
typedef struct tulle__search_kernel {
    int axes;                      /* parameters, the one that matters most first */
    int values[TULLE__MAX_PARAMS]; /* how many each has */
    tulle__point home;             /* what its own rule picks */
    double model;                  /* what the model says of it there; the unit does not matter */
} tulle__search_kernel;

/* Where there are points. Kernels stand by rising model, but for the first: its home is the rule's
 * choice, where the search starts. Which points are too slow by the model is for `allowed` to
 * say. */
typedef struct tulle__terrain {
    int count;
    tulle__search_kernel candidate[TULLE__MOST_CANDIDATES];
    bool (*allowed)(const void *user, const tulle__point *point);
    const void *user;
    double
        blur; /* ms by which the times of single calls may differ for no reason of the kernel's */
    double shortest; /* ms; a start that takes less stays: single calls tell nothing there */
} tulle__terrain;

typedef struct tulle__sample {
    tulle__point point;
    int samples; /* 0: it was not its case */
    double ms;   /* the least of them */
} tulle__sample;

/* Repeats of a point at the end of a search, in ms. */
typedef struct tulle__turns {
    double least, most;
} tulle__turns;

/* Zero-initialised by tulle__search_start; tried[now] is what to run next. */
typedef struct tulle__search {
    tulle__sample tried[TULLE__MOST_TRIED];
    int count;
    int now, best;
    int calls, most; /* measurements taken, and allowed */
    int axis,
        idle;    /* of the best kernel: where moves are looked for; axes without one since then */
    int kernels; /* of the terrain, tried besides the first */
    int repeats; /* of the start and of its rival, the best, at the end */
    tulle__turns again[2]; /* of each */
    bool warm;             /* the first measurement, which does not count, is over */
    bool over;
} tulle__search;

/* Starts at the rule's choice. most: measurements at the most, at least 1. */
void tulle__search_start(tulle__search *search, const tulle__terrain *terrain, int most);

/* Takes the time of tried[now], in ms; below 0: the kernel cannot take this case. Then now is what
 * to run next, and best the best so far; over: the search has ended. */
void tulle__search_step(tulle__search *search, const tulle__terrain *terrain, double ms);

/* One more measurement of a point. */
void tulle__sample_add(tulle__sample *trial, double ms);

bool tulle__same_point(const tulle__point *a, const tulle__point *b);

#endif
