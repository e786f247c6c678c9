/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_solve takes complete factors of a small system where they are cheap: at once, or after some
 * iterations of GMRES or CG. Complete factors are counted for CPUs alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* The norm has not fallen after a quarter of the 300 iterations that multigrid is expected to cost.
 */
static void test_after_cg(void **state) {
    (void)state;
    tulle_ctx *ctx = cpu();
    host_system s = tree(4000);
    const tulle_solve_report r = solve(ctx, &s, 0);
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_int_equal(r.attempt[0].method, TULLE_CG);
    assert_int_equal(r.attempt[0].iterations, 75);
    assert_int_equal(r.attempts, 2);
    assert_string_equal(r.precond, "lu");
    assert_true(r.solver.iterations <= 3);
    system_free(&s);
    tulle_ctx_destroy(ctx);
}

/* The grid's Laplacian less a little more than its least eigenvalue, in the order of red and black
 * points. */
static host_system indefinite(int side) {
    const double least = 8 * pow(sin(acos(-1) / 2 / (side + 1)), 2);
    host_system s = system_grid(side, 0, -1.0001 * least), t = {.n = s.n, .nnz = s.nnz};
    int64_t *place = calloc((size_t)s.n, sizeof *place), count = 0;
    t.offsets = calloc((size_t)s.n + 1, sizeof *t.offsets);
    t.columns = calloc((size_t)s.nnz, sizeof *t.columns);
    t.values = calloc((size_t)s.nnz, sizeof *t.values);
    for (int color = 0; color < 2; color++) {
        for (int64_t i = 0; i < s.n; i++) {
            if ((i % side + i / side) % 2 == color) place[i] = count++;
        }
    }
    for (int64_t i = 0; i < s.n; i++) t.offsets[place[i] + 1] = s.offsets[i + 1] - s.offsets[i];
    for (int64_t i = 0; i < s.n; i++) t.offsets[i + 1] += t.offsets[i];
    for (int64_t i = 0; i < s.n; i++) {
        for (int64_t k = 0; k < s.offsets[i + 1] - s.offsets[i]; k++) {
            t.columns[t.offsets[place[i]] + k] = place[s.columns[s.offsets[i] + k]];
            t.values[t.offsets[place[i]] + k] = s.values[s.offsets[i] + k];
        }
    }
    free(place);
    system_free(&s);
    return t;
}

/* GMRES has a trial of its own after one of CG, and after multigrid that finds A indefinite. */
static void test_gmres_after_cg(void **state) {
    (void)state;
    tulle_ctx *ctx;
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    host_system s = indefinite(200);
    const tulle_solve_report r = solve(ctx, &s, 20000);
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_int_equal(r.attempt[0].method, TULLE_CG);
    assert_int_equal(r.attempt[0].outcome, TULLE_MOST_ITERATIONS);
    assert_string_equal(r.precond, "lu");
    system_free(&s);
    tulle_ctx_destroy(ctx);
}

/* A start of multigrid that is slow ends after five iterations, leaves its x on a CPU, and is not
 * ended where the caller ends everything as early. */
static void test_slow_start(void **state) {
    (void)state;
    tulle_ctx *ctx = cpu();
    const double least = 8 * pow(sin(acos(-1) / 2 / 151), 2);
    host_system s = system_grid(150, 0, -1.0001 * least);
    tulle_solve_report r = solve(ctx, &s, 2000);
    assert_string_equal(r.attempt[0].precond, "amg-plain:2");
    assert_int_equal(r.attempt[0].outcome, TULLE_MOST_ITERATIONS);
    assert_int_equal(r.attempt[0].iterations, 5);
    assert_string_equal(r.attempt[1].precond, "amg:2");
    r = solve(ctx, &s, 5);
    assert_int_equal(r.attempts, 1);
    assert_int_equal(r.solver.iterations, 5);
    const double norm = r.solver.norm;
    assert_true(norm < 0.5 * r.solver.start_norm);
    r = solve(ctx, &s, 6);
    assert_int_equal(r.used, 1);
    assert_true(fabs(r.solver.start_norm / r.attempt[0].norm - 1) < 1e-6);
    assert_true(r.solver.norm <= norm);
    system_free(&s);
    tulle_ctx_destroy(ctx);
}

