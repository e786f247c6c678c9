/* SPDX-License-Identifier: Apache-2.0 */
/* Y := Y + a X. */
#include <math.h>

#include "trials/vectors.h"

static void expect(const trial_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own; /* there is one order */
    const trial_vectors *v = p->own;
    const long double product =
        v->by * trial_vectors_number(p, v->host_x, p->info.rows, row, column);
    const long double before = trial_vectors_number(p, v->host_start, p->info.rows, row, column);
    *value = before + product;
    *bound =
        trial_gamma(p->info.type, 2) * (fabsl(before) + fabsl(product)) + trial_least(p->info.type);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const int64_t n = given->n, k = given->block.vectors;
    const trial_shapes shapes = {.expect = expect, .x = {n, k}, .y = {n, k}, .adds = true};
    p->minimal_bytes = 3 * n * k * tulle_type_size(given->type);
    p->flops = 2 * (double)n * (double)k;
    return trial_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    tulle_scalar a;
    tulle_status status = trial_vectors_factor(p, &a);
    if (status != TULLE_OK) return status;
    return tulle_vec_axpy(p->ctx, a, p->x, p->y);
}

const trial_operation trial_operation_axpy = {
    .name = "axpy",
    .function = "tulle_vec_axpy",
    .formula = "Y + a X",
    TRIAL_VECTOR_OPERATION(TRIAL_VECTORS, open_problem, run),
};
