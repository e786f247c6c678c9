/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that every back end has for vectors and multivectors; see core/place.h. */
#ifndef TULLE_DENSE_FUNCTIONS_H
#define TULLE_DENSE_FUNCTIONS_H

#include "core/place.h"
#include "dense/gather.h"

TULLE_BEGIN

/* F(name, (arguments)) */
#define TULLE__DENSE_FUNCTIONS(F)                                                                  \
    /* dense.* */                                                                                  \
    F(fill, (const tulle__place *place, tulle_type type, int64_t rows, int64_t cols, int64_t ld,   \
             tulle_layout layout, void *data, double value))                                       \
    F(random, (const tulle__place *place, tulle_type type, int64_t rows, int64_t cols, int64_t ld, \
               tulle_layout layout, void *data, uint64_t seed))                                    \
    /* gather.* */                                                                                 \
    F(gather_rows, (const tulle__place *place, const tulle__gather *job))                          \
    F(scatter_rows, (const tulle__place *place, const tulle__gather *job))

typedef struct tulle__dense_functions {
    TULLE__DENSE_FUNCTIONS(TULLE__MEMBER)
} tulle__dense_functions;

TULLE__DENSE_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
