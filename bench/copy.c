/* SPDX-License-Identifier: Apache-2.0 */
/* Y := X. */
#include "bench/vectors.h"

static tulle_status open_problem(bench_problem *p, const bench_given *given) {
    const int64_t n = given->n, k = given->block.vectors;
    const bench_shapes shapes = {.x = {n, k}, .y = {n, k}};
    p->minimal_bytes = 2 * n * k * tulle_type_size(given->type);
    return bench_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const bench_problem *p = state;
    return tulle_vec_copy(p->ctx, p->x, p->y);
}

/* Exactly: what is off at all is off by more than this. */
static void expect(const bench_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own;
    const bench_vectors *v = p->own;
    *value = bench_vectors_number(p, v->host_x, p->info.rows, row, column);
    *bound = bench_least(p->info.type) / 2;
}

static tulle_status error_of(const bench_problem *p, void *state, double *units) {
    return bench_vectors_error(p, state != NULL, expect, units);
}

const bench_operation bench_operation_copy = {
    .name = "copy",
    .function = "tulle_vec_copy",
    .formula = "Y = X",
    .sized = true,
    .blocks = true,
    .detail = BENCH_MULTIVECTORS_DETAILS,
    .captured = BENCH_MULTIVECTORS_CAPTURED,
    .open = open_problem,
    .close = bench_vectors_close,
    .prepare = bench_vectors_prepare,
    .run = run,
    .finish = bench_vectors_finish,
    .reset = bench_vectors_reset,
    .error = error_of,
};
