/* SPDX-License-Identifier: Apache-2.0 */
/* The search of the run-time tuner, without the measuring: it gets the time of a point, and gives
 * the point to run next. Points are kernels with places on the axes of their parameters. */
#ifndef TULLE_TUNE_SEARCH_H
#define TULLE_TUNE_SEARCH_H

#include <stdbool.h>

#include "core/kernel.h"

enum { TULLE__MOST_CANDIDATES = 24, TULLE__MOST_TRIED = 48 };

typedef struct tulle__point {
    int kernel;                /* index of the kernel in the terrain */
    int at[TULLE__MAX_PARAMS]; /* number of the value of each parameter */
} tulle__point;

/* The data of a kernel that the search uses. */
typedef struct tulle__search_kernel {
    int axes;                      /* number of parameters; the one that matters most comes first */
    int values[TULLE__MAX_PARAMS]; /* number of values of each parameter */
    tulle__point home;             /* point that the kernel's own rule picks */
    double model;                  /* cost of `home` by the kernel's model, in any unit */
} tulle__search_kernel;

/* The points of a search. The kernels are in the order of rising model, but for the first, whose
 * home is the rule's choice, where the search starts. `allowed` returns false for points that are
 * too slow by the model. */
typedef struct tulle__terrain {
    int count;
    tulle__search_kernel candidate[TULLE__MOST_CANDIDATES];
    bool (*allowed)(const void *user, const tulle__point *point);
    const void *user;
    double
        /* milliseconds by which the times of single calls may differ for reasons other than the
         * kernel */
        blur;
    /* milliseconds; a start that takes less is kept, because single calls tell nothing there */
    double shortest;
} tulle__terrain;

typedef struct tulle__sample {
    tulle__point point;
    int samples; /* number of measurements; 0: the kernel cannot take this case */
    double ms;   /* least of the times, in milliseconds */
} tulle__sample;

/* Times of the repeats of a point at the end of a search, in milliseconds. */
typedef struct tulle__turns {
    double least, most;
} tulle__turns;

/* The state of a search; tulle__search_start initialises it. tried[now] is the point to run
 * next. */
typedef struct tulle__search {
    tulle__sample tried[TULLE__MOST_TRIED];
    int count;
    int now, best;
    int calls, most; /* number of measurements taken, and allowed */
    int axis,
        /* axis of the best kernel on which moves are tried; number of axes without a move since
         * then */
        idle;
    int kernels;           /* number of kernels of the terrain that were tried, without the first */
    int repeats;           /* number of repeats, at the end, of the start and of its rival */
    tulle__turns again[2]; /* times of these repeats, of the start and of the rival */
    bool warm;             /* true after the first measurement, which does not count */
    bool over;
} tulle__search;

/* Starts at the rule's choice. most: most measurements, at least 1. */
void tulle__search_start(tulle__search *search, const tulle__terrain *terrain, int most);

/* Takes the time of tried[now] in milliseconds; below 0: the kernel cannot take this case.
 * Afterwards `now` is the point to run next, `best` the best one so far, and `over` is true if the
 * search has ended. */
void tulle__search_step(tulle__search *search, const tulle__terrain *terrain, double ms);

/* Adds a measurement of a point. */
void tulle__sample_add(tulle__sample *trial, double ms);

bool tulle__same_point(const tulle__point *a, const tulle__point *b);

#endif
