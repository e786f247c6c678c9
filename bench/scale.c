/* SPDX-License-Identifier: Apache-2.0 */
/* Y := a Y, a = -1: what is scaled many times stays as large as it was. */
#include <math.h>

#include "bench/vectors.h"

static void expect(const bench_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own; /* each number is rounded once */
    const bench_vectors *v = p->own;
    *value = v->by * bench_vectors_number(p, v->host_start, p->info.rows, row, column);
    *bound = bench_gamma(p->info.type, 1) * fabsl(*value) + bench_least(p->info.type);
}

static tulle_status open_problem(bench_problem *p, const bench_given *given) {
    const int64_t n = given->n, k = given->block.vectors;
    const bench_shapes shapes = {
        .expect = expect, .x = {1, 1}, .y = {n, k}, .adds = true, .by = -1};
    p->minimal_bytes = 2 * n * k * tulle_type_size(given->type);
    p->flops = (double)n * (double)k;
    return bench_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const bench_problem *p = state;
    tulle_scalar a;
    tulle_status status = bench_vectors_factor(p, &a);
    if (status != TULLE_OK) return status;
    return tulle_vec_scale(p->ctx, a, p->y);
}

const bench_operation bench_operation_scale = {
    .name = "scale",
    .function = "tulle_vec_scale",
    .formula = "a Y",
    BENCH_VECTOR_OPERATION(BENCH_VECTORS, open_problem, run),
};
