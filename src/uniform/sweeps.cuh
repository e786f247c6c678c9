/* SPDX-License-Identifier: Apache-2.0 */
/* ILU(0) and triangular solves by the threads of a block, which work on the rows of a level at the
 * same time. */
#ifndef TULLE_UNIFORM_SWEEPS_CUH
#define TULLE_UNIFORM_SWEEPS_CUH

#include "uniform/scale.h"
#include "uniform/team.cuh"

namespace TULLE_GPU_NAMESPACE {

#define VALUE V
#define NUMBERS shared<V>
#define LOAD(p) load(p)
#define FUNCTION(type, name)                                                                       \
    template <class V>                                                                             \
    GPU_FUNCTION type name
#include "uniform/sweeps.h"
#undef VALUE
#undef NUMBERS
#undef LOAD
#undef FUNCTION

/* Calls what(row) for each row, after the rows on which the row depends. */
template <int warps, class Do>
GPU_FUNCTION void by_levels(int levels, const int32_t *order, const int32_t *begin, Do what) {
    for (int level = 0; level < levels; level++) {
        const int end = load(begin + level + 1);
        team<warps>::meet();
        for (int k = load(begin + level) + static_cast<int>(thread()); k < end;
             k += team<warps>::threads) {
            what(load(order + k));
        }
    }
    team<warps>::meet();
}

template <int warps, class V>
GPU_FUNCTION void solve_triangle(const tulle__uniform_view &p, shared<V> f, shared<V> z,
                                 tulle_part part, bool unit) {
    const bool lower = part == TULLE_LOWER;
    by_levels<warps>(lower ? p.lower_levels : p.upper_levels, lower ? p.lower_order : p.upper_order,
                     lower ? p.lower_begin : p.upper_begin,
                     [&](int row) { solve_row<V>(&p, f, z, row, part, unit); });
}

/* Replaces A by its factors; returns the first row with an unusable pivot, or p.n. */
template <int warps, class V>
GPU_FUNCTION int factor_in_place(const tulle__uniform_view &p, shared<V> f,
                                 const team<warps> &all) {
    int worst = 0;
    by_levels<warps>(p.lower_levels, p.lower_order, p.lower_begin, [&](int row) {
        if (!factor_row<V>(&p, f, row) && p.n - row > worst) worst = p.n - row;
    });
    return p.n - static_cast<int>(all.largest(static_cast<double>(worst)));
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
