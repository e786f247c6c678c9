/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of every back end for solvers; see core/place.h. */
#ifndef TULLE_SOLVE_FUNCTIONS_H
#define TULLE_SOLVE_FUNCTIONS_H

#include "core/place.h"
#include "solve/column.h"
#include "solve/orthogonal.h"
#include "solve/stages.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__SOLVE_FUNCTIONS(F)                                                                  \
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

typedef struct tulle__solve_functions {
    TULLE__SOLVE_FUNCTIONS(TULLE__MEMBER)
} tulle__solve_functions;

TULLE__SOLVE_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
