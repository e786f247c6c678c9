/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_CLOCK_H
#define TOOL_CLOCK_H

#include <time.h>

/* Seconds of a clock that only goes forward. */
static inline double tool_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
