/* SPDX-License-Identifier: Apache-2.0 */
/* The pace of an attempt's first iterations, and the ways that follow multigrid that is too slow.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "solve/choice.h"
#include "solve/pace.h"
#include "solve/ways.h"

/* Tells norms to the monitor of some options until it says stop; returns the number of norms told.
 */
static int tell(const tulle_solver_options *o, const double *norms, int count) {
    for (int i = 0; i < count; i++) {
        if (o->monitor(o->monitor_user, i, norms[i]) != 0) return i + 1;
    }
    return count;
}

/* The norm of a smooth right-hand side grows first; the factor is that behind the largest norm. */
static void test_factor(void **state) {
    (void)state;
    static const double fast[] = {1, 28, 6.8, 3.8, 0.95, 0.31, 0.12},
                        slow[] = {8, 7, 6, 5, 4, 3, 2}, grows[] = {1, 2, 3, 4, 5, 6, 0};
    tulle_solver_options o = {.monitor = NULL};
    tulle__pace pace;
    tulle__pace_begin(&pace, 0.75, 0, &o);
    assert_int_equal(tell(&o, fast, 7), 7);
    assert_false(pace.slow);
    assert_true(fabs(pace.factor - pow(0.31 / 28, 0.25)) < 1e-15);
    o.monitor = NULL;
    tulle__pace_begin(&pace, 0.75, 0, &o);
    assert_int_equal(tell(&o, slow, 7), 6);
    assert_true(pace.slow);
    assert_true(fabs(pace.factor - pow(3.0 / 8, 0.2)) < 1e-15);
    o.monitor = NULL;
    tulle__pace_begin(&pace, 0.99, 0, &o);
    assert_int_equal(tell(&o, grows, 7), 6);
    assert_true(pace.slow && pace.factor == 1);
}

/* A norm that has not fallen by an iteration ends the attempt there; one that has goes on. */
static void test_stall(void **state) {
    (void)state;
    static const double stays[] = {4, 5, 5, 4, 4, 3, 2}, falls[] = {4, 5, 5, 4, 3, 3, 2};
    tulle_solver_options o = {.monitor = NULL};
    tulle__pace pace;
    tulle__pace_begin(&pace, 0, 4, &o);
    assert_int_equal(tell(&o, stays, 7), 5);
    assert_true(pace.stalled && !pace.slow);
    o.monitor = NULL;
    tulle__pace_begin(&pace, 0, 4, &o);
    assert_int_equal(tell(&o, falls, 7), 7);
    assert_false(pace.stalled || pace.slow);
}

/* An attempt ends at half of its time where the rest takes longer: the norm falls to a hundredth in
 * four iterations, of which the first four lead to the limit where two quarters were alike; where
 * the second one was slower, the rest may be twice as fast. */
static void test_late(void **state) {
    (void)state;
    static const double steady[] = {1, 0.5, 0.1, 0.05, 0.01, 1e-3, 1e-4},
                        slower[] = {1, 0.1, 1e-2, 5e-3, 1e-3, 1e-4, 1e-5},
                        rises[] = {1, 0.5, 0.4, 1, 3, 5, 7};
    const struct {
        const double *norms;
        double limit;
        bool late;
    } cases[] = {{steady, 1.1e-4, false}, {steady, 0.9e-4, true}, {slower, 1.1e-7, false},
                 {slower, 0.9e-7, true},  {rises, 1e-3, true},    {rises, 0, false}};
    for (int i = 0; i < 6; i++) {
        tulle_solver_options o = {.monitor = NULL};
        tulle__pace pace;
        tulle__pace_begin(&pace, 0, 2, &o);
        tulle__pace_foretell(&pace, cases[i].limit);
        assert_int_equal(tell(&o, cases[i].norms, 7), cases[i].late ? 5 : 7);
        assert_int_equal(pace.late, cases[i].late);
        assert_false(pace.stalled || pace.slow);
    }
}

static int stop_at_3(void *user, int64_t iteration, double norm) {
    (void)norm;
    ++*(int *)user;
    return iteration == 3;
}

/* The caller's monitor is told everything, and its stop is no slow pace. Without a limit the
 * options stay as they are. */
