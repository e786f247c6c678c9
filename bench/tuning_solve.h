/* SPDX-License-Identifier: Apache-2.0 */
/* An online search by the calls that an iterative solution makes. */
#ifndef BENCH_TUNING_SOLVE_H
#define BENCH_TUNING_SOLVE_H

#include "bench/tuning.h"

/* Solves again and again until the search has settled, or has had the settings' calls; each product
 * with A is a call. */
tulle_status bench_tuning_solve(bench_tuning *tuning, tulle_tuner *tuner,
                                const bench_tuning_settings *settings);

/* Notes a call that was made: what the tuner knew before it, and knows after it. */
tulle_status bench_tuning_note(bench_tuning *tuning, tulle_tuner *tuner,
                               const tulle_tuner_info *before, const tulle_tuner_info *after);

#endif
