/* SPDX-License-Identifier: Apache-2.0 */
/* Multigrid where parts of a matrix hang on nothing, so that all that is left of one on a coarse
 * level is rounding, and where islands of large coefficients hang on little. */
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
#include "tulle/amg.h"

/* A number in [0, 1) that belongs to another one. */
static double scattered(int64_t i) {
    uint64_t mixed = (uint64_t)i * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
    return ldexp((double)(mixed >> 32), -32);
}

static void put(host_system *s, int64_t column, double value) {
    s->columns[s->nnz] = column;
    s->values[s->nnz++] = value;
}

/* Conductivity between neighbours i and j, the smaller one first. */
typedef double (*conductivity)(int64_t i, int64_t j);

/* Adds the grid of a part whose first point has number `first`, in units of its own; held: its
 * boundary is held, else rows add up to 0. */
static void add_part(host_system *s, int64_t side, double unit, bool held, conductivity of) {
    const int64_t first = s->n, points = side * side;
    for (int64_t p = 0; p < points; p++) {
        const int64_t i = first + p, x = p % side, y = p / side;
        const double up = y > 0 ? of(i - side, i) : 0, left = x > 0 ? of(i - 1, i) : 0;
        const double right = x < side - 1 ? of(i, i + 1) : 0;
        const double down = y < side - 1 ? of(i, i + side) : 0;
        const int edges = (y == 0) + (x == 0) + (x == side - 1) + (y == side - 1);
        if (up > 0) put(s, i - side, -unit * up);
        if (left > 0) put(s, i - 1, -unit * left);
        put(s, i, unit * (up + left + right + down + (held ? edges : 0)));
        if (right > 0) put(s, i + 1, -unit * right);
        if (down > 0) put(s, i + side, -unit * down);
        s->offsets[i + 1] = s->nnz;
    }
    s->n += points;
}

static host_system new_system(int64_t most) {
    host_system s = {.n = 0};
    s.offsets = calloc((size_t)most + 1, sizeof *s.offsets);
    s.columns = calloc(5 * (size_t)most, sizeof *s.columns);
    s.values = calloc(5 * (size_t)most, sizeof *s.values);
    assert_true(s.offsets && s.columns && s.values);
    return s;
}

static double rough(int64_t i, int64_t j) {
    return 0.3 + 2.7 * scattered(i + 7 * j);
}

/* A large part that is held, or not, and floating ones of many sizes in units of their own. */
static host_system parts(int64_t large, bool held, int count, double unit) {
    host_system s = new_system(large * large + count * 49);
    add_part(&s, large, 1, held, rough);
    for (int k = 0; k < count; k++) add_part(&s, 2 + k % 6, pow(unit, k % 3 - 1), false, rough);
    return s;
}

/* Solves A x = b, where A has no other null vectors than constants on parts. */
static void solves(tulle_ctx *ctx, const problem *p, tulle_linop *M, tulle_type type) {
    const tulle_solver_options o = {.tolerance = type == TULLE_F32 ? 1e-5 : 1e-8};
    must(tulle_vec_random(ctx, p->x, 3));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), p->L, p->x, tulle_num(0), p->b));
    must(tulle_vec_fill(ctx, p->x, 0));
    const tulle_solver_report r = problem_solve(ctx, p, M, &o);
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    assert_true(r.iterations <= 25);
    const system_norms n = system_check(ctx, &p->s, type, p->b, p->x);
    assert_true(n.residual <= 4 * o.tolerance * n.b);
}

/* Solves with a hierarchy, with new values in it, and with what an update has made anew. */
static void check(tulle_ctx *ctx, host_system s, tulle_type type, tulle_amg_options o) {
    problem p = problem_of(ctx, s, type);
    tulle_mat *other = NULL;
    tulle_linop *M = NULL;
    must(tulle_amg_create(ctx, p.A, &o, &M));
    solves(ctx, &p, M, type);
    for (int64_t k = 0; k < p.s.nnz; k++) p.s.values[k] *= 0.7;
    other = system_mat(ctx, &p.s, type);
    must(tulle_amg_update(ctx, M, other, TULLE_AMG_KEEP_P));
    tulle_linop_destroy(p.L);
    must(tulle_linop_from_mat(ctx, other, &p.L));
    solves(ctx, &p, M, type);
    must(tulle_amg_update(ctx, M, NULL, TULLE_AMG_KEEP_COARSENING));
    solves(ctx, &p, M, type);
    tulle_linop_destroy(M);
    tulle_mat_destroy(other);
    problem_free(&p);
}

