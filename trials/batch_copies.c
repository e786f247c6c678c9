/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/batch_copies.h"

#include <math.h>
#include <stdlib.h>

#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/sums.h"
#include "trials/vectors.h"
#include "tulle/batch.h"

typedef struct operands {
    tulle_mat *A;
    tulle_vec *X, *Y, *R;
} operands;

typedef struct own {
    operands *task;
    bool check;
    tool_csr csr; /* A in host memory, for the check */
} own;

static own *own_of(const trial_problem *p) {
    return p->own;
}

static tulle_status make_block(const trial_problem *p, int64_t rows, tulle_vec **X) {
    return tulle_vec_create_columns(p->ctx, p->info.type, rows, p->block.vectors, p->block.layout,
                                    0, X);
}

static tulle_status make_task(const trial_problem *p, uint64_t seed, int64_t i) {
    operands *t = own_of(p)->task + i;
    tulle_status status = tulle_mat_copy(p->ctx, p->A, p->info.type, &t->A);
    if (status == TULLE_OK) status = make_block(p, p->info.cols, &t->X);
    if (status == TULLE_OK) status = make_block(p, p->info.rows, &t->Y);
    if (status == TULLE_OK) status = make_block(p, p->block.vectors, &t->R);
    if (status == TULLE_OK) status = tulle_vec_random(p->ctx, t->X, seed + (uint64_t)i);
    if (status != TULLE_OK) return status;
    return tool_progress(NULL, "making tasks", i + 1, p->count) ? TULLE_CANCELLED : TULLE_OK;
}

int64_t trial_copies_bytes(const tulle_mat_info *info, int64_t tasks, int64_t vectors) {
    const int64_t matrix = info->pattern_bytes + info->value_bytes;
    const int64_t rows = tool_plus(info->cols + tool_times(2, info->rows), vectors);
    const int64_t numbers = tool_times(tool_times(rows, vectors), tulle_type_size(info->type));
    return tool_times(tasks, tool_plus(matrix, numbers));
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    own *o = tool_alloc(1, sizeof *o);
    *o = (own){.task = tool_alloc((size_t)p->count, sizeof(operands)), .check = given->check};
    p->own = o;
    p->minimal_bytes = trial_copies_bytes(&p->info, p->count, p->block.vectors);
    tulle_status status = given->check ? tool_csr_open(p->ctx, given->csr, &o->csr) : TULLE_OK;
    for (int64_t i = 0; i < p->count && status == TULLE_OK; i++) {
        status = make_task(p, given->seed, i);
    }
    return status;
}

static void close_problem(trial_problem *p) {
    own *o = p->own;
    if (!o) return;
    for (int64_t i = 0; i < p->count; i++) {
        tulle_mat_destroy(o->task[i].A);
        tulle_vec_destroy(o->task[i].X);
        tulle_vec_destroy(o->task[i].Y);
        tulle_vec_destroy(o->task[i].R);
    }
    tool_csr_close(&o->csr);
    free(o->task);
    free(o);
}

/* The batch of all calls; of a shared run, one of all products and one of all inner products. */
typedef struct own_task {
    const trial_problem *problem;
    tulle_batch *products, *inners;
} own_task;

static void finish(void *state) {
    own_task *t = state;
    if (t->inners != t->products) tulle_batch_destroy(t->inners);
    tulle_batch_destroy(t->products);
    free(t);
}

static tulle_status record(const own_task *t, const operands *o) {
    int product, inner;
    tulle_status status = tulle_batch_spmm(t->products, TULLE_N, 1, o->A, o->X, 0, o->Y, &product);
    if (status == TULLE_OK) status = tulle_batch_dot(t->inners, 1, o->Y, o->Y, 0, o->R, &inner);
    if (status != TULLE_OK || t->inners != t->products) return status;
    return tulle_batch_after(t->products, inner, product);
}

static tulle_status record_all(own_task *t) {
    const trial_problem *p = t->problem;
    tulle_status status = tulle_batch_create(p->ctx, &t->products);
    if (status == TULLE_OK && p->detail == TRIAL_COPIES_SHARED) {
        status = tulle_batch_create(p->ctx, &t->inners);
    } else {
        t->inners = t->products;
    }
    for (int64_t i = 0; i < p->count && status == TULLE_OK; i++) {
        status = record(t, own_of(p)->task + i);
    }
    return status;
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    own_task *t = tool_alloc(1, sizeof *t);
    *t = (own_task){.problem = p};
    task->state = t;
    if (p->detail == TRIAL_COPIES_ONE_BY_ONE) return TULLE_OK;
    const tulle_status status = record_all(t);
    if (status != TULLE_OK) finish(t);
    return status;
}

static tulle_status run_one(tulle_ctx *ctx, const operands *o) {
    const tulle_scalar one = tulle_num(1), none = tulle_num(0);
    const tulle_status status = tulle_spmm(ctx, TULLE_N, one, o->A, o->X, none, o->Y);
    return status == TULLE_OK ? tulle_vec_inner(ctx, one, o->Y, o->Y, none, o->R) : status;
}

