/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAPERS_PROFILE_H
#define PAPERS_PROFILE_H

#include "lab/papers/run.h"

/* Runs this program with the profiled calls under the profiler, and writes a row with counters for
 * each call. Where there is no profiler, or the profiler may not count, one line says so, which is
 * no failure. Returns an exit code. */
int paper_profile(const paper_settings *settings);

#endif
