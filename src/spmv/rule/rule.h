/* SPDX-License-Identifier: Apache-2.0 */
/* Constant-time rules: from the statistics of a matrix to a kernel and its parameters. A rule is a
 * row of the table in rules.c. */
#ifndef TULLE_SPMV_RULE_RULE_H
#define TULLE_SPMV_RULE_RULE_H

#include "core/context.h"
#include "spmv/spmv.h"

typedef struct tulle__rule {
    const char *name;
    /* Picks among the eligible kernels; spec->kernel NULL: the rule has no answer here. */
    void (*pick)(const tulle__backend *backend, const tulle__spmv_shape *shape, unsigned need,
                 tulle__spec *spec);
} tulle__rule;

/* The context's rule; NULL there: the default. */
const tulle__rule *tulle__rule_of(const tulle_ctx *ctx);

void tulle__rule_tulle(const tulle__backend *backend, const tulle__spmv_shape *shape, unsigned need,
                       tulle__spec *spec);
void tulle__rule_reguly_giles(const tulle__backend *backend, const tulle__spmv_shape *shape,
                              unsigned need, tulle__spec *spec);

/* Number of consecutive rows that a thread block works on under the rule reguly_giles. */
TULLE_API int64_t tulle__reguly_giles_rows(int64_t rows, double mean_row);

#endif
