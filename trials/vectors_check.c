/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "tools/common/block.h"
#include "trials/vectors.h"

static long double unit(tulle_type type) {
    return type == TULLE_F32 ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
}

long double trial_gamma(tulle_type type, double n) {
    const long double nu = n * unit(type);
    return nu / (1 - nu);
}

long double trial_gamma_likely(tulle_type type, double n) {
    enum { LAMBDA = 8 };
    const long double u = unit(type);
    return expm1l(LAMBDA * sqrtl(n) * u + n * u * u / (1 - u));
}

long double trial_least(tulle_type type) {
    return type == TULLE_F32 ? FLT_TRUE_MIN : DBL_TRUE_MIN;
}

/* The computed y, columns one after another. */
typedef struct result {
    const trial_problem *problem;
    tulle_vec_info y;
    const void *columns; /* y's columns; NULL: the results are numbers in host memory */
    bool own;
} result;

static long double got(const result *r, int64_t row, int64_t column) {
    const trial_vectors *v = r->problem->own;
    if (!r->columns) return (long double)v->numbers[row];
    return trial_vectors_number(r->problem, r->columns, r->y.rows, row, column);
}

static double units_of(const result *r, int64_t row, int64_t column) {
    long double value = 0, bound = 0;
    const trial_vectors *v = r->problem->own;
    v->expect(r->problem, r->own, row, column, &value, &bound);
    const long double error = fabsl(got(r, row, column) - value);
    if (isnan(error)) return (double)INFINITY;
    return error > 0 ? (double)(error / bound) : 0;
}

enum { SOME = 4 };

static int64_t some(int64_t count) {
    return count < SOME ? count : SOME;
}

/* Returns the index of the i-th of `chosen` numbers that are spread evenly over `count`, from the
 * first to the last. */
static int64_t number(int64_t i, int64_t chosen, int64_t count) {
    return chosen > 1 ? i * (count - 1) / (chosen - 1) : 0;
}

static double worst(const result *r) {
    const trial_vectors *v = r->problem->own;
    const int64_t columns = some(r->y.cols), rows = v->sums ? some(r->y.rows) : r->y.rows;
    double worst_units = 0;
    for (int64_t j = 0; j < columns; j++) {
        const int64_t column = number(j, columns, r->y.cols);
#pragma omp parallel for reduction(max : worst_units) if (!v->sums)
        for (int64_t i = 0; i < rows; i++) {
            const double units = units_of(r, number(i, rows, r->y.rows), column);
            if (units > worst_units) worst_units = units;
        }
    }
    return worst_units;
}

tulle_status trial_vectors_error(const trial_problem *p, void *state, double *units) {
    const trial_vectors *v = p->own;
    result r = {.problem = p, .own = state != NULL};
    void *columns = NULL;
    *units = (double)NAN;
    if (!v->host_x) return TULLE_OK;
    tulle_status status = tulle_vec_describe(p->y, &r.y);
    if (status == TULLE_OK && !v->numbers) {
        columns = tool_block_host(p->y);
        status = tool_block_read(p->ctx, p->y, columns);
    }
    r.columns = columns;
    if (status == TULLE_OK) *units = worst(&r);
    free(columns);
    return status;
}
