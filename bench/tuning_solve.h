/* SPDX-License-Identifier: Apache-2.0 */
/* An online search by the calls that an iterative solution makes. */
#ifndef BENCH_TUNING_SOLVE_H
#define BENCH_TUNING_SOLVE_H

#include "bench/tuning.h"

/* Whose products are noted: the tuning's problem's matrix, whose values may change meanwhile. */
typedef struct bench_noted {
    bench_tuning *tuning;
    tulle_tuner *tuner;
    int64_t most;           /* calls; 0: as many as a tuning holds */
    tulle_tuner_info known; /* after the last call; zeros before the first */
} bench_noted;

/* The search has settled, or has had all of its calls: nothing is noted any more. */
bool bench_noted_over(const bench_noted *noted);

/* The matrix as an operator; each product is a call of the tuner, and is noted. noted outlives it.
 */
tulle_status bench_noted_operator(bench_noted *noted, tulle_linop **L);

/* Solves again and again until the search has settled, or has had the settings' calls; each product
 * with A is a call. */
tulle_status bench_tuning_solve(bench_tuning *tuning, tulle_tuner *tuner,
                                const bench_tuning_settings *settings);

/* Notes a call that was made: what the tuner knew before it, and knows after it. */
tulle_status bench_tuning_note(bench_tuning *tuning, tulle_tuner *tuner,
                               const tulle_tuner_info *before, const tulle_tuner_info *after);

#endif
