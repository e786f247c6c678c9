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

/* Rows of y that are compared: of every part of y that belongs to a task that is checked, all rows,
 * or some where each is a sum. All of y is one part where all tasks are checked. */
typedef struct compared {
    int64_t parts, all; /* number of the parts that are compared, and of all parts */
    int64_t length;     /* number of rows of a part */
    int64_t rows;       /* number of rows of a part that are compared */
} compared;

static compared compared_of(const trial_problem *p, int64_t rows) {
    const trial_vectors *v = p->own;
    const bool part = tool_sample_is_part(&p->sample, p->count);
    compared c = {.parts = 1, .all = 1, .length = rows};
    if (part) {
        c = (compared){.parts = tool_sample_count(&p->sample, p->count),
                       .all = p->count,
                       .length = rows / p->count};
    }
    c.rows = v->sums ? some(c.length) : c.length;
    return c;
}

/* Returns the index of the row of y that is number i of those that are compared. */
static int64_t row_at(const trial_problem *p, const compared *c, int64_t i) {
    const int64_t part = i / c->rows;
    const int64_t task = c->all > 1 ? tool_sample_at(&p->sample, c->all, part) : part;
    return task * c->length + number(i % c->rows, c->rows, c->length);
}

int64_t trial_vectors_checked(const trial_problem *p, int64_t rows) {
    const compared c = compared_of(p, rows);
    return c.all > 1 ? c.parts * c.rows : 0;
}

static double worst(const result *r) {
    const trial_problem *p = r->problem;
    const compared c = compared_of(p, r->y.rows);
    const int64_t columns = some(r->y.cols);
    double worst_units = 0;
    for (int64_t j = 0; j < columns; j++) {
        const int64_t column = number(j, columns, r->y.cols);
#pragma omp parallel for reduction(max : worst_units)
        for (int64_t i = 0; i < c.parts * c.rows; i++) {
            const double units = units_of(r, row_at(p, &c, i), column);
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