static tulle_status run(void *state) {
    static const tulle_batch_way ways[TRIAL_COPIES_WAYS] = {
        [TRIAL_COPIES_GROUPED] = TULLE_BATCH_GROUPED,
        [TRIAL_COPIES_STREAMS] = TULLE_BATCH_STREAMS,
        [TRIAL_COPIES_TASKS] = TULLE_BATCH_TASKS,
        [TRIAL_COPIES_SHARED] = TULLE_BATCH_SHARED};
    const own_task *t = state;
    const trial_problem *p = t->problem;
    tulle_status status = TULLE_OK;
    if (p->detail != TRIAL_COPIES_ONE_BY_ONE) {
        status = tulle_batch_run(p->ctx, t->products, ways[p->detail]);
        if (status != TULLE_OK || t->inners == t->products) return status;
        return tulle_batch_run(p->ctx, t->inners, ways[p->detail]);
    }
    for (int64_t i = 0; i < p->count && status == TULLE_OK; i++) {
        status = run_one(p->ctx, own_of(p)->task + i);
    }
    return status;
}

int trial_copies_by_cpu(const trial_task *task) {
    const own_task *t = task->state;
    return tulle_batch_by_cpu(t->products) + tulle_batch_by_cpu(t->inners);
}

/* Makes all numbers of the results NaN, so that a way that leaves one out is found. */
static tulle_status reset(const trial_problem *p) {
    tulle_status status = TULLE_OK;
    for (int64_t i = 0; i < p->count && status == TULLE_OK; i++) {
        status = tulle_vec_fill(p->ctx, own_of(p)->task[i].Y, (double)NAN);
        if (status == TULLE_OK) status = tulle_vec_fill(p->ctx, own_of(p)->task[i].R, (double)NAN);
    }
    return status;
}

/* Number i of columns that stand one after another in host memory. */
static long double number(tulle_type type, const void *columns, int64_t i) {
    return type == TULLE_F32 ? ((const float *)columns)[i] : ((const double *)columns)[i];
}

/* Returns the error of R_ab = (column a of Y, column b of Y) in units of the bound of
 * tulle_batch_dot, as trials/batch_dot.c has it. */
static double inner_units(const trial_problem *p, const void *y, const void *r, int64_t a,
                          int64_t b) {
    enum { ROUNDINGS = 700 };
    const int64_t n = p->info.rows;
    const tulle_type type = p->info.type;
    long double sum = 0, mass = 0;
    for (int64_t i = 0; i < n; i++) {
        const long double term = number(type, y, a * n + i) * number(type, y, b * n + i);
        sum += term;
        mass += fabsl(term);
    }
    const long double got = number(type, r, b * p->block.vectors + a);
    const long double least = 2 * (long double)(n + 2) * trial_least(type);
    const long double bound = trial_gamma(type, ROUNDINGS) * mass + least;
    const double units = (double)(fabsl(got - sum) / bound);
    return isnan(units) ? (double)INFINITY : units;
}

static double inners_units(const trial_problem *p, const void *y, const void *r) {
    const int64_t k = p->block.vectors;
    double worst = 0;
    for (int64_t at = 0; at < k * k; at++)
        worst = fmax(worst, inner_units(p, y, r, at % k, at / k));
    return worst;
}

/* Finds the worst error of Y = A X, by its definition, and of R = Y'Y, by the Y that there is. */
static tulle_status check_task(const trial_problem *p, const operands *o, double *units) {
    void *x = tool_block_host(o->X), *y = tool_block_host(o->Y), *r = tool_block_host(o->R);
    tool_error_found found = {.row = -1};
    tulle_status status = tool_block_read(p->ctx, o->X, x);
    if (status == TULLE_OK) status = tool_block_read(p->ctx, o->Y, y);
    if (status == TULLE_OK) status = tool_block_read(p->ctx, o->R, r);
    if (status == TULLE_OK) {
        status = tool_verify(&own_of(p)->csr, TULLE_N, p->block.vectors, 1, x, 0, NULL, y, &found);
    }
    if (status == TULLE_OK) *units = fmax(*units, fmax(found.units, inners_units(p, y, r)));
    free(x);
    free(y);
    free(r);
    return status;
}

/* Finds the worst error of all results of the last call. */
static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    const own *o = p->own;
    double worst = 0;
    tulle_status status = TULLE_OK;
    (void)state;
    *units = (double)NAN;
    if (!o->check) return TULLE_OK;
    for (int64_t i = 0; i < p->count && status == TULLE_OK; i++) {
        status = check_task(p, o->task + i, &worst);
    }
    *units = worst;
    return status;
}

const trial_operation trial_operation_batch_copies = {
    .name = "batch_copies",
    .function = "tulle_batch_run",
    .formula = "A X and Y'Y, copies of A",
    .general = true,
    .blocks = true,
    .detail = {"one_by_one", "grouped", "streams", "tasks", "shared"},
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = reset,
    .error = error_of,
};
