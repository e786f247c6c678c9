/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/tuning_solve.h"

/* No norm but 0 gets below this tolerance; a solution has at most so many iterations. */
static const double never = 1e-300;
enum { ITERATIONS = 100 };

bool bench_noted_over(const bench_noted *noted) {
    return noted->known.settled || noted->tuning->calls >= noted->most;
}

/* Computes Y := A X and waits, so that the call's measurement is known afterwards. */
static tulle_status apply(void *self, tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y) {
    bench_noted *n = self;
    const tulle_mat *A = n->tuning->problem->A;
    tulle_tuner_info after;
    tulle_status status = tulle_tuner_spmv(n->tuner, TULLE_N, tulle_num(1), A, X, tulle_num(0), Y);
    if (status != TULLE_OK || bench_noted_over(n)) return status;
    status = tulle_ctx_synchronize(ctx);
    if (status == TULLE_OK) status = tulle_tuner_describe(n->tuner, TULLE_N, A, &after);
    if (status == TULLE_OK) status = bench_tuning_note(n->tuning, n->tuner, &n->known, &after);
    if (status == TULLE_OK) n->known = after;
    return status;
}

tulle_status bench_noted_operator(bench_noted *noted, tulle_linop **L) {
    const trial_problem *p = noted->tuning->problem;
    const tulle_linop_functions functions = {.apply = apply};
    if (noted->most <= 0 || noted->most > BENCH_CALLS) noted->most = BENCH_CALLS;
    return tulle_linop_create(p->ctx, p->info.type, p->info.rows, p->info.cols, &functions, noted,
                              L);
}

static int look(void *user, int64_t iteration, double norm) {
    (void)iteration;
    (void)norm;
    return bench_noted_over(user);
}

static tulle_status solve(bench_noted *noted, tulle_linop *A, tulle_method method) {
    const trial_problem *p = noted->tuning->problem;
    const tulle_solver_options options = {.method = method,
                                          .tolerance = never,
                                          .max_iterations = ITERATIONS,
                                          .monitor = look,
                                          .monitor_user = noted};
    tulle_solver_report report;
    tulle_solver *S = NULL;
    tulle_status status = tulle_solver_create(p->ctx, A, NULL, &options, &S);
    while (status == TULLE_OK && !bench_noted_over(noted)) {
        status = tulle_solver_run(p->ctx, S, p->x, p->y, &report);
    }
    tulle_solver_destroy(S);
    return status;
}

tulle_status bench_tuning_solve(bench_tuning *t, tulle_tuner *tuner,
                                const bench_tuning_settings *settings) {
    bench_noted noted = {.tuning = t, .tuner = tuner, .most = settings->calls};
    tulle_linop *L = NULL;
    tulle_status status = bench_noted_operator(&noted, &L);
    if (status == TULLE_OK) status = solve(&noted, L, settings->method);
    tulle_linop_destroy(L);
    t->from_cache = noted.known.from_cache;
    return status;
}
