/* SPDX-License-Identifier: Apache-2.0 */
/* Solvers of distributed matrices: one to four threads solve what one process solves, in as many
 * iterations, with the same bits from run to run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "joint.h"
#include "places.h"

/* Every method with every preconditioner that suits it, by one to four threads. */
static void methods(tulle_ctx *ctx, const char *where) {
    double b[JOINT_N], x[JOINT_N];
    const int few = is_slow(where) ? 9 : 1, turn = turn_of(where, 9);
    int number = 0;
    (void)ctx;
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        for (int with = 0; with < WITH_COUNT; with++) {
            const bool symmetric = system_wants_symmetric((tulle_method)method);
            joint t = joint_make(JOINT_SIDE, symmetric ? 0 : 0.3, b, x);
            t.with = (preconditioner)with;
            t.options.method = (tulle_method)method;
            t.options.restart = 60;
            for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
                if (number++ % few != (few > 1 ? turn : 0)) continue;
                t.type = (ranks + with) % 2 ? TULLE_F64 : TULLE_F32;
                t.none_for_1 = ranks > 2;
                const tulle_solver_report r = joint_run(where, ranks, &t);
                const double limit = t.type == TULLE_F32 ? 1e-5 : 1e-8;
                if (r.outcome != TULLE_CONVERGED || !(joint_residual(&t) <= 1.01 * limit)) {
                    fail_msg("%s with %d, %d threads: %s, %g", tulle_method_name(t.options.method),
                             with, ranks, tulle_outcome_text(r.outcome), joint_residual(&t));
                }
            }
            system_free(&t.s);
        }
    }
}
ONCE_ON_EACH_PLACE(methods)

/* p3d7:7: CG without a preconditioner and with the diagonal takes as many iterations as one
 * process, give or take one, and the same bits each time. */
static host_system model(void) {
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL, *wide = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    must(tulle_generate(ctx, "p3d7:7", 0, TULLE_F64, &A));
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, 0, &wide));
    host_system s = {.n = tulle_mat_rows(A), .nnz = tulle_mat_nnz(A)};
    s.offsets = calloc((size_t)s.n + 1, sizeof *s.offsets);
    s.columns = calloc((size_t)s.nnz, sizeof *s.columns);
    s.values = calloc((size_t)s.nnz, sizeof *s.values);
    must(tulle_mat_read(ctx, wide, s.offsets, NULL, s.columns, s.values));
    tulle_mat_destroy(wide);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    return s;
}

static int64_t iterations_alone(tulle_ctx *ctx, const joint *t) {
    tulle_mat *A = system_mat(ctx, &t->s, TULLE_F64);
    tulle_linop *L = NULL, *M = NULL;
    tulle_solver *S = NULL;
    tulle_vec *b = NULL, *x = NULL;
    tulle_solver_report report;
    must(tulle_linop_from_mat(ctx, A, &L));
    if (t->with == WITH_JACOBI) must(tulle_linop_jacobi(ctx, L, &M));
    must(tulle_solver_create(ctx, L, M, &t->options, &S));
    must(tulle_vec_create(ctx, TULLE_F64, t->s.n, &b));
    must(tulle_vec_create(ctx, TULLE_F64, t->s.n, &x));
    must(tulle_vec_write(ctx, b, t->b, 0));
    must(tulle_solver_run(ctx, S, b, x, &report));
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_solver_destroy(S);
    tulle_linop_destroy(L);
    tulle_linop_destroy(M);
    tulle_mat_destroy(A);
    return report.iterations;
}

static void alike(tulle_ctx *ctx, const char *where) {
    joint t = {.s = model(), .type = TULLE_F64};
    const size_t bytes = (size_t)t.s.n * sizeof(double);
    double *b = malloc(bytes), *x = malloc(bytes), *again = malloc(bytes);
    for (int64_t i = 0; i < t.s.n; i++) b[i] = sin((double)i);
    t.b = b;
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        if (is_slow(where) && ranks % 2 != turn_of(where, 2)) continue;
        t.with = ranks % 2 ? WITH_JACOBI : WITH_NONE;
        const int64_t alone = iterations_alone(ctx, &t);
        t.x = x;
        const tulle_solver_report first = joint_run(where, ranks, &t);
        t.x = again;
        const tulle_solver_report second = joint_run(where, ranks, &t);
        assert_int_equal(first.outcome, TULLE_CONVERGED);
        assert_true(llabs((long long)(first.iterations - alone)) <= 1);
        assert_int_equal(first.iterations, second.iterations);
        assert_true(first.norm == second.norm);
        assert_memory_equal(x, again, bytes);
    }
    free(b);
    free(x);
    free(again);
    system_free(&t.s);
}
ONCE_ON_EACH_PLACE(alike)

