/* SPDX-License-Identifier: Apache-2.0 */
/* R := X'Z, X and Z n x k, many times. */
#include <math.h>

#include "trials/batch.h"

/* Computes the value that is due, and its bound: that of tulle/batch.h for tulle's own result, else
 * one for sums in the type itself. */
static void expect(const trial_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    const trial_vectors *v = p->own;
    const trial_batch_rows rows = trial_batch_rows_of(p);
    const int64_t first = row / rows.y * rows.x, all = rows.count * rows.x;
    const tulle_type type = p->info.type;
    long double sum = 0, mass = 0;
    for (int64_t i = first; i < first + rows.x; i++) {
        const long double product = trial_vectors_number(p, v->host_x, all, i, row % rows.y) *
                                    trial_vectors_number(p, v->host_second, all, i, column);
        sum += product;
        mass += fabsl(product);
    }
    const long double relative =
        own ? trial_gamma(type, 700) : trial_gamma_likely(type, (double)rows.x + 1);
    *value = sum;
    *bound = relative * mass + 2 * (long double)(rows.x + 2) * trial_least(type);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const int64_t n = given->n * given->count, k = given->block.vectors;
    const trial_shapes shapes = {
        .expect = expect, .x = {n, k}, .second = {n, k}, .y = {given->count * k, k}, .sums = true};
    p->minimal_bytes = (2 * n + given->count * k) * k * tulle_type_size(given->type);
    p->flops = 2 * (double)n * (double)k * (double)k;
    return trial_vectors_open(p, given, &shapes);
}

static tulle_status record(tulle_batch *batch, tulle_vec *x, tulle_vec *z, tulle_vec *r) {
    return tulle_batch_dot(batch, 1, x, z, 0, r, NULL);
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    return trial_batch_prepare(p, record, task);
}

const trial_operation trial_operation_batch_dot = {
    .name = "batch_dot",
    .function = "tulle_batch_dot",
    .formula = "X'Z, many",
    .sized = true,
    .many = true,
    .blocks = true,
    .most_vectors = TRIAL_NARROW,
    .detail = TRIAL_BATCH_DETAILS,
    .captured = TRIAL_BATCH_CAPTURED,
    .open = open_problem,
    .close = trial_vectors_close,
    .prepare = prepare,
    .run = trial_batch_run,
    .finish = trial_batch_finish,
    .reset = trial_vectors_reset,
    .error = trial_vectors_error,
};
