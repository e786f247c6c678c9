/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of every back end for sums over processes; see core/place.h. */
#ifndef TULLE_COMM_FUNCTIONS_H
#define TULLE_COMM_FUNCTIONS_H

#include "comm/join.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__COMM_FUNCTIONS(F)                                                                   \
    /* join.cu, join_cpu.c */                                                                      \
    F(join_parts, (const tulle__place *place, const tulle__join *job))

typedef struct tulle__comm_functions {
    TULLE__COMM_FUNCTIONS(TULLE__MEMBER)
} tulle__comm_functions;

TULLE__COMM_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
