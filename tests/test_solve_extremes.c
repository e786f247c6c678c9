/* SPDX-License-Identifier: Apache-2.0 */
/* Solutions of systems at the ends of a type, with and without the caller's sums; Chebyshev's
 * bounds of new values, with null vectors, and where they are wrong. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "places.h"
#include "problems.h"

static problem make(tulle_ctx *ctx, host_system s, tulle_type type, double times) {
    problem p = {.s = s};
    for (int64_t k = 0; k < s.nnz; k++) p.s.values[k] *= times;
    p.A = system_mat(ctx, &p.s, type);
    must(tulle_linop_from_mat(ctx, p.A, &p.L));
    must(tulle_vec_create(ctx, type, p.s.n, &p.b));
    must(tulle_vec_create(ctx, type, p.s.n, &p.x));
    return p;
}

/* A = times a small grid, b = number everywhere, and how that ends. */
static const struct {
    tulle_type type;
    double times, number;
    tulle_outcome outcome;
} ends[] = {
    {TULLE_F64, 1, 1e-310, TULLE_CONVERGED},    {TULLE_F64, 1, 5e-324, TULLE_CONVERGED},
    {TULLE_F64, 1, 1e308, TULLE_CONVERGED},     {TULLE_F64, 1, -1e-200, TULLE_CONVERGED},
    {TULLE_F64, 1, 1e160, TULLE_CONVERGED},     {TULLE_F64, 1e-20, 1e300, TULLE_NOT_A_NUMBER},
    {TULLE_F64, 1e20, 1e-302, TULLE_STAGNATED}, {TULLE_F32, 1, 3e38, TULLE_CONVERGED},
    {TULLE_F32, 1e20, 1e-24, TULLE_STAGNATED},  {TULLE_F32, 1e-20, 1e30, TULLE_NOT_A_NUMBER},
};

/* As one process of one. */
static tulle_status alone(void *user, double *sums, int count) {
    (void)sums;
    *(int *)user += count;
    return TULLE_OK;
}

/* The last digits of the least numbers are not there. */
static bool has_digits(int e) {
    return fabs(ends[e].number) >= DBL_MIN || ends[e].outcome != TULLE_CONVERGED;
}

static void at_ends(tulle_ctx *ctx, const char *where) {
    const int methods = is_slow(where) ? 2 : TULLE_METHOD_COUNT;
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        problem p = make(ctx, system_grid(3, 0, 0), ends[e].type, ends[e].times);
        must(tulle_vec_fill(ctx, p.b, ends[e].number));
        for (int m = 0; m < 2 * methods; m++) {
            int summed = 0;
            const tulle_solver_options o = {
                .method = (tulle_method)(m / 2), .sum = m % 2 ? alone : NULL, .sum_user = &summed};
            const tulle_solver_report r = problem_solve(ctx, &p, NULL, &o);
            if (has_digits((int)e)) {
                assert_int_equal(r.outcome, ends[e].outcome);
            } else {
                assert_int_not_equal(r.outcome, TULLE_NOT_A_NUMBER);
            }
            assert_int_equal(summed > 0, m % 2);
            if (r.outcome != TULLE_CONVERGED) continue;
            const system_norms norms = system_check(ctx, &p.s, ends[e].type, p.b, p.x);
            assert_true(norms.residual <= (ends[e].type == TULLE_F32 ? 1.1e-5 : 1.1e-8) * norms.b);
        }
        problem_free(&p);
    }
}
ONCE_ON_EACH_PLACE(at_ends)

/* Bounds are estimated again; of values that are not known to have changed they are not. */
static void new_values(tulle_ctx *ctx, const char *where) {
    problem p = make(ctx, system_grid(5, 0, 0), TULLE_F64, 1);
    const tulle_solver_options o = {.method = TULLE_CHEBYSHEV};
    tulle_solver_report r;
    tulle_solver *S = NULL;
    (void)where;
    must(tulle_vec_fill(ctx, p.b, 1));
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    for (int round = 0; round < 2; round++) {
        must(tulle_solver_run(ctx, S, p.b, p.x, &r));
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        for (int64_t k = 0; k < p.s.nnz; k++) p.s.values[k] *= 4;
        must(tulle_mat_set_values(ctx, p.A, p.s.nnz, p.s.values));
        must(tulle_linop_renew(ctx, p.L));
    }
    tulle_solver_destroy(S);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(new_values)

/* An indefinite matrix between bounds that it does not have. */
static void diverges(tulle_ctx *ctx, const char *where) {
    problem p = make(ctx, system_grid(4, 0, -3), TULLE_F64, 1);
    const tulle_solver_options o = {.method = TULLE_CHEBYSHEV, .lowest = 1, .highest = 2};
    (void)where;
    must(tulle_vec_fill(ctx, p.b, 1));
    const tulle_solver_report r = problem_solve(ctx, &p, NULL, &o);
    assert_int_equal(r.outcome, TULLE_STAGNATED);
    assert_true(r.iterations < 300); /* on a GPU some are on their way when it is seen */
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(diverges)

/* Constant vectors, given and by name, with a sum and without, in f64 and with f32 inside. */
static void null_vectors(tulle_ctx *ctx, const char *where) {
    problem p = make(ctx, system_torus(is_slow(where) ? 4 : 8), TULLE_F64, 1);
    problem single = make(ctx, system_torus(is_slow(where) ? 4 : 8), TULLE_F32, 1);
    tulle_vec *ones = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, p.s.n, &ones));
    must(tulle_vec_fill(ctx, ones, 1 / sqrt((double)p.s.n)));
    must(tulle_vec_random(ctx, p.b, 3));
    for (int way = 0; way < 8; way++) {
        int summed = 0;
        const tulle_solver_options o = {.method = TULLE_CHEBYSHEV,
                                        .constant_null_space = way & 1,
                                        .null_space = way & 1 ? NULL : ones,
                                        .sum = way & 2 ? alone : NULL,
                                        .sum_user = &summed,
                                        .single_A = way & 4 ? single.L : NULL};
        const tulle_solver_report r = problem_solve(ctx, &p, NULL, &o);
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        assert_int_equal(summed > 0, (way & 2) != 0);
    }
    tulle_vec_destroy(ones);
    problem_free(&single);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(null_vectors)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_ends),
        cmocka_unit_test(test_new_values),
        cmocka_unit_test(test_diverges),
        cmocka_unit_test(test_null_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
