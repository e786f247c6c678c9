/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of every back end for solvers; see core/place.h. */
#ifndef TULLE_SOLVER_FUNCTIONS_H
#define TULLE_SOLVER_FUNCTIONS_H

#include "core/place.h"
#include "solver/column.h"
#include "solver/orthogonal.h"
#include "solver/stages.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__SOLVER_FUNCTIONS(F)                                                                 \
    /* stages.cu, stages_cpu.c */                                                                  \
    F(stage, (const tulle__place *place, const tulle__stage *stage))                               \
    F(put_state,                                                                                   \
      (const tulle__place *place, tulle__solve_state *to, const tulle__solve_state *state))        \
    /* column.cu, column_cpu.c */                                                                  \
    F(column, (const tulle__place *place, const tulle__column *column))                            \
    F(combine, (const tulle__place *place, const tulle__column *column))                           \
    /* orthogonal.cu, orthogonal_cpu.c */                                                          \
    F(orthogonal, (const tulle__place *place, const tulle__orthogonal *orthogonal))                \
    /* w := w + V first */                                                                         \
    F(add_columns, (const tulle__place *place, const tulle__orthogonal *orthogonal))

typedef struct tulle__solver_functions {
    TULLE__SOLVER_FUNCTIONS(TULLE__MEMBER)
} tulle__solver_functions;

TULLE__SOLVER_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
