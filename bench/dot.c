/* SPDX-License-Identifier: Apache-2.0 */
/* The inner products of the columns of two multivectors. */
#include <math.h>

#include "bench/vectors.h"

/* tulle/vector.h; the other bound for sums in the type itself. */
static void expect(const bench_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)column;
    const bench_vectors *v = p->own;
    const int64_t n = p->info.rows;
    const tulle_type type = p->info.type;
    long double sum = 0, mass = 0;
#pragma omp parallel for reduction(+ : sum, mass)
    for (int64_t i = 0; i < n; i++) {
        const long double product = bench_vectors_number(p, v->host_x, n, i, row) *
                                    bench_vectors_number(p, v->host_second, n, i, row);
        sum += product;
        mass += fabsl(product);
    }
    *value = sum;
    const double depth = 600 + (double)n / 2048;
    *bound =
        own ? bench_gamma(type, 1) * fabsl(sum) + bench_gamma(TULLE_F64, depth) * mass +
                  (long double)n * bench_least(TULLE_F64)
            : bench_gamma_likely(type, (double)n + 1) * mass + (long double)n * bench_least(type);
}

static tulle_status open_problem(bench_problem *p, const bench_given *given) {
    const int64_t n = given->n, k = given->block.vectors, value = tulle_type_size(given->type);
    const bench_shapes shapes = {.expect = expect,
                                 .x = {n, k},
                                 .second = {n, k},
                                 .y = {k, 1},
                                 .sums = true,
                                 .host = given->detail == BENCH_VECTORS_HOST};
    p->minimal_bytes = (2 * n + 1) * k * value;
    p->flops = 2 * (double)n * (double)k;
    return bench_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const bench_problem *p = state;
    const bench_vectors *v = p->own;
    tulle_result y;
    tulle_status status = bench_vectors_result(p, &y);
    if (status != TULLE_OK) return status;
    return tulle_vec_dot(p->ctx, p->x, v->second, y);
}

const bench_operation bench_operation_dot = {
    .name = "dot",
    .function = "tulle_vec_dot",
    .formula = "x'z",
    BENCH_VECTOR_OPERATION(BENCH_VECTORS, open_problem, run),
};
