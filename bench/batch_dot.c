/* SPDX-License-Identifier: Apache-2.0 */
/* R := X'Z, X and Z n x k, many times. */
#include <math.h>

#include "bench/batch.h"

/* tulle/batch.h; the other bound for sums in the type itself. */
static void expect(const bench_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    const bench_vectors *v = p->own;
    const bench_batch_rows rows = bench_batch_rows_of(p);
    const int64_t first = row / rows.y * rows.x, all = rows.count * rows.x;
    const tulle_type type = p->info.type;
    long double sum = 0, mass = 0;
    for (int64_t i = first; i < first + rows.x; i++) {
        const long double product = bench_vectors_number(p, v->host_x, all, i, row % rows.y) *
                                    bench_vectors_number(p, v->host_second, all, i, column);
        sum += product;
        mass += fabsl(product);
    }
    const long double relative =
        own ? bench_gamma(type, 700) : bench_gamma_likely(type, (double)rows.x + 1);
    *value = sum;
    *bound = relative * mass + 2 * (long double)(rows.x + 2) * bench_least(type);
}

static tulle_status open_problem(bench_problem *p, const bench_given *given) {
    const int64_t n = given->n * given->count, k = given->block.vectors;
    const bench_shapes shapes = {
        .expect = expect, .x = {n, k}, .second = {n, k}, .y = {given->count * k, k}, .sums = true};
    p->minimal_bytes = (2 * n + given->count * k) * k * tulle_type_size(given->type);
    p->flops = 2 * (double)n * (double)k * (double)k;
    return bench_vectors_open(p, given, &shapes);
}

static tulle_status record(tulle_batch *batch, tulle_vec *x, tulle_vec *z, tulle_vec *r) {
    return tulle_batch_dot(batch, 1, x, z, 0, r, NULL);
}

static tulle_status prepare(const bench_problem *p, bench_task *task) {
    return bench_batch_prepare(p, record, task);
}

const bench_operation bench_operation_batch_dot = {
    .name = "batch_dot",
    .function = "tulle_batch_dot",
    .formula = "X'Z, many",
    .sized = true,
    .many = true,
    .blocks = true,
    .most_vectors = BENCH_NARROW,
    .detail = BENCH_BATCH_DETAILS,
    .captured = BENCH_BATCH_CAPTURED,
    .open = open_problem,
    .close = bench_vectors_close,
    .prepare = prepare,
    .run = bench_batch_run,
    .finish = bench_batch_finish,
    .reset = bench_vectors_reset,
    .error = bench_vectors_error,
};
