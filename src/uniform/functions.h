/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that every back end has for uniform batches; see core/place.h. */
#ifndef TULLE_UNIFORM_FUNCTIONS_H
#define TULLE_UNIFORM_FUNCTIONS_H

#include "uniform/jobs.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__UNIFORM_FUNCTIONS(F)                                                                \
    /* product.cu, product_cpu.c */                                                                \
    F(uniform_spmv, (const tulle__place *place, const tulle__uniform_product *job))                \
    /* solve.cu, solve_cpu.c; teams fills in teams and team_bytes */                               \
    F(uniform_teams, (const tulle__place *place, tulle__uniform_solution *job))                    \
    F(uniform_solve, (const tulle__place *place, const tulle__uniform_solution *job))              \
    /* factor.cu, factor_cpu.c */                                                                  \
    F(uniform_factor, (const tulle__place *place, const tulle__uniform_factors *job))              \
    F(uniform_sweep, (const tulle__place *place, const tulle__uniform_sweeps *job))                \
    /* dense.cu, dense_cpu.c */                                                                    \
    F(uniform_dense, (const tulle__place *place, const tulle__uniform_dense *job))

typedef struct tulle__uniform_functions {
    TULLE__UNIFORM_FUNCTIONS(TULLE__MEMBER)
} tulle__uniform_functions;

TULLE__UNIFORM_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
