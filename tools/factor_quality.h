/* SPDX-License-Identifier: Apache-2.0 */
/* The quality of factors as a preconditioner. */
#ifndef TOOL_FACTOR_QUALITY_H
#define TOOL_FACTOR_QUALITY_H

#include "tulle/tulle.h"

typedef struct tool_factor_quality {
    double growth; /* largest number of (L U)^-1 A z over the largest number of a random z: about 1
                      for good factors, large where solving is unstable, and the same whatever the
                      units of A and of its rows; 0: A z is 0. Source: E. Chow and Y. Saad,
                      "Experimental study of ILU preconditioners for indefinite matrices" (1997),
                      who take ones for A z */
    double left;   /* factor by which a step of Richardson's iteration x := x + (L U)^-1 (b - A x)
                      multiplies |b - A x|_2, the geometric mean of all steps; 0: the residual
                      became 0, or b is 0 */
    int steps;     /* number of steps: 10, or fewer where |b - A x|_2 is below |b|_2 times the root
                      of the unit roundoff, or not finite */
} tool_factor_quality;

/* Judges factors by an iteration from x = 0, with b = A times a random vector. tulle_factor_solve
 * computes (L U)^-1. */
tulle_status tool_factor_judge(tulle_ctx *ctx, const tulle_mat *A, tulle_factor *F, uint64_t seed,
                               tool_factor_quality *quality);

#endif
