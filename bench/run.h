/* SPDX-License-Identifier: Apache-2.0 */
/* A whole run of the benchmark: matrices x types x transpositions x variants. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "bench/settings.h"

/* An exit code of the tool. */
int bench_run(const bench_settings *settings);

#endif