/* The reported norm is that of b - A x, computed more exactly than x is: in rows of the edge, too.
 */
static void exact_norms(tulle_ctx *ctx, const char *where) {
    double b[JOINT_N], x[JOINT_N], square = 0;
    joint t = joint_make(JOINT_SIDE, 0, b, x);
    t.options.tolerance = 1e-13;
    for (int i = 0; i < JOINT_N; i++) square += b[i] * b[i];
    (void)ctx;
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        t.none_for_1 = ranks == 3;
        const double told = joint_run(where, ranks, &t).norm,
                     due = joint_residual(&t) * sqrt(square);
        if (!(fabs(told - due) <= 1e-6 * due)) fail_msg("%d threads: %g, not %g", ranks, told, due);
    }
    system_free(&t.s);
}
ONCE_ON_EACH_PLACE(exact_norms)

/* A singular system with two right-hand sides. */
static tulle_status solve_pair(process *p) {
    const joint *t = p->data;
    int64_t first;
    const int64_t rows = joint_share(t, p->ranks, p->rank, &first);
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL;
    tulle_solver *S = NULL;
    tulle_vec *b = NULL, *x = NULL;
    tulle_solver_report report = {.iterations = 0};
    tulle_status status = joint_matrix(p, &A);
    if (status == TULLE_OK) status = tulle_linop_from_dist(p->ctx, A, &L);
    if (status == TULLE_OK) {
        status = tulle_vec_create_columns(p->ctx, t->type, rows, 2, TULLE_ROW_MAJOR, 0, &b);
    }
    if (status == TULLE_OK) {
        status = tulle_vec_create_columns(p->ctx, t->type, rows, 2, TULLE_ROW_MAJOR, 0, &x);
    }
    if (status == TULLE_OK) status = tulle_vec_random(p->ctx, b, (uint64_t)p->rank + 1);
    if (status == TULLE_OK) status = tulle_solver_create(p->ctx, L, NULL, &t->options, &S);
    if (status == TULLE_OK) status = tulle_solver_run(p->ctx, S, b, x, &report);
    if (status == TULLE_OK && report.outcome != TULLE_CONVERGED) {
        status = wrong("%s", tulle_outcome_text(report.outcome));
    }
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_solver_destroy(S);
    tulle_linop_destroy(L);
    tulle_dist_mat_destroy(A);
    return status;
}

static void singular(tulle_ctx *ctx, const char *where) {
    joint t = {.s = system_torus(8), .type = TULLE_F64, .options = {.constant_null_space = true}};
    process p[MOST_RANKS];
    (void)ctx;
    run_ranks(3, 0, where, solve_pair, &t, p);
    must_all(p);
    system_free(&t.s);
}
ONCE_ON_EACH_PLACE(singular)

/* The monitor of one process says stop: all end in the same iteration. */
static int stop(void *user, int64_t iteration, double norm) {
    (void)norm;
    return iteration >= *(const int64_t *)user;
}
static void stops(tulle_ctx *ctx, const char *where) {
    static const tulle_method methods[] = {TULLE_CG, TULLE_GMRES, TULLE_CHEBYSHEV};
    double b[JOINT_N], x[JOINT_N];
    int64_t last = 0;
    joint t = joint_make(JOINT_SIDE, 0, b, x);
    (void)ctx;
    t.monitor_for_1 = true;
    t.options.monitor = stop;
    t.options.monitor_user = &last;
    for (int i = 0; i < 6; i++) {
        last = i % 2 ? 5 : 0;
        t.options.method = methods[i / 2];
        const tulle_solver_report r = joint_run(where, 2, &t);
        assert_int_equal(r.outcome, TULLE_STOPPED);
        assert_true(r.iterations >= last && (last > 0) == (r.iterations > 0));
    }
    system_free(&t.s);
}
ONCE_ON_EACH_PLACE(stops)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),     cmocka_unit_test(test_alike),
        cmocka_unit_test(test_exact_norms), cmocka_unit_test(test_singular),
        cmocka_unit_test(test_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
