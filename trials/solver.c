/* SPDX-License-Identifier: Apache-2.0 */
#include "core/stopwatch.h"
#include "trials/solve.h"

/* A bound that no norm gets below, except 0. */
static const double never = 1e-300;

tulle_solver_options trial_solver_options(const trial_problem *p, int64_t iterations) {
    const trial_solve *s = p->own;
    return (tulle_solver_options){.method = s->method,
                                  .tolerance = p->detail == TRIAL_SOLVE_ILU ? 0 : never,
                                  .max_iterations = iterations,
                                  .patience = INT64_MAX,
                                  .restart = TRIAL_SOLVE_RESTART};
}

static tulle_status make_ilu(const trial_problem *p, trial_solver *s) {
    tulle_status status = tulle_factor_create(p->ctx, s->own, NULL, &s->F);
    if (status == TULLE_OK) status = tulle_factor_analyse(p->ctx, TULLE_N, s->F);
    if (status != TULLE_OK) return status;
    return tulle_linop_from_factor(p->ctx, s->F, p->info.type, &s->M);
}

static tulle_status make_preconditioner(const trial_problem *p, trial_solver *s) {
    if (p->detail == TRIAL_SOLVE_NONE) return TULLE_OK;
    return p->detail == TRIAL_SOLVE_ILU ? make_ilu(p, s) : tulle_linop_jacobi(p->ctx, s->A, &s->M);
}

static tulle_status make(const trial_problem *p, const tulle_solver_options *options,
                         trial_solver *s) {
    const double start = tulle__seconds();
    tulle_status status = tulle_linop_from_mat(p->ctx, s->own ? s->own : p->A, &s->A);
    if (status == TULLE_OK) status = make_preconditioner(p, s);
    if (status == TULLE_OK) status = tulle_solver_create(p->ctx, s->A, s->M, options, &s->S);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    s->setup_ms = 1e3 * (tulle__seconds() - start);
    return status;
}

tulle_status trial_solver_open(const trial_problem *p, const tulle_solver_options *options,
                               trial_solver *solver) {
    tulle_status status = TULLE_OK;
    *solver = (trial_solver){.A = NULL};
    if (p->detail == TRIAL_SOLVE_ILU) status = trial_problem_copy(p, &solver->own);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    if (status == TULLE_OK) status = make(p, options, solver);
    if (status != TULLE_OK) trial_solver_close(solver);
    return status;
}

void trial_solver_close(trial_solver *solver) {
    tulle_solver_destroy(solver->S);
    tulle_linop_destroy(solver->M);
    tulle_linop_destroy(solver->A);
    tulle_factor_destroy(solver->F);
    tulle_mat_destroy(solver->own);
    *solver = (trial_solver){.A = NULL};
}
