/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_task.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/stopwatch.h"
#include "narrow.h"
#include "room.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/vector_file.h"
#include "tools/common/verify.h"

/* A residual of f64 that is rounded to the limit may be so much above it. */
static const double slack = 1e-12;

/* A system on its way. outer: what x and b are of, in mixed precision; else nothing. */
typedef struct run {
    tulle_ctx *ctx;
    const tool_solve_task *task;
    tool_solve_result *result;
    tulle_mat *csr;  /* op(A), of the type that is iterated in */
    tulle_mat *wide; /* op(A) in f64, in mixed precision */
    double scale;    /* csr is this times wide */
    tool_parts parts, outer;
    tulle_vec *b, *x;
    void *b_host, *x_host;
    tulle_type type; /* of x and b, as is the next */
    int64_t rows;
} run;

static double ms_since(double start) {
    return 1e3 * (tulle__seconds() - start);
}

/* As of a product, whose check takes no less. */
static tulle_status check_room(const run *r, const tool_operand *A) {
    tulle_device_info device;
    const tulle_status status = tulle_ctx_device(r->ctx, &device);
    return status == TULLE_OK ? tool_check_room(&device, &A->info, r->task->op, 1, false) : status;
}

static tulle_status prepare_matrix(run *r, const tool_operand *A) {
    tulle_status status = TULLE_OK;
    if (r->task->op == TULLE_T) {
        status = tulle_mat_transpose(r->ctx, A->matrix, &r->csr);
    } else {
        r->csr = tulle_mat_retain(A->matrix);
    }
    if (status != TULLE_OK || !r->task->mixed) return status;
    r->wide = r->csr;
    r->csr = NULL;
    return tool_narrow(r->ctx, r->wide, &r->csr, &r->scale);
}

static void negate(tulle_type type, void *numbers, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        if (type == TULLE_F32) {
            ((float *)numbers)[i] = -((float *)numbers)[i];
        } else {
            ((double *)numbers)[i] = -((double *)numbers)[i];
        }
    }
}

/* Numbers of rows that are held become those given, or 0: these rows and columns of A are 0 but
 * for the diagonal. So they are left out while x is sought, and what is tested is the residual of
 * the others by the norm of their b, in whatever unit. */
static void hold(const run *r, void *numbers, const void *given) {
    const tool_solve_task *t = r->task;
    const size_t size = (size_t)tulle_type_size(r->type);
    for (int64_t i = 0; i < r->rows && t->is_held; i++) {
        char *to = (char *)numbers + (size_t)i * size;
        if (!t->is_held[i]) continue;
        if (given) {
            memcpy(to, (const char *)given + (size_t)i * size, size);
        } else {
            memset(to, 0, size);
        }
    }
}

static tulle_status fill_b(run *r, const tulle_mat_info *info) {
    const tool_solve_task *t = r->task;
    if (t->loads) {
        memcpy(r->b_host, t->loads, (size_t)(info->rows * tulle_type_size(info->type)));
        hold(r, r->b_host, NULL);
        return tool_block_write(r->ctx, r->b, r->b_host);
    }
    if (!t->minus_y) return tool_fill_block(r->ctx, t->b, t->seed, r->b, r->b_host);
    tulle_status status = tool_load_vectors(t->minus_y, info->type, info->rows, 1, r->b_host);
    if (status != TULLE_OK) return status;
    negate(info->type, r->b_host, info->rows);
    return tool_block_write(r->ctx, r->b, r->b_host);
}

static tulle_status prepare_vectors(run *r, const tulle_mat_info *info) {
    tulle_status status = tulle_vec_create(r->ctx, info->type, info->rows, &r->b);
    if (status == TULLE_OK) status = tulle_vec_create(r->ctx, info->type, info->rows, &r->x);
    if (status != TULLE_OK) return status;
    r->type = info->type;
    r->rows = info->rows;
    r->b_host = tool_block_host(r->b);
    r->x_host = tool_block_host(r->x);
    return fill_b(r, info);
}

/* Says what somebody can do about a pivot, or an eigenvalue. */
static tulle_status advise(const run *r, tulle_status status, const tool_operand *A) {
    const tool_choice *c = &r->result->choice;
    const char *name = A->name;
    const int64_t row = tulle_last_error()->row;
    tool_not_finite fault;
    const bool bounds = status == TULLE_UNSUPPORTED &&
                        (c->method == TULLE_CHEBYSHEV || c->precond.kind == TOOL_POLYNOMIAL);
    if (!bounds && status != TULLE_ZERO_PIVOT) return status;
    const tulle_status looked = tool_not_finite_find(r->ctx, A->matrix, &fault);
    if (looked != TULLE_OK) return looked;
    if (fault.found) return tool_not_finite_record(name, &fault);
    if (bounds) {
        return tool_record(status,
                           "%s: chebyshev needs a positive definite matrix, which this one, "
                           "preconditioned, is not: try %s, or give --lowest and --highest",
                           name,
                           c->method == TULLE_CHEBYSHEV ? "--method gmres" : "another --precond");
    }
    if (c->precond.kind == TOOL_BLOCK_JACOBI) {
        return tool_record(status,
                           "%s: a block of its diagonal, from row %" PRId64
                           " on, is singular: try --precond jacobi, or another size of blocks",
                           name, row);
    }
    return tool_record(status,
                       "%s: the pivot of row %" PRId64
                       " is %s: try --precond jacobi, or --shift "
                       "0.1, with which the diagonal counts 1.1 times",
                       name, row,
                       c->precond.kind == TOOL_IC ? "not positive, or Inf" : "zero, Inf or NaN");
}

