/* SPDX-License-Identifier: Apache-2.0 */
/* The x that is handed out is the one that was judged: with and without a null space, from far
 * away, of f32 in any format, and never a worse one than there was. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "problems.h"

/* A torus: x and the residual have no part along constant vectors. */
static void null_spaces(tulle_ctx *ctx, const char *where) {
    problem p = problem_with_jacobi(ctx, system_torus(problem_side(where)), TULLE_F64);
    tulle_vec *ones = NULL, *constant = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, p.s.n, &constant));
    must(tulle_vec_create(ctx, TULLE_F64, p.s.n, &ones));
    must(tulle_vec_fill(ctx, ones, 1 / sqrt((double)p.s.n)));
    for (int way = 0; way < 12; way++) {
        static const tulle_method methods[] = {TULLE_CG, TULLE_GMRES, TULLE_MINRES};
        const tulle_solver_options o = {.method = methods[way / 4],
                                        .constant_null_space = way & 1,
                                        .null_space = way & 1 ? NULL : ones,
                                        .max_iterations = 400};
        tulle_solver *S = NULL;
        tulle_solver_report r;
        double along;
        must(tulle_solver_create(ctx, p.L, way & 2 ? p.M : NULL, &o, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &r));
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        must(tulle_vec_dot(ctx, p.x, ones, tulle_to_num(&along)));
        assert_true(fabs(along) < 1e-9);
        /* Nothing is left of b but what rounding leaves, of some constants nothing at all. */
        must(tulle_vec_fill(ctx, constant, 1.0 / (3 + way)));
        must(tulle_solver_run(ctx, S, constant, p.x, &r));
        must(tulle_vec_norm2(ctx, p.x, tulle_to_num(&along)));
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        assert_int_equal(r.iterations, 0);
        assert_true(along == 0);
        tulle_solver_destroy(S);
    }
    tulle_vec_destroy(constant);
    tulle_vec_destroy(ones);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(null_spaces)

/* Constant vectors are no null vectors of this A: without its constant part x is no solution. */
static void no_null_space(tulle_ctx *ctx, const char *where) {
    problem p = problem_with_jacobi(ctx, system_grid(3, 0, 0), TULLE_F64);
    tulle_mat *single = NULL;
    tulle_linop *L = NULL;
    (void)where;
    must(tulle_mat_copy(ctx, p.A, TULLE_F32, &single));
    must(tulle_linop_from_mat(ctx, single, &L));
    for (int way = 0; way < 2 * TULLE_METHOD_COUNT; way++) {
        const tulle_solver_options o = {.method = (tulle_method)(way / 2),
                                        .constant_null_space = true,
                                        .guess = way & 1,
                                        .lowest = way / 2 == TULLE_CHEBYSHEV ? 1 : 0,
                                        .highest = way / 2 == TULLE_CHEBYSHEV ? 7 : 0,
                                        .max_iterations = 60,
                                        .single_A = way & 1 ? L : NULL};
        tulle_solver *S = NULL;
        tulle_solver_report r;
        must(tulle_vec_random(ctx, p.b, 3));
        must(tulle_vec_fill(ctx, p.x, 1));
        must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &r));
        assert_int_not_equal(r.outcome, TULLE_CONVERGED);
        assert_true(r.norm > r.limit);
        tulle_solver_destroy(S);
    }
    tulle_linop_destroy(L);
    tulle_mat_destroy(single);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(no_null_space)

/* From a guess so far away that the norm that CG carries is far too small in the end: what it was
 * does not count against the patience of the next beginning. */
static void far_guess(tulle_ctx *ctx, const char *where) {
    const int side = is_slow(where) ? 6 : 40;
    problem p = problem_with_jacobi(ctx, system_grid(side, 0, 0), TULLE_F64);
    const tulle_solver_options o = {.guess = true, .patience = is_slow(where) ? 8 : 30};
    tulle_solver *S = NULL;
    tulle_solver_report r;
    must(tulle_vec_scale(ctx, tulle_num(1e12), p.x));
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    assert_true(r.begun_anew > 0);
    tulle_solver_destroy(S);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(far_guess)

/* The residual at the end of f32 is that of x in f64, in whatever format. */
static void narrow_formats(tulle_ctx *ctx, const char *where) {
    static const tulle_format formats[] = {TULLE_SELL, TULLE_DIA, TULLE_COO, TULLE_BSR};
    problem p = problem_with_jacobi(ctx, system_grid(4, 0, 0.1), TULLE_F32);
    const tulle_convert_options options = {.block = 2};
    const tulle_solver_options o = {.tolerance = 1e-8};
    (void)where;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        tulle_mat *A = NULL;
        tulle_linop *L = NULL;
        tulle_solver *S = NULL;
        tulle_solver_report r;
        must(tulle_mat_convert_with(ctx, p.A, formats[i], TULLE_I32,
                                    formats[i] == TULLE_BSR ? &options : NULL, &A));
        must(tulle_linop_from_mat(ctx, A, &L));
        must(tulle_solver_create(ctx, L, NULL, &o, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &r));
        const system_norms norms = system_check(ctx, &p.s, TULLE_F32, p.b, p.x);
        assert_true(fabs(r.norm - norms.residual) <= 1e-6 * norms.residual);
        assert_int_equal(r.outcome == TULLE_CONVERGED, r.norm <= r.limit);
        tulle_solver_destroy(S);
        tulle_linop_destroy(L);
        tulle_mat_destroy(A);
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(narrow_formats)

/* A matrix that is singular but for rounding: the last row is the sum of the others. */
static host_system nearly_singular(int64_t n, int seed) {
    host_system s = system_grid((int)n, 0, 0); /* has room */
    double *sum = calloc((size_t)n, sizeof *sum);
    s.n = n;
    s.nnz = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            const double value =
                i + 1 < n ? sin((double)(seed + 37 * i + i * i * j + 5 * j)) : sum[j];
            sum[j] += value;
            s.columns[s.nnz] = j;
            s.values[s.nnz++] = value;
        }
        s.offsets[i + 1] = s.nnz;
    }
    free(sum);
    return s;
}

/* However large the rounding of a correction is: no x is worse than the first. */
static void no_worse(tulle_ctx *ctx, const char *where) {
    const int seeds = is_slow(where) ? 2 : 40;
    for (int seed = 0; seed < seeds; seed++) {
        problem p =
            problem_with_jacobi(ctx, nearly_singular(5, seed), seed % 2 ? TULLE_F64 : TULLE_F32);
        for (int way = 0; way < 4; way++) {
            const tulle_solver_options o = {
                .method = TULLE_GMRES, .restart = way & 1 ? 3 : 0, .max_iterations = 40};
            tulle_solver *S = NULL;
            tulle_solver_report r;
            must(tulle_solver_create(ctx, p.L, way & 2 ? p.M : NULL, &o, &S));
            must(tulle_solver_run(ctx, S, p.b, p.x, &r));
            assert_true(r.norm <= r.start_norm * (1 + 1e-6));
            tulle_solver_destroy(S);
        }
        problem_free(&p);
    }
}
ONCE_ON_EACH_PLACE(no_worse)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_spaces), cmocka_unit_test(test_no_null_space),
        cmocka_unit_test(test_far_guess),   cmocka_unit_test(test_narrow_formats),
        cmocka_unit_test(test_no_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
