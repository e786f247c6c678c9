/* SPDX-License-Identifier: Apache-2.0 */
/* Solutions that end by a limit of the caller's, or since the caller says so. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "problems.h"

typedef struct {
    int64_t stop_at;
    int told_after;
    bool stopped;
} listener;

static int stop_once(void *user, int64_t iteration, double norm) {
    listener *l = user;
    (void)norm;
    if (l->stopped) l->told_after++;
    if (iteration != l->stop_at) return 0;
    l->stopped = true;
    return 1;
}

/* Whatever else happens in that iteration, in mixed precision the end of a correction, too. */
static void stopped(tulle_ctx *ctx, const char *where) {
    const int64_t step = is_slow(where) ? 7 : 1;
    problem p = problem_of(ctx, system_grid(is_slow(where) ? 5 : 9, 0, 0.1), TULLE_F64);
    tulle_mat *single = NULL;
    tulle_linop *L = NULL;
    must(tulle_mat_copy(ctx, p.A, TULLE_F32, &single));
    must(tulle_linop_from_mat(ctx, single, &L));
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        if (method == TULLE_CHEBYSHEV) continue;
        listener l = {.stop_at = -1};
        const tulle_solver_options o = {.method = (tulle_method)method,
                                        .restart = 8,
                                        .tolerance = 1e-10,
                                        .single_A = L,
                                        .monitor = stop_once,
                                        .monitor_user = &l};
        const tulle_solver_report whole = problem_solve(ctx, &p, NULL, &o);
        assert_int_equal(whole.outcome, TULLE_CONVERGED);
        for (int64_t at = 0; at < whole.iterations; at += step) {
            l = (listener){.stop_at = at};
            const tulle_solver_report r = problem_solve(ctx, &p, NULL, &o);
            assert_true(l.stopped);
            assert_int_equal(l.told_after, 0);
            if (r.norm > r.limit) assert_int_equal(r.outcome, TULLE_STOPPED);
            if (strncmp(where, "cpu", 3) == 0) assert_int_equal(r.iterations, at);
        }
    }
    tulle_linop_destroy(L);
    tulle_mat_destroy(single);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(stopped)

/* A solution in mixed precision that was stopped leaves nothing behind: the next one goes on. */
static void stopped_before(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(is_slow(where) ? 5 : 9, 0, 0.1), TULLE_F64);
    tulle_mat *single = NULL;
    tulle_linop *L = NULL;
    tulle_solver *S = NULL;
    tulle_solver_report report;
    listener l = {.stop_at = 3};
    must(tulle_mat_copy(ctx, p.A, TULLE_F32, &single));
    must(tulle_linop_from_mat(ctx, single, &L));
    const tulle_solver_options o = {.single_A = L, .monitor = stop_once, .monitor_user = &l};
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, p.b, p.x, &report));
    assert_int_equal(report.outcome, TULLE_STOPPED);
    l = (listener){.stop_at = -1};
    must(tulle_solver_run(ctx, S, p.b, p.x, &report));
    assert_int_equal(report.outcome, TULLE_CONVERGED);
    tulle_solver_destroy(S);
    tulle_linop_destroy(L);
    tulle_mat_destroy(single);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(stopped_before)

/* As many iterations as there are numbers. */
static void no_limit(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(is_slow(where) ? 5 : 9, 0, 0.1), TULLE_F64);
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        const tulle_solver_options o = {
            .method = (tulle_method)method, .max_iterations = INT64_MAX, .patience = INT64_MAX};
        const tulle_solver_report r = problem_solve(ctx, &p, NULL, &o);
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        assert_true(r.iterations > 3);
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(no_limit)

/* The norm that is reported is that of x in all digits, also where the iterations are over. */
static void norms_at_the_limit(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(is_slow(where) ? 5 : 9, 0, 0.1), TULLE_F32);
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        const tulle_solver_options o = {
            .method = (tulle_method)method, .tolerance = 1e-12, .max_iterations = 6};
        const tulle_solver_report r = problem_solve(ctx, &p, NULL, &o);
        const system_norms norms = system_check(ctx, &p.s, TULLE_F32, p.b, p.x);
        assert_int_equal(r.outcome, TULLE_MOST_ITERATIONS);
        assert_true(fabs(r.norm - norms.residual) <= 1e-9 * norms.residual);
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(norms_at_the_limit)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_stopped_before),
        cmocka_unit_test(test_no_limit),
        cmocka_unit_test(test_norms_at_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