static void note_parts(run *r) {
    r->result->info = r->parts.info;
    r->result->factors = r->parts.precond.factors;
    r->result->convert_ms = r->parts.convert_ms;
    r->result->precond_ms = r->parts.precond_ms;
}

static tulle_status choose(run *r, const tool_operand *A) {
    const double start = tulle__seconds();
    tool_choice *choice = &r->result->choice;
    *choice = r->task->given;
    const tulle_status status = tool_choose(r->ctx, r->csr, &r->task->latitude, choice, &r->parts);
    note_parts(r);
    r->result->choose_ms = ms_since(start) - r->parts.convert_ms - r->parts.precond_ms;
    return advise(r, status, A);
}

/* Outside a preconditioner has a part in the norm alone. */
static tulle_status make_outer(run *r, tulle_solver_options *options) {
    const tool_choice *c = &r->result->choice;
    tool_precond precond = {.kind = TOOL_NO_PRECOND};
    if (!r->task->mixed) return TULLE_OK;
    if (options->norm == TULLE_PRECONDITIONED_NORM) precond = c->precond;
    options->single_A = r->parts.L;
    options->single_M = r->parts.precond.M;
    options->single_scale = r->scale;
    return tool_parts_make(r->ctx, r->wide, NULL, tool_layout_or_csr(c->format), precond,
                           r->task->latitude.shift, &r->outer);
}

static tulle_status iterate(run *r, tulle_solver_options *options) {
    const tool_parts *parts = r->task->mixed ? &r->outer : &r->parts;
    const double start = tulle__seconds();
    tulle_solver *S = NULL;
    tulle_status status = tulle_solver_create(r->ctx, parts->L, parts->precond.M, options, &S);
    r->result->create_ms = ms_since(start);
    if (status == TULLE_OK) status = tulle_solver_run(r->ctx, S, r->b, r->x, &r->result->report);
    tulle_solver_destroy(S);
    tool_progress_end();
    if (status == TULLE_OK && r->result->report.outcome == TULLE_STOPPED) return TULLE_CANCELLED;
    return status;
}

/* Takes what an attempt has used off the limits, which are for all attempts together. */
static void take_off(tulle_solver_options *options, const tool_attempt *before) {
    const double seconds = options->max_seconds - before->ms / 1e3;
    const int64_t iterations = options->max_iterations - before->iterations;
    if (options->max_seconds > 0) options->max_seconds = fmax(seconds, 1e-6);
    if (options->max_iterations > 0) options->max_iterations = iterations > 1 ? iterations : 1;
}

/* GMRES that was chosen keeps all vectors of a small system, where nobody says how many. */
static void keep_small_basis(const run *r, tulle_solver_options *options) {
    const int64_t most = 256, n = r->parts.info.rows;
    if (!r->task->latitude.method || options->method != TULLE_GMRES || options->restart > 0) return;
    if (n <= most) options->restart = (int)(n > 0 ? n : 1);
    r->result->restart = options->restart;
}

/* Puts x where it begins, unless that is at 0. */
static tulle_status begin(const run *r) {
    const tool_solve_task *t = r->task;
    const tulle_status status = tool_fill_block(r->ctx, t->guess, t->seed, r->x, r->x_host);
    if (status != TULLE_OK || !t->is_held) return status;
    hold(r, r->x_host, NULL);
    return tool_block_write(r->ctx, r->x, r->x_host);
}

/* With the method and the preconditioner that are chosen now. */
static tulle_status attempt(run *r, const tool_operand *A) {
    const tool_solve_task *t = r->task;
    tool_history *history = &r->result->history;
    tulle_solver_options options = t->options;
    options.method = r->result->choice.method;
    options.guess = t->guess != NULL;
    options.monitor = tool_history_add;
    options.monitor_user = history;
    take_off(&options, &r->result->before);
    keep_small_basis(r, &options);
    tool_history_free(history);
    history->method = tulle_method_name(options.method);
    tulle_status status = make_outer(r, &options);
    if (status == TULLE_OK && options.guess) status = begin(r);
    if (status == TULLE_OK) status = iterate(r, &options);
    tool_parts_free(&r->outer);
    return advise(r, status, A);
}

