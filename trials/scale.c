/* SPDX-License-Identifier: Apache-2.0 */
/* Y := a Y, a = -1: what is scaled many times stays as large as it was. */
#include <math.h>

#include "trials/vectors.h"

static void expect(const trial_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own; /* each number is rounded once */
    const trial_vectors *v = p->own;
    *value = v->by * trial_vectors_number(p, v->host_start, p->info.rows, row, column);
    *bound = trial_gamma(p->info.type, 1) * fabsl(*value) + trial_least(p->info.type);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const int64_t n = given->n, k = given->block.vectors;
    const trial_shapes shapes = {
        .expect = expect, .x = {1, 1}, .y = {n, k}, .adds = true, .by = -1};
    p->minimal_bytes = 2 * n * k * tulle_type_size(given->type);
    p->flops = (double)n * (double)k;
    return trial_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    tulle_scalar a;
    tulle_status status = trial_vectors_factor(p, &a);
    if (status != TULLE_OK) return status;
    return tulle_vec_scale(p->ctx, a, p->y);
}

const trial_operation trial_operation_scale = {
    .name = "scale",
    .function = "tulle_vec_scale",
    .formula = "a Y",
    TRIAL_VECTOR_OPERATION(TRIAL_VECTORS, open_problem, run),
};
