/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles in f32 under hierarchies of f64: near those in f64, in all units, and not where numbers
 * would leave the range of f32. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hierarchies.h"
#include "places.h"
#include "problems.h"

static int side_of(const char *where) {
    return is_slow(where) ? 10 : 40;
}

/* Applies a hierarchy's M to a vector, in one precision; single: the cycle was in f32. The caller
 * frees the numbers. */
static double *apply(tulle_ctx *ctx, tulle_mat *A, const tulle_amg_options *options,
                     const tulle_vec *b, bool *single) {
    tulle_linop *M = NULL;
    tulle_amg_info info;
    tulle_vec_info of;
    tulle_vec *x = NULL;
    must(tulle_vec_describe(b, &of));
    double *numbers = calloc((size_t)of.rows, sizeof *numbers);
    must(tulle_vec_create(ctx, TULLE_F64, of.rows, &x));
    must(tulle_amg_create(ctx, A, options, &M));
    must(tulle_amg_describe(M, &info));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, b, tulle_num(0), x));
    must(tulle_vec_read(ctx, x, numbers, 0));
    *single = info.single;
    tulle_linop_destroy(M);
    tulle_vec_destroy(x);
    return numbers;
}

/* Six digits are right, for all families and degrees, in V and W cycles and with passed levels. */
static void near_wide(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, rough_grid(side_of(where)), TULLE_F64);
    EACH_FAMILY(family) {
        for (int degree = 1; degree <= 4; degree++) {
            tulle_amg_options o = {.family = family,
                                   .degree = degree,
                                   .coarsest_rows = 10,
                                   .passing = degree == 3 ? TULLE_AMG_PASS_FIRST : 0};
            bool single;
            double *narrow = apply(ctx, p.A, &o, p.b, &single);
            assert_true(single);
            o.precision = TULLE_AMG_SAME;
            double *wide = apply(ctx, p.A, &o, p.b, &single);
            assert_false(single);
            double largest = 0, apart = 0;
            for (int64_t i = 0; i < p.s.n; i++) {
                largest = fmax(largest, fabs(wide[i]));
                apart = fmax(apart, fabs(wide[i] - narrow[i]));
            }
            assert_true(largest > 0);
            assert_true(apart > 0 && apart <= 2e-6 * largest);
            free(narrow);
            free(wide);
        }
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(near_wide)

/* Powers of 2 in A and in b change no digit. */
static void units(tulle_ctx *ctx, const char *where) {
    static const int powers[][2] = {{700, 300}, {-600, 0}, {0, -900}, {300, -500}};
    host_system s = rough_grid(side_of(where));
    problem p = problem_of(ctx, rough_grid(side_of(where)), TULLE_F64);
    const tulle_amg_options o = {.coarsest_rows = 10};
    bool single;
    double *x = apply(ctx, p.A, &o, p.b, &single);
    assert_true(single);
    for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
        for (int64_t e = 0; e < s.nnz; e++) s.values[e] = ldexp(p.s.values[e], powers[k][0]);
        tulle_mat *A = system_mat(ctx, &s, TULLE_F64);
        tulle_vec *b = NULL;
        must(tulle_vec_create(ctx, TULLE_F64, s.n, &b));
        must(tulle_vec_axpby(ctx, tulle_num(ldexp(1, powers[k][1])), p.b, tulle_num(0), b));
        double *scaled = apply(ctx, A, &o, b, &single);
        assert_true(single);
        for (int64_t i = 0; i < s.n; i++) {
            assert_true(scaled[i] == ldexp(x[i], powers[k][1] - powers[k][0]));
        }
        free(scaled);
        tulle_vec_destroy(b);
        tulle_mat_destroy(A);
    }
    free(x);
    system_free(&s);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(units)

/* A b of zeros gives zeros, and a NaN in b does not get lost. */
static void ends(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(side_of(where), 0, 0), TULLE_F64);
    const tulle_amg_options o = {.coarsest_rows = 10};
    double *b = calloc((size_t)p.s.n, sizeof *b);
    for (int nan = 0; nan < 2; nan++) {
        bool single, found = false;
        if (nan) b[p.s.n / 2] = (double)NAN;
        must(tulle_vec_write(ctx, p.b, b, 0));
        double *x = apply(ctx, p.A, &o, p.b, &single);
        assert_true(single);
        for (int64_t i = 0; i < p.s.n; i++) {
            if (!nan) assert_true(x[i] == 0);
            found = found || isnan(x[i]);
        }
        assert_true(found == (nan == 1));
        free(x);
    }
    free(b);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(ends)

/* Pairs of rows with a connection far above those between pairs: the sizes of a pair's rows are
 * 2^40 times those of the pair's row on the next level, which roundings of f32 would not spare. */
static double of_pairs(int64_t i, int64_t j) {
    const double within = ldexp(1, 40);
    if (i == j) return within;
    if (i / 2 == j / 2) return -within;
    return llabs((long long)(i - j)) == 1 ? -1 : 0;
}

/* Such a hierarchy stays in f64; after an update to values that fit the cycle is in f32, and back;
 * matrices are always those of a hierarchy in f64, whose P is the same. */
static void too_noisy(tulle_ctx *ctx, const char *where) {
    const int64_t n = 60;
    host_system fits = system_of(n, of_pairs);
    problem p = problem_of(ctx, system_of(n, of_pairs), TULLE_F64);
    const tulle_amg_options o = {.coarsest_rows = 10, .family = TULLE_AMG_AGGREGATION};
    tulle_amg_options same = o;
    tulle_linop *M = NULL, *wide = NULL;
    (void)where;
    same.precision = TULLE_AMG_SAME;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = fits.offsets[i]; e < fits.offsets[i + 1]; e++) {
            const int64_t j = fits.columns[e];
            fits.values[e] = i == j ? 12 : i / 2 == j / 2 ? -8 : -1;
        }
    }
    must(tulle_amg_create(ctx, p.A, &o, &M));
    must(tulle_amg_create(ctx, p.A, &same, &wide));
    double *before = NULL;
    for (int turn = 0; turn < 4; turn++) {
        const bool single = turn % 2 == 1;
        tulle_amg_info info;
        double *x = calloc((size_t)n, sizeof *x);
        if (turn > 0) {
            must(tulle_mat_set_values(ctx, p.A, p.s.nnz, single ? fits.values : p.s.values));
            must(tulle_amg_update(ctx, M, NULL, TULLE_AMG_KEEP_P));
            must(tulle_amg_update(ctx, wide, NULL, TULLE_AMG_KEEP_P));
        }
        assert_same(ctx, wide, 0, ctx, M);
        must(tulle_amg_describe(M, &info));
        assert_true(info.single == single);
        must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, p.b, tulle_num(0), p.x));
        must(tulle_vec_read(ctx, p.x, x, 0));
        if (single && before) assert_memory_equal(x, before, (size_t)n * sizeof *x);
        if (!single) {
            free(x);
            continue;
        }
        free(before);
        before = x;
    }
    free(before);
    tulle_linop_destroy(M);
    tulle_linop_destroy(wide);
    problem_free(&p);
    system_free(&fits);
}
ONCE_ON_EACH_PLACE(too_noisy)

