/* SPDX-License-Identifier: Apache-2.0 */
/* Includes TULLE__SELF once for each type combination, with these names defined:
 * VALUE (stored), COMPUTED, OFFSET, INDEX, and NAME(f), which gives f the combination's suffix.
 * A file that uses it tells the passes apart by `#ifdef VALUE`; if it is compiled in parts, it has
 * six, one for each combination. No include guard, on purpose. */
#include "core/parts.h"

#define TULLE__PASTE_(a, b) a##_##b
#define TULLE__PASTE(a, b) TULLE__PASTE_(a, b)
#define NAME(function) TULLE__PASTE(function, SUFFIX)

#define COMPUTED VALUE

#define VALUE float
#define OFFSET int32_t
#define INDEX int32_t
#define SUFFIX f32_i32
#if TULLE__IN_PART(1)
#include TULLE__SELF
#endif
#undef OFFSET
#undef SUFFIX
#define OFFSET int64_t
#define SUFFIX f32_i64_i32
#if TULLE__IN_PART(2)
#include TULLE__SELF
#endif
#undef INDEX
#undef SUFFIX
#define INDEX int64_t
#define SUFFIX f32_i64
#if TULLE__IN_PART(3)
#include TULLE__SELF
#endif
#undef VALUE
#undef OFFSET
#undef INDEX
#undef SUFFIX

#define VALUE double
#define OFFSET int32_t
#define INDEX int32_t
#define SUFFIX f64_i32
#if TULLE__IN_PART(4)
#include TULLE__SELF
#endif
#undef OFFSET
#undef SUFFIX
#define OFFSET int64_t
#define SUFFIX f64_i64_i32
#if TULLE__IN_PART(5)
#include TULLE__SELF
#endif
#undef INDEX
#undef SUFFIX
#define INDEX int64_t
#define SUFFIX f64_i64
#if TULLE__IN_PART(6)
#include TULLE__SELF
#endif
#undef VALUE
#undef OFFSET
#undef INDEX
#undef SUFFIX

#undef COMPUTED
#undef NAME
#undef TULLE__PASTE
#undef TULLE__PASTE_
#undef TULLE__SELF

/* Declares the functions of a kernel that is compiled in parts: function_f32_i32 and so on. */
#define TULLE__DECLARE_RUN(function, type)                                                         \
    tulle_status function##_f32_i32(type task), function##_f32_i64_i32(type task),                 \
        function##_f32_i64(type task), function##_f64_i32(type task),                              \
        function##_f64_i64_i32(type task), function##_f64_i64(type task)

/* The run table of a kernel that supports every combination. */
#define TULLE__RUN_ALL(function)                                                                   \
    {                                                                                              \
        {function##_f32_i32, function##_f32_i64_i32, function##_f32_i64}, {                        \
            function##_f64_i32, function##_f64_i64_i32, function##_f64_i64                         \
        }                                                                                          \
    }

/* The run table of a kernel that supports every combination and, in its f64 functions, f32
 * values under f64 products, too. */
#define TULLE__RUN_MIXED(function)                                                                 \
    {                                                                                              \
        {function##_f32_i32, function##_f32_i64_i32, function##_f32_i64},                          \
            {function##_f64_i32, function##_f64_i64_i32, function##_f64_i64}, {                    \
            function##_f64_i32, function##_f64_i64_i32, function##_f64_i64                         \
        }                                                                                          \
    }