static tulle_status attempt_again(run *r, const tool_operand *A) {
    const tulle_solver_report *report = &r->result->report;
    const tool_attempt before = {.choice = r->result->choice,
                                 .outcome = report->outcome,
                                 .iterations = report->iterations,
                                 .ms = report->setup_ms + report->solve_ms};
    const double start = tulle__seconds();
    tool_parts next = {.A = NULL};
    bool again = false;
    if (before.outcome == TULLE_MOST_ITERATIONS && r->task->options.max_iterations > 0) {
        return TULLE_OK; /* as many as were asked for */
    }
    r->result->choice = r->task->given;
    tulle_status status = tool_choose_again(r->ctx, r->csr, &r->task->latitude, &before, &again,
                                            &r->result->choice, &next);
    if (status != TULLE_OK || !again) {
        r->result->choice = before.choice;
        return status;
    }
    r->result->before = before;
    tool_parts_free(&r->parts);
    r->parts = next;
    note_parts(r);
    r->result->choose_ms += ms_since(start) - next.convert_ms - next.precond_ms;
    return attempt(r, A);
}

/* Of a norm that M has a part in, nothing was promised of the true one. */
static bool is_judged(const run *r) {
    return r->result->report.outcome == TULLE_CONVERGED &&
           !(r->parts.precond.M && r->task->options.norm == TULLE_PRECONDITIONED_NORM);
}

/* Finds the causes of an outcome that somebody can be advised on. */
static tulle_status find_causes(const run *r, const tool_csr *csr) {
    tool_causes *causes = &r->result->causes;
    tulle_facts facts;
    const tulle_outcome outcome = r->result->report.outcome;
    if (outcome == TULLE_NOT_A_NUMBER) {
        causes->in_A = tool_not_finite_in_matrix(csr);
        causes->in_b = tool_not_finite_in_vector(csr->type, csr->rows, r->b_host);
        return TULLE_OK;
    }
    const bool stuck =
        outcome == TULLE_STAGNATED || outcome == TULLE_BROKE_DOWN || outcome == TULLE_INDEFINITE;
    if (!stuck) return TULLE_OK;
    const tulle_status status = tulle_mat_facts(r->ctx, r->csr, &facts);
    if (status != TULLE_OK) return status;
    tool_causes_find(csr, r->task->op, r->x_host, causes);
    causes->symmetric = facts.symmetric;
    return TULLE_OK;
}

static tulle_status verify(const run *r, const tool_operand *A) {
    tool_csr csr = {0};
    tool_reference *reference = NULL;
    tulle_status status = tool_csr_open(r->ctx, A->matrix, &csr);
    if (status == TULLE_OK) {
        status = tool_reference_create(&csr, r->task->op, r->x_host, &reference);
    }
    if (status == TULLE_OK) status = find_causes(r, &csr);
    tool_csr_close(&csr);
    tool_progress_end();
    if (status != TULLE_OK) {
        tool_reference_destroy(reference);
        return status;
    }
    const tool_residual found =
        tool_reference_residual(reference, r->b_host, r->task->options.constant_null_space);
    tool_reference_destroy(reference);
    r->result->b_norm = found.b;
    r->result->residual = found.residual;
    r->result->judged = is_judged(r);
    r->result->right = r->result->judged && found.residual <= (1 + slack) * r->result->report.limit;
    return TULLE_OK;
}

static tulle_status go(run *r, const tool_operand *A) {
    const tool_solve_task *t = r->task;
    tulle_status status = tool_operand_check_square(A);
    if (status == TULLE_OK) status = check_room(r, A);
    if (status == TULLE_OK) status = prepare_matrix(r, A);
    if (status == TULLE_OK) status = prepare_vectors(r, &A->info);
    if (status == TULLE_OK) status = choose(r, A);
    if (status == TULLE_OK) status = attempt(r, A);
    if (status == TULLE_OK) status = attempt_again(r, A);
    if (status == TULLE_OK) status = tool_block_read(r->ctx, r->x, r->x_host);
    if (status == TULLE_OK) status = verify(r, A);
    if (status == TULLE_OK) hold(r, r->x_host, t->held);
    if (status != TULLE_OK || !t->output) return status;
    return tool_save_vectors(t->output, A->info.type, A->info.rows, 1, r->x_host);
}

tulle_status tool_solve(tulle_ctx *ctx, const tool_operand *A, const tool_solve_task *task,
                        tool_solve_result *result) {
    run r = {.ctx = ctx, .task = task, .result = result};
    *result = (tool_solve_result){.right = false, .restart = task->options.restart};
    tulle_status status = go(&r, A);
    result->x = r.x_host;
    free(r.b_host);
    tulle_vec_destroy(r.b);
    tulle_vec_destroy(r.x);
    tool_parts_free(&r.parts);
    tulle_mat_destroy(r.wide);
    tulle_mat_destroy(r.csr);
    return status;
}

void tool_solve_free(tool_solve_result *result) {
    tool_history_free(&result->history);
    free(result->x);
    result->x = NULL;
}
