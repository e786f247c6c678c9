/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_PAPERS_PROFILE_H
#define BENCH_PAPERS_PROFILE_H

#include "bench/papers/run.h"

/* Has this program run the profiled calls under the profiler, and writes a row with its counters
 * for each. Where there is no profiler, or it may not count, one line says so: that is no failure.
 */
int bench_paper_profile(const bench_paper_settings *settings);

#endif
