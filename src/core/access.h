/* SPDX-License-Identifier: Apache-2.0 */
/* Access to arrays whose element size is known at run time. The branch is the same for a whole
 * array, so that it costs next to nothing where a loop is not bound by arithmetic. Compiles as
 * C17 and CUDA C++. */
#ifndef TULLE_CORE_ACCESS_H
#define TULLE_CORE_ACCESS_H

#include "tulle/types.h"

TULLE_INLINE int64_t tulle__get(const void *array, int64_t size, int64_t i) {
    return size == 4 ? ((const int32_t *)array)[i] : ((const int64_t *)array)[i];
}

TULLE_INLINE void tulle__put(void *array, int64_t size, int64_t i, int64_t value) {
    if (size == 4) {
        ((int32_t *)array)[i] = (int32_t)value;
    } else {
        ((int64_t *)array)[i] = value;
    }
}

/* alpha or beta of a CPU task, in the computed type. */
#define tulle__scalar_value(computed, scalar)                                                      \
    ((scalar).address ? *(const computed *)(scalar).address : (computed)(scalar).number)

/* to[i] := from[j] */
TULLE_INLINE void tulle__move_value(tulle_type type, void *to, int64_t i, const void *from,
                                    int64_t j) {
    if (type == TULLE_F32) {
        ((float *)to)[i] = ((const float *)from)[j];
    } else {
        ((double *)to)[i] = ((const double *)from)[j];
    }
}

/* to[i] := to[i] + from[j], in the value type */
TULLE_INLINE void tulle__add_value(tulle_type type, void *to, int64_t i, const void *from,
                                   int64_t j) {
    if (type == TULLE_F32) {
        ((float *)to)[i] += ((const float *)from)[j];
    } else {
        ((double *)to)[i] += ((const double *)from)[j];
    }
}

#endif
