/* SPDX-License-Identifier: Apache-2.0 */
/* The largest magnitudes of the columns of a multivector. */
#include <math.h>

#include "trials/vectors.h"

/* Expects exact numbers: a number that is off at all is off by more than this bound. */
static void expect(const trial_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own;
    (void)column;
    const trial_vectors *v = p->own;
    const int64_t n = p->info.rows;
    long double most = 0;
#pragma omp parallel for reduction(max : most)
    for (int64_t i = 0; i < n; i++) {
        const long double size = fabsl(trial_vectors_number(p, v->host_x, n, i, row));
        if (size > most) most = size;
    }
    *value = most;
    *bound = trial_least(p->info.type) / 2;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const int64_t n = given->n, k = given->block.vectors, value = tulle_type_size(given->type);
    const trial_shapes shapes = {.expect = expect,
                                 .x = {n, k},
                                 .y = {k, 1},
                                 .sums = true,
                                 .host = given->detail == TRIAL_VECTORS_HOST};
    p->minimal_bytes = (n + 1) * k * value;
    return trial_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    tulle_result y;
    tulle_status status = trial_vectors_result(p, &y);
    if (status != TULLE_OK) return status;
    return tulle_vec_norm_max(p->ctx, p->x, y);
}

const trial_operation trial_operation_norm_max = {
    .name = "norm_max",
    .function = "tulle_vec_norm_max",
    .formula = "|x|, the maximum norm",
    TRIAL_VECTOR_OPERATION(TRIAL_VECTORS, open_problem, run),
};
