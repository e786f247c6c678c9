/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_task.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "room.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/vector_file.h"
#include "tools/common/verify.h"

/* A residual of f64 that is rounded to the limit may be so much above it. */
static const double slack = 1e-12;

/* A system that is being solved. */
typedef struct run {
    tulle_ctx *ctx;
    const tool_solve_task *task;
    tool_solve_result *result;
    tulle_mat *op_A; /* op(A), in the format that is asked for */
    tulle_vec *b, *x;
    void *b_host, *x_host;
    tulle_type type; /* type of x and b */
    int64_t rows;
} run;

/* Checks that there is room as for a product, whose check takes no less. */
static tulle_status check_room(const run *r, const tool_operand *A) {
    tulle_device_info device;
    const tulle_status status = tulle_ctx_device(r->ctx, &device);
    if (status != TULLE_OK) return status;
    return tool_check_room(&device, &A->info, r->task->op, r->task->vectors, false);
}

static tulle_status prepare_matrix(run *r, const tool_operand *A) {
    const tool_layout *format = &r->task->format;
    tulle_mat *turned = NULL;
    tulle_status status = TULLE_OK;
    if (r->task->op == TULLE_T) {
        status = tulle_mat_transpose(r->ctx, A->matrix, &turned);
    } else {
        turned = tulle_mat_retain(A->matrix);
    }
    if (status == TULLE_OK && format->given) {
        status = tool_layout_apply(r->ctx, turned, format, &r->op_A, &r->result->convert_ms);
    } else if (status == TULLE_OK) {
        r->op_A = tulle_mat_retain(turned);
    }
    tulle_mat_destroy(turned);
    return status;
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
    tulle_status status =
        tool_load_vectors(t->minus_y, info->type, info->rows, t->vectors, r->b_host);
    if (status != TULLE_OK) return status;
    negate(info->type, r->b_host, info->rows * t->vectors);
    return tool_block_write(r->ctx, r->b, r->b_host);
}

static tulle_status make_columns(const run *r, const tulle_mat_info *info, tulle_vec **made) {
    return tulle_vec_create_columns(r->ctx, info->type, info->rows, r->task->vectors,
                                    TULLE_COLUMN_MAJOR, 0, made);
}

static tulle_status prepare_vectors(run *r, const tulle_mat_info *info) {
    tulle_status status = make_columns(r, info, &r->b);
    if (status == TULLE_OK) status = make_columns(r, info, &r->x);
    if (status != TULLE_OK) return status;
    r->type = info->type;
    r->rows = info->rows;
    r->b_host = tool_block_host(r->b);
    r->x_host = tool_block_host(r->x);
    return fill_b(r, info);
}

/* Records advice about a pivot, or an eigenvalue, of a method or preconditioner that was given. */
static tulle_status advise(const run *r, tulle_status status, const tool_operand *A) {
    const tulle__precond_kind precond = r->task->precond.kind;
    const char *method = r->task->options.method;
    const bool chebyshev = method && strcmp(method, tulle_method_name(TULLE_CHEBYSHEV)) == 0;
    const char *name = A->name;
    const int64_t row = tulle_last_error()->row;
    tool_not_finite fault;
    const bool bounds = status == TULLE_UNSUPPORTED && (chebyshev || precond == TULLE__POLYNOMIAL);
    if (!bounds && status != TULLE_ZERO_PIVOT) return status;
    const tulle_status looked = tool_not_finite_find(r->ctx, A->matrix, &fault);
    if (looked != TULLE_OK) return looked;
    if (fault.found) return tool_not_finite_record(name, &fault);
    if (bounds) {
        return tool_record(status,
                           "%s: chebyshev needs a positive definite matrix, which this one, "
                           "preconditioned, is not: try %s, or give --lowest and --highest",
                           name, chebyshev ? "--method gmres" : "another --precond");
    }
    if (precond == TULLE__BLOCK_JACOBI) {
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
                       precond == TULLE__IC ? "not positive, or Inf" : "zero, Inf or NaN");
}

/* Fills x with the first guess, unless that is 0. */
static tulle_status begin(const run *r) {
    const tool_solve_task *t = r->task;
    if (!t->guess) return TULLE_OK;
    const tulle_status status = tool_fill_block(r->ctx, t->guess, t->seed, r->x, r->x_host);
    if (status != TULLE_OK || !t->is_held) return status;
    hold(r, r->x_host, NULL);
    return tool_block_write(r->ctx, r->x, r->x_host);
}

static tulle_status solve(run *r, const tool_operand *A) {
    tulle_solve_options options = r->task->options;
    tulle_solve_report *report = &r->result->report;
    options.keep_format = r->task->format.given;
    options.solver.guess = r->task->guess != NULL;
    options.solver.monitor = tool_history_add;
    options.solver.monitor_user = &r->result->history;
    tulle_linop *M = NULL;
    if (r->task->levels) options.keep_precond = &M;
    tulle_status status = begin(r);
    if (status == TULLE_OK) status = tulle_solve(r->ctx, r->op_A, r->b, r->x, &options, report);
    tool_progress_end();
    if (status == TULLE_OK && r->task->levels) {
        status = tool_solve_levels_take(M, &r->result->levels);
    }
    tulle_linop_destroy(M);
    if (status != TULLE_OK) return advise(r, status, A);
    r->result->convert_ms += report->convert_ms;
    (void)tool_precond_parse("solve", report->precond, &r->result->precond);
    return report->solver.outcome == TULLE_STOPPED ? TULLE_CANCELLED : TULLE_OK;
}

