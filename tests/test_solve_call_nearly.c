/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_solve with matrices that are nearly symmetric: CG is on trial, and goes where it fails. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "problems.h"
#include "tulle/solve.h"

/* Solves a system, which it frees, and checks the solution. */
static tulle_solve_report solve_to(tulle_ctx *ctx, host_system s, double tolerance) {
    const tulle_solve_options o = {.solver = {.tolerance = tolerance}};
    problem p = problem_of(ctx, s, TULLE_F64);
    tulle_solve_report r;
    must(tulle_solve(ctx, p.A, p.b, p.x, &o, &r));
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    const system_norms norms = system_check(ctx, &p.s, TULLE_F64, p.b, p.x);
    assert_true(norms.residual <= 1.0001 * tolerance * norms.b);
    problem_free(&p);
    return r;
}

static tulle_solve_report solve(tulle_ctx *ctx, host_system s) {
    return solve_to(ctx, s, 1e-8);
}

/* A grid with a slow flow, whose diagonal is a little less than dominant. */
static host_system slow_flow(double flow) {
    return system_grid(18, flow, -0.01);
}

/* Mirror images differ by twice the flow, and the diagonal is 3.99: the 64th of it is 0.0623. */
static void tries_cg(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_solve_report r = solve(ctx, slow_flow(0.031));
    assert_true(r.facts.nearly_symmetric && !r.facts.symmetric);
    assert_int_equal(r.attempt[0].method, TULLE_CG);
    assert_int_equal(r.method, TULLE_CG);
    assert_non_null(strstr(r.method_why, "symmetric to within a 64th of its diagonal"));
    r = solve(ctx, slow_flow(0.032));
    assert_false(r.facts.nearly_symmetric);
    assert_true(r.attempt[0].method != TULLE_CG);
}

/* The choice and its iterations do not depend on the unit of A. */
static void has_no_units(tulle_ctx *ctx, const char *where) {
    static const int powers[] = {-600, 600};
    (void)where;
    const tulle_solve_report want = solve(ctx, slow_flow(0.02));
    for (int p = 0; p < 2; p++) {
        host_system s = slow_flow(0.02);
        for (int64_t k = 0; k < s.nnz; k++) s.values[k] = ldexp(s.values[k], powers[p]);
        const tulle_solve_report r = solve(ctx, s);
        assert_int_equal(r.method, TULLE_CG);
        assert_int_equal(r.solver.iterations, want.solver.iterations);
    }
}

/* A line of n points with a flow that is slow beside the diagonal of 2, and fast on the line. Every
 * second unknown has the other sign, so that A is not like the matrix of an elliptic problem. */
static host_system line_with_flow(int n) {
    static const double flow = 0.0156, shift = -1e-7;
    host_system s = {.n = n};
    s.offsets = calloc((size_t)n + 1, sizeof *s.offsets);
    s.columns = malloc(3 * (size_t)n * sizeof *s.columns);
    s.values = malloc(3 * (size_t)n * sizeof *s.values);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) {
            s.columns[s.nnz] = j;
            s.values[s.nnz++] = i == j ? 2 + shift : j < i ? 1 + flow : 1 - flow;
        }
        s.offsets[i + 1] = s.nnz;
    }
    return s;
}

/* CG, whose steps rely on a_ij = a_ji, comes to no solution here, and another method follows. There
 * are more rows on a CPU than those of which complete factors follow first. */
static void goes_on(tulle_ctx *ctx, const char *where) {
    tulle_device_info device;
    (void)where;
    must(tulle_ctx_device(ctx, &device));
    const tulle_solve_report r =
        solve(ctx, line_with_flow(device.backend == TULLE_CPU ? 10500 : 300));
    assert_true(r.facts.nearly_symmetric);
    assert_int_equal(r.attempt[0].method, TULLE_CG);
    assert_true(r.attempts > 1 && r.method != TULLE_CG);
    assert_non_null(strstr(r.method_why, "cg ended"));
}

/* A grid to which each pair of rows, with a chance of one in a hundred, gets an entry and its
 * negative mirror image: a little less than the difference that counts as near. Complete factors of
 * so many random entries are nearly full. */
static host_system grid_with_noise(int side) {
    static const double noise = 4 / 130.0;
    enum { CHANCE = 100 };
    host_system grid = system_grid(side, 0, 0);
    const int64_t n = grid.n;
    host_system s = {.n = n};
    double *full = calloc((size_t)(n * n), sizeof *full);
    unsigned state = 1;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = grid.offsets[i]; k < grid.offsets[i + 1]; k++) {
            full[i * n + grid.columns[k]] = grid.values[k];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            state = state * 1664525u + 1013904223u;
            if ((state >> 8) % CHANCE != 0) continue;
            const double own = state >> 31 ? noise : -noise;
            full[i * n + j] += own;
            full[j * n + i] -= own;
        }
    }
    for (int64_t i = 0; i < n * n; i++) s.nnz += full[i] != 0;
    s.offsets = calloc((size_t)n + 1, sizeof *s.offsets);
    s.columns = calloc((size_t)s.nnz, sizeof *s.columns);
    s.values = calloc((size_t)s.nnz, sizeof *s.values);
    for (int64_t i = 0, at = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            if (full[i * n + j] == 0) continue;
            s.columns[at] = j;
            s.values[at++] = full[i * n + j];
        }
        s.offsets[i + 1] = at;
    }
    system_free(&grid);
    free(full);
    return s;
}

/* GMRES, which follows CG, has more iterations than those after which complete factors are counted,
 * where these are not worth their work. Factors are counted on a CPU alone, and not before GMRES
 * has taken as long as factors without fill would: here, with 30 entries in a row, longer than the
 * 30 iterations of a cycle. */
static void gmres_goes_on(tulle_ctx *ctx, const char *where) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    (void)where;
    if (device.backend != TULLE_CPU) {
        say_skipped("a trial until complete factors are counted: they are counted on a CPU alone");
        return;
    }
    const tulle_solve_report r = solve_to(ctx, grid_with_noise(50), 1e-12);
    assert_int_equal(r.attempt[0].method, TULLE_CG);
    assert_int_equal(r.method, TULLE_GMRES);
    assert_true(r.attempt[1].iterations > 30);
    assert_true(r.attempts > 2);
}

#define EACH(name)                                                                                 \
    static void test_##name(void **state) {                                                        \
        (void)state;                                                                               \
        on_each_place(name);                                                                       \
    }
EACH(tries_cg)
EACH(has_no_units)
EACH(goes_on)
EACH(gmres_goes_on)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tries_cg),
        cmocka_unit_test(test_has_no_units),
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_gmres_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
