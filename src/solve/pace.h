/* SPDX-License-Identifier: Apache-2.0 */
/* Ends an attempt whose iterations so far gain too little. */
#ifndef TULLE_SOLVE_PACE_H
#define TULLE_SOLVE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "tulle/solver.h"

/* Number of iterations after which an attempt is judged. */
enum { TULLE__EARLY = 5 };

typedef struct tulle__pace {
    double slowest; /* mean factor of the norm from which an attempt is ended; 0: none is */
    int64_t stall;  /* iteration by which the norm must have fallen below its start; 0: none */
    double limit; /* share of the norm at the start that ends the attempt; 0: nothing is foretold */
    double start; /* norm before the first iteration */
    double mark;  /* norm at iteration `stall` */
    double largest;           /* largest norm so far */
    int64_t at;               /* iteration that had the largest norm */
    double factor;            /* mean factor of the iterations after that; 0: there were fewer */
    bool slow;                /* the attempt was ended for its first iterations */
    bool stalled;             /* the attempt was ended because the norm had not fallen */
    bool late;                /* the attempt was ended because it was going to take too long */
    tulle_monitor_fn monitor; /* the caller's monitor, which is told everything first */
    void *user;
} tulle__pace;

/* Adds to the options of a solution a monitor that measures the pace and ends the attempt at
 * iteration TULLE__EARLY if it is too slow, and at iteration `stall` if the norm has not fallen;
 * adds none where both are 0. The norms up to that iteration decide alone, so the decision repeats
 * from run to run; x does not repeat, because a device may have made more iterations by then. The
 * pace is measured from the largest norm on, because the norm of b - A x grows in the first
 * iteration where b is smooth, 28 times for p2d5:300. CG on an elliptic problem carries a value by
 * one row an iteration, and the norm stays where it is until values have crossed the domain: a norm
 * that has not fallen after so many iterations asks for some four times as many (docs/lab-notes.md,
 * "A norm that does not fall"). */
void tulle__pace_begin(tulle__pace *pace, double slowest, int64_t stall,
                       tulle_solver_options *options);

/* Has the attempt ended at iteration 2 `stall`, too, if it is going to take more than 4 `stall`,
 * which is the time that other ways have. `limit` is the share of the norm at the start that is a
 * solution. Where the norm fell by about the same factor in both quarters it will go on so; else
 * twice as fast at best, since CG gathers speed once it knows the ends of the spectrum: on grids,
 * where the norm falls fast only at first, the rest takes half of the iterations that the second
 * quarter foretells (docs/lab-notes.md, "A norm at half-time"). */
void tulle__pace_foretell(tulle__pace *pace, double limit);

#endif
