/* SPDX-License-Identifier: Apache-2.0 */
#include "tulle/solve.h"

#include <string.h>

#include "core/context.h"
#include "core/error.h"
#include "core/options.h"
#include "core/stopwatch.h"
#include "matrix/facts.h"
#include "matrix/reformat.h"
#include "solve/attempts.h"
#include "solve/narrow.h"
#include "solve/ways.h"
#include "vector/operands.h"

tulle_status tulle__method_find(const char *function, const char *name, tulle_method *method) {
    for (int m = 0; m < TULLE_METHOD_COUNT; m++) {
        *method = (tulle_method)m;
        if (strcmp(name, tulle_method_name(*method)) == 0) return TULLE_OK;
    }
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                       "method: '%s' is none of cg, bicgstab, gmres, chebyshev, minres, fgmres",
                       name);
}

/* Checks what multigrid of nodes is to know of A. */
static tulle_status check_nodes(const tulle_ctx *ctx, const tulle_solve_options *o,
                                const tulle__choice *c, const tulle_mat_info *info) {
    static const char *const function = "tulle_solve";
    const tulle_vec *B = o->near_null;
    const tulle__precond_kind kind = c->given.precond.kind;
    if (o->block < 0 || o->block > TULLE__AMG_MOST_BLOCK) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "block: %d is not from 0 to %d", o->block, (int)TULLE__AMG_MOST_BLOCK);
    }
    if (!tulle__has_nodes(o)) return TULLE_OK;
    if (!c->precond_open && kind != TULLE__MULTIGRID && kind != TULLE__SMOOTHED_AMG) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "block, near_null: they are for precond amg or amg-smoothed, or NULL, "
                           "not for '%s'",
                           o->precond);
    }
    if (o->block > 1 && info->rows % o->block != 0) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "options", -1,
                           "block: A has %lld rows, which are not nodes of %d unknowns",
                           (long long)info->rows, o->block);
    }
    if (!B) return TULLE_OK;
    if (B->cols < 1 || B->cols > TULLE__AMG_MOST_BLOCK) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "options", -1,
                           "near_null has %lld columns; it must have 1 to %d", (long long)B->cols,
                           (int)TULLE__AMG_MOST_BLOCK);
    }
    return tulle__operand_check(function, ctx, (tulle__operand){"options.near_null", B}, info->rows,
                                B->cols, info->type);
}

static tulle_status take_options(tulle__run *r, const tulle_solve_options *o,
                                 const tulle_mat_info *info) {
    static const char *const function = "tulle_solve";
    tulle__choice *c = &r->choice;
    c->options = o;
    c->method_open = !o->method;
    c->precond_open = !o->precond;
    if (o->method) TULLE__TRY(tulle__method_find(function, o->method, &c->given.method));
    if (o->precond) TULLE__TRY(tulle__precond_parse(function, o->precond, &c->given.precond));
    if (!(o->shift >= 0)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "shift: %g is not 0 or more", o->shift);
    }
    if (o->max_attempts < 0 || o->max_attempts > TULLE_MOST_ATTEMPTS) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "max_attempts: %d is not from 0 to %d", o->max_attempts,
                           TULLE_MOST_ATTEMPTS);
    }
    if (o->solver.sum || o->solver.comm) {
        return tulle__fail(
            TULLE_UNSUPPORTED, function, "options", -1,
            "solver.sum, solver.comm: of a system in several processes no process knows all of A: "
            "use tulle_dist_solve, or tulle_solver_create");
    }
    if (o->mixed && (info->type != TULLE_F64 || o->instead)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "mixed: A must be in f64, and nothing may stand instead of it");
    }
    return check_nodes(r->ctx, o, c, info);
}

static tulle_status check(tulle_ctx *ctx, tulle_mat *A, const tulle_vec *b, const tulle_vec *x,
                          const tulle_mat_info *info) {
    static const char *const function = "tulle_solve";
    const tulle__operand operand_b = {"b", b}, operand_x = {"x", x};
    if (tulle_mat_context(A) != ctx) {
        return tulle__fail(TULLE_SPACE_MISMATCH, function, "A", -1, "A belongs to another context");
    }
    if (info->rows != info->cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "A", -1, "A is not square: %lld x %lld",
                           (long long)info->rows, (long long)info->cols);
    }
    TULLE__TRY(tulle__operand_check(function, ctx, operand_b, info->rows, b->cols, info->type));
    TULLE__TRY(tulle__operand_check(function, ctx, operand_x, info->rows, b->cols, info->type));
    if (b == x || (info->rows > 0 && b->cols > 0 && tulle__same_numbers(b, x))) {
        return tulle__fail(TULLE_ALIASED, function, "x", -1, "x and b are the same array");
    }
    return tulle__operand_apart(function, operand_x, operand_b);
}

