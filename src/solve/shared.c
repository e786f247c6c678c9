/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_dist_solve: checks, options, and what the report says of the whole matrix. */
#include "solve/shared.h"

#include "core/context.h"
#include "core/error.h"
#include "core/options.h"
#include "core/stopwatch.h"
#include "vector/operands.h"

static const char *const function = "tulle_dist_solve";

static tulle_status refuse(const char *what) {
    return tulle__fail(TULLE_UNSUPPORTED, function, "options", -1,
                       "%s: not for rows that are shared by processes; leave it out", what);
}

static tulle_status take_options(tulle__shared *s) {
    const tulle_solve_options *o = s->options;
    s->method_open = !o->method;
    s->precond_open = !o->precond;
    if (o->method) TULLE__TRY(tulle__method_find(function, o->method, &s->way.method));
    if (o->precond) TULLE__TRY(tulle__precond_parse(function, o->precond, &s->way.precond));
    if (o->mixed || o->solver.single_A) return refuse("mixed, solver.single_A");
    if (o->instead) return refuse("instead");
    if (o->block != 0 || o->near_null) return refuse("block, near_null");
    if (o->solver.sum || (o->solver.comm && o->solver.comm != s->A->comm)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "solver.sum, solver.comm: sums are those of A's communicator");
    }
    if (!(o->shift >= 0)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "shift: %g is not 0 or more", o->shift);
    }
    if (o->max_attempts >= 0 && o->max_attempts <= TULLE_MOST_ATTEMPTS) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                       "max_attempts: %d is not from 0 to %d", o->max_attempts,
                       TULLE_MOST_ATTEMPTS);
}

static tulle_status check_operands(const tulle__shared *s) {
    const tulle__operand b = {"b", s->b}, x = {"x", s->x};
    const tulle_dist_mat *A = s->A;
    const int64_t cols = s->b->cols;
    TULLE__TRY(tulle__operand_check(function, s->ctx, b, A->rows, cols, A->type));
    TULLE__TRY(tulle__operand_check(function, s->ctx, x, A->rows, cols, A->type));
    if (s->b == s->x || (A->rows > 0 && cols > 0 && tulle__same_numbers(s->b, s->x))) {
        return tulle__fail(TULLE_ALIASED, function, "x", -1, "x and b are the same array");
    }
    return tulle__operand_apart(function, x, b);
}

/* Makes the operator, which knows its diagonal where A is square and rows and columns are shared
 * alike. */
static tulle_status make_operator(tulle__shared *s) {
    TULLE__TRY(tulle_linop_from_dist(s->ctx, s->A, &s->L));
    if (s->L->has_diagonal) return TULLE_OK;
    return tulle__fail(TULLE_SHAPE_MISMATCH, function, "A", -1,
                       "A is not square, or its columns are not shared as its rows are");
}

static tulle_status check(const tulle_ctx *ctx, const tulle_vec *b, const tulle_vec *x,
                          const tulle_solve_report *report) {
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, b);
    TULLE__NEED_OF(function, x);
    TULLE__NEED_OF(function, report);
    return TULLE_OK;
}

static tulle_status prepare(tulle__shared *s, const tulle_solve_options *given, size_t size,
                            tulle_solve_options *own) {
    TULLE__TRY(check(s->ctx, s->b, s->x, s->report));
    *s->report = (tulle_solve_report){.attempts = 0};
    TULLE__TRY(tulle__options_take(function, given, size, own, sizeof *own));
    if (own->keep_precond) *own->keep_precond = NULL;
    TULLE__TRY(take_options(s));
    TULLE__TRY(check_operands(s));
    return make_operator(s);
}

/* Tells of the whole matrix as far as it is known. */
static tulle_status describe(const tulle__shared *s) {
    const tulle__shared_facts *f = &s->facts;
    tulle_solve_report *to = s->report;
    tulle_dist_mat_info all;
    TULLE__TRY(tulle_dist_mat_describe(s->A, &all));
    TULLE__TRY(tulle_mat_describe(s->A->block, &to->solved));
    to->solved.rows = all.rows;
    to->solved.cols = all.cols;
    to->solved.nnz = all.nnz;
    to->facts = (tulle_facts){.symmetric = f->symmetric,
                              .diagonal_positive = f->diagonal_positive,
                              .not_dominant = f->not_dominant};
    return TULLE_OK;
}

tulle_status tulle_dist_solve_sized(tulle_ctx *ctx, tulle_dist_mat *A, const tulle_vec *b,
                                    tulle_vec *x, const tulle_solve_options *options,
                                    size_t options_size, tulle_solve_report *report) {
    tulle_solve_options own = {.method = NULL};
    TULLE__NEED(A);
    tulle__shared s = {.ctx = ctx,
                       .A = A,
                       .b = b,
                       .x = x,
                       .options = &own,
                       .report = report,
                       .begun = tulle__seconds()};
    tulle_status status = prepare(&s, options, options_size, &own);
    const tulle__precond p = s.way.precond;
    const tulle__agreement facts[] = {
        {"options: method", s.method_open ? UINT64_MAX : (uint64_t)s.way.method},
        {"options: precond", s.precond_open ? UINT64_MAX : (uint64_t)p.kind},
        {"options: number of precond", (uint64_t)p.number},
        {"options: max_attempts", (uint64_t)own.max_attempts},
        {"options: keep_precond", own.keep_precond != NULL},
        {"columns of b", b ? (uint64_t)b->cols : 0}};
    status = tulle__comm_agree(A->comm, function, status, facts, 6);
    if (status == TULLE_OK) status = tulle__shared_go(&s);
    if (status == TULLE_OK) status = describe(&s);
    if (status != TULLE_OK && own.keep_precond) {
        tulle_linop_destroy(*own.keep_precond);
        *own.keep_precond = NULL;
    }
    tulle_linop_destroy(s.L);
    tulle_vec_destroy(s.best);
    tulle__host_free(ctx, s.column);
    return status;
}
