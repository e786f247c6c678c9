/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that every back end has for factors; see core/place.h. */
#ifndef TULLE_FACTOR_FUNCTIONS_H
#define TULLE_FACTOR_FUNCTIONS_H

#include "factor/lower.h"
#include "factor/move.h"
#include "factor/steps.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__FACTOR_FUNCTIONS(F)                                                                 \
    /* move.cu, move_cpu.c */                                                                      \
    F(move_rows, (const tulle__place *place, const tulle__move *move))                             \
    /* gpu/lower.cu, lower_cpu.c: the offsets, and how many entries there are (waits), -1 where a  \
       diagonal lacks; then what they say. */                                                      \
    F(lower_offsets,                                                                               \
      (const tulle__place *place, const tulle__lower_task *task, int64_t *host_entries))           \
    F(lower_entries, (const tulle__place *place, const tulle__lower_task *task, int64_t entries))  \
    /* gpu/list_steps.cu, steps_cpu.c: into steps, which are zeroed; they stay so where nothing is \
       listed. Waits. */                                                                           \
    F(list_steps, (const tulle__place *place, const tulle__steps_task *task, tulle__steps *steps))

typedef struct tulle__factor_functions {
    TULLE__FACTOR_FUNCTIONS(TULLE__MEMBER)
} tulle__factor_functions;

TULLE__FACTOR_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
