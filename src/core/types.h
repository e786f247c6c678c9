/* SPDX-License-Identifier: Apache-2.0 */
/* The type combinations: a stored and a computed type, one row each, times the offsets and
 * indices of tulle_index. Run tables of kernels are numbered by both: another pair is a row
 * here, and an entry in the tables of the kernels that take it (core/each_type.h, GPU_RUN_ of
 * gpu/gpu.cuh); a kernel without one does not support it. */
#ifndef TULLE_CORE_TYPES_H
#define TULLE_CORE_TYPES_H

#include "tulle/types.h"

/* The list V(NUMBER, stored, computed): type of stored values, and type of vectors, products and
 * sums. The first rows have both the same, in the order of tulle_type. */
#define TULLE__VALUES(V)                                                                           \
    V(F32, TULLE_F32, TULLE_F32)                                                                   \
    V(F64, TULLE_F64, TULLE_F64)                                                                   \
    V(F32_F64, TULLE_F32, TULLE_F64)

/* Numbers of the combinations, TULLE__VALUES_F32 and so on. */
typedef enum tulle__values {
#define V(number, stored, computed) TULLE__VALUES_##number,
    TULLE__VALUES(V)
#undef V
        TULLE__VALUES_COUNT
} tulle__values;

enum { TULLE__TYPE_COUNT = 2, TULLE__INDEX_COUNT = 3 };

/* The combination in which values are computed in the type that they are stored in. */
TULLE_INLINE tulle__values tulle__values_of(tulle_type type) {
    return (tulle__values)type;
}

TULLE_INLINE tulle_type tulle__stored_type(tulle__values values) {
#define V(number, stored, computed) stored,
    const tulle_type types[] = {TULLE__VALUES(V)};
#undef V
    return types[values];
}

TULLE_INLINE tulle_type tulle__computed_type(tulle__values values) {
#define V(number, stored, computed) computed,
    const tulle_type types[] = {TULLE__VALUES(V)};
#undef V
    return types[values];
}

#endif
