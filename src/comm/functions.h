/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of every back end for sums over processes and for threads; see core/place.h. */
#ifndef TULLE_COMM_FUNCTIONS_H
#define TULLE_COMM_FUNCTIONS_H

#include "comm/join.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__COMM_FUNCTIONS(F)                                                                   \
    /* join.cu, join_cpu.c */                                                                      \
    F(join_parts, (const tulle__place *place, const tulle__join *job))                             \
    /* fetch.cu, fetch_cpu.c: copies from the memory of another device, beside the streams, and    \
     * waits (gpu/peers.cuh). */                                                                   \
    F(fetch,                                                                                       \
      (const tulle__place *place, void *to, tulle__device *other, const void *from, size_t bytes))

typedef struct tulle__comm_functions {
    TULLE__COMM_FUNCTIONS(TULLE__MEMBER)
} tulle__comm_functions;

TULLE__COMM_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
