/* SPDX-License-Identifier: Apache-2.0 */
/* Includes TULLE__SELF once for each tulle_index, with OFFSET, INDEX and NAME(f) defined. A file
 * that uses it tells the passes apart by `#ifdef INDEX`. No include guard, on purpose. */
#define TULLE__PASTE_(a, b) a##_##b
#define TULLE__PASTE(a, b) TULLE__PASTE_(a, b)
#define NAME(function) TULLE__PASTE(function, SUFFIX)

#define OFFSET int32_t
#define INDEX int32_t
#define SUFFIX i32
#include TULLE__SELF
#undef OFFSET
#undef SUFFIX
#define OFFSET int64_t
#define SUFFIX i64_i32
#include TULLE__SELF
#undef INDEX
#undef SUFFIX
#define INDEX int64_t
#define SUFFIX i64
#include TULLE__SELF
#undef OFFSET
#undef INDEX
#undef SUFFIX

#undef NAME
#undef TULLE__PASTE
#undef TULLE__PASTE_
#undef TULLE__SELF