/* Returns true if the true residual was promised: a norm that M has a part in promises nothing. */
static bool is_judged(const run *r) {
    return r->result->report.solver.outcome == TULLE_CONVERGED &&
           !(r->result->precond.kind != TULLE__NO_PRECOND &&
             r->task->options.solver.norm == TULLE_PRECONDITIONED_NORM);
}

/* Returns the column of the right-hand side that is farthest from its limit. */
static const void *column(const run *r, const void *columns) {
    return (const char *)columns + r->result->column * r->rows * tulle_type_size(r->type);
}

/* Finds the causes of an outcome that somebody can be advised on. */
static tulle_status find_causes(const run *r, const tool_csr *csr) {
    tool_causes *causes = &r->result->causes;
    tulle_facts facts;
    const tulle_outcome outcome = r->result->report.solver.outcome;
    if (outcome == TULLE_NOT_A_NUMBER) {
        causes->in_A = tool_not_finite_in_matrix(csr);
        causes->in_b = tool_not_finite_in_vector(csr->type, csr->rows, column(r, r->b_host));
        return TULLE_OK;
    }
    const bool stuck =
        outcome == TULLE_STAGNATED || outcome == TULLE_BROKE_DOWN || outcome == TULLE_INDEFINITE;
    if (!stuck) return TULLE_OK;
    const tulle_status status = tulle_mat_facts(r->ctx, r->op_A, &facts);
    if (status != TULLE_OK) return status;
    tool_causes_find(csr, r->task->op, column(r, r->x_host), causes);
    causes->symmetric = facts.symmetric;
    return TULLE_OK;
}

/* Returns the largest residual that a right-hand side of this norm may have. Of a single one the
 * library says it; of several, the library says it of one. */
static double limit_of(const run *r, double b_norm) {
    const tulle_solver_options *o = &r->task->options.solver;
    const double usual = r->type == TULLE_F32 ? 1e-5 : 1e-8;
    if (r->task->vectors == 1) return r->result->report.solver.limit;
    return fmax((o->tolerance > 0 ? o->tolerance : usual) * b_norm, o->absolute);
}

/* Computes the residual of a right-hand side, and notes it where it is farther from its limit than
 * those before. */
static tulle_status verify_column(run *r, const tool_csr *csr, int64_t j, double *farthest) {
    const size_t at = (size_t)(j * r->rows * tulle_type_size(r->type));
    const char *x = (const char *)r->x_host + at, *b = (const char *)r->b_host + at;
    tool_reference *reference = NULL;
    const tulle_status status = tool_reference_create(csr, r->task->op, x, &reference);
    tool_progress_end();
    if (status == TULLE_OK) {
        const tool_residual found =
            tool_reference_residual(reference, b, r->task->options.solver.constant_null_space);
        const double limit = limit_of(r, found.b);
        double far = limit > 0 ? found.residual / limit : found.residual > 0 ? INFINITY : 0;
        if (!(far < INFINITY)) far = INFINITY; /* NaN becomes INFINITY, too */
        r->result->right = r->result->right && found.residual <= (1 + slack) * limit;
        if (j == 0 || far > *farthest) {
            *farthest = far;
            r->result->column = j;
            r->result->b_norm = found.b;
            r->result->residual = found.residual;
        }
    }
    tool_reference_destroy(reference);
    return status;
}

static tulle_status verify(run *r, const tool_operand *A) {
    tool_csr csr = {0};
    double farthest = 0;
    tulle_status status = tool_csr_open(r->ctx, A->matrix, &csr);
    r->result->judged = is_judged(r);
    r->result->right = r->result->judged;
    for (int64_t j = 0; j < r->task->vectors && status == TULLE_OK; j++) {
        status = verify_column(r, &csr, j, &farthest);
    }
    if (status == TULLE_OK) status = find_causes(r, &csr);
    tool_csr_close(&csr);
    return status;
}

static tulle_status go(run *r, const tool_operand *A) {
    const tool_solve_task *t = r->task;
    tulle_status status = tool_operand_check_square(A);
    if (status == TULLE_OK) status = check_room(r, A);
    if (status == TULLE_OK) status = prepare_matrix(r, A);
    if (status == TULLE_OK) status = prepare_vectors(r, &A->info);
    if (status == TULLE_OK) status = solve(r, A);
    if (status == TULLE_OK) status = tool_block_read(r->ctx, r->x, r->x_host);
    if (status == TULLE_OK) status = verify(r, A);
    if (status == TULLE_OK) hold(r, r->x_host, t->held);
    if (status != TULLE_OK || !t->output) return status;
    return tool_save_vectors(t->output, A->info.type, A->info.rows, t->vectors, r->x_host);
}

tulle_status tool_solve(tulle_ctx *ctx, const tool_operand *A, const tool_solve_task *task,
                        tool_solve_result *result) {
    run r = {.ctx = ctx, .task = task, .result = result};
    *result = (tool_solve_result){.right = false};
    tulle_status status = go(&r, A);
    result->x = r.x_host;
    free(r.b_host);
    tulle_vec_destroy(r.b);
    tulle_vec_destroy(r.x);
    tulle_mat_destroy(r.op_A);
    return status;
}

void tool_solve_free(tool_solve_result *result) {
    tool_history_free(&result->history);
    free(result->x);
    result->x = NULL;
}
