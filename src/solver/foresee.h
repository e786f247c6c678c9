/* SPDX-License-Identifier: Apache-2.0 */
/* Number of iterations to launch while the host does not know whether they are wanted. */
#ifndef TULLE_SOLVER_FORESEE_H
#define TULLE_SOLVER_FORESEE_H

#include <stdint.h>

/* Forecasts the iterations from number `last` to the first whose norm is below limit, if norms
 * go on falling as they did last; `known` norms are known, that of iteration i at history[i %
 * TULLE__HISTORY]. INFINITY where they do not fall, or are too few to tell. */
double tulle__iterations_left(const double *history, int64_t last, int64_t known, double limit);

/* Returns the number of iterations to launch now, `batch` at most. `left` iterations are expected,
 * and `launched` of these are launched already. The result is half of the rest, since the end may
 * come sooner; but at least a few, so that the device does not wait for the host. */
int tulle__next_batch(double left, int64_t launched, int batch);

#endif
