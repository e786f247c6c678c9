/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAPERS_PROFILE_H
#define PAPERS_PROFILE_H

#include "lab/papers/run.h"

/* Has this program run the profiled calls under the profiler, and writes a row with its counters
 * for each. Where there is no profiler, or it may not count, one line says so: that is no failure.
 */
int paper_profile(const paper_settings *settings);

#endif
