/* SPDX-License-Identifier: Apache-2.0 */
/* The largest magnitudes of the columns of a multivector. */
#include <math.h>

#include "bench/vectors.h"

/* Exactly: what is off at all is off by more than this. */
static void expect(const bench_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own;
    (void)column;
    const bench_vectors *v = p->own;
    const int64_t n = p->info.rows;
    long double most = 0;
#pragma omp parallel for reduction(max : most)
    for (int64_t i = 0; i < n; i++) {
        const long double size = fabsl(bench_vectors_number(p, v->host_x, n, i, row));
        if (size > most) most = size;
    }
    *value = most;
    *bound = bench_least(p->info.type) / 2;
}

static tulle_status open_problem(bench_problem *p, const bench_given *given) {
    const int64_t n = given->n, k = given->block.vectors, value = tulle_type_size(given->type);
    const bench_shapes shapes = {.expect = expect,
                                 .x = {n, k},
                                 .y = {k, 1},
                                 .sums = true,
                                 .host = given->detail == BENCH_VECTORS_HOST};
    p->minimal_bytes = (n + 1) * k * value;
    return bench_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const bench_problem *p = state;
    tulle_result y;
    tulle_status status = bench_vectors_result(p, &y);
    if (status != TULLE_OK) return status;
    return tulle_vec_norm_max(p->ctx, p->x, y);
}

const bench_operation bench_operation_norm_max = {
    .name = "norm_max",
    .function = "tulle_vec_norm_max",
    .formula = "|x|, the maximum norm",
    BENCH_VECTOR_OPERATION(BENCH_VECTORS, open_problem, run),
};
