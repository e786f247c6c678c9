/* SPDX-License-Identifier: Apache-2.0 */
/* Y := X / Z, number by number; random numbers are never 0. */
#include <math.h>

#include "trials/vectors.h"

static void expect(const trial_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own; /* each number is rounded once */
    const trial_vectors *v = p->own;
    const int64_t n = p->info.rows;
    *value = trial_vectors_number(p, v->host_x, n, row, column) /
             trial_vectors_number(p, v->host_second, n, row, column);
    *bound = trial_gamma(p->info.type, 1) * fabsl(*value) + trial_least(p->info.type);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const int64_t n = given->n, k = given->block.vectors;
    const trial_shapes shapes = {
        .expect = expect, .x = {n, k}, .second = {n, k}, .y = {n, k}, .unlike = true};
    p->minimal_bytes = 3 * n * k * tulle_type_size(given->type);
    p->flops = (double)n * (double)k;
    return trial_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    const trial_vectors *v = p->own;
    return tulle_vec_divide(p->ctx, p->x, v->second, p->y);
}

const trial_operation trial_operation_divide = {
    .name = "divide",
    .function = "tulle_vec_divide",
    .formula = "x / z, number by number",
    TRIAL_VECTOR_OPERATION(TRIAL_MULTIVECTORS, open_problem, run),
};
