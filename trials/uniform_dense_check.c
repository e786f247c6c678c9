/* SPDX-License-Identifier: Apache-2.0 */
/* Factors and solutions of many dense matrices in units of the bounds of tulle/uniform.h, which
 * hold for any order of the sums (N. J. Higham, Accuracy and Stability of Numerical Algorithms,
 * theorems 9.3, 9.4 and 10.4). */
#include <math.h>
#include <stdlib.h>

#include "tools/common/block.h"
#include "trials/uniform_dense.h"
#include "trials/vectors.h"

enum { MOST = TULLE_UNIFORM_MOST_DENSE };

/* The results that are checked, system after system. */
typedef struct result {
    const trial_problem *problem;
    const trial_dense *dense;
    void *factors, *x; /* x of solutions, else NULL */
    int32_t *pivots;
    int32_t first; /* the number of the first row */
} result;

/* One system, and which row of A stands in each row of P A. */
typedef struct one_system {
    const result *of;
    int n;
    int64_t s;
    int row[MOST];
} one_system;

static long double number(const one_system *a, const void *numbers, int64_t rows, int64_t at) {
    return trial_vectors_number(a->of->problem, numbers, rows, at, a->s);
}

static long double factor(const one_system *a, int i, int j) {
    return number(a, a->of->factors, a->n * a->n, i + j * a->n);
}

static long double lower(const one_system *a, int i, int k) {
    return i == k && !a->of->dense->symmetric ? 1 : factor(a, i, k);
}

static long double upper(const one_system *a, int k, int j) {
    return a->of->dense->symmetric ? factor(a, j, k) : factor(a, k, j);
}

/* Finds the order of the rows after all exchanges; false: an exchange is with a row above, or with
 * no row of the matrix. */
static bool order_rows(one_system *a) {
    const int32_t *pivots = a->of->pivots + a->s * a->n;
    for (int i = 0; i < a->n; i++) a->row[i] = i;
    for (int k = 0; k < a->n && !a->of->dense->symmetric; k++) {
        const int64_t other = (int64_t)pivots[k] - a->of->first;
        if (other < k || other >= a->n) return false;
        const int kept = a->row[k];
        a->row[k] = a->row[other];
        a->row[other] = kept;
    }
    return true;
}

static double units_of(long double off, long double bound) {
    if (isnan(off)) return (double)INFINITY;
    return off > 0 ? (double)(off / bound) : 0;
}

/* Returns the worst number of P A - L U in units of its bound gamma |L| |U| + (n + p) s; p is the
 * size of the pivot of the column for numbers below the diagonal, else 0. Of a symmetric matrix
 * only the lower triangle counts. */
static double error_of_factors(const one_system *a) {
    const int n = a->n;
    const bool symmetric = a->of->dense->symmetric;
    const tulle_type type = a->of->problem->info.type;
    const long double gamma = trial_gamma(type, n + (symmetric ? 3 : 2));
    double worst = 0;
    for (int j = 0; j < n; j++) {
        for (int i = symmetric ? j : 0; i < n; i++) {
            long double sum = 0, size = 0;
            for (int k = 0; k <= i && k <= j; k++) {
                const long double product = lower(a, i, k) * upper(a, k, j);
                sum += product;
                size += fabsl(product);
            }
            const long double is = number(a, a->of->dense->host, n * n, a->row[i] + j * n);
            const long double pivot =
                i > j ? fabsl(symmetric ? lower(a, j, j) : upper(a, j, j)) : 0;
            const long double bound = gamma * size + (n + pivot) * trial_least(type);
            worst = fmax(worst, units_of(fabsl(sum - is), bound));
        }
    }
    return worst;
}

/* Returns the worst number of P b - L U x in units of its bound 3 gamma |L| |U| |x| + 3 (n + 2) s
 * (1 / u + |L| (e + |U| e)), e all ones. */
static double error_of_solution(const one_system *a) {
    const int n = a->n;
    const tulle_type type = a->of->problem->info.type;
    const long double gamma = trial_gamma(type, n + 2), unit = trial_gamma(type, 1);
    long double u[MOST], size_u[MOST], sum_u[MOST];
    double worst = 0;
    for (int i = 0; i < n; i++) {
        u[i] = size_u[i] = sum_u[i] = 0;
        for (int j = i; j < n; j++) {
            const long double product = upper(a, i, j) * number(a, a->of->x, n, j);
            u[i] += product;
            size_u[i] += fabsl(product);
            sum_u[i] += fabsl(upper(a, i, j));
        }
    }
    for (int i = 0; i < n; i++) {
        long double sum = 0, size = 0, lost = 1 / unit;
        for (int j = 0; j <= i; j++) {
            sum += lower(a, i, j) * u[j];
            size += fabsl(lower(a, i, j)) * size_u[j];
            lost += fabsl(lower(a, i, j)) * (1 + sum_u[j]);
        }
        const long double is = number(a, a->of->dense->host, n, a->row[i]);
        const long double bound = 3 * gamma * size + 3 * (n + 2) * trial_least(type) * lost;
        worst = fmax(worst, units_of(fabsl(sum - is), bound));
    }
    return worst;
}

static double error_of_system(const result *r, int64_t s) {
    one_system a = {.of = r, .n = (int)r->problem->info.rows, .s = s};
    if (!order_rows(&a)) return (double)INFINITY;
    return r->x ? error_of_solution(&a) : error_of_factors(&a);
}

static double worst_of(const result *r) {
    double worst = 0;
#pragma omp parallel for reduction(max : worst)
    for (int64_t s = 0; s < r->dense->systems; s++) worst = fmax(worst, error_of_system(r, s));
    return worst;
}

/* Finds the worst error of all systems: of the factors in y, or of solutions in y with the factors
 * F. A library solves with the factors that tulle made, so that rows are counted from 0 for its
 * solutions, too. */
tulle_status trial_dense_error(const trial_problem *p, void *state, double *units) {
    const trial_dense *d = p->own;
    const bool solves = p->detail == TRIAL_DENSE_SOLVE;
    *units = (double)NAN;
    if (!d->host) return TULLE_OK;
    const tulle_vec *F = solves ? d->F : p->y;
    result r = {.problem = p, .dense = d, .first = !solves && !state};
    r.factors = tool_block_host(F);
    r.pivots = tool_block_host(d->room);
    if (solves) r.x = tool_block_host(p->y);
    tulle_status status = tool_block_read(p->ctx, F, r.factors);
    if (status == TULLE_OK) status = tulle_vec_read(p->ctx, d->room, r.pivots, 0);
    if (status == TULLE_OK && solves) status = tool_block_read(p->ctx, p->y, r.x);
    if (status == TULLE_OK) *units = worst_of(&r);
    free(r.factors);
    free(r.pivots);
    free(r.x);
    return status;
}
