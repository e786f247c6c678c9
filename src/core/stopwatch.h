/* SPDX-License-Identifier: Apache-2.0 */
/* Wall-clock time on the host. */
#ifndef TULLE_CORE_STOPWATCH_H
#define TULLE_CORE_STOPWATCH_H

#include <time.h>

/* Time in seconds since some moment in the past; never goes back. */
static inline double tulle__seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
