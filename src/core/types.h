/* SPDX-License-Identifier: Apache-2.0 */
/* The type combinations: (stored value, computed value, offsets, indices). One row each; everything
 * that must exist once for each combination is made from this list. */
#ifndef TULLE_CORE_TYPES_H
#define TULLE_CORE_TYPES_H

#include "tulle/types.h"

/* X(suffix, tulle_type, tulle_index, stored, computed, offset, index) */
#define TULLE__COMBOS(X)                                                                           \
    X(f32_i32, TULLE_F32, TULLE_I32, float, float, int32_t, int32_t)                               \
    X(f32_i64_i32, TULLE_F32, TULLE_I64_I32, float, float, int64_t, int32_t)                       \
    X(f32_i64, TULLE_F32, TULLE_I64, float, float, int64_t, int64_t)                               \
    X(f64_i32, TULLE_F64, TULLE_I32, double, double, int32_t, int32_t)                             \
    X(f64_i64_i32, TULLE_F64, TULLE_I64_I32, double, double, int64_t, int32_t)                     \
    X(f64_i64, TULLE_F64, TULLE_I64, double, double, int64_t, int64_t)

enum { TULLE__TYPE_COUNT = 2, TULLE__INDEX_COUNT = 3 };

#endif