/* A chain of which the first row is connected with all others, far longer than the mean row. */
static double of_hub(int64_t i, int64_t j) {
    const int64_t n = 800;
    if (i == j) return i == 0 ? 0.01 * (double)n + 1 : 2.02;
    if (i == 0 || j == 0) return -0.01;
    return llabs((long long)(i - j)) == 1 ? -1 : 0;
}

/* Rows of very unlike lengths: the products are tulle_spmv's, and the cycle is as good. */
static void unlike_rows(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_of(800, of_hub), TULLE_F64);
    (void)where;
    for (int same = 0; same < 2; same++) {
        for (int degree = 1; degree <= 3; degree++) {
            const tulle_amg_options o = {
                .degree = degree, .coarsest_rows = 20, .precision = same ? TULLE_AMG_SAME : 0};
            const tulle_solver_options with = {.tolerance = 1e-10};
            tulle_linop *M = NULL;
            must(tulle_amg_create(ctx, p.A, &o, &M));
            const tulle_solver_report r = problem_solve(ctx, &p, M, &with);
            assert_int_equal(r.outcome, TULLE_CONVERGED);
            assert_true(r.iterations <= 20);
            tulle_linop_destroy(M);
        }
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(unlike_rows)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near_wide),   cmocka_unit_test(test_units),
        cmocka_unit_test(test_ends),        cmocka_unit_test(test_too_noisy),
        cmocka_unit_test(test_unlike_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
