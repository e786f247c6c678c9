/* SPDX-License-Identifier: Apache-2.0 */
/* Y := A X and Y := A'X, many times, A in blocks of as many rows as X has columns. */
#include <math.h>

#include "trials/grids.h"

static tulle_status record_product(tulle_batch *batch, const trial_problem *p, void *A) {
    const trial_grids *g = trial_grids_of(p);
    return tulle_batch_spmm(batch, TULLE_N, 1, A, g->x[0], 0, g->y[0], NULL);
}

static tulle_status record_transposed(tulle_batch *batch, const trial_problem *p, void *A) {
    const trial_grids *g = trial_grids_of(p);
    return tulle_batch_spmm(batch, TULLE_T, 1, A, g->x[0], 0, g->y[0], NULL);
}

static tulle_status time_lines(const trial_problem *p, tulle_trans op, trial_task *task) {
    const tulle_mat *A = trial_grids_of(p)->A[0];
    tulle_mat_info info;
    tulle_mat *fresh = NULL;
    tulle_status status = tulle_mat_describe(A, &info);
    if (status != TULLE_OK) return status;
    const tulle_convert_options as_it_is = {.block = info.storage.block,
                                            .block_cols = info.storage.block_cols};
    status = tulle_mat_convert_with(p->ctx, A, info.format, info.index, &as_it_is, &fresh);
    if (status != TULLE_OK) return status;
    status = trial_batch_time_lines(p, op == TULLE_T ? record_transposed : record_product, fresh,
                                    &task->convert_ms);
    tulle_mat_destroy(fresh);
    return status;
}

static tulle_status prepare(const trial_problem *p, tulle_trans op, trial_task *task) {
    const trial_grids *g = trial_grids_of(p);
    tulle_batch *batch;
    tulle_status status = trial_batch_start(p, task, &batch);
    if (status != TULLE_OK) return status;
    for (int64_t i = 0; i < g->count && status == TULLE_OK; i++) {
        status = tulle_batch_spmm(batch, op, 1, g->A[i], g->x[i], 0, g->y[i], NULL);
    }
    if (status == TULLE_OK && trial_batch_is_published(p)) status = time_lines(p, op, task);
    if (status != TULLE_OK) trial_batch_finish(task->state);
    return status;
}

static tulle_status prepare_product(const trial_problem *p, trial_task *task) {
    return prepare(p, TULLE_N, task);
}

static tulle_status prepare_transposed(const trial_problem *p, trial_task *task) {
    return prepare(p, TULLE_T, task);
}

/* Returns the index of the block in row i and column j, which exists because the pattern is
 * symmetric. */
static int64_t block_at(const trial_grids *g, int64_t i, int64_t j) {
    int64_t e = g->offsets[i];
    while (g->columns[e] != j) e++;
    return e;
}

/* Computes the value that is due, and its bound as in tulle/spmm.h, to which tulle/batch.h refers;
 * the bound holds for sums in any order, too. */
static void expect(const trial_problem *p, tulle_trans op, int64_t row, int64_t column,
                   long double *value, long double *bound) {
    const trial_vectors *v = p->own;
    const trial_grids *g = trial_grids_of(p);
    const int64_t b = g->block, rows = g->points * b, all = g->count * rows;
    const int64_t first = row / rows * rows, i = row % rows / b, r = row % b;
    const double n = (double)((g->offsets[i + 1] - g->offsets[i]) * b);
    long double sum = 0, mass = 0;
    for (int64_t e = g->offsets[i]; e < g->offsets[i + 1]; e++) {
        const int64_t j = g->columns[e], other = op == TULLE_T ? block_at(g, j, i) : e;
        for (int64_t c = 0; c < b; c++) {
            const double number = op == TULLE_T ? trial_grids_value(g, other, c, r)
                                                : trial_grids_value(g, other, r, c);
            const long double product =
                (long double)number *
                trial_vectors_number(p, v->host_x, all, first + j * b + c, column);
            sum += product;
            mass += fabsl(product);
        }
    }
    *value = sum;
    *bound = trial_gamma(p->info.type, n + 2) * mass + 2 * (n + 2) * trial_least(p->info.type);
}

static void expect_product(const trial_problem *p, bool own, int64_t row, int64_t column,
                           long double *value, long double *bound) {
    (void)own;
    expect(p, TULLE_N, row, column, value, bound);
}

static void expect_transposed(const trial_problem *p, bool own, int64_t row, int64_t column,
                              long double *value, long double *bound) {
    (void)own;
    expect(p, TULLE_T, row, column, value, bound);
}

static tulle_status open_product(trial_problem *p, const trial_given *given) {
    return trial_grids_open(p, given, expect_product);
}

static tulle_status open_transposed(trial_problem *p, const trial_given *given) {
    return trial_grids_open(p, given, expect_transposed);
}

#define OPERATION(variant, named, said)                                                            \
    const trial_operation trial_operation_##named = {                                              \
        .name = #named,                                                                            \
        .function = "tulle_batch_spmm",                                                            \
        .formula = said,                                                                           \
        .sized = true,                                                                             \
        .many = true,                                                                              \
        .blocks = true,                                                                            \
        .detail = TRIAL_BATCH_DETAILS,                                                             \
        .captured = TRIAL_BATCH_CAPTURED,                                                          \
        .open = open_##variant,                                                                    \
        .close = trial_grids_close,                                                                \
        .prepare = prepare_##variant,                                                              \
        .run = trial_batch_run,                                                                    \
        .finish = trial_batch_finish,                                                              \
        .reset = trial_vectors_reset,                                                              \
        .error = trial_vectors_error,                                                              \
    };

OPERATION(product, batch_spmm, "A X, many")
OPERATION(transposed, batch_spmm_transposed, "A'X, many")
