/* SPDX-License-Identifier: Apache-2.0 */
/* X = Q R, X n x k. The fewest bytes: X is read once and Q written once. Operations are those of
 * Householder's method, R and then Q. */
#include "trials/qr.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "tools/common/block.h"
#include "tools/common/error.h"
#include "trials/vectors.h"

static tulle_status create(const trial_problem *p, int64_t rows, tulle_vec **made) {
    return tulle_vec_create_columns(p->ctx, p->info.type, rows, p->block.vectors, p->block.layout,
                                    0, made);
}

static tulle_status wrap_first_rows(const trial_problem *p, trial_qr *q) {
    tulle_vec_info y;
    tulle_status status = tulle_vec_describe(p->y, &y);
    if (status != TULLE_OK) return status;
    return tulle_vec_wrap(p->ctx, y.type, y.cols, y.cols, y.layout, y.ld, y.data, &q->top);
}

static tulle_status fill(const trial_problem *p, const trial_given *given, trial_qr *q) {
    tulle_status status = tulle_vec_random(p->ctx, p->x, given->seed);
    if (status != TULLE_OK || !given->check) return status;
    q->host_x = tool_block_host(p->x);
    return tool_block_read(p->ctx, p->x, q->host_x);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const int64_t n = given->n, k = given->block.vectors;
    if (n < k) {
        return tool_record(TULLE_UNSUPPORTED, "X = Q R: %lld rows are fewer than the columns",
                           (long long)n);
    }
    trial_qr *q = tool_alloc(1, sizeof *q);
    *q = (trial_qr){.R = NULL};
    p->own = q;
    p->minimal_bytes = 2 * n * k * tulle_type_size(given->type);
    p->flops = 4 * (double)k * (double)k * ((double)n - (double)k / 3);
    tulle_status status = create(p, n, &p->x);
    if (status == TULLE_OK) status = create(p, n, &p->y);
    if (status == TULLE_OK) status = create(p, k, &q->R);
    if (status == TULLE_OK) status = wrap_first_rows(p, q);
    return status == TULLE_OK ? fill(p, given, q) : status;
}

static void close_problem(trial_problem *p) {
    trial_qr *q = p->own;
    if (!q) return;
    tulle_vec_destroy(q->R);
    tulle_vec_destroy(q->top);
    free(q->host_x);
    free(q);
}

tulle_status trial_qr_check_lapack(const trial_problem *p) {
    if (p->block.layout == TULLE_COLUMN_MAJOR && p->info.rows <= INT_MAX) return TULLE_OK;
    return tool_record(TULLE_UNSUPPORTED, "geqrf and orgqr: by column, up to 2^31 - 1 rows");
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    const trial_qr *q = p->own;
    return tulle_vec_qr(p->ctx, p->y, q->R, NULL);
}

static tulle_status reset(const trial_problem *p) {
    const trial_qr *q = p->own;
    tulle_status status = tulle_vec_copy(p->ctx, p->x, p->y);
    return status == TULLE_OK ? tulle_vec_fill(p->ctx, q->R, (double)NAN) : status;
}

/* Prepares a task and finds the bytes that a call holds beside X and R. */
static tulle_status prepare(const trial_problem *p, trial_task *task) {
    tulle_memory_usage before, after;
    tulle_status status = reset(p);
    if (status == TULLE_OK) status = tulle_ctx_reset_high(p->ctx);
    if (status == TULLE_OK) status = tulle_ctx_memory(p->ctx, &before);
    task->state = (void *)p;
    if (status == TULLE_OK) status = run(task->state);
    if (status == TULLE_OK) status = tulle_ctx_memory(p->ctx, &after);
    if (status == TULLE_OK) task->extra_bytes = (int64_t)(after.high - before.in_use);
    return status;
}

/* Returns the largest error allowed: |Q'Q - I| in each number, and |X - Q R| of each column of X,
 * which is relative. own: the bound of tulle/vec.h. Else k reflections of n numbers each have sums
 * of n products, in an order that nobody knows (N. J. Higham, Accuracy and Stability of Numerical
 * Algorithms, theorem 19.4, and trial_gamma_likely). */
static long double allowed(const trial_problem *p, bool own) {
    const double n = (double)p->info.rows, k = (double)p->block.vectors;
    return own ? trial_gamma(p->info.type, 30 * k) : trial_gamma_likely(p->info.type, n * k);
}

/* The computed Q and R, columns one after another. */
typedef struct result {
    const trial_problem *problem;
    const void *q, *r;
} result;

static long double off_orthonormal(const result *f, int64_t i, int64_t j) {
    const int64_t n = f->problem->info.rows;
    long double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int64_t row = 0; row < n; row++) {
        sum += trial_vectors_number(f->problem, f->q, n, row, i) *
               trial_vectors_number(f->problem, f->q, n, row, j);
    }
    return fabsl(sum - (i == j));
}

/* Returns |x - Q r| / |x| for column x = X e_j and r = R e_j. */
static long double off_product(const result *f, int64_t j) {
    const trial_problem *p = f->problem;
    const trial_qr *own = p->own;
    const int64_t n = p->info.rows, k = p->block.vectors;
    long double left = 0, length = 0;
#pragma omp parallel for reduction(+ : left, length)
    for (int64_t row = 0; row < n; row++) {
        const long double x = trial_vectors_number(p, own->host_x, n, row, j);
        long double rest = x;
        for (int64_t i = 0; i <= j; i++) {
            rest -=
                trial_vectors_number(p, f->q, n, row, i) * trial_vectors_number(p, f->r, k, i, j);
        }
        left += rest * rest;
        length += x * x;
    }
    return sqrtl(left / length);
}

static long double worst(const result *f) {
    const int64_t k = f->problem->block.vectors;
    long double most = 0;
    for (int64_t j = 0; j < k; j++) {
        long double off = off_product(f, j);
        if (isnan(off)) return INFINITY;
        most = fmaxl(most, off);
        for (int64_t i = 0; i <= j; i++) {
            off = off_orthonormal(f, i, j);
            if (isnan(off)) return INFINITY;
            most = fmaxl(most, off);
        }
    }
    return most;
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    const trial_qr *own = p->own;
    *units = (double)NAN;
    if (!own->host_x) return TULLE_OK;
    void *q = tool_block_host(p->y), *r = tool_block_host(own->R);
    tulle_status status = tool_block_read(p->ctx, p->y, q);
    if (status == TULLE_OK) status = tool_block_read(p->ctx, own->R, r);
    const result f = {.problem = p, .q = q, .r = r};
    if (status == TULLE_OK) *units = (double)(worst(&f) / allowed(p, state != NULL));
    free(q);
    free(r);
    return status;
}

const trial_operation trial_operation_qr = {
    .name = "qr",
    .also = "multivector_qr",
    .function = "tulle_vec_qr",
    .formula = "X = Q R",
    .sized = true,
    .blocks = true,
    .most_vectors = TRIAL_NARROW,
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = trial_vectors_finish,
    .reset = reset,
    .error = error_of,
};
