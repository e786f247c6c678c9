/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a C is right, found out once for each C that differs in a bit: who repeats its bits, or
 * adds in the same order as who was looked at before, is not verified again. */
#ifndef BENCH_VERDICT_H
#define BENCH_VERDICT_H

#include "bench/making.h"

typedef struct bench_verdict {
    double units; /* of the error bound; NaN: not checked; INFINITY: the pattern is wrong */
    bool sorted;  /* the columns of each row rise */
} bench_verdict;

typedef struct bench_verdicts bench_verdicts;

bench_verdicts *bench_verdicts_create(void);
void bench_verdicts_destroy(bench_verdicts *verdicts); /* NULL is fine */

/* With `strict`, columns that do not rise are wrong. */
tulle_status bench_verdict_of(const bench_making *making, const tulle_mat *C, bool strict,
                              bench_verdict *verdict);

#endif
