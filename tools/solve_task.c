/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_task.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/stopwatch.h"
#include "room.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/verify.h"
#include "vector_file.h"

/* A residual of f64 that is rounded to the limit may be so much above it. */
static const double slack = 1e-12;

/* A system on its way. */
typedef struct run {
    tulle_ctx *ctx;
    const tool_solve_task *task;
    tool_solve_result *result;
    tulle_mat *A; /* op(A) in its format */
    tulle_linop *L;
    tool_preconditioner precond;
    tulle_dense *b, *x;
    void *b_host, *x_host;
} run;

static double ms_since(double start) {
    return 1e3 * (tulle__seconds() - start);
}

/* As of a product, whose check takes no less. */
static tulle_status check_room(const run *r, const tool_operand *A) {
    const tool_product product = {.op = r->task->op, .vectors = 1};
    tulle_device_info device;
    tulle_status status = tulle_ctx_device(r->ctx, &device);
    return status == TULLE_OK ? tool_check_room(&device, &A->info, &product) : status;
}

static tulle_status prepare_matrix(run *r, const tool_operand *A) {
    const tool_layout format = tool_layout_or_csr(r->task->format);
    tulle_mat *csr = NULL;
    tulle_status status = TULLE_OK;
    if (r->task->op == TULLE_T) {
        status = tulle_mat_transpose(r->ctx, A->matrix, &csr);
    } else {
        csr = tulle_mat_retain(A->matrix);
    }
    if (status == TULLE_OK) {
        status = tool_layout_apply(r->ctx, csr, &format, &r->A, &r->result->convert_ms);
    }
    tulle_mat_destroy(csr);
    if (status == TULLE_OK) status = tulle_linop_from_mat(r->ctx, r->A, &r->L);
    return status == TULLE_OK ? tulle_mat_describe(r->A, &r->result->info) : status;
}

static tulle_status prepare_vectors(run *r) {
    const tulle_mat_info *info = &r->result->info;
    const tool_solve_task *t = r->task;
    tulle_status status = tulle_vec_create(r->ctx, info->type, info->rows, &r->b);
    if (status == TULLE_OK) status = tulle_vec_create(r->ctx, info->type, info->rows, &r->x);
    if (status != TULLE_OK) return status;
    r->b_host = tool_block_host(r->b);
    r->x_host = tool_block_host(r->x);
    status = tool_fill_block(r->ctx, t->b, t->seed, r->b, r->b_host);
    if (status == TULLE_OK && t->guess) {
        status = tool_fill_block(r->ctx, t->guess, t->seed, r->x, r->x_host);
    }
    return status;
}

/* What somebody can do about a pivot, or an eigenvalue. */
static tulle_status advise(tulle_status status, const char *name, const tool_solve_task *t) {
    const int64_t row = tulle_last_error()->row;
    const bool bounds = t->options.method == TULLE_CHEBYSHEV || t->precond.kind == TOOL_POLYNOMIAL;
    if (status == TULLE_UNSUPPORTED && bounds) {
        return tool_record(status,
                           "%s: chebyshev needs a positive definite matrix, which this one, "
                           "preconditioned, is not: try --method gmres or --precond jacobi",
                           name);
    }
    if (status != TULLE_ZERO_PIVOT) return status;
    if (t->precond.kind == TOOL_BLOCK_JACOBI) {
        return tool_record(status,
                           "%s: a block of its diagonal, from row %" PRId64
                           " on, is singular: try --precond jacobi, or another size of blocks",
                           name, row);
    }
    return tool_record(status,
                       "%s: the pivot of row %" PRId64
                       " is %s: try --precond jacobi, or --shift "
                       "0.1, with which the diagonal counts 1.1 times",
                       name, row, t->precond.kind == TOOL_IC ? "not positive" : "zero or NaN");
}

static tulle_status precondition(run *r, const tool_operand *A) {
    const tool_solve_task *t = r->task;
    const double start = tulle__seconds();
    const tulle_status status =
        tool_precond_make(r->ctx, t->precond, t->shift, r->A, r->L, &r->precond);
    r->result->precond_ms = ms_since(start);
    r->result->factors = r->precond.factors;
    tool_progress_end();
    return advise(status, A->name, t);
}

static tulle_status iterate(run *r, const tool_operand *A) {
    tool_history *history = &r->result->history;
    tulle_solve_options options = r->task->options;
    tulle_solver *S = NULL;
    options.guess = r->task->guess != NULL;
    options.monitor = tool_history_add;
    options.monitor_user = history;
    history->method = tulle_method_name(options.method);
    const double start = tulle__seconds();
    tulle_status status = tulle_solver_create(r->ctx, r->L, r->precond.M, &options, &S);
    r->result->create_ms = ms_since(start);
    status = advise(status, A->name, r->task);
    if (status == TULLE_OK) status = tulle_solver_run(r->ctx, S, r->b, r->x, &r->result->report);
    tulle_solver_destroy(S);
    tool_progress_end();
    if (status == TULLE_OK && r->result->report.outcome == TULLE_STOPPED) return TULLE_CANCELLED;
    return status == TULLE_OK ? tool_block_read(r->ctx, r->x, r->x_host) : status;
}

/* Of a norm that M has a part in, nothing was promised of the true one. */
static bool is_right(const run *r) {
    const tool_solve_result *result = r->result;
    const tulle_solve_report *report = &result->report;
    if (report->outcome != TULLE_CONVERGED) return false;
    if (r->precond.M && r->task->options.norm == TULLE_PRECONDITIONED_NORM) return true;
    return result->residual <= (1 + slack) * report->limit;
}

static tulle_status verify(const run *r, const tool_operand *A) {
    tool_csr csr = {0};
    tool_reference *reference = NULL;
    tulle_status status = tool_csr_open(r->ctx, A->matrix, &csr);
    if (status == TULLE_OK) {
        status = tool_reference_create(&csr, r->task->op, r->x_host, &reference);
    }
    tool_csr_close(&csr);
    tool_progress_end();
    if (status != TULLE_OK) return status;
    const tool_residual found =
        tool_reference_residual(reference, r->b_host, r->task->options.constant_null_space);
    tool_reference_destroy(reference);
    r->result->b_norm = found.b;
    r->result->residual = found.residual;
    r->result->right = is_right(r);
    return TULLE_OK;
}

static tulle_status go(run *r, const tool_operand *A) {
    const tool_solve_task *t = r->task;
    tulle_status status = tool_operand_check_square(A);
    if (status == TULLE_OK) status = check_room(r, A);
    if (status == TULLE_OK) status = prepare_matrix(r, A);
    if (status == TULLE_OK) status = prepare_vectors(r);
    if (status == TULLE_OK) status = precondition(r, A);
    if (status == TULLE_OK) status = iterate(r, A);
    if (status == TULLE_OK) status = verify(r, A);
    if (status != TULLE_OK || !t->output) return status;
    return tool_save_vectors(t->output, r->result->info.type, r->result->info.rows, 1, r->x_host);
}

tulle_status tool_solve(tulle_ctx *ctx, const tool_operand *A, const tool_solve_task *task,
                        tool_solve_result *result) {
    run r = {.ctx = ctx, .task = task, .result = result};
    *result = (tool_solve_result){.right = false};
    tulle_status status = go(&r, A);
    free(r.b_host);
    free(r.x_host);
    tulle_dense_destroy(r.b);
    tulle_dense_destroy(r.x);
    tool_precond_free(&r.precond);
    tulle_linop_destroy(r.L);
    tulle_mat_destroy(r.A);
    return status;
}

void tool_solve_free(tool_solve_result *result) {
    tool_history_free(&result->history);
}
