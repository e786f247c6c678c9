/* SPDX-License-Identifier: Apache-2.0 */
/* Y := Y + X A, X and Y n x k, A k x k, many times. */
#include <math.h>

#include "trials/batch.h"

/* Computes the value that is due, and its bound as in tulle/vec.h, to which tulle/batch.h refers;
 * the bound holds for sums in any order, too. */
static void expect(const trial_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own;
    const trial_vectors *v = p->own;
    const trial_batch_rows rows = trial_batch_rows_of(p);
    const int64_t all = rows.count * rows.y, k = p->block.vectors;
    const int64_t first = row / rows.y * rows.second;
    const tulle_type type = p->info.type;
    long double sum = trial_vectors_number(p, v->host_start, all, row, column), mass = fabsl(sum);
    for (int64_t j = 0; j < k; j++) {
        const long double factor =
            trial_vectors_number(p, v->host_second, rows.count * rows.second, first + j, column);
        const long double product = trial_vectors_number(p, v->host_x, all, row, j) * factor;
        sum += product;
        mass += fabsl(product);
    }
    *value = sum;
    *bound = trial_gamma(type, (double)k + 3) * mass + 2 * (long double)(k + 2) * trial_least(type);
}

tulle_status trial_batch_axpy_open(trial_problem *p, const trial_given *given) {
    const int64_t n = given->n * given->count, k = given->block.vectors;
    const trial_shapes shapes = {
        .expect = expect, .x = {n, k}, .second = {given->count * k, k}, .y = {n, k}, .adds = true};
    p->minimal_bytes = (3 * n + given->count * k) * k * tulle_type_size(given->type);
    p->flops = 2 * (double)n * (double)k * (double)k;
    return trial_vectors_open(p, given, &shapes);
}

static tulle_status record(tulle_batch *batch, tulle_vec *x, tulle_vec *a, tulle_vec *y) {
    return tulle_batch_axpy(batch, 1, x, a, 1, y, NULL);
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    return trial_batch_prepare(p, record, task);
}

const trial_operation trial_operation_batch_axpy = {
    .name = "batch_axpy",
    .function = "tulle_batch_axpy",
    .formula = "Y + X A, many",
    .sized = true,
    .many = true,
    .blocks = true,
    .most_vectors = TRIAL_NARROW,
    .detail = TRIAL_BATCH_AXPY_DETAILS,
    .captured = TRIAL_BATCH_CAPTURED,
    .open = trial_batch_axpy_open,
    .close = trial_vectors_close,
    .prepare = prepare,
    .run = trial_batch_run,
    .finish = trial_batch_finish,
    .reset = trial_vectors_reset,
    .error = trial_vectors_error,
};
