/* SPDX-License-Identifier: Apache-2.0 */
/* These functions judge what factors are worth as a preconditioner. */
#ifndef TOOL_FACTOR_QUALITY_H
#define TOOL_FACTOR_QUALITY_H

#include "tulle/tulle.h"

typedef struct tool_factor_quality {
    double growth; /* the largest number of (L U)^-1 A z by that of z, z random: about 1 of factors
                      that are good, large where solving is unstable, and the same whatever the
                      units of A and of its rows; 0: A z is 0. Source: E. Chow and Y. Saad,
                      "Experimental study of ILU preconditioners for indefinite matrices" (1997),
                      who take ones for A z */
    double left;   /* by which a step of Richardson's iteration x := x + (L U)^-1 (b - A x)
                      multiplies |b - A x|_2, in the geometric mean of all; 0: nothing is left of it,
                      or b is 0 */
    int steps;     /* of it: 10, or fewer, once less is left than the root of the unit roundoff, or
                      what is left is no finite number */
} tool_factor_quality;

/* From x = 0, with b = A times a random vector. (L U)^-1 is that of tulle_factor_solve. */
tulle_status tool_factor_judge(tulle_ctx *ctx, const tulle_mat *A, tulle_factor *F, uint64_t seed,
                               tool_factor_quality *quality);

#endif
