/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of coarsening and interpolation as templates. */
#ifndef TULLE_AMG_RULES_CUH
#define TULLE_AMG_RULES_CUH

#include <math.h>

#include "amg/hash.h"
#include "core/search.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

#define AMG_RULE(type, f)                                                                          \
    template <class VALUE, class OFFSET, class INDEX>                                              \
    GPU_FUNCTION type f
#define AMG(f) f<VALUE, OFFSET, INDEX>
#define AMG_COUNT(p) atomic_add(p, 1)
#define AMG_MARK(p, mark) atomic_exchange(p, mark)
#include "amg/rules.h"

#include "amg/aggregate_rules.h"
#include "amg/interpolate_rules.h"
#undef AMG_RULE
#undef AMG
#undef AMG_COUNT
#undef AMG_MARK

}  // namespace TULLE_GPU_NAMESPACE

#endif
