/* SPDX-License-Identifier: Apache-2.0 */
/* The 2-norms of the columns of a multivector. */
#include <math.h>

#include "trials/vectors.h"

/* Computes the value that is due, and its bound: that of tulle/vec.h for tulle's own result, else
 * one for sums in the type itself, and a root. */
static void expect(const trial_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)column;
    const trial_vectors *v = p->own;
    const int64_t n = p->info.rows;
    const tulle_type type = p->info.type;
    long double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) {
        const long double number = trial_vectors_number(p, v->host_x, n, i, row);
        sum += number * number;
    }
    const double depth = 600 + (double)n / 2048;
    const long double relative =
        own ? trial_gamma(type, 3) + trial_gamma(TULLE_F64, depth) / 2
            : trial_gamma(type, 3) + trial_gamma_likely(type, (double)n + 1) / 2;
    *value = sqrtl(sum);
    *bound = relative * *value + trial_least(type);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const int64_t n = given->n, k = given->block.vectors, value = tulle_type_size(given->type);
    const trial_shapes shapes = {.expect = expect,
                                 .x = {n, k},
                                 .y = {k, 1},
                                 .sums = true,
                                 .host = given->detail == TRIAL_VECTORS_HOST};
    p->minimal_bytes = (n + 1) * k * value;
    p->flops = 2 * (double)n * (double)k;
    return trial_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    tulle_result y;
    tulle_status status = trial_vectors_result(p, &y);
    if (status != TULLE_OK) return status;
    return tulle_vec_norm2(p->ctx, p->x, y);
}

const trial_operation trial_operation_norm2 = {
    .name = "norm2",
    .function = "tulle_vec_norm2",
    .formula = "|x|, the 2-norm",
    TRIAL_VECTOR_OPERATION(TRIAL_VECTORS, open_problem, run),
};
