/* SPDX-License-Identifier: Apache-2.0 */
/* The exhaustive search: every point of a space is measured; then those that are still near the
 * best are measured again and again. Like search.h, the sweep does not measure. */
#ifndef TULLE_TUNE_SWEEP_H
#define TULLE_TUNE_SWEEP_H

#include "tune/space.h"

typedef struct tulle__sweep {
    tulle__sample *point; /* all points; owned, from tulle__host_alloc */
    int count;
    int now, best;
    int round;
    bool over;
} tulle__sweep;

/* Starts a sweep. Fails with TULLE_OUT_OF_MEMORY or TULLE_TOO_LARGE. */
tulle_status tulle__sweep_start(tulle_ctx *ctx, const tulle__space *space, tulle__sweep *sweep);

/* Takes the time of point[now], as tulle__search_step does. */
void tulle__sweep_step(tulle__sweep *sweep, double ms);

#endif
