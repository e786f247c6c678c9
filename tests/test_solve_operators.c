/* SPDX-License-Identifier: Apache-2.0 */
/* Solvers on operators that are more than a matrix: the caller's, with sums of the caller's, and
 * those that the tuner makes faster meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "problems.h"

/* Sums that a caller makes whole: here there is one process, so they are whole before. */
static tulle_status count_sums(void *user, double *sums, int count) {
    *(int64_t *)user += count;
    return sums ? TULLE_OK : TULLE_INVALID_ARGUMENT;
}
static tulle_status no_sums(void *user, double *sums, int count) {
    (void)user;
    (void)sums;
    (void)count;
    return TULLE_UNSUPPORTED;
}

/* The matrix again, as functions that no graph may capture. */
static tulle_status apply_mat(void *self, tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y) {
    must(tulle_ctx_synchronize(ctx));
    return tulle_spmv(ctx, TULLE_N, tulle_num(1), self, X, tulle_num(0), Y);
}

static void callers(tulle_ctx *ctx, const char *where) {
    problem p = problem_with_jacobi(ctx, system_grid(problem_side(where), 0, 0.1), TULLE_F64);
    tulle_linop *own = NULL;
    const tulle_linop_functions functions = {.apply = apply_mat};
    must(tulle_linop_create(ctx, TULLE_F64, p.s.n, p.s.n, &functions, p.A, &own));
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        int64_t sums = 0;
        tulle_solver_options o = {
            .method = (tulle_method)method, .sum = count_sums, .sum_user = &sums, .restart = 9};
        tulle_solver *S = NULL;
        tulle_solver_report r;
        must(tulle_solver_create(ctx, own, p.M, &o, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &r));
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        assert_true(sums >= r.iterations);
        const system_norms norms = system_check(ctx, &p.s, TULLE_F64, p.b, p.x);
        assert_true(norms.residual <= 1e-7 * norms.b);
        tulle_solver_destroy(S);
    }
    const tulle_solver_options o = {.sum = no_sums};
    tulle_solver *S = NULL;
    must(tulle_solver_create(ctx, own, NULL, &o, &S));
    assert_int_equal(tulle_solver_run(ctx, S, p.b, p.x, NULL), TULLE_UNSUPPORTED);
    assert_non_null(strstr(tulle_last_error()->message, "the caller's sum failed"));
    tulle_solver_destroy(S);
    tulle_linop_destroy(own);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(callers)

/* Operators made of one that may be captured later: so may they, then. */
enum { MADE_OF = 4 };
static void make_of(tulle_ctx *ctx, tulle_linop *L, tulle_linop *of[MADE_OF]) {
    must(tulle_linop_product(ctx, L, L, of));
    must(tulle_linop_sum(ctx, 2, L, 0, NULL, of + 1));
    must(tulle_linop_chebyshev(ctx, L, NULL, 2, 1, 8, of + 2));
    must(tulle_linop_sum(ctx, 1, of[0], -1, of[2], of + 3));
}

static void assert_capturable(tulle_linop *const of[MADE_OF], bool wanted) {
    for (int i = 0; i < MADE_OF; i++) {
        tulle_linop_info info;
        must(tulle_linop_describe(of[i], &info));
        assert_int_equal(info.capturable, wanted);
    }
}

/* A sequence of systems on one pattern: the tuner settles while it is solved for the first time,
 * and tries nothing in the next. */
static void tuned(tulle_ctx *ctx, const char *where) {
    problem p = problem_with_jacobi(ctx, system_grid(is_slow(where) ? 6 : 40, 0, 0.001), TULLE_F64);
    const tulle_tuner_options options = {.cache = "", .max_calls = 4};
    tulle_tuner *tuner = NULL;
    tulle_linop *L = NULL, *of[MADE_OF];
    tulle_linop_info info;
    tulle_tuner_info known;
    int steps = 0;
    must(tulle_tuner_create(ctx, &options, &tuner));
    for (int round = 0; round < 3; round++) {
        tulle_solver *S = NULL;
        tulle_solver_report r;
        must(tulle_linop_tuned(ctx, tuner, p.A, &L));
        must(tulle_linop_describe(L, &info));
        assert_false(info.capturable);
        make_of(ctx, L, of);
        assert_capturable(of, false);
        must(tulle_solver_create(ctx, L, NULL, NULL, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &r));
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        must(tulle_linop_describe(L, &info));
        assert_true(info.capturable);
        assert_capturable(of, true);
        for (int i = 0; i < MADE_OF; i++) tulle_linop_destroy(of[i]);
        must(tulle_tuner_describe(tuner, TULLE_N, p.A, &known));
        assert_true(known.settled);
        if (round > 0) assert_int_equal(known.steps, steps);
        steps = known.steps;
        tulle_solver_destroy(S);
        tulle_linop_destroy(L);
        for (int64_t k = 0; k < p.s.nnz; k++) p.s.values[k] *= 1.5;
        must(tulle_mat_set_values(ctx, p.A, p.s.nnz, p.s.values));
    }
    tulle_tuner_destroy(tuner);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(tuned)

/* Under the repeatable setting nothing is tried, and the bits are those without a tuner. */
static void not_tuned(tulle_ctx *ctx, const char *where) {
    problem p = problem_with_jacobi(ctx, system_grid(is_slow(where) ? 6 : 40, 0, 0.001), TULLE_F64);
    const size_t bytes = (size_t)p.s.n * sizeof(double);
    const tulle_tuner_options options = {.cache = ""};
    double *x[2];
    tulle_tuner *tuner = NULL;
    tulle_tuner_info known;
    must(tulle_ctx_set_repeatable(ctx, true));
    must(tulle_tuner_create(ctx, &options, &tuner));
    for (int i = 0; i < 2; i++) {
        tulle_linop *L = NULL;
        tulle_solver *S = NULL;
        tulle_linop_info info;
        must(i > 0 ? tulle_linop_tuned(ctx, tuner, p.A, &L) : tulle_linop_from_mat(ctx, p.A, &L));
        must(tulle_linop_describe(L, &info));
        assert_true(info.capturable);
        must(tulle_solver_create(ctx, L, NULL, NULL, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, NULL));
        x[i] = problem_x(ctx, &p);
        tulle_solver_destroy(S);
        tulle_linop_destroy(L);
    }
    assert_memory_equal(x[0], x[1], bytes);
    assert_int_equal(tulle_tuner_describe(tuner, TULLE_N, p.A, &known), TULLE_NOT_FOUND);
    must(tulle_ctx_set_repeatable(ctx, false));
    tulle_tuner_destroy(tuner);
    free(x[0]);
    free(x[1]);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(not_tuned)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callers),
        cmocka_unit_test(test_tuned),
        cmocka_unit_test(test_not_tuned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
