/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of every back end for entries of one or two sparse matrices; see core/place.h. */
#ifndef TULLE_ALGEBRA_FUNCTIONS_H
#define TULLE_ALGEBRA_FUNCTIONS_H

#include "algebra/add.h"
#include "algebra/pick.h"
#include "algebra/scale.h"
#include "algebra/sums.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__ALGEBRA_FUNCTIONS(F)                                                                \
    /* add.cu, add_cpu.c (waits) */                                                                \
    F(add, (const tulle__place *place, tulle__add_task *task))                                     \
    /* add.cu, add_cpu.c: c.values of operands that have the same pattern, which is C's too */     \
    F(add_values, (const tulle__place *place, const tulle__add_task *task))                        \
    /* scale.cu, scale_cpu.c */                                                                    \
    F(scale_entries, (const tulle__place *place, const tulle__scaling *job))                       \
    /* sums.cu, sums_cpu.c */                                                                      \
    F(sum_rows, (const tulle__place *place, const tulle__summing *job))                            \
    /* pick.cu, pick_cpu.c (waits) */                                                              \
    F(pick_entries, (const tulle__place *place, tulle__pick *pick))

typedef struct tulle__algebra_functions {
    TULLE__ALGEBRA_FUNCTIONS(TULLE__MEMBER)
} tulle__algebra_functions;

TULLE__ALGEBRA_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
