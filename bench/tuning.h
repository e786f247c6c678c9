/* SPDX-License-Identifier: Apache-2.0 */
/* Follows a tuner on one problem to its choice: measures each call of its search, and, outside of
 * the search, the kernels that the search ran. */
#ifndef BENCH_TUNING_H
#define BENCH_TUNING_H

#include "bench/row.h"
#include "bench/session.h"

/* Settings that the command line of tulle tune asks for. */
typedef struct bench_tuning_settings {
    int search;        /* BENCH_ONLINE, BENCH_EXHAUSTIVE or TRIAL_BOTH */
    const char *cache; /* the tuner's cache, as in tulle_tuner_options */
    /* kernels that both searches try, as in tulle_tuner_options; NULL: all kernels */
    const char *spec;
    int64_t calls; /* calls of the online search; 0: until it has settled */
    /* the online search runs in the products of an iterative solution of A x = b, with the
     * problem's x */
    bool solving;
    tulle_method method;                /* method of that solution, where `solving` */
    const bench_experiment *experiment; /* experiment that the rows belong to; NULL: none */
} bench_tuning_settings;

enum { BENCH_ONLINE, BENCH_EXHAUSTIVE };

/* A kernel with its parameters, measured outside of the search. */
typedef struct bench_tuned {
    bench_variant variant;
    bench_row row;
} bench_tuned;

enum { BENCH_TUNED = 96, BENCH_CALLS = 1000 };

/* A call of the online search. */
typedef struct bench_call_made {
    /* numbers in bench_tuning.tuned of the kernel that the call ran, and of the best known after
     * the call */
    int ran, best;
    double ms; /* time measured in the call; 0: calls were not timed any more */
    bool counts;
} bench_call_made;

typedef struct bench_tuning {
    const bench_place *place;
    const bench_experiment *experiment; /* NULL: no experiment */
    const bench_matrix *matrix;
    const trial_problem *problem;
    bench_tuned tuned[BENCH_TUNED];
    int tuned_count;
    bench_call_made call[BENCH_CALLS]; /* calls of the online search */
    int calls;
    /* number of calls after which the online search had settled; 0: not yet */
    int settled;
    /* the online search began with the outcome of an earlier search */
    bool from_cache;
    tulle_tuner_cache_info cache; /* cache of the online search; path "": none */
    char cache_path[4096];
    /* number of points that the exhaustive search measured; 0: there was no such search */
    int points;
    int exhaustive; /* number in `tuned` of the best of all; -1: not known */
} bench_tuning;

/* Runs the searches, and measures the kernels that they ran. */
tulle_status bench_tuning_run(const trial_problem *problem, const bench_tuning_settings *settings,
                              const tool_budget *budget, bench_tuning *tuning);

/* Returns the time of the exhaustive search's best over that of a kernel of the list; NaN without
 * an exhaustive search. */
double bench_tuning_of_exhaustive(const bench_tuning *tuning, int tuned);

/* Prints the searches for people. */
void bench_tuning_report(const bench_tuning *tuning);

/* Writes a JSON line for each call, and one for the exhaustive search; false, with errno set, when
 * a line cannot be written. */
bool bench_tuning_write(const bench_tuning *tuning, FILE *file);

#endif
