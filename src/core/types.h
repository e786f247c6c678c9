/* SPDX-License-Identifier: Apache-2.0 */
/* The type combinations: a stored and a computed type, one row each, times the offsets and
 * indices of tulle_index. Run tables of kernels are numbered by both: another pair is a row
 * here, and an entry in the tables of the kernels that take it (core/each_type.h, GPU_RUN_ of
 * gpu/gpu.cuh); a kernel without one does not support it. */
#ifndef TULLE_CORE_TYPES_H
#define TULLE_CORE_TYPES_H

#include <stdbool.h>

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

/* True for the types of values; false for 0 and any other number. */
TULLE_INLINE bool tulle__is_type(tulle_type type) {
    return type == TULLE_F32 || type == TULLE_F64;
}

/* The index of a type, from 0 on, in tables of TULLE__TYPE_COUNT rows and in file formats. */
TULLE_INLINE int tulle__type_index(tulle_type type) {
    return (int)type - (int)TULLE_F32;
}

/* The type of an index that tulle__type_index gives; of any other index, no type. */
TULLE_INLINE tulle_type tulle__type_at(int index) {
    return index == 0 ? TULLE_F32 : index == 1 ? TULLE_F64 : (tulle_type)0;
}

/* The combination in which values are computed in the type that they are stored in. */
TULLE_INLINE tulle__values tulle__values_of(tulle_type type) {
    return (tulle__values)tulle__type_index(type);
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
