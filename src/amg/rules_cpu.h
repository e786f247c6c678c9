/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of coarsening and interpolation for a type combination on the CPU; no include guard, on
 * purpose. */
#define AMG_RULE(type, f) static inline type NAME(f)
#define AMG(f) NAME(f)
#define AMG_COUNT(p) (void)__atomic_fetch_add(p, 1, __ATOMIC_RELAXED)
#define AMG_MARK(p, mark) __atomic_store_n(p, mark, __ATOMIC_RELAXED)
#include "amg/rules.h"

#include "amg/aggregate_rules.h"
#include "amg/interpolate_rules.h"
#undef AMG_RULE
#undef AMG
#undef AMG_COUNT
#undef AMG_MARK
