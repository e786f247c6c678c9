/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions for ILU(0) and triangular solves of many small systems. */
#include "uniform/uniform.h"

/* Gets the workspace of the threads of a CPU: for each the numbers of a system, and a vector. */
static tulle_status team_room(const tulle_ctx *ctx, const tulle__uniform_view *p,
                              int64_t *team_bytes, int64_t *bytes) {
    size_t all;
    *team_bytes = ctx->kind == TULLE_CPU ? (p->slots + p->n) * (int64_t)sizeof(double) : 0;
    TULLE__TRY(tulle__size(ctx->place.threads, *team_bytes, 0, &all));
    *bytes = (int64_t)all;
    return TULLE_OK;
}

static tulle_status apart_from_values(const char *function, tulle__operand out, tulle__operand in) {
    if (!tulle__dense_overlap(out.X, in.X)) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, function, out.name, -1, "%s overlaps %s", out.name, in.name);
}

tulle_status tulle_uniform_ilu(tulle_ctx *ctx, const tulle_uniform *P, const tulle_vec *A,
                               tulle_vec *F, tulle_uniform_reports reports) {
    TULLE__NEED(ctx);
    TULLE__NEED(P);
    TULLE__NEED(A);
    TULLE__NEED(F);
    const tulle__operand a = {"A", A}, f = {"F", F};
    int64_t more = 0;
    TULLE__TRY(tulle__uniform_check(__func__, ctx, P, a, F->cols, F->type));
    TULLE__TRY(tulle__uniform_check(__func__, ctx, P, f, F->cols, F->type));
    TULLE__TRY(tulle__operand_apart(__func__, f, a));
    TULLE__TRY(tulle__uniform_reports_check(__func__, reports, F->cols, a));
    TULLE__TRY(tulle__uniform_reports_check(__func__, reports, F->cols, f));
    if (F->cols == 0) return TULLE_OK;
    tulle__uniform_factors job = {.pattern = P->view,
                                  .type = F->type,
                                  .count = F->cols,
                                  .a = tulle__strided_of(A),
                                  .f = tulle__strided_of(F),
                                  .shared_bytes = ctx->info.shared_per_block};
    tulle__uniform_reporting on_their_way = {.ctx = ctx, .to = reports, .count = F->cols};
    TULLE__TRY(team_room(ctx, &P->view, &job.team_bytes, &more));
    TULLE__TRY(tulle__uniform_reports_begin(&on_their_way, more));
    job.workspace = on_their_way.rest;
    job.reports = on_their_way.here;
    return tulle__uniform_reports_end(&on_their_way,
                                      ctx->backend->uniform->uniform_factor(&ctx->place, &job));
}

/* Solves with the triangles that the job names, whose numbers are the operand's. */
static tulle_status sweep(const char *function, tulle_ctx *ctx, const tulle_uniform *P,
                          tulle__operand values, const tulle_vec *B, tulle_vec *X,
                          tulle__uniform_sweeps job) {
    const tulle__operand b = {"B", B}, x = {"X", X};
    int64_t bytes = 0;
    TULLE__TRY(tulle__uniform_check(function, ctx, P, values, X->cols, X->type));
    TULLE__TRY(tulle__operand_check(function, ctx, b, P->view.n, X->cols, X->type));
    TULLE__TRY(tulle__operand_check(function, ctx, x, P->view.n, X->cols, X->type));
    TULLE__TRY(tulle__operand_apart(function, x, b));
    TULLE__TRY(apart_from_values(function, x, values));
    if (X->rows == 0 || X->cols == 0) return TULLE_OK;
    job.pattern = P->view;
    job.type = X->type;
    job.count = X->cols;
    job.a = tulle__strided_of(values.X);
    job.b = tulle__strided_of(B);
    job.x = tulle__strided_of(X);
    job.shared_bytes = ctx->info.shared_per_block;
    TULLE__TRY(team_room(ctx, &P->view, &job.team_bytes, &bytes));
    TULLE__TRY(tulle__workspace(ctx, (size_t)bytes, &job.workspace));
    return ctx->backend->uniform->uniform_sweep(&ctx->place, &job);
}

tulle_status tulle_uniform_ilu_solve(tulle_ctx *ctx, const tulle_uniform *P, const tulle_vec *F,
                                     const tulle_vec *B, tulle_vec *X) {
    TULLE__NEED(ctx);
    TULLE__NEED(P);
    TULLE__NEED(F);
    TULLE__NEED(B);
    TULLE__NEED(X);
    const tulle__uniform_sweeps both = {.lower = true, .upper = true, .unit_lower = true};
    return sweep(__func__, ctx, P, (tulle__operand){"F", F}, B, X, both);
}

tulle_status tulle_uniform_trisolve(tulle_ctx *ctx, const tulle_uniform *P, tulle_part part,
                                    tulle_diag diag, const tulle_vec *A, const tulle_vec *B,
                                    tulle_vec *X) {
    TULLE__NEED(ctx);
    TULLE__NEED(P);
    TULLE__NEED(A);
    TULLE__NEED(B);
    TULLE__NEED(X);
    if (part != TULLE_LOWER && part != TULLE_UPPER) {
        return TULLE__BAD("part", "part is %d: no triangle", (int)part);
    }
    if (diag != TULLE_NON_UNIT && diag != TULLE_UNIT) {
        return TULLE__BAD("diag", "diag is %d: no diagonal", (int)diag);
    }
    const bool unit = diag == TULLE_UNIT;
    const tulle__uniform_sweeps one = {.lower = part == TULLE_LOWER,
                                       .upper = part == TULLE_UPPER,
                                       .unit_lower = unit,
                                       .unit_upper = unit};
    return sweep(__func__, ctx, P, (tulle__operand){"A", A}, B, X, one);
}
