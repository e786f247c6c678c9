/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/solve.h"

/* What no norm gets below, but 0. */
static const double never = 1e-300;

tulle_solve_options bench_solver_endless(const bench_problem *p, int64_t iterations) {
    const bench_solve *s = p->own;
    return (tulle_solve_options){.method = s->method,
                                 .tolerance = never,
                                 .max_iterations = iterations,
                                 .patience = INT64_MAX,
                                 .restart = BENCH_SOLVE_RESTART};
}

tulle_status bench_solver_open(const bench_problem *p, const tulle_solve_options *options,
                               bench_solver *solver) {
    *solver = (bench_solver){.A = NULL};
    tulle_status status = tulle_linop_from_mat(p->ctx, p->A, &solver->A);
    if (status == TULLE_OK && p->detail == BENCH_SOLVE_JACOBI) {
        status = tulle_linop_jacobi(p->ctx, solver->A, &solver->M);
    }
    if (status == TULLE_OK) {
        status = tulle_solver_create(p->ctx, solver->A, solver->M, options, &solver->S);
    }
    if (status != TULLE_OK) bench_solver_close(solver);
    return status;
}

void bench_solver_close(bench_solver *solver) {
    tulle_solver_destroy(solver->S);
    tulle_linop_destroy(solver->M);
    tulle_linop_destroy(solver->A);
    *solver = (bench_solver){.A = NULL};
}
