/* SPDX-License-Identifier: Apache-2.0 */
/* Number of iterations to launch while the host does not know whether they are wanted. */
#ifndef TULLE_SOLVE_FORESEE_H
#define TULLE_SOLVE_FORESEE_H

#include <stdint.h>

/* Forecasts the iterations from number `last` to the first whose norm is below limit, if norms
 * go on falling as they did last; `known` norms are known, that of iteration i at history[i %
 * TULLE__HISTORY]. INFINITY where they do not fall, or are too few to tell. */
double tulle__iterations_left(const double *history, int64_t last, int64_t known, double limit);

/* Number of iterations to launch now, `batch` at most, where `left` are expected and `launched`
 * of them are on their way: half of the others, since the end may come sooner, but a few, lest
 * the device waits for the host. */
int tulle__next_batch(double left, int64_t launched, int batch);

#endif
