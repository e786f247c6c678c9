/* SPDX-License-Identifier: Apache-2.0 */
/* Y := A X, many times, A in blocks of as many rows as X has columns. */
#include <math.h>

#include "bench/grids.h"

static tulle_status prepare(const bench_problem *p, bench_task *task) {
    const bench_grids *g = bench_grids_of(p);
    tulle_batch *batch;
    tulle_status status = bench_batch_start(p, task, &batch);
    if (status != TULLE_OK) return status;
    for (int64_t i = 0; i < g->count && status == TULLE_OK; i++) {
        status = tulle_batch_spmm(batch, TULLE_N, 1, g->A[i], g->x[i], 0, g->y[i], NULL);
    }
    if (status != TULLE_OK) bench_batch_finish(task->state);
    return status;
}

/* tulle/spmm.h, which tulle/batch.h refers to: for sums in any order, too. */
static void expect(const bench_problem *p, bool own, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    (void)own;
    const bench_vectors *v = p->own;
    const bench_grids *g = bench_grids_of(p);
    const int64_t b = g->block, rows = g->points * b, all = g->count * rows;
    const int64_t first = row / rows * rows, i = row % rows / b;
    const double n = (double)((g->offsets[i + 1] - g->offsets[i]) * b);
    long double sum = 0, mass = 0;
    for (int64_t e = g->offsets[i]; e < g->offsets[i + 1]; e++) {
        for (int64_t c = 0; c < b; c++) {
            const long double product =
                (long double)bench_grids_value(g, e, row % b, c) *
                bench_vectors_number(p, v->host_x, all, first + g->columns[e] * b + c, column);
            sum += product;
            mass += fabsl(product);
        }
    }
    *value = sum;
    *bound = bench_gamma(p->info.type, n + 2) * mass + 2 * (n + 2) * bench_least(p->info.type);
}

static tulle_status error_of(const bench_problem *p, void *state, double *units) {
    return bench_vectors_error(p, state != NULL, expect, units);
}

const bench_actor bench_actor_batch_spmm = {
    .name = "batch_spmm",
    .function = "tulle_batch_spmm",
    .formula = "A X, many",
    .sized = true,
    .many = true,
    .blocks = true,
    .detail = BENCH_BATCH_DETAILS,
    .captured = BENCH_BATCH_CAPTURED,
    .open = bench_grids_open,
    .close = bench_grids_close,
    .prepare = prepare,
    .run = bench_batch_run,
    .finish = bench_batch_finish,
    .reset = bench_vectors_reset,
    .error = error_of,
};
