/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_TIMING_H
#define TOOL_TIMING_H

#include "tulle/tulle.h"

/* Milliseconds of one call: median and deciles. */
typedef struct tool_timing {
    double median, q10, q90;
} tool_timing;

/* Times a call `repeat` times back to back with the context's own clock. Fails as the call does,
 * or with TULLE_CANCELLED. */
tulle_status tool_time(tulle_ctx *ctx, int repeat, tulle_status (*call)(void *user), void *user,
                       tool_timing *timing);

/* The bandwidth of the context's memory; 0 where there is no memory to measure it with. */
tulle_status tool_bandwidth(tulle_ctx *ctx, double *gbs);

#endif
