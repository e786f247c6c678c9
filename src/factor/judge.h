/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a pivot will do, on a CPU and on a GPU. */
#ifndef TULLE_FACTOR_JUDGE_H
#define TULLE_FACTOR_JUDGE_H

#include <stdbool.h>

#if defined(TULLE_GPU_PREFIX)
#include "gpu/gpu.cuh"
#define TULLE__JUDGE GPU_FUNCTION
#else
#define TULLE__JUDGE static inline
#endif

/* What becomes of a pivot. */
typedef struct tulle__judged {
    double pivot;
    bool tiny, bad;
} tulle__judged;

/* largest: the size of the largest number of the pivot's (block) row of A'. A row that has none but
 * zeros, in which elimination leaves none but zeros, counts as one whose largest is 1. */
TULLE__JUDGE tulle__judged tulle__weigh_pivot(double pivot, double tiny, double largest, bool boost,
                                              bool positive) {
    const double limit = tiny * (largest > 0 ? largest : 1);
    const double size = positive || pivot > 0 ? pivot : -pivot;
    const bool small = !(size > limit), is_number = pivot == pivot;
    tulle__judged j = {pivot, false, false};
    if (small && boost && is_number) j.pivot = !positive && pivot < 0 ? -limit : limit;
    j.bad = positive ? !(j.pivot > 0) : !(j.pivot > 0 || j.pivot < 0);
    j.tiny = small && !j.bad;
    return j;
}

#endif
