/* SPDX-License-Identifier: Apache-2.0 */
/* Y := Y + X A, X and Y n x k, A k x k. */
#include <math.h>

#include "trials/vectors.h"

/* Computes the value that is due, and its bound as in tulle/vec.h, which holds for sums of k
 * products in any order, as a library may have them. */
static void expect(const trial_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own;
    const trial_vectors *v = p->own;
    const int64_t n = p->info.rows, k = p->block.vectors;
    const tulle_type type = p->info.type;
    long double sum = trial_vectors_number(p, v->host_start, n, row, column), mass = fabsl(sum);
    for (int64_t j = 0; j < k; j++) {
        const long double product = trial_vectors_number(p, v->host_x, n, row, j) *
                                    trial_vectors_number(p, v->host_second, k, j, column);
        sum += product;
        mass += fabsl(product);
    }
    const double more = (double)((k - 1) / 32);
    *value = sum;
    *bound = (trial_gamma(type, (double)k + 3) + more * trial_gamma(type, 2)) * mass +
             2 * (long double)(k + 2) * trial_least(type);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const int64_t n = given->n, k = given->block.vectors;
    const trial_shapes shapes = {
        .expect = expect, .x = {n, k}, .second = {k, k}, .y = {n, k}, .adds = true};
    p->minimal_bytes = (3 * n + k) * k * tulle_type_size(given->type);
    p->flops = 2 * (double)n * (double)k * (double)k;
    return trial_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    const trial_vectors *v = p->own;
    return tulle_vec_combine(p->ctx, tulle_num(1), p->x, v->second, tulle_num(1), p->y);
}

const trial_operation trial_operation_multivector_axpy = {
    .name = "multivector_axpy",
    .function = "tulle_vec_combine",
    .formula = "Y + X A",
    TRIAL_VECTOR_OPERATION(TRIAL_MULTIVECTORS, open_problem, run),
};
