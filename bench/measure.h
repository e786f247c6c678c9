/* SPDX-License-Identifier: Apache-2.0 */
/* One variant on one problem: prepared, checked, timed, checked again. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/row.h"

/* Fills what depends on the variant: kernel, params, times, preparation, memory, error. Fails with
 * TULLE_UNSUPPORTED where the variant cannot take the problem. */
tulle_status bench_measure(const trial_problem *problem, const bench_variant *variant,
                           const tool_budget *budget, bench_row *row);

#endif