/* Converts A to CSR where neither factors nor fast products are made of its format. Repeated
 * entries become their sum, since no factors are made of a matrix that has some. */
static tulle_status prepare_matrix(tulle__run *r, tulle_mat *A, const tulle_mat_info *info) {
    const tulle_format f = info->format;
    const bool keep = r->choice.options->keep_format;
    const bool convert = !keep && (f == TULLE_COO || f == TULLE_CSC || f == TULLE_DCSR);
    if (convert) {
        TULLE__TRY(tulle_mat_convert(r->ctx, A, TULLE_CSR, info->index, 0, &r->rows));
    } else {
        r->rows = tulle_mat_retain(A);
    }
    if (keep || (f != TULLE_CSR && !convert)) {
        r->outer = tulle_mat_retain(r->rows);
        return TULLE_OK;
    }
    TULLE__TRY(tulle__as_csr(r->ctx, r->rows, info->index, true, &r->outer));
    if (tulle_mat_nnz(r->outer) == tulle_mat_nnz(r->rows)) { /* no entry is repeated */
        tulle_mat_destroy(r->rows);
        r->rows = tulle_mat_retain(r->outer);
    }
    return TULLE_OK;
}

static tulle_status prepare_inner(tulle__run *r) {
    tulle_facts largest;
    r->scale = 1;
    if (!r->choice.options->mixed) {
        r->inner = tulle_mat_retain(r->outer);
        return TULLE_OK;
    }
    tulle_status status = tulle__mat_facts(r->ctx, r->outer, false, &largest);
    if (status == TULLE_OK) {
        status = tulle__narrow(r->ctx, r->outer, &largest, &r->inner, &r->scale);
    }
    return status;
}

static tulle_status prepare(tulle__run *r, tulle_mat *A, const tulle_mat_info *info) {
    const double start = tulle__seconds();
    tulle_status status = prepare_matrix(r, A, info);
    if (status == TULLE_OK) status = prepare_inner(r);
    r->choice.A = r->inner;
    r->report->convert_ms = 1e3 * (tulle__seconds() - start);
    return status == TULLE_OK ? tulle_mat_describe(r->inner, &r->choice.info) : status;
}

tulle_status tulle_solve_sized(tulle_ctx *ctx, tulle_mat *A, const tulle_vec *b, tulle_vec *x,
                               const tulle_solve_options *options, size_t options_size,
                               tulle_solve_report *report) {
    tulle_solve_options own;
    tulle_mat_info info;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(b);
    TULLE__NEED(x);
    TULLE__NEED(report);
    TULLE__TRY(tulle__options_take("tulle_solve", options, options_size, &own, sizeof own));
    tulle__run r = {.ctx = ctx, .b = b, .x = x, .report = report, .choice = {.ctx = ctx}};
    *report = (tulle_solve_report){.attempts = 0};
    if (own.keep_precond) *own.keep_precond = NULL;
    TULLE__TRY(tulle_mat_describe(A, &info));
    TULLE__TRY(check(ctx, A, b, x, &info));
    r.type = info.type;
    r.columns = b->cols;
    TULLE__TRY(take_options(&r, &own, &info));
    tulle__limits_begin(&r.limits, ctx, own.solver.max_seconds);
    tulle_status status = prepare(&r, A, &info);
    if (status == TULLE_OK) status = tulle__attempts_go(&r);
    if (status != TULLE_OK && own.keep_precond) {
        tulle_linop_destroy(*own.keep_precond);
        *own.keep_precond = NULL;
    }
    tulle__choice_free(&r.choice);
    tulle_vec_destroy(r.best);
    tulle__host_free(ctx, r.column);
    tulle_vec_destroy(r.turned_b);
    tulle_order_destroy(r.order);
    tulle_mat_destroy(r.inner);
    tulle_mat_destroy(r.outer);
    tulle_mat_destroy(r.rows);
    return status;
}
