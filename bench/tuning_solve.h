/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an online search by the calls that an iterative solution makes. */
#ifndef BENCH_TUNING_SOLVE_H
#define BENCH_TUNING_SOLVE_H

#include "bench/tuning.h"

/* A tuning whose products are noted; the matrix is that of the tuning's problem, and its values may
 * change meanwhile. */
typedef struct bench_noted {
    bench_tuning *tuning;
    tulle_tuner *tuner;
    int64_t most;           /* most calls that are noted; 0: as many as a tuning holds */
    tulle_tuner_info known; /* state of the tuner after the last call; zeros before the first */
} bench_noted;

/* Returns whether the search has settled, or has had all of its calls: no call is noted any
 * more. */
bool bench_noted_over(const bench_noted *noted);

/* Makes an operator of the matrix; each product is a call of the tuner, and is noted. `noted` must
 * outlive the operator. */
tulle_status bench_noted_operator(bench_noted *noted, tulle_linop **L);

/* Solves again and again until the search has settled, or has had as many calls as the settings
 * allow; each product with A is a call. */
tulle_status bench_tuning_solve(bench_tuning *tuning, tulle_tuner *tuner,
                                const bench_tuning_settings *settings);

/* Notes a call that was made, by the tuner's state before and after the call. */
tulle_status bench_tuning_note(bench_tuning *tuning, tulle_tuner *tuner,
                               const tulle_tuner_info *before, const tulle_tuner_info *after);

#endif
