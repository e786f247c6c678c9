/* SPDX-License-Identifier: Apache-2.0 */
/* Includes TULLE__SELF once for each type combination, with these names defined:
 * VALUE (stored), COMPUTED, OFFSET, INDEX, and NAME(f), which gives f the combination's suffix.
 * A file that uses it tells the passes apart by `#ifdef VALUE`. No include guard, on purpose. */
#define TULLE__PASTE_(a, b) a##_##b
#define TULLE__PASTE(a, b) TULLE__PASTE_(a, b)
#define NAME(function) TULLE__PASTE(function, SUFFIX)

#define COMPUTED VALUE

#define VALUE float
#define OFFSET int32_t
#define INDEX int32_t
#define SUFFIX f32_i32
#include TULLE__SELF
#undef OFFSET
#undef SUFFIX
#define OFFSET int64_t
#define SUFFIX f32_i64_i32
#include TULLE__SELF
#undef INDEX
#undef SUFFIX
#define INDEX int64_t
#define SUFFIX f32_i64
#include TULLE__SELF
#undef VALUE
#undef OFFSET
#undef INDEX
#undef SUFFIX

#define VALUE double
#define OFFSET int32_t
#define INDEX int32_t
#define SUFFIX f64_i32
#include TULLE__SELF
#undef OFFSET
#undef SUFFIX
#define OFFSET int64_t
#define SUFFIX f64_i64_i32
#include TULLE__SELF
#undef INDEX
#undef SUFFIX
#define INDEX int64_t
#define SUFFIX f64_i64
#include TULLE__SELF
#undef VALUE
#undef OFFSET
#undef INDEX
#undef SUFFIX

#undef COMPUTED
#undef NAME
#undef TULLE__PASTE
#undef TULLE__PASTE_
#undef TULLE__SELF

/* The run table of a kernel that supports every combination. */
#define TULLE__RUN_ALL(function)                                                                   \
    {                                                                                              \
        {function##_f32_i32, function##_f32_i64_i32, function##_f32_i64}, {                        \
            function##_f64_i32, function##_f64_i64_i32, function##_f64_i64                         \
        }                                                                                          \
    }

/* The same of one that supports f32 values under f64 products, too, in its f64 functions. */
#define TULLE__RUN_MIXED(function)                                                                 \
    {                                                                                              \
        {function##_f32_i32, function##_f32_i64_i32, function##_f32_i64},                          \
            {function##_f64_i32, function##_f64_i64_i32, function##_f64_i64}, {                    \
            function##_f64_i32, function##_f64_i64_i32, function##_f64_i64                         \
        }                                                                                          \
    }
