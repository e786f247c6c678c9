/* SPDX-License-Identifier: Apache-2.0 */
/* Ends an attempt after its first iterations where these gain too little. */
#ifndef TULLE_SOLVE_PACE_H
#define TULLE_SOLVE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "tulle/solver.h"

/* Number of iterations after which an attempt is judged. */
enum { TULLE__EARLY = 5 };

typedef struct tulle__pace {
    double slowest; /* mean factor of the norm from which an attempt is ended; 0: none is */
    double largest; /* largest norm so far */
    int64_t at;     /* iteration that had the largest norm */
    double factor;  /* mean factor of the iterations after that; 0: there were fewer */
    bool slow;      /* the attempt was ended */
    tulle_monitor_fn monitor; /* the caller's monitor, which is told everything first */
    void *user;
} tulle__pace;

/* Adds to the options of a solution a monitor that measures the pace and ends the attempt at
 * iteration TULLE__EARLY if it is too slow; adds none where slowest is 0. The norms up to that
 * iteration decide alone, so the decision repeats from run to run; x does not repeat, because a
 * device may have made more iterations by then. The pace is measured from the largest norm on,
 * because the norm of b - A x grows in the first iteration where b is smooth, 28 times for
 * p2d5:300. */
void tulle__pace_begin(tulle__pace *pace, double slowest, tulle_solver_options *options);

#endif
