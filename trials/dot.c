/* SPDX-License-Identifier: Apache-2.0 */
/* The inner products of the columns of two multivectors. */
#include <math.h>

#include "trials/vectors.h"

/* Computes the value that is due, and its bound: that of tulle/vec.h for tulle's own result, else
 * one for sums in the type itself. */
static void expect(const trial_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)column;
    const trial_vectors *v = p->own;
    const int64_t n = p->info.rows;
    const tulle_type type = p->info.type;
    long double sum = 0, mass = 0;
#pragma omp parallel for reduction(+ : sum, mass)
    for (int64_t i = 0; i < n; i++) {
        const long double product = trial_vectors_number(p, v->host_x, n, i, row) *
                                    trial_vectors_number(p, v->host_second, n, i, row);
        sum += product;
        mass += fabsl(product);
    }
    *value = sum;
    const double depth = 600 + (double)n / 2048;
    *bound =
        own ? trial_gamma(type, 1) * fabsl(sum) + trial_gamma(TULLE_F64, depth) * mass +
                  (long double)n * trial_least(TULLE_F64)
            : trial_gamma_likely(type, (double)n + 1) * mass + (long double)n * trial_least(type);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const int64_t n = given->n, k = given->block.vectors, value = tulle_type_size(given->type);
    const trial_shapes shapes = {.expect = expect,
                                 .x = {n, k},
                                 .second = {n, k},
                                 .y = {k, 1},
                                 .sums = true,
                                 .host = given->detail == TRIAL_VECTORS_HOST};
    p->minimal_bytes = (2 * n + 1) * k * value;
    p->flops = 2 * (double)n * (double)k;
    return trial_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    const trial_vectors *v = p->own;
    tulle_result y;
    tulle_status status = trial_vectors_result(p, &y);
    if (status != TULLE_OK) return status;
    return tulle_vec_dot(p->ctx, p->x, v->second, y);
}

const trial_operation trial_operation_dot = {
    .name = "dot",
    .function = "tulle_vec_dot",
    .formula = "x'z",
    TRIAL_VECTOR_OPERATION(TRIAL_VECTORS, open_problem, run),
};
