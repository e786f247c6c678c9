/* SPDX-License-Identifier: Apache-2.0 */
/* How a tuner comes to its choice on one problem: each call of its search, and what the kernels
 * that it ran take when they are measured for themselves. */
#ifndef BENCH_TUNING_H
#define BENCH_TUNING_H

#include "bench/row.h"
#include "bench/session.h"

/* What tulle tune asks for. */
typedef struct bench_tuning_settings {
    int search;        /* BENCH_ONLINE, BENCH_EXHAUSTIVE or TRIAL_BOTH */
    const char *cache; /* as in tulle_tuner_options */
    const char *spec;  /* likewise, of both searches; NULL: all kernels */
    int64_t calls;     /* of the online search; 0: until it has settled */
    bool solving; /* it is made by the products of an iterative solution, A x = the problem's x */
    tulle_method method;                /* then: by which method */
    const bench_experiment *experiment; /* of the rows; NULL: none */
} bench_tuning_settings;

enum { BENCH_ONLINE, BENCH_EXHAUSTIVE };

/* A kernel with its parameters, measured for itself. */
typedef struct bench_tuned {
    bench_variant variant;
    bench_row row;
} bench_tuned;

enum { BENCH_TUNED = 96, BENCH_CALLS = 1000 };

/* A call of the search. */
typedef struct bench_call_made {
    int ran, best; /* of bench_tuning.tuned: what it ran, and the best known after it */
    double ms;     /* in the call; 0: it was not timed any more */
    bool counts;
} bench_call_made;

typedef struct bench_tuning {
    const bench_place *place;
    const bench_experiment *experiment; /* NULL: none */
    const bench_matrix *matrix;
    const trial_problem *problem;
    bench_tuned tuned[BENCH_TUNED];
    int tuned_count;
    bench_call_made call[BENCH_CALLS]; /* online */
    int calls;
    int settled;                  /* after so many calls; 0: not yet */
    bool from_cache;              /* it began with the end of an earlier search */
    tulle_tuner_cache_info cache; /* online; path "": none */
    char cache_path[4096];
    int points;     /* that the exhaustive search measured; 0: there was none */
    int exhaustive; /* of tuned: the best of all; -1: not known */
} bench_tuning;

/* Runs the searches and measures what they ran. */
tulle_status bench_tuning_run(const trial_problem *problem, const bench_tuning_settings *settings,
                              const tool_budget *budget, bench_tuning *tuning);

/* The time of the best known after a call over that of the exhaustive search's; NaN without one. */
double bench_tuning_of_exhaustive(const bench_tuning *tuning, int tuned);

/* For people. */
void bench_tuning_report(const bench_tuning *tuning, FILE *file);

/* A JSON line for each call, and one for the exhaustive search; false, and errno, when they cannot
 * be written. */
bool bench_tuning_write(const bench_tuning *tuning, FILE *file);

#endif
