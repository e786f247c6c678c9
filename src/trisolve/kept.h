/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules, kept with their patterns. */
#ifndef TULLE_TRISOLVE_KEPT_H
#define TULLE_TRISOLVE_KEPT_H

#include "matrix/matrix.h"
#include "trisolve/trisolve.h"

/* Whether A's format and shape have triangles. */
tulle_status tulle__triangle_check(const char *function, const tulle_mat *A);

/* tulle__schedule_of (triangle.h) for a checked A, and what making it took; 0: it was known. */
tulle_status tulle__schedule_timed(tulle_ctx *ctx, const tulle_mat *A, tulle_part part,
                                   tulle_trans op, const tulle__schedule **schedule, double *ms);

#endif
