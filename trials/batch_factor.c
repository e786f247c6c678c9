/* SPDX-License-Identifier: Apache-2.0 */
/* The values of factors L U, incomplete, of many matrices of one pattern. The floor has the pattern
 * once, and of each matrix its values and those of its factors. */
#include <math.h>
#include <stdlib.h>

#include "tools/common/check_factor.h"
#include "tools/common/error.h"
#include "trials/copies.h"
#include "trials/spoil.h"

typedef struct reference {
    bool check;
    tulle_mat *csr; /* A, the caller's */
} reference;

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    reference *r = tool_alloc(1, sizeof *r);
    tulle_trisolve_info lower;
    *r = (reference){.csr = given->csr, .check = given->check};
    p->own = r;
    tulle_status status = tulle_trisolve_analyse(p->ctx, TULLE_LOWER, TULLE_N, p->A, &lower);
    if (status != TULLE_OK) return status;
    p->levels = lower.levels;
    p->minimal_bytes = p->info.pattern_bytes + 2 * p->block.vectors * p->info.value_bytes;
    return tulle_vec_create(p->ctx, p->info.type, p->info.rows, &p->y);
}

static void close_problem(trial_problem *p) {
    free(p->own);
}

typedef struct own_task {
    trial_copies copies;
    tulle_factor **F;
} own_task;

static void finish(void *state) {
    own_task *t = state;
    const int64_t count = t->copies.count;
    trial_copies_close(&t->copies);
    for (int64_t i = 0; i < count; i++) tulle_factor_destroy(t->F[i]);
    free(t->F);
    free(t);
}

static tulle_status record_one(const own_task *t, int64_t i) {
    tulle_ctx *ctx = t->copies.problem->ctx;
    const tulle_mat *A = t->copies.A[i];
    tulle_status status = i == 0 ? tulle_factor_create(ctx, A, NULL, t->F)
                                 : tulle_factor_create_like(ctx, t->F[0], A, t->F + i);
    if (status == TULLE_OK) status = trial_spoil_factor(t->copies.problem, A, t->F[i]);
    return status == TULLE_OK ? tulle_batch_factor(t->copies.batch, t->F[i], A, NULL) : status;
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    own_task *t = tool_alloc(1, sizeof *t);
    t->F = tool_alloc((size_t)p->block.vectors, sizeof *t->F);
    task->state = t;
    tulle_status status = trial_copies_open(p, &t->copies);
    for (int64_t i = 0; i < t->copies.count && status == TULLE_OK; i++) status = record_one(t, i);
    if (status != TULLE_OK) finish(t);
    return status;
}

static tulle_status run(void *state) {
    const own_task *t = state;
    return trial_copies_run(&t->copies);
}

static tulle_status check_factor(const trial_problem *p, const tulle_factor *F, double *units) {
    const reference *r = p->own;
    const tulle_factor_options options = {.fill = 0};
    tool_entry_error found = tool_entry_right();
    tulle_mat *L = NULL, *U = NULL;
    tulle_status status = tulle_factor_export(p->ctx, F, &L, &U);
    if (status == TULLE_OK) {
        status = tool_factor_check(p->ctx, r->csr, L, U, &options, NULL, 0, &found);
    }
    *units = fmax(*units, found.fault ? (double)INFINITY : found.units);
    tulle_mat_destroy(L);
    tulle_mat_destroy(U);
    return status;
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    const reference *r = p->own;
    const own_task *t = state;
    tulle_status status = TULLE_OK;
    *units = r->check ? 0 : (double)NAN;
    for (int i = 0; i < 3 && r->check && status == TULLE_OK; i++) {
        status = check_factor(p, t->F[trial_copies_sample(t->copies.count, i)], units);
    }
    return status;
}

const trial_operation trial_operation_batch_factor = {
    .name = "batch_factor",
    .function = "tulle_batch_factor",
    .formula = "factors of many A, values alone",
    .blocks = true,
    .detail = TRIAL_BATCH_DETAILS,
    .captured = TRIAL_BATCH_CAPTURED,
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .finish = finish,
    .reset = trial_problem_poison,
    .error = error_of,
};
