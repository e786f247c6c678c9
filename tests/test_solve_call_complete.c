/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_solve takes complete factors of a small system where they are cheap: at once, or after some
 * iterations of GMRES or CG. Complete factors are counted for CPUs alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "places.h"
#include "systems.h"
#include "tulle/tulle.h"

/* Solves A x = b. */
static tulle_solve_report solve(tulle_ctx *ctx, const host_system *s, int64_t most) {
    const tulle_solve_options o = {.solver = {.max_iterations = most}};
    tulle_solve_report r;
    tulle_mat *A = system_mat(ctx, s, TULLE_F64);
    tulle_vec *b = system_vector(ctx, TULLE_F64, s->n, 1),
              *x = system_vector(ctx, TULLE_F64, s->n, 2);
    must(tulle_solve(ctx, A, b, x, &o, &r));
    tulle_vec_destroy(x);
    tulle_vec_destroy(b);
    tulle_mat_destroy(A);
    return r;
}

static tulle_ctx *cpu(void) {
    tulle_ctx *ctx;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    return ctx;
}

/* A grid whose diagonal is not dominant is for GMRES; of few rows complete factors come first. */
static void test_at_once(void **state) {
    (void)state;
    tulle_ctx *ctx = cpu();
    host_system s = system_grid(30, 0.2, -0.1);
    const tulle_solve_report r = solve(ctx, &s, 0);
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_int_equal(r.method, TULLE_GMRES);
    assert_string_equal(r.precond, "lu");
    assert_int_equal(r.attempts, 1);
    assert_true(r.solver.iterations <= 2);
    system_free(&s);
    tulle_ctx_destroy(ctx);
}

/* Where complete factors cost more than a cycle of GMRES, they come after as many iterations. The
 * caller's limit comes first. */
static void test_after_gmres(void **state) {
    (void)state;
    tulle_ctx *ctx = cpu();
    host_system s = system_grid(105, 0.2, -0.01);
    tulle_solve_report r = solve(ctx, &s, 0);
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_string_equal(r.precond, "lu");
    assert_true(r.attempts > 1);
    assert_int_equal(r.attempt[0].outcome, TULLE_MOST_ITERATIONS);
    assert_int_equal(r.attempt[0].iterations, 30);
    assert_int_equal(r.attempt[1].method, TULLE_GMRES);
    r = solve(ctx, &s, 20);
    assert_int_equal(r.attempts, 1);
    assert_int_equal(r.solver.iterations, 20);
    assert_int_equal(r.solver.outcome, TULLE_MOST_ITERATIONS);
    system_free(&s);
    tulle_ctx_destroy(ctx);
}

/* The Laplacian of a tree in which each node i hangs on an earlier one, with conductances from 1 to
 * 1e6, and node 0 held. IC(0) in this order, from the root on, drops nearly all fill; in an order
 * from the leaves on there is none. */
static host_system tree(int64_t n) {
    host_system s = {.n = n, .nnz = 3 * n - 2};
    int64_t *parent = calloc((size_t)n, sizeof *parent), *at = calloc((size_t)n, sizeof *at);
    double *size = calloc((size_t)n, sizeof *size), *sum = calloc((size_t)n, sizeof *sum);
    s.offsets = calloc((size_t)n + 1, sizeof *s.offsets);
    s.columns = calloc((size_t)s.nnz, sizeof *s.columns);
    s.values = calloc((size_t)s.nnz, sizeof *s.values);
    uint64_t draw = 1;
    sum[0] = 1;
    for (int64_t i = 0; i < n; i++) at[i] = 1;
    for (int64_t i = 1; i < n; i++) {
        static const double sizes[] = {1, 100, 1e4, 1e6};
        draw = draw * 6364136223846793005U + 1442695040888963407U;
        parent[i] = (int64_t)((draw >> 33) % (uint64_t)i);
        size[i] = sizes[draw >> 62];
        sum[i] += size[i];
        sum[parent[i]] += size[i];
        at[i]++;
        at[parent[i]]++;
    }
    for (int64_t i = 0; i < n; i++) s.offsets[i + 1] = s.offsets[i] + at[i];
    for (int64_t i = 0; i < n; i++) at[i] = s.offsets[i];
    for (int64_t i = 0; i < n; i++) {
        if (i > 0) {
            s.columns[at[i]] = parent[i];
            s.values[at[i]++] = -size[i];
        }
        s.columns[at[i]] = i;
        s.values[at[i]++] = sum[i];
        if (i > 0) {
            s.columns[at[parent[i]]] = i;
            s.values[at[parent[i]]++] = -size[i];
        }
    }
    free(parent);
    free(at);
    free(size);
    free(sum);
    return s;
}

static void test_after_cg(void **state) {
    (void)state;
    tulle_ctx *ctx = cpu();
    host_system s = tree(4000);
    const tulle_solve_report r = solve(ctx, &s, 0);
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_int_equal(r.attempt[0].method, TULLE_CG);
    assert_int_equal(r.attempt[0].iterations, 100);
    assert_int_equal(r.attempts, 2);
    assert_string_equal(r.precond, "lu");
    assert_true(r.solver.iterations <= 3);
    system_free(&s);
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_at_once),
                                       cmocka_unit_test(test_after_gmres),
                                       cmocka_unit_test(test_after_cg)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
