/* SPDX-License-Identifier: Apache-2.0 */
/* Y := a X + a Y. */
#include <math.h>

#include "bench/vectors.h"

static void expect(const bench_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own; /* there is one order */
    const bench_vectors *v = p->own;
    const int64_t n = p->info.rows;
    const long double one = v->by * bench_vectors_number(p, v->host_x, n, row, column);
    const long double other = v->by * bench_vectors_number(p, v->host_start, n, row, column);
    *value = one + other;
    *bound =
        bench_gamma(p->info.type, 2) * (fabsl(one) + fabsl(other)) + 2 * bench_least(p->info.type);
}

static tulle_status open_problem(bench_problem *p, const bench_given *given) {
    const int64_t n = given->n, k = given->block.vectors;
    const bench_shapes shapes = {.expect = expect, .x = {n, k}, .y = {n, k}, .adds = true};
    p->minimal_bytes = 3 * n * k * tulle_type_size(given->type);
    p->flops = 3 * (double)n * (double)k;
    return bench_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const bench_problem *p = state;
    tulle_scalar a;
    tulle_status status = bench_vectors_factor(p, &a);
    if (status != TULLE_OK) return status;
    return tulle_vec_axpby(p->ctx, a, p->x, a, p->y);
}

const bench_operation bench_operation_axpby = {
    .name = "axpby",
    .function = "tulle_vec_axpby",
    .formula = "a X + a Y",
    BENCH_VECTOR_OPERATION(BENCH_VECTORS, open_problem, run),
};
