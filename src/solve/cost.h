/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of an iteration with incomplete factors, over that with the diagonal, by counts alone.
 */
#ifndef TULLE_SOLVE_COST_H
#define TULLE_SOLVE_COST_H

#include "solve/levels.h"
#include "solve/parts.h"
#include "tulle/reorder.h"

typedef struct tulle__cost {
    double ratio;  /* time of an iteration with factors without fill over that with the diagonal */
    double making; /* time of computing the factors, in products with A; 0 where nobody counted */
    double chain;  /* number of rows in the longest chain of rows that wait for each other in the
                      lower triangle; 0 where nobody counted */
    double iteration; /* nanoseconds of an iteration with the diagonal on a GPU; 0 elsewhere */
} tulle__cost;

/* Finds the cost of factors with A's pattern, A in CSR or BSR, of which `way` has the method and
 * the block size. Rows of a triangle wait for each other: how long the chains are is counted on a
 * CPU (levels.h), and elsewhere found by the analysis that solving needs anyway. *levels keeps the
 * count for the next call with the same rows; levels 0: there is none yet. */
tulle_status tulle__cost_find(tulle_ctx *ctx, tulle_mat *A, const tulle_facts *facts,
                              const tulle__way *way, tulle__levels *levels, tulle__cost *cost);

/* Returns the least time that making complete factors of A can take, in iterations of `way`: that
 * of an order, and of factors without fill. */
double tulle__cost_complete_least(const tulle_mat_info *A, const tulle_facts *facts,
                                  const tulle__way *way);

/* Finds the time of making complete factors of A, in CSR on a CPU, in iterations of `way`;
 * infinite where it is more than `most`. The order of the factors is handed out, and the time of
 * its search in milliseconds. */
tulle_status tulle__cost_complete(tulle_ctx *ctx, tulle_mat *A, const tulle_facts *facts,
                                  const tulle__way *way, double most, double *iterations,
                                  tulle_order **order, double *order_ms);

#endif
