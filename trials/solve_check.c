/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "tools/common/block.h"
#include "trials/solve.h"

/* Returns the relative size of the rounding errors that a method carries along: a few roundings of
 * |A| |x| + |b| for each iteration. Source: A. Greenbaum, "Estimating the attainable accuracy of
 * recursively computed residual methods" (1997). */
static long double carried(const trial_problem *p) {
    enum { FEW = 10 };
    const trial_solve *s = p->own;
    const long double unit = p->info.type == TULLE_F32 ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
    return FEW * (long double)(p->iterations + s->evaluations) * unit;
}

static long double number(tulle_type type, const void *numbers, int64_t i) {
    return type == TULLE_F32 ? ((const float *)numbers)[i] : ((const double *)numbers)[i];
}

/* Computes the squares of the norms of b - A x and of |A| |x| + |b|. */
static void measure(const trial_problem *p, const void *x, long double *residual,
                    long double *mass) {
    const trial_solve *s = p->own;
    const tool_csr *A = &s->A;
    const tulle_type type = p->info.type;
    long double residuals = 0, masses = 0;
#pragma omp parallel for reduction(+ : residuals, masses)
    for (int64_t i = 0; i < A->rows; i++) {
        long double rest = number(type, s->b, i), sum = fabsl(rest);
        for (int64_t e = tool_csr_offset(A, i); e < tool_csr_offset(A, i + 1); e++) {
            const long double product =
                tool_csr_value(A, e) * number(type, x, tool_csr_column(A, e));
            rest -= product;
            sum += fabsl(product);
        }
        residuals += rest * rest;
        masses += sum * sum;
    }
    *residual = residuals;
    *mass = masses;
}

tulle_status trial_solve_check_open(const trial_problem *p, const trial_given *given) {
    if (!given->check) return TULLE_OK;
    trial_solve *s = p->own;
    s->b = tool_block_host(p->x);
    const tulle_status status = tool_csr_open(p->ctx, given->csr, &s->A);
    return status == TULLE_OK ? tool_block_read(p->ctx, p->x, s->b) : status;
}

void trial_solve_check_close(trial_solve *s) {
    tool_csr_close(&s->A);
    free(s->b);
}

tulle_status trial_solve_error(const trial_problem *p, double *units) {
    const trial_solve *s = p->own;
    *units = (double)NAN;
    if (!s->b) return TULLE_OK;
    void *x = tool_block_host(p->y);
    tulle_status status = tool_block_read(p->ctx, p->y, x);
    if (status == TULLE_OK) {
        long double residual = 0, mass = 0;
        measure(p, x, &residual, &mass);
        *units = (double)(sqrtl(residual) / (s->allowed + carried(p) * sqrtl(mass)));
        if (isnan(*units)) *units = (double)INFINITY;
    }
    free(x);
    return status;
}
