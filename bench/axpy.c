/* SPDX-License-Identifier: Apache-2.0 */
/* Y := Y + a X. */
#include <math.h>

#include "bench/vectors.h"

static tulle_status open_problem(bench_problem *p, const bench_given *given) {
    const int64_t n = given->n, k = given->block.vectors;
    const bench_shapes shapes = {.x = {n, k}, .y = {n, k}, .adds = true};
    p->minimal_bytes = 3 * n * k * tulle_type_size(given->type);
    p->flops = 2 * (double)n * (double)k;
    return bench_vectors_open(p, given, &shapes);
}

static tulle_status run(void *state) {
    const bench_problem *p = state;
    tulle_scalar a;
    tulle_status status = bench_vectors_factor(p, &a);
    if (status != TULLE_OK) return status;
    return tulle_vec_axpy(p->ctx, a, p->x, p->y);
}

static void expect(const bench_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own; /* there is one order */
    const bench_vectors *v = p->own;
    const long double product =
        v->by * bench_vectors_number(p, v->host_x, p->info.rows, row, column);
    const long double before = bench_vectors_number(p, v->host_start, p->info.rows, row, column);
    *value = before + product;
    *bound =
        bench_gamma(p->info.type, 2) * (fabsl(before) + fabsl(product)) + bench_least(p->info.type);
}

static tulle_status error_of(const bench_problem *p, void *state, double *units) {
    return bench_vectors_error(p, state != NULL, expect, units);
}

const bench_operation bench_operation_axpy = {
    .name = "axpy",
    .function = "tulle_vec_axpy",
    .formula = "Y + a X",
    .sized = true,
    .blocks = true,
    .detail = BENCH_VECTORS_DETAILS,
    .captured = BENCH_VECTORS_CAPTURED,
    .open = open_problem,
    .close = bench_vectors_close,
    .prepare = bench_vectors_prepare,
    .run = run,
    .finish = bench_vectors_finish,
    .reset = bench_vectors_reset,
    .error = error_of,
};
