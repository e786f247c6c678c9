/* SPDX-License-Identifier: Apache-2.0 */
/* The exact values of entries of a matrix that are sums of contributions: of the entries of some
 * rows, in long double. */
#ifndef TRIAL_SAMPLED_H
#define TRIAL_SAMPLED_H

#include "tools/common/csr.h"

typedef struct trial_sampled {
    const tool_csr *pattern; /* the caller's */
    int64_t step;            /* every so many rows */
    int64_t *begins;         /* first of each such row's entries in the arrays below */
    long double *sums, *sizes;
    int64_t *terms;
} trial_sampled;

trial_sampled trial_sampled_open(const tool_csr *pattern);
void trial_sampled_close(trial_sampled *s);

static inline bool trial_sampled_has(const trial_sampled *s, int64_t row) {
    return row % s->step == 0;
}

/* Adds a contribution to an entry, if its row is sampled. size: size of the contribution's
 * magnitude. */
void trial_sampled_add(const trial_sampled *s, int64_t row, int64_t column, long double number,
                       long double size);

/* Returns the error of the worst entry of `values`, which have the sampled pattern, in units of
 * gamma(contributions + more) sizes + 2 s, s the smallest positive number; Inf where an entry is
 * NaN. */
double trial_sampled_worst(const trial_sampled *s, const tool_csr *values, double more);

#endif