/* Complete factors that are of no use, as they blow vectors up, are not tried again and again. */
static void test_useless_factors(void **state) {
    (void)state;
    enum { N = 400 };
    tulle_ctx *ctx = cpu();
    host_system s = {.n = N};
    s.offsets = calloc(N + 1, sizeof *s.offsets);
    s.columns = calloc((size_t)3 * N, sizeof *s.columns);
    s.values = calloc((size_t)3 * N, sizeof *s.values);
    for (int64_t i = 0; i < N; i++) {
        const bool below = i >= 8 && i % 3 == 2;
        const int64_t at[] = {i - 7, i, i + 1};
        const double values[] = {0.01, 1, 2};
        for (int k = below ? 0 : 1; k < (i + 1 < N ? 3 : 2); k++) {
            s.columns[s.nnz] = at[k];
            s.values[s.nnz++] = values[k];
        }
        s.offsets[i + 1] = s.nnz;
    }
    const tulle_solve_options o = {.solver = {.constant_null_space = true}};
    tulle_solve_report r;
    tulle_mat *A = system_mat(ctx, &s, TULLE_F64);
    tulle_vec *b = system_vector(ctx, TULLE_F64, N, 1), *x = system_vector(ctx, TULLE_F64, N, 2);
    must(tulle_solve(ctx, A, b, x, &o, &r));
    int complete = 0;
    for (int a = 0; a < r.attempts; a++) complete += strcmp(r.attempt[a].precond, "lu") == 0;
    assert_int_equal(complete, 1);
    tulle_vec_destroy(x);
    tulle_vec_destroy(b);
    tulle_mat_destroy(A);
    system_free(&s);
    tulle_ctx_destroy(ctx);
}

/* A random symmetric matrix of ones, `each` or so in a row and none on the diagonal. */
static host_system ones(int64_t n, int64_t each, unsigned state) {
    host_system s = {.n = n};
    bool *full = calloc((size_t)(n * n), sizeof *full);
    for (int64_t k = 0; k < n * each; k++) {
        const int64_t i = k / each;
        state = state * 1664525u + 1013904223u;
        const int64_t j = (int64_t)(state >> 8) % n;
        full[i * n + j] = full[j * n + i] = i != j;
    }
    for (int64_t k = 0; k < n * n; k++) s.nnz += full[k];
    s.offsets = calloc((size_t)n + 1, sizeof *s.offsets);
    s.columns = calloc((size_t)s.nnz, sizeof *s.columns);
    s.values = calloc((size_t)s.nnz, sizeof *s.values);
    for (int64_t i = 0, at = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            if (!full[i * n + j]) continue;
            s.columns[at] = j;
            s.values[at++] = 1;
        }
        s.offsets[i + 1] = at;
    }
    free(full);
    return s;
}

/* Entries that are all alike give no order of the rows with a large diagonal. Where complete
 * factors of permuted rows are of no use, or take many iterations, the rows go back, and complete
 * factors are made of them as they are. */
static void test_goes_back(void **state) {
    (void)state;
    tulle_ctx *ctx = cpu();
    int made = 0, not_made = 0;
    for (unsigned seed = 1; seed <= 5; seed++) {
        host_system s = ones(600, 4, seed);
        const tulle_solve_report r = solve(ctx, &s, 0);
        system_free(&s);
        assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
        assert_string_equal(r.precond, "lu");
        assert_true(r.solver.iterations <= 5);
        if (r.permuted) continue;
        const tulle_solve_attempt *before = &r.attempt[r.used - 1];
        assert_true(before->permuted);
        assert_string_equal(before->precond, "lu");
        assert_true(before->iterations <= 300);
        made += before->made;
        not_made += !before->made;
    }
    assert_true(made > 0 && not_made > 0);
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_once),    cmocka_unit_test(test_after_gmres),
        cmocka_unit_test(test_after_cg),   cmocka_unit_test(test_gmres_after_cg),
        cmocka_unit_test(test_slow_start), cmocka_unit_test(test_useless_factors),
        cmocka_unit_test(test_goes_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
