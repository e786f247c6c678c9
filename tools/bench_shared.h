/* SPDX-License-Identifier: Apache-2.0 */
/* Measures products and solutions of matrices whose rows a crew shares, for tulle bench. */
#ifndef TOOL_BENCH_SHARED_H
#define TOOL_BENCH_SHARED_H

#include "bench/settings.h"
#include "crew.h"

/* Measures the operation of the settings (spmv or solve) on their matrices: rows as of bench_run,
 * with the number of processes. Returns an exit code of the tool. */
int tool_bench_shared(const tool_crew *crew, const bench_settings *settings);

#endif
