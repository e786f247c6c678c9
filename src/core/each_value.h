/* SPDX-License-Identifier: Apache-2.0 */
/* Includes TULLE__SELF once for each value type, with VALUE and NAME(f) defined, which gives f the
 * type's suffix; each_type.h does so for index types, too. A file that uses it tells the passes
 * apart by `#ifdef VALUE`. No include guard, on purpose. */
#define NAME(function) function##_f32
#define VALUE float
#include TULLE__SELF
#undef NAME
#undef VALUE

#define NAME(function) function##_f64
#define VALUE double
#include TULLE__SELF
#undef NAME
#undef VALUE

#undef TULLE__SELF