/* Floating parts do not make M indefinite, in any family and precision. */
static void floating(tulle_ctx *ctx, const char *where) {
    const int64_t large = is_slow(where) ? 9 : 40;
    const int count = is_slow(where) ? 3 : 40, turn = turn_in_order(where, 3);
    int at = 0;
    EACH_FAMILY(family) {
        if (is_slow(where) && at++ % 3 != turn) continue;
        const tulle_amg_options o = {.family = family, .coarsest_rows = 6};
        tulle_amg_options wide = o, whole = o;
        wide.precision = TULLE_AMG_SAME;
        whole.coarsest_rows = 1;
        check(ctx, parts(large, true, 1, 1), TULLE_F64, o);
        check(ctx, parts(large, true, count, 1e6), TULLE_F64, o);
        check(ctx, parts(large, false, count, 1e-6), TULLE_F64, wide);
        check(ctx, parts(large, false, count, 1e3), TULLE_F32, o);
        if (!is_slow(where)) check(ctx, parts(large, false, count, 1), TULLE_F64, whole);
        if (!is_slow(where)) check(ctx, parts(large, false, 0, 1), TULLE_F32, whole);
    }
}

/* M of 2^power A is 2^-power M, to the last bit, so that what counts as 0 is the same in all units.
 */
static void units(tulle_ctx *ctx, const char *where) {
    const int64_t large = is_slow(where) ? 8 : 30;
    EACH_FAMILY(family) {
        double *one = NULL;
        static const int powers[] = {0, 200, -200, 950, -950};
        for (size_t k = 0; k < (is_slow(where) ? 2 : 5); k++) {
            const tulle_amg_options o = {.family = family, .coarsest_rows = 6};
            host_system s = parts(large, true, 3, 1e3);
            for (int64_t e = 0; e < s.nnz; e++) s.values[e] = ldexp(s.values[e], powers[k]);
            problem p = problem_of(ctx, s, TULLE_F64);
            tulle_linop *M = NULL;
            must(tulle_amg_create(ctx, p.A, &o, &M));
            must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, p.b, tulle_num(0), p.x));
            double *x = problem_x(ctx, &p);
            for (int64_t i = 0; i < p.s.n; i++) x[i] = ldexp(x[i], powers[k]);
            if (one) assert_memory_equal(x, one, (size_t)p.s.n * sizeof *x);
            if (one) free(x);
            if (!one) one = x;
            tulle_linop_destroy(M);
            problem_free(&p);
        }
        free(one);
    }
}

/* Solves in units that are far from 1. */
static void far_units(tulle_ctx *ctx, const char *where) {
    static const double factors[] = {1e300, 1e-300, 1e290};
    EACH_FAMILY(family) {
        for (size_t k = 0; k < 3; k++) {
            const tulle_amg_options o = {.family = family, .coarsest_rows = 10};
            host_system s = system_grid(is_slow(where) ? 7 : 30, 0, 0);
            for (int64_t e = 0; e < s.nnz; e++) s.values[e] *= factors[k];
            problem p = problem_of(ctx, s, TULLE_F64);
            tulle_linop *M = NULL;
            must(tulle_amg_create(ctx, p.A, &o, &M));
            must(tulle_vec_scale(ctx, tulle_num(factors[k]), p.b));
            must(tulle_vec_fill(ctx, p.x, 0));
            const tulle_solver_report r = problem_solve(ctx, &p, M, NULL);
            assert_int_equal(r.outcome, TULLE_CONVERGED);
            assert_true(r.iterations <= 20);
            tulle_linop_destroy(M);
            problem_free(&p);
        }
    }
}

