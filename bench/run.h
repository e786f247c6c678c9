/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a whole run of the benchmark: matrices x types x transpositions x variants. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "bench/row.h"
#include "bench/settings.h"
#include "tools/common/input.h"

/* Returns an exit code of the tool. */
int bench_run(const bench_settings *settings);

/* Names a matrix: "cant" for "data/cant.mtx.xz"; a specification stays as it is. */
void bench_name_matrix(const char *argument, const tool_source *source, bench_matrix *matrix);

#endif
