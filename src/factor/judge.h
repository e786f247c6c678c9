/* SPDX-License-Identifier: Apache-2.0 */
/* Judges pivots, with the same code on a CPU and on a GPU. */
#ifndef TULLE_FACTOR_JUDGE_H
#define TULLE_FACTOR_JUDGE_H

#include <float.h>
#include <stdbool.h>

#include "factor/factor.h"

#if defined(TULLE_GPU_PREFIX)
#include "gpu/gpu.cuh"
#define TULLE__JUDGE GPU_FUNCTION
#else
#define TULLE__JUDGE static inline
#endif

/* The rule by which pivots are judged. */
typedef struct tulle__pivot_rule {
    double tiny;
    /* boost: tiny pivots are enlarged; positive: pivots must be positive, for L L^T */
    bool boost, positive;
    bool narrow; /* true when factors are stored in f32 */
} tulle__pivot_rule;

TULLE__JUDGE tulle__pivot_rule tulle__rule_of(const tulle__factor_task *t) {
    const tulle__pivot_rule rule = {t->tiny, t->boost, t->kind == TULLE_CHOLESKY,
                                    t->type == TULLE_F32};
    return rule;
}

/* The result of judging a pivot. */
typedef struct tulle__judged {
    double pivot;
    bool tiny, bad;
} tulle__judged;

/* Returns the size above which a pivot is not tiny. largest: size of the largest number of the
 * pivot's (block) row of A'. A row of zeros, in which elimination leaves zeros, counts as one with
 * largest 1. A boosted pivot must not vanish when it is rounded to the type of the factors, and
 * must have an inverse there: both hold from the smallest normal number on. */
TULLE__JUDGE double tulle__pivot_limit(const tulle__pivot_rule *rule, double largest) {
    const double limit = rule->tiny * (largest > 0 ? largest : 1);
    const double normal = rule->narrow ? (double)FLT_MIN : DBL_MIN;
    return rule->boost && limit < normal ? normal : limit;
}

/* Returns true when a pivot's size is a finite number of the factors' type; NaN is none. */
TULLE__JUDGE bool tulle__pivot_ends(const tulle__pivot_rule *rule, double size) {
    return size <= (rule->narrow ? (double)FLT_MAX : DBL_MAX);
}

TULLE__JUDGE tulle__judged tulle__weigh_pivot(const tulle__pivot_rule *rule, double pivot,
                                              double largest) {
    const double limit = tulle__pivot_limit(rule, largest);
    const double size = rule->positive || pivot > 0 ? pivot : -pivot;
    const bool small = !(size > limit), is_number = pivot == pivot;
    tulle__judged j = {pivot, false, false};
    if (small && rule->boost && is_number) {
        j.pivot = !rule->positive && pivot < 0 ? -limit : limit;
    }
    const double found = rule->positive || j.pivot > 0 ? j.pivot : -j.pivot;
    j.bad = !(found > 0 && tulle__pivot_ends(rule, found));
    j.tiny = small && !j.bad;
    return j;
}

#endif
