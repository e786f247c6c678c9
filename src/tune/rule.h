/* SPDX-License-Identifier: Apache-2.0 */
/* Constant-time rules: from the statistics of a matrix to a kernel and its parameters. A rule is a
 * row of the table in rules.c. */
#ifndef TULLE_TUNE_RULE_H
#define TULLE_TUNE_RULE_H

#include "spmv/spmv.h"

typedef struct tulle__rule {
    const char *name;
    /* Picks among the eligible kernels; spec->kernel NULL: the rule has no answer here. */
    void (*pick)(const tulle__backend *backend, const tulle__spmv_shape *shape, unsigned need,
                 tulle__spmv_spec *spec);
} tulle__rule;

/* NULL: the default; an unknown name gives NULL. */
const tulle__rule *tulle__rule_named(const char *name);

void tulle__rule_tulle(const tulle__backend *backend, const tulle__spmv_shape *shape, unsigned need,
                       tulle__spmv_spec *spec);
void tulle__rule_reguly_giles(const tulle__backend *backend, const tulle__spmv_shape *shape,
                              unsigned need, tulle__spmv_spec *spec);

/* Consecutive rows that a thread block works on under that rule. */
int64_t tulle__reguly_giles_rows(int64_t rows, double mean_row);

#endif