/* Conductivity of points: a share of them, scattered, has another one than the rest. */
static double jump = 1, share = 0;
static double of_point(int64_t i) {
    return scattered(i) < share ? jump : 1;
}
static double islands(int64_t i, int64_t j) {
    return 2 / (1 / of_point(i) + 1 / of_point(j));
}

static problem island_problem(tulle_ctx *ctx, int64_t side, double size, double of_all) {
    host_system s = new_system(side * side);
    jump = size;
    share = of_all;
    add_part(&s, side, 1, true, islands);
    return problem_of(ctx, s, TULLE_F64);
}

/* Returns the number of iterations for a random b; *info tells of the hierarchy. */
static int64_t iterations_of(tulle_ctx *ctx, const problem *p, const tulle_amg_options *o,
                             tulle_amg_info *info, bool *passed) {
    tulle_amg_level_info level;
    tulle_linop *M = NULL;
    must(tulle_amg_create(ctx, p->A, o, &M));
    must(tulle_amg_describe(M, info));
    must(tulle_amg_level_numbers(M, 1, &level));
    if (passed) *passed = level.passed;
    must(tulle_vec_fill(ctx, p->x, 0));
    const tulle_solver_options cg = {.tolerance = 1e-6};
    const tulle_solver_report r = problem_solve(ctx, p, M, &cg);
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    tulle_linop_destroy(M);
    return r.iterations;
}

/* A cycle in f32 is taken where it is definite: CG then needs what it needs in f64. */
static void precision(tulle_ctx *ctx, const char *where) {
    static const double sizes[] = {1, 1e3, 1e5, 1e7, 1e9};
    EACH_FAMILY(family) {
        const int turn = turn_in_order(where, 3);
        if (is_slow(where) && (int)family - 1 != turn) continue;
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            problem p = island_problem(ctx, is_slow(where) ? 16 : 60, sizes[k], 0.2);
            tulle_amg_options o = {.family = family, .coarsest_rows = 20};
            tulle_amg_info info;
            const int64_t chosen = iterations_of(ctx, &p, &o, &info, NULL);
            if (sizes[k] <= 1e3) assert_true(info.single);
            if (sizes[k] >= 1e9) assert_false(info.single);
            if (sizes[k] >= 1e9) { /* also where no last level is inverted */
                tulle_amg_options short_one = o;
                short_one.most_levels = 2;
                iterations_of(ctx, &p, &short_one, &info, NULL);
                assert_false(info.single);
            }
            o.precision = TULLE_AMG_SAME;
            assert_true(chosen <= iterations_of(ctx, &p, &o, &info, NULL) + 2);
            problem_free(&p);
        }
    }
}

/* A level that has islands of large coefficients, which are not smoothed on the level before, is
 * not passed. */
static void passing(tulle_ctx *ctx, const char *where) {
    static const double sizes[] = {1, 1e3, 1e6};
    for (size_t k = 0; k < 3; k++) {
        problem p = island_problem(ctx, is_slow(where) ? 16 : 60, sizes[k], 0.05);
        tulle_amg_options o = {.coarsest_rows = 20};
        tulle_amg_info info;
        bool passed = false;
        const int64_t chosen = iterations_of(ctx, &p, &o, &info, &passed);
        if (sizes[k] > 1) assert_false(passed);
        if (sizes[k] == 1 && !is_slow(where)) assert_true(passed);
        o.passing = TULLE_AMG_PASS_NONE;
        assert_true(chosen <= iterations_of(ctx, &p, &o, &info, NULL) + 8);
        problem_free(&p);
    }
}

static void test_floating(void **state) {
    (void)state;
    on_each_place(floating);
}
static void test_precision(void **state) {
    (void)state;
    on_each_place(precision);
}
ONCE_ON_EACH_PLACE(units)
ONCE_ON_EACH_PLACE(far_units)
ONCE_ON_EACH_PLACE(passing)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floating),  cmocka_unit_test(test_units),
        cmocka_unit_test(test_far_units), cmocka_unit_test(test_precision),
        cmocka_unit_test(test_passing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
