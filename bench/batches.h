/* SPDX-License-Identifier: Apache-2.0 */
/* --op batch: the operations of batches, one after another, each as if it were asked for alone. */
#ifndef BENCH_BATCHES_H
#define BENCH_BATCHES_H

#include "bench/settings.h"

/* Whether a name asks for all of them. */
bool bench_batches_wanted(const char *name);

/* Runs each with settings of its own, made of those for all: operands of its kind, sizes as
 * 128x1000 or matrices, or a size of its own where there are none; the same of vectors where
 * default_vectors. The first exit code that is not TOOL_OK; bad input ends it. */
int bench_batches_run(const bench_settings *all, bool default_vectors,
                      int (*run)(bench_settings *one));

#endif
