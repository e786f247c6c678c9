/* SPDX-License-Identifier: Apache-2.0 */
/* Y := X. */
#include "bench/vectors.h"

/* Exactly: what is off at all is off by more than this. */
static void expect(const bench_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own;
    const bench_vectors *v = p->own;
    *value = bench_vectors_number(p, v->host_x, p->info.rows, row, column);
    *bound = bench_least(p->info.type) / 2;
}

static tulle_status open_problem(bench_problem *p, const bench_given *given) {
    const int64_t n = given->n, k = given->block.vectors;
    const bench_shapes shapes = {.expect = expect, .x = {n, k}, .y = {n, k}};
    p->minimal_bytes = 2 * n * k * tulle_type_size(given->type);
    return bench_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const bench_problem *p = state;
    return tulle_vec_copy(p->ctx, p->x, p->y);
}

const bench_operation bench_operation_copy = {
    .name = "copy",
    .function = "tulle_vec_copy",
    .formula = "Y = X",
    BENCH_VECTOR_OPERATION(BENCH_MULTIVECTORS, open_problem, run),
};