static void test_caller(void **state) {
    (void)state;
    static const double norms[] = {1, 1, 1, 1, 1, 1};
    int told = 0;
    tulle_solver_options o = {.monitor = stop_at_3, .monitor_user = &told};
    tulle__pace pace;
    tulle__pace_begin(&pace, 0, 0, &o);
    assert_true(o.monitor == stop_at_3 && o.monitor_user == &told);
    tulle__pace_begin(&pace, 0.5, 0, &o);
    assert_int_equal(tell(&o, norms, 6), 4);
    assert_int_equal(told, 4);
    assert_false(pace.slow);
}

/* The classical family follows plain aggregation, and the diagonal follows the classical family. */
static void test_families(void **state) {
    (void)state;
    tulle_ctx *ctx;
    tulle_mat *A;
    bool found = false;
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    must(tulle_generate(ctx, "p2d5:200", 1, TULLE_F64, &A));
    const tulle_solve_options options = {.max_attempts = 0};
    tulle__choice c = {
        .ctx = ctx, .A = A, .options = &options, .method_open = true, .precond_open = true};
    must(tulle_mat_describe(A, &c.info));
    must(tulle__choose(&c));
    assert_int_equal(c.way.precond.kind, TULLE__PLAIN_AMG);
    assert_true(c.way.slowest > 0.5 && c.way.slowest < 0.9);
    c.slow = 0.8;
    must(tulle__choose_next(&c, TULLE_MOST_ITERATIONS, &found));
    assert_true(found);
    assert_int_equal(c.way.precond.kind, TULLE__MULTIGRID);
    assert_non_null(strstr(c.precond_why, "by plain aggregation an iteration left 0.8 of the"));
    assert_true(c.way.slowest == 0.9 && c.way.trial > 100);
    c.slow = 0;
    must(tulle__choose_next(&c, TULLE_MOST_ITERATIONS, &found));
    assert_true(found);
    assert_int_equal(c.way.precond.kind, TULLE__JACOBI);
    assert_non_null(strstr(c.precond_why, "with multigrid 200 iterations were not enough"));
    assert_true(c.way.slowest == 0 && c.way.trial == 0);
    tulle__choice_free(&c);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}

/* Multigrid follows the diagonal before its price is paid where the norm has not fallen. */
static void test_after_stall(void **state) {
    (void)state;
    tulle_ctx *ctx;
    tulle_mat *A;
    bool found = false;
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    must(tulle_generate(ctx, "fem:20000", 1, TULLE_F64, &A));
    const tulle_solve_options options = {.max_attempts = 0};
    tulle__choice c = {
        .ctx = ctx, .A = A, .options = &options, .method_open = true, .precond_open = true};
    must(tulle_mat_describe(A, &c.info));
    must(tulle__choose(&c));
    assert_int_equal(c.way.precond.kind, TULLE__JACOBI);
    assert_true(c.way.stall > 20 && c.way.stall < c.way.trial / 2);
    c.stalled = true;
    must(tulle__choose_next(&c, TULLE_MOST_ITERATIONS, &found));
    assert_true(found && tulle__is_multigrid(c.way.precond.kind));
    assert_true(c.way.stall == 0);
    assert_non_null(strstr(c.precond_why, "iterations left the residual as large as it was"));
    tulle__choice_free(&c);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}

/* CG for a small system is on trial before complete factors, and its norm is looked at where
 * factors without fill are cheap, as for rows of few entries. */
static void test_small_systems(void **state) {
    static const struct {
        int64_t rows, row;
        int trial, stall;
    } cases[] = {{1000, 4, 300, 75}, {1000, 30, 300, 0}, {10001, 4, 0, 0}};
    const tulle_solve_options options = {.max_attempts = 0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        const int64_t rows = cases[i].rows, nnz = rows * cases[i].row;
        tulle__choice c = {
            .options = &options,
            .method_open = true,
            .precond_open = true,
            .way = {.method = TULLE_CG, .precond = {.kind = TULLE__JACOBI}},
            .info = {.backend = TULLE_CPU, .format = TULLE_CSR, .rows = rows, .nnz = nnz}};
        c.facts.off_diagonal = nnz - rows;
        tulle__plan_trial(&c);
        assert_int_equal(c.way.trial, cases[i].trial);
        assert_int_equal(c.way.stall, cases[i].stall);
    }
}

