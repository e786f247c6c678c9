/* SPDX-License-Identifier: Apache-2.0 */
/* The public function that solves many small systems at a time. */
#include <inttypes.h>

#include "core/options.h"
#include "uniform/uniform.h"

/* MOST_ITERATIONS and RESTART: values of options that are 0. MOST_RESTART: most vectors of a cycle
 * of GMRES. */
enum { MOST_ITERATIONS = 1000, RESTART = 30, MOST_RESTART = 256 };
static const double tolerance[] = {[TULLE_F32] = 1e-5, [TULLE_F64] = 1e-8};

static tulle_status check_options(const char *function, const tulle_uniform_options *o) {
    const char *wanted = NULL;
    if ((unsigned)o->method >= TULLE_METHOD_COUNT) wanted = "method is to be a tulle_method";
    if ((unsigned)o->preconditioner > TULLE_UNIFORM_ILU) {
        wanted = "preconditioner is to be a tulle_uniform_preconditioner";
    }
    if (!(o->tolerance >= 0 && o->tolerance < 1)) wanted = "tolerance is to be at least 0, below 1";
    if (!(o->absolute >= 0)) wanted = "absolute is to be at least 0";
    if (o->max_iterations < 0) wanted = "max_iterations is to be at least 0";
    if (o->restart < 0 || o->restart > MOST_RESTART) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "options.restart is to be from 0 to %d", MOST_RESTART);
    }
    if (wanted) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1, "options.%s", wanted);
    }
    if (o->method <= TULLE_GMRES) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, function, "options", -1,
                       "uniform batches know CG, BiCGStab and GMRES");
}

static tulle_uniform_options with_defaults(tulle_uniform_options o, tulle_type type) {
    if (o.tolerance == 0) o.tolerance = tolerance[type];
    if (o.max_iterations == 0) o.max_iterations = MOST_ITERATIONS;
    if (o.restart == 0) o.restart = RESTART;
    return o;
}

static tulle_status run(tulle_ctx *ctx, tulle__uniform_solution *job,
                        tulle__uniform_reporting *reports) {
    const tulle__uniform_functions *functions = ctx->backend->uniform;
    const int64_t restart = job->options.restart;
    size_t bytes;
    job->shared_bytes = ctx->info.shared_per_block;
    if (job->options.method == TULLE_GMRES) {
        job->small = TULLE__UNIFORM_SMALL * (restart + 1);
        job->triangle = restart * (restart + 1) / 2;
    }
    TULLE__TRY(functions->uniform_teams(&ctx->place, job));
    TULLE__TRY(tulle__size(job->teams, job->team_bytes, 0, &bytes));
    TULLE__TRY(tulle__uniform_reports_begin(reports, (int64_t)bytes));
    job->workspace = reports->rest;
    job->reports = reports->here;
    return tulle__uniform_reports_end(reports, functions->uniform_solve(&ctx->place, job));
}

tulle_status tulle_uniform_solve_sized(tulle_ctx *ctx, const tulle_uniform *P,
                                       const tulle_uniform_options *options, size_t options_size,
                                       const tulle_vec *A, const tulle_vec *B, tulle_vec *X,
                                       tulle_uniform_reports reports) {
    TULLE__NEED(ctx);
    TULLE__NEED(P);
    TULLE__NEED(A);
    TULLE__NEED(B);
    TULLE__NEED(X);
    const tulle__operand a = {"A", A}, b = {"B", B}, x = {"X", X}, all[] = {a, b, x};
    tulle_uniform_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    TULLE__TRY(check_options(__func__, &own));
    TULLE__TRY(tulle__uniform_check(__func__, ctx, P, a, X->cols, X->type));
    TULLE__TRY(tulle__operand_check(__func__, ctx, b, P->view.n, X->cols, X->type));
    TULLE__TRY(tulle__operand_check(__func__, ctx, x, P->view.n, X->cols, X->type));
    TULLE__TRY(tulle__operand_apart(__func__, x, b));
    if (tulle__dense_overlap(X, A)) {
        return tulle__fail(TULLE_ALIASED, __func__, "X", -1, "X overlaps A");
    }
    for (int i = 0; i < 3; i++) {
        TULLE__TRY(tulle__uniform_reports_check(__func__, reports, X->cols, all[i]));
    }
    if (X->cols == 0) return TULLE_OK;
    tulle__uniform_solution job = {.pattern = P->view,
                                   .type = X->type,
                                   .count = X->cols,
                                   .options = with_defaults(own, X->type),
                                   .a = tulle__strided_of(A),
                                   .b = tulle__strided_of(B),
                                   .x = tulle__strided_of(X)};
    tulle__uniform_reporting on_their_way = {.ctx = ctx, .to = reports, .count = X->cols};
    return run(ctx, &job, &on_their_way);
}
