/* SPDX-License-Identifier: Apache-2.0 */
/* Includes TULLE__SELF once for each value type, with VALUE and NAME(f) defined, which gives f the
 * type's suffix; each_type.h does so for index types, too. A file that uses it tells the passes
 * apart by `#ifdef VALUE`; if it is compiled in parts, it has two. No include guard, on purpose. */
#include "core/parts.h"

#define NAME(function) function##_f32
#define VALUE float
#if TULLE__IN_PART(1)
#include TULLE__SELF
#endif
#undef NAME
#undef VALUE

#define NAME(function) function##_f64
#define VALUE double
#if TULLE__IN_PART(2)
#include TULLE__SELF
#endif
#undef NAME
#undef VALUE

#undef TULLE__SELF