/* CG that a random right-hand side sets going takes 304 iterations for p2d5:100, and has 250, as
 * many as multigrid takes the time of. It ends at half of them, but not where it has got there. */
static void test_half_time(void **state) {
    enum { N = 10000 };
    static double numbers[N];
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_vec *b, *x;
    tulle_solve_report r;
    (void)state;
    for (int64_t i = 0; i < N; i++) numbers[i] = cos((double)(i * i % 9973));
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    must(tulle_generate(ctx, "p2d5:100", 1, TULLE_F64, &A));
    must(tulle_vec_create(ctx, TULLE_F64, N, &b));
    must(tulle_vec_create(ctx, TULLE_F64, N, &x));
    must(tulle_vec_write(ctx, b, numbers, 0));
    must(tulle_solve(ctx, A, b, x, NULL, &r));
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_int_equal(r.attempts, 2);
    assert_int_equal(r.attempt[0].iterations, 124);
    assert_int_equal(r.attempt[0].outcome, TULLE_MOST_ITERATIONS);
    must(tulle_solve(ctx, A, b, x, &(tulle_solve_options){.solver.tolerance = 1e-3}, &r));
    assert_int_equal(r.attempts, 1);
    assert_true(r.solver.iterations > 124);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}

/* Plain aggregation comes first, unless many rows are uneven. An iteration of BiCGStab must gain as
 * much as two of CG. */
static void test_first_family(void **state) {
    (void)state;
    enum { ROWS = 1000 };
    static const tulle_backend backends[] = {TULLE_CPU, TULLE_CUDA};
    for (size_t k = 0; k < 2; k++) {
        tulle__choice c = {.way.method = TULLE_CG};
        c.info.backend = backends[k];
        c.info.rows = ROWS;
        c.info.nnz = 5 * ROWS;
        tulle__take_amg(&c);
        assert_int_equal(c.way.precond.kind, TULLE__PLAIN_AMG);
        const double slowest = c.way.slowest;
        c.way.method = TULLE_BICGSTAB;
        tulle__take_amg(&c);
        assert_true(c.way.slowest == slowest * slowest);
        c.facts.uneven = ROWS / 2;
        tulle__take_amg(&c);
        assert_int_equal(c.way.precond.kind, TULLE__MULTIGRID);
    }
}

/* On a GPU multigrid is worth its time where an iteration of CG takes long, or many are expected.
 * The classical family takes 1.7 ms for each of 3.2 levels, of which one comes with each 8 times
 * 256 rows, 5.5 ns a row and 0.32 ns an entry: 58 iterations of 0.1 ms for 25,600 rows of 30
 * entries, for which a chain of 254 rows asks, and one of 248 does not. It comes before plain
 * aggregation, which takes 2.6 ms a level. */
static void test_price_on_gpu(void **state) {
    tulle_solve_options options = {.solver.method = 0};
    (void)state;
    for (int longer = 0; longer < 2; longer++) {
        tulle__choice c = {
            .options = &options,
            .method_open = true,
            .precond_open = true,
            .way.method = TULLE_CG,
            .iteration = 1e5,
            .info = {.backend = TULLE_CUDA, .format = TULLE_CSR, .rows = 25600, .nnz = 768000}};
        c.facts.off_diagonal = 742400;
        c.facts.diagonal_positive = 25600;
        c.facts.uneven = 0;
        tulle__look_at_multigrid(&c, longer ? 254 : 248, 1, 1);
        assert_int_equal(c.way.precond.kind == TULLE__MULTIGRID, longer == 1);
        assert_int_equal(c.way.trial, longer ? 200 : 58);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factor),        cmocka_unit_test(test_stall),
        cmocka_unit_test(test_late),          cmocka_unit_test(test_half_time),
        cmocka_unit_test(test_small_systems), cmocka_unit_test(test_caller),
        cmocka_unit_test(test_families),      cmocka_unit_test(test_after_stall),
        cmocka_unit_test(test_price_on_gpu),  cmocka_unit_test(test_first_family)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
