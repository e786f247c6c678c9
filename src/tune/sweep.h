/* SPDX-License-Identifier: Apache-2.0 */
/* The exhaustive search: every point of a space is measured; then again and again those that are
 * still near the best. The counterpart of search.h, and likewise apart from measuring. */
#ifndef TULLE_TUNE_SWEEP_H
#define TULLE_TUNE_SWEEP_H

#include "tune/space.h"

typedef struct tulle__sweep {
    tulle__sample *point; /* tulle__host_alloc */
    int count;
    int now, best;
    int round;
    bool over;
} tulle__sweep;

/* TULLE_OUT_OF_MEMORY, TULLE_TOO_LARGE. */
tulle_status tulle__sweep_start(tulle_ctx *ctx, const tulle__space *space, tulle__sweep *sweep);

/* As tulle__search_step. */
void tulle__sweep_step(tulle__sweep *sweep, double ms);

#endif
