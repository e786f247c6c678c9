/* SPDX-License-Identifier: Apache-2.0 */
/* What every back end does around factors; see core/place.h. */
#ifndef TULLE_FACTOR_FUNCTIONS_H
#define TULLE_FACTOR_FUNCTIONS_H

#include "factor/move.h"
#include "factor/steps.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__FACTOR_FUNCTIONS(F)                                                                 \
    /* move.cu, move_cpu.c */                                                                      \
    F(move_rows, (const tulle__place *place, const tulle__move *move))                             \
    /* gpu/list_steps.cu, steps_cpu.c: into steps, which are zeroed; they stay so where nothing is \
       listed. Waits. */                                                                           \
    F(list_steps, (const tulle__place *place, const tulle__steps_task *task, tulle__steps *steps))

typedef struct tulle__factor_functions {
    TULLE__FACTOR_FUNCTIONS(TULLE__MEMBER)
} tulle__factor_functions;

TULLE__FACTOR_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
