/* SPDX-License-Identifier: Apache-2.0 */
/* --op batch runs the operations of batches one after another, each as if it were asked for
 * alone. */
#ifndef BENCH_BATCHES_H
#define BENCH_BATCHES_H

#include "bench/settings.h"

/* Returns whether the name of an operation asks for all operations of batches. */
bool bench_batches_wanted(const char *name);

/* Runs each operation of batches with settings of its own, made of the settings for all: its
 * operands are those of its kind (sizes as 128x1000, or matrices), or a size of its own where none
 * is given; its numbers of vectors are its own where default_vectors. Returns the first exit code
 * that is not TOOL_OK; bad input ends the run. */
int bench_batches_run(const bench_settings *all, bool default_vectors,
                      int (*run)(bench_settings *one));

#endif
