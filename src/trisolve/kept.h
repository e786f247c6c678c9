/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules that are kept with their patterns. */
#ifndef TULLE_TRISOLVE_KEPT_H
#define TULLE_TRISOLVE_KEPT_H

#include "matrix/matrix.h"
#include "trisolve/trisolve.h"

/* Fails if A's format or shape has no triangles. */
tulle_status tulle__triangle_check(const char *function, const tulle_mat *A);

/* Gets the schedule, like tulle__schedule_of (triangle.h), for a checked A, and the time of making
 * it; 0: it existed. */
tulle_status tulle__schedule_timed(tulle_ctx *ctx, const tulle_mat *A, tulle_part part,
                                   tulle_trans op, const tulle__schedule **schedule, double *ms);

#endif
