/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that every back end has for triangles; see core/place.h. */
#ifndef TULLE_TRISOLVE_FUNCTIONS_H
#define TULLE_TRISOLVE_FUNCTIONS_H

#include "trisolve/schedule.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__TRISOLVE_FUNCTIONS(F)                                                               \
    /* schedule_cpu.c, gpu/schedule.cu: the schedule is zeroed. Waits. */                          \
    F(make_schedule,                                                                               \
      (const tulle__place *place, const tulle__schedule_task *task, tulle__schedule *schedule))

typedef struct tulle__trisolve_functions {
    TULLE__TRISOLVE_FUNCTIONS(TULLE__MEMBER)
} tulle__trisolve_functions;

TULLE__TRISOLVE_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
