/* SPDX-License-Identifier: Apache-2.0 */
/* Y := X / Z, number by number; random numbers are never 0. */
#include <math.h>

#include "bench/vectors.h"

static void expect(const bench_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own; /* each number is rounded once */
    const bench_vectors *v = p->own;
    const int64_t n = p->info.rows;
    *value = bench_vectors_number(p, v->host_x, n, row, column) /
             bench_vectors_number(p, v->host_second, n, row, column);
    *bound = bench_gamma(p->info.type, 1) * fabsl(*value) + bench_least(p->info.type);
}

static tulle_status open_problem(bench_problem *p, const bench_given *given) {
    const int64_t n = given->n, k = given->block.vectors;
    const bench_shapes shapes = {
        .expect = expect, .x = {n, k}, .second = {n, k}, .y = {n, k}, .unlike = true};
    p->minimal_bytes = 3 * n * k * tulle_type_size(given->type);
    p->flops = (double)n * (double)k;
    return bench_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const bench_problem *p = state;
    const bench_vectors *v = p->own;
    return tulle_vec_divide(p->ctx, p->x, v->second, p->y);
}

const bench_operation bench_operation_divide = {
    .name = "divide",
    .function = "tulle_vec_divide",
    .formula = "x / z, number by number",
    BENCH_VECTOR_OPERATION(BENCH_MULTIVECTORS, open_problem, run),
};
