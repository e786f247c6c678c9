/* SPDX-License-Identifier: Apache-2.0 */
/* Y := X. */
#include "trials/vectors.h"

/* Expects exact numbers: a number that is off at all is off by more than this bound. */
static void expect(const trial_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own;
    const trial_vectors *v = p->own;
    *value = trial_vectors_number(p, v->host_x, p->info.rows, row, column);
    *bound = trial_least(p->info.type) / 2;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const int64_t n = given->n, k = given->block.vectors;
    const trial_shapes shapes = {.expect = expect, .x = {n, k}, .y = {n, k}};
    p->minimal_bytes = 2 * n * k * tulle_type_size(given->type);
    return trial_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    return tulle_vec_copy(p->ctx, p->x, p->y);
}

const trial_operation trial_operation_copy = {
    .name = "copy",
    .function = "tulle_vec_copy",
    .formula = "Y = X",
    TRIAL_VECTOR_OPERATION(TRIAL_MULTIVECTORS, open_problem, run),
};
