/* SPDX-License-Identifier: Apache-2.0 */
/* Multigrid of singular matrices whose coefficients jump or whose null vectors are not constants:
 * what rounding leaves of a pivot of 0 on the last level is larger there than of a smooth problem.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "places.h"
#include "problems.h"
#include "tulle/amg.h"
#include "tulle/solve.h"

/* Conductivities of the connections to the right and down, of point number i, and the factor of
 * row and column i. */
typedef struct medium {
    double (*right)(int64_t i), (*down)(int64_t i), (*factor)(int64_t i);
} medium;

static double one(int64_t i) {
    (void)i;
    return 1;
}
static double weak(int64_t i) {
    (void)i;
    return 1e-4;
}
/* Powers of 10 from 1e-4 to 1e4, scattered. */
static double jumps(int64_t i) {
    return pow(10, (double)(i * 2654435761 / 7 % 9) - 4);
}
/* 1 or 1e9, scattered. */
static double contrast(int64_t i) {
    return i * 2654435761 / 7 % 2 == 0 ? 1 : 1e9;
}
static double grows(int64_t i) {
    return exp(2e-3 * (double)i);
}

static const medium media[] = {{one, weak, one}, {jumps, jumps, one}, {one, one, grows}};

static void put(host_system *s, int64_t i, int64_t j, const medium *m, double value) {
    s->columns[s->nnz] = j;
    s->values[s->nnz++] = value * m->factor(i) * m->factor(j);
}

/* A grid without boundary conditions: D N D, where rows of N add up to 0, and D has the factors. */
static host_system closed_grid(int64_t side, const medium *m) {
    host_system s = {.n = side * side};
    s.offsets = calloc((size_t)s.n + 1, sizeof *s.offsets);
    s.columns = calloc(5 * (size_t)s.n, sizeof *s.columns);
    s.values = calloc(5 * (size_t)s.n, sizeof *s.values);
    for (int64_t i = 0; i < s.n; i++) {
        const double up = i >= side ? m->down(i - side) : 0;
        const double left = i % side > 0 ? m->right(i - 1) : 0;
        const double right = i % side < side - 1 ? m->right(i) : 0;
        const double down = i < s.n - side ? m->down(i) : 0;
        if (up > 0) put(&s, i, i - side, m, -up);
        if (left > 0) put(&s, i, i - 1, m, -left);
        put(&s, i, i, m, up + left + right + down);
        if (right > 0) put(&s, i, i + 1, m, -right);
        if (down > 0) put(&s, i, i + side, m, -down);
        s.offsets[i + 1] = s.nnz;
    }
    return s;
}

/* Solves A x = b with a b that has a solution, by CG and M. */
static int64_t iterations_of(tulle_ctx *ctx, host_system s, tulle_amg_precision precision) {
    problem p = problem_of(ctx, s, TULLE_F64);
    const tulle_amg_options o = {.coarsest_rows = 30, .precision = precision};
    tulle_linop *M = NULL;
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), p.L, p.x, tulle_num(0), p.b));
    must(tulle_amg_create(ctx, p.A, &o, &M));
    const tulle_solver_report r = problem_solve(ctx, &p, M, NULL);
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    tulle_linop_destroy(M);
    problem_free(&p);
    return r.iterations;
}

/* In f32 the cycle needs about as many iterations as in f64. */
static void singular(tulle_ctx *ctx, const char *where) {
    const int64_t side = is_slow(where) ? 24 : 60;
    for (size_t k = 0; k < sizeof media / sizeof *media; k++) {
        const int64_t wide = iterations_of(ctx, closed_grid(side, media + k), TULLE_AMG_SAME);
        const int64_t narrow =
            iterations_of(ctx, closed_grid(side, media + k), TULLE_AMG_PRECISION_CHOOSE);
        assert_true(wide <= 30);
        assert_true(narrow <= wide + 3);
    }
}

/* A single level is solved where A is nearly singular, as far as the roundings of x allow, and has
 * no correction for the null vector where A is singular. */
static void alone(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (size_t k = 0; k < sizeof media / sizeof *media; k++) {
        assert_true(iterations_of(ctx, closed_grid(5, media + k), TULLE_AMG_SAME) <= 3);
    }
    host_system s = closed_grid(5, media);
    tulle_linop *M = NULL;
    for (int64_t k = 0; k < s.nnz; k++) s.values[k] += s.values[k] > 0 ? 1e-11 : 0;
    problem p = problem_of(ctx, s, TULLE_F64);
    must(tulle_vec_fill(ctx, p.b, 1)); /* x is 1e11, A x has roundings of some 1e-5 */
    must(tulle_amg_create(ctx, p.A, NULL, &M));
    const tulle_solver_report r = problem_solve(ctx, &p, M, NULL);
    assert_true(r.outcome == TULLE_CONVERGED || r.outcome == TULLE_STAGNATED);
    assert_true(r.norm <= 1e-3 * r.start_norm);
    tulle_linop_destroy(M);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(alone)

/* The hierarchy itself finds that a cycle in f32 would not be definite, and says so. */
static void goes_wide(tulle_ctx *ctx, const char *where) {
    static const medium rough = {contrast, contrast, one};
    const tulle_solve_options o = {.method = "cg", .precond = "amg-plain:2"};
    tulle_solve_report r;
    host_system s = closed_grid(is_slow(where) ? 40 : 60, &rough);
    s.values[0] += 1e9; /* one point is held */
    problem p = problem_of(ctx, s, TULLE_F64);
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), p.L, p.x, tulle_num(0), p.b));
    must(tulle_solve(ctx, p.A, p.b, p.x, &o, &r));
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_int_equal(r.attempts, 1);
    assert_false(r.hierarchy.single);
    problem_free(&p);
}

static void test_goes_wide(void **state) {
    (void)state;
    on_each_place(goes_wide);
}

static void test_singular(void **state) {
    (void)state;
    on_each_place(singular);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_goes_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
