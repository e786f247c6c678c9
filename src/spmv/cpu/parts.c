/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of copies of y (parts.h), in a file of its own: the compiler makes vectors of its
 * loops, which the files of the products forbid. */
#ifndef VALUE

#include "spmv/cpu/parts.h"

#define TULLE__SELF "spmv/cpu/parts.c"
#include "core/each_value.h"

#else

void NAME(tulle__add_copy)(const VALUE *from, int64_t begin, int64_t known, int64_t end,
                           VALUE *to) {
    for (int64_t i = begin; i < known; i++) to[i] += from[i];
    for (int64_t i = known; i < end; i++) to[i] = from[i];
}

void NAME(tulle__add_scaled)(const VALUE *sums, int64_t begin, int64_t end, VALUE beta, VALUE *y) {
    for (int64_t i = begin; i < end; i++) y[i] = sums[i] + beta * y[i];
}

#endif
