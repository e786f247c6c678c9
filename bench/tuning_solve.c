/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/tuning_solve.h"

/* What no norm gets below, but 0; and how many iterations a solution has at most. */
static const double never = 1e-300;
enum { ITERATIONS = 100 };

typedef struct solution {
    bench_tuning *tuning;
    tulle_tuner *tuner;
    tulle_tuner_info known; /* after the last call */
    int64_t most;
} solution;

static bool is_over(const solution *s) {
    return s->known.settled || s->tuning->calls >= s->most;
}

/* Y := A X; waits, so that what a call measured is known after it. */
static tulle_status apply(void *self, tulle_ctx *ctx, const tulle_dense *X, tulle_dense *Y) {
    solution *s = self;
    const tulle_mat *A = s->tuning->problem->A;
    tulle_tuner_info after;
    tulle_status status = tulle_tuner_spmv(s->tuner, TULLE_N, tulle_num(1), A, X, tulle_num(0), Y);
    if (status != TULLE_OK || is_over(s)) return status;
    status = tulle_ctx_synchronize(ctx);
    if (status == TULLE_OK) status = tulle_tuner_describe(s->tuner, TULLE_N, A, &after);
    if (status == TULLE_OK) status = bench_tuning_note(s->tuning, s->tuner, &s->known, &after);
    if (status == TULLE_OK) s->known = after;
    return status;
}

static int look(void *user, int64_t iteration, double norm) {
    (void)iteration;
    (void)norm;
    return is_over(user);
}

static tulle_status solve(solution *s, tulle_linop *A, tulle_method method) {
    const bench_problem *p = s->tuning->problem;
    const tulle_solve_options options = {.method = method,
                                         .tolerance = never,
                                         .max_iterations = ITERATIONS,
                                         .monitor = look,
                                         .monitor_user = s};
    tulle_solve_report report;
    tulle_solver *S = NULL;
    tulle_status status = tulle_solver_create(p->ctx, A, NULL, &options, &S);
    while (status == TULLE_OK && !is_over(s)) {
        status = tulle_solver_run(p->ctx, S, p->x, p->y, &report);
    }
    tulle_solver_destroy(S);
    return status;
}

tulle_status bench_tuning_solve(bench_tuning *t, tulle_tuner *tuner,
                                const bench_tuning_settings *settings) {
    const tulle_mat_info *A = &t->problem->info;
    const tulle_linop_functions functions = {.apply = apply};
    solution s = {.tuning = t, .tuner = tuner, .most = BENCH_CALLS};
    if (settings->calls > 0 && settings->calls < BENCH_CALLS) s.most = settings->calls;
    tulle_linop *L = NULL;
    tulle_status status =
        tulle_linop_create(t->problem->ctx, A->type, A->rows, A->cols, &functions, &s, &L);
    if (status == TULLE_OK) status = solve(&s, L, settings->method);
    tulle_linop_destroy(L);
    t->from_cache = s.known.from_cache;
    return status;
}
