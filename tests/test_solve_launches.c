/* SPDX-License-Identifier: Apache-2.0 */
/* What a solution costs beside its iterations: products at the beginning and the end, and
 * iterations that are launched in vain while the host does not know that it has ended. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "problems.h"
#include "solver/foresee.h"
#include "solver/solver.h"

enum { LOOKS = 1, CHECKS = 1 }; /* a product that finds the units of A; one at the end */

static tulle_solver_report solve(tulle_ctx *ctx, tulle_linop *L, const tulle_solver_options *o,
                                 const tulle_vec *b, tulle_vec *x) {
    tulle_solver_report report;
    tulle_solver *S = NULL;
    must(tulle_solver_create(ctx, L, NULL, o, &S));
    must(tulle_solver_run(ctx, S, b, x, &report));
    assert_int_equal(report.outcome, TULLE_CONVERGED);
    tulle_solver_destroy(S);
    return report;
}

/* A product an iteration, one that finds the units of A, and one that checks the end; one more
 * where x is not 0 at the start. */
static void at_both_ends(tulle_ctx *ctx, const problem *p, double first, double second) {
    tulle_solver_options o = {.method = TULLE_CG, .tolerance = first};
    const tulle_solver_report from_zero = solve(ctx, p->L, &o, p->b, p->x);
    assert_int_equal(from_zero.products, from_zero.iterations + LOOKS + CHECKS);
    o.guess = true;
    o.tolerance = second;
    const tulle_solver_report goes_on = solve(ctx, p->L, &o, p->b, p->x);
    assert_int_equal(goes_on.products, goes_on.iterations + 1 + LOOKS + CHECKS);
    assert_true(goes_on.start_norm < 10 * first * from_zero.start_norm);
}

/* On a GPU iterations are launched ahead of what is known, and counted. */
static void products(tulle_ctx *ctx, const char *where) {
    if (strncmp(where, "cpu", 3) != 0) return;
    problem p = problem_of(ctx, system_grid(12, 0, 0), TULLE_F64);
    at_both_ends(ctx, &p, 1e-6, 1e-10);
    problem_free(&p);
    p = problem_of(ctx, system_grid(12, 0, 0), TULLE_F32);
    at_both_ends(ctx, &p, 1e-3, 1e-5);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(products)

/* The same bits from iterations by themselves, from graphs of one and from graphs of many, which a
 * solution leaves to the next; what is launched in vain at the end is little, though batches may
 * have grown to 64 by then. */
static void rounds(tulle_ctx *ctx, const char *where) {
    static const tulle_method methods[] = {TULLE_CG, TULLE_CHEBYSHEV, TULLE_MINRES};
    if (strncmp(where, "cpu", 3) == 0) return;
    problem p = problem_of(ctx, system_grid(16, 0, 0), TULLE_F64);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        const tulle_solver_options o = {.method = methods[m], .tolerance = 1e-8};
        tulle_solver_report first, next;
        tulle_solver *S = NULL;
        must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &first));
        assert_null(S->round.graph);
        double *x = problem_x(ctx, &p);
        for (int run = 0; run < 6; run++) {
            must(tulle_solver_run(ctx, S, p.b, p.x, &next));
            double *again = problem_x(ctx, &p);
            assert_memory_equal(again, x, (size_t)p.s.n * sizeof *x);
            assert_int_equal(next.iterations, first.iterations);
            free(again);
        }
        assert_ptr_equal(S->method, S->first);
        assert_non_null(S->round.graph);
        const int64_t anew = S->method->goes_round ? next.iterations * 3 / 16 + 6 : 0;
        assert_true(next.products <= next.iterations * 9 / 8 + anew + 8);
        int count = 0; /* in the middle of a round there is no graph of many */
        must(tulle__solver_launch(S, 0, 64, &count));
        assert_int_equal(count, 16);
        if (S->method->goes_round) must(tulle__solver_launch(S, 1, 64, &count));
        assert_int_equal(count, S->method->goes_round ? 1 : 16);
        free(x);
        tulle_solver_destroy(S);
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(rounds)

/* Norms that halve with each iteration. */
static void fill_history(double *history, int64_t last) {
    for (int64_t i = last; i > 0 && i > last - TULLE__HISTORY; i--) {
        history[i % TULLE__HISTORY] = ldexp(1, (int)-i);
    }
}

static void test_foresight(void **state) {
    (void)state;
    double history[TULLE__HISTORY] = {0};
    fill_history(history, 300);
    assert_true(fabs(tulle__iterations_left(history, 300, 300, ldexp(1, -340)) - 40) < 1e-9);
    assert_true(fabs(tulle__iterations_left(history, 300, 2, ldexp(1, -340)) - 40) < 1e-9);
    assert_true(tulle__iterations_left(history, 300, 1, ldexp(1, -340)) == INFINITY);
    history[300 % TULLE__HISTORY] = 1; /* it has grown */
    assert_true(tulle__iterations_left(history, 300, 300, ldexp(1, -340)) == INFINITY);

    assert_int_equal(tulle__next_batch(INFINITY, 64, 64), 64);
    assert_int_equal(tulle__next_batch(100, 64, 64), 18);
    assert_int_equal(tulle__next_batch(100, 99, 64), 2);
    assert_int_equal(tulle__next_batch(10, 64, 64), 2); /* the device goes on */
    assert_int_equal(tulle__next_batch(1, 0, 1), 1);
    assert_int_equal(tulle__next_batch(NAN, 0, 64), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_foresight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
