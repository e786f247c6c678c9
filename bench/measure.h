/* SPDX-License-Identifier: Apache-2.0 */
/* Measures one variant on one problem: prepares, times calls, and checks the result of one more. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/row.h"

/* Fills the members of the row that depend on the variant: kernel, params, times, preparation,
 * memory, error. Fails with TULLE_UNSUPPORTED where the variant cannot take the problem. */
tulle_status bench_measure(const trial_problem *problem, const bench_variant *variant,
                           const tool_budget *budget, bench_row *row);

#endif
