/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that every back end has for vectors and multivectors; see core/place.h. */
#ifndef TULLE_VECTOR_FUNCTIONS_H
#define TULLE_VECTOR_FUNCTIONS_H

#include "core/place.h"
#include "vector/jobs.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__VECTOR_FUNCTIONS(F)                                                                 \
    /* elementwise.cu, elementwise_cpu.c */                                                        \
    F(elementwise, (const tulle__place *place, const tulle__elementwise *job))                     \
    /* reduce.cu, reduce_cpu.c */                                                                  \
    F(reduce, (const tulle__place *place, const tulle__reduction *job))                            \
    /* multivector_axpy.cu, multivector_dot.cu, multivector_cpu.c */                               \
    F(multivector_axpy, (const tulle__place *place, const tulle__multi *job))                      \
    F(multivector_dot, (const tulle__place *place, const tulle__multi *job))

typedef struct tulle__vector_functions {
    TULLE__VECTOR_FUNCTIONS(TULLE__MEMBER)
} tulle__vector_functions;

TULLE__VECTOR_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
