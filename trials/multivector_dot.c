/* SPDX-License-Identifier: Apache-2.0 */
/* R := X'Z, X and Z n x k. */
#include <math.h>

#include "trials/vectors.h"

/* Computes the value that is due, and its bound: that of tulle/vec.h for tulle's own result, else
 * one for sums in the type itself. */
static void expect(const trial_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    const trial_vectors *v = p->own;
    const int64_t n = p->info.rows;
    const tulle_type type = p->info.type;
    long double sum = 0, mass = 0;
#pragma omp parallel for reduction(+ : sum, mass)
    for (int64_t i = 0; i < n; i++) {
        const long double product = trial_vectors_number(p, v->host_x, n, i, row) *
                                    trial_vectors_number(p, v->host_second, n, i, column);
        sum += product;
        mass += fabsl(product);
    }
    const double long_sums = n > 1 << 22 ? (double)n / 8192 : 0;
    const long double relative = own ? trial_gamma(type, 700) + trial_gamma(TULLE_F64, long_sums)
                                     : trial_gamma_likely(type, (double)n + 1);
    *value = sum;
    *bound = relative * mass + 2 * (long double)(n + 2) * trial_least(type);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const int64_t n = given->n, k = given->block.vectors;
    const trial_shapes shapes = {
        .expect = expect, .x = {n, k}, .second = {n, k}, .y = {k, k}, .sums = true};
    p->minimal_bytes = (2 * n + k) * k * tulle_type_size(given->type);
    p->flops = 2 * (double)n * (double)k * (double)k;
    return trial_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    const trial_vectors *v = p->own;
    return tulle_vec_inner(p->ctx, tulle_num(1), p->x, v->second, tulle_num(0), p->y);
}

const trial_operation trial_operation_multivector_dot = {
    .name = "multivector_dot",
    .function = "tulle_vec_inner",
    .formula = "X'Z",
    TRIAL_VECTOR_OPERATION(TRIAL_MULTIVECTORS, open_problem, run),
};
