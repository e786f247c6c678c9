/* SPDX-License-Identifier: Apache-2.0 */
/* Iterative solutions: every method with every preconditioner, held to residuals in long double;
 * the outcomes of systems that have no solution, or that a method is not for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "places.h"
#include "systems.h"
#include "zoo.h"

typedef enum { NOTHING, JACOBI, BLOCK_JACOBI, ILU, POLYNOMIAL, PRECONDITIONERS } preconditioner;

typedef struct {
    tulle_linop *M;
    tulle_factor *F;
} made;

static made make_preconditioner(tulle_ctx *ctx, preconditioner which, tulle_mat *A, tulle_linop *L,
                                tulle_type type) {
    made m = {NULL, NULL};
    switch (which) {
        case JACOBI:
            must(tulle_linop_jacobi(ctx, L, &m.M));
            break;
        case BLOCK_JACOBI:
            must(tulle_linop_block_jacobi(ctx, A, 3, &m.M));
            break;
        case ILU:
            must(tulle_factor_create(ctx, A, NULL, &m.F));
            must(tulle_linop_from_factor(ctx, m.F, type, &m.M));
            break;
        case POLYNOMIAL:
            must(tulle_linop_chebyshev(ctx, L, NULL, 4, 0, 0, &m.M));
            break;
        case NOTHING:
        case PRECONDITIONERS:
            break;
    }
    return m;
}

static void give_up(made *m) {
    tulle_linop_destroy(m->M);
    tulle_factor_destroy(m->F);
}

static tulle_solver_report run(tulle_ctx *ctx, tulle_linop *A, tulle_linop *M,
                               const tulle_solver_options *options, const tulle_vec *b,
                               tulle_vec *x) {
    tulle_solver *S = NULL;
    tulle_solver_report report;
    must(tulle_solver_create(ctx, A, M, options, &S));
    must(tulle_solver_run(ctx, S, b, x, &report));
    tulle_solver_destroy(S);
    return report;
}

static void assert_solved(tulle_ctx *ctx, const host_system *s, tulle_type type, const tulle_vec *b,
                          const tulle_vec *x, double tolerance, const char *what) {
    const system_norms norms = system_check(ctx, s, type, b, x);
    if (!(norms.residual <= tolerance * norms.b)) {
        fail_msg("%s: |b - A x| is %g, |b| %g", what, norms.residual, norms.b);
    }
}

/* All methods, preconditioners and norms that go together. */
static void every_way(tulle_ctx *ctx, tulle_type type, double convection, int side) {
    const double tolerance = type == TULLE_F32 ? 1e-5 : 1e-9;
    host_system s = system_grid(side, convection, 0.1);
    tulle_mat *A = system_mat(ctx, &s, type);
    tulle_vec *b = system_vector(ctx, type, s.n, 1), *x = system_vector(ctx, type, s.n, 2);
    tulle_linop *L = NULL;
    must(tulle_linop_from_mat(ctx, A, &L));
    for (int which = 0; which < PRECONDITIONERS; which++) {
        if (convection != 0 && which == POLYNOMIAL) continue;
        made m = make_preconditioner(ctx, (preconditioner)which, A, L, type);
        for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
            if (convection != 0 && system_wants_symmetric((tulle_method)method)) continue;
            for (int norm = 0; norm < (method == TULLE_FGMRES ? 1 : 2); norm++) {
                const tulle_solver_options o = {.method = (tulle_method)method,
                                                .tolerance = tolerance,
                                                .norm = (tulle_residual_norm)norm,
                                                .restart = 12};
                const tulle_solver_report r = run(ctx, L, m.M, &o, b, x);
                if (r.outcome != TULLE_CONVERGED) {
                    fail_msg("%s, preconditioner %d, norm %d: %s after %lld: %g of %g",
                             tulle_method_name(o.method), which, norm,
                             tulle_outcome_text(r.outcome), (long long)r.iterations, r.norm,
                             r.limit);
                }
                assert_true(r.norm <= r.limit);
                const double slack = norm == 0 ? 1 : 20;
                assert_solved(ctx, &s, type, b, x, slack * tolerance, tulle_method_name(o.method));
            }
        }
        give_up(&m);
    }
    tulle_linop_destroy(L);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_mat_destroy(A);
    system_free(&s);
}

static void methods(tulle_ctx *ctx, const char *where) {
    const int side = is_slow(where) ? 7 : 23;
    const int turn = turn_in_order(where, 2);
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        if (is_slow(where) && type != TULLE_F32 + turn) continue;
        every_way(ctx, (tulle_type)type, 0, side);
        every_way(ctx, (tulle_type)type, 0.3, side);
    }
}

static void test_methods(void **state) {
    (void)state;
    on_each_place(methods);
}

/* The outcome of a system of two rows under a method. */
static tulle_outcome outcome_of(tulle_ctx *ctx, const double a[4], const double b[2],
                                tulle_solver_options o) {
    const int64_t offsets[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
    tulle_mat *A = NULL;
    tulle_vec *right = NULL, *x = NULL;
    tulle_linop *L = NULL;
    must(tulle_mat_create_csr(ctx, 2, 2, 4, TULLE_I64, offsets, columns, TULLE_F64, a, NULL, &A));
    must(tulle_linop_from_mat(ctx, A, &L));
    must(tulle_vec_create(ctx, TULLE_F64, 2, &right));
    must(tulle_vec_create(ctx, TULLE_F64, 2, &x));
    must(tulle_vec_write(ctx, right, b, 0));
    const tulle_solver_report r = run(ctx, L, NULL, &o, right, x);
    tulle_vec_destroy(x);
    tulle_vec_destroy(right);
    tulle_linop_destroy(L);
    tulle_mat_destroy(A);
    return r.outcome;
}

static void outcomes(tulle_ctx *ctx, const char *where) {
    const double definite[] = {2, 1, 1, 2}, indefinite[] = {1, 2, 2, 1}, singular[] = {1, 1, 1, 1};
    const double turned[] = {0, 1, -1, 0};
    const double ones[] = {1, 1}, mixed[] = {1, 0}, bad[] = {1, (double)NAN}, none[] = {0, 0};
    const double across[] = {1, -1}, huge[] = {1e200, 2e200}, tiny[] = {1e-250, 2e-250};
    (void)where;
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        if (method == TULLE_CHEBYSHEV) continue;
        const tulle_solver_options o = {.method = (tulle_method)method};
        assert_int_equal(outcome_of(ctx, definite, ones, o), TULLE_CONVERGED);
        assert_int_equal(outcome_of(ctx, definite, none, o), TULLE_CONVERGED);
        assert_int_equal(outcome_of(ctx, definite, huge, o), TULLE_CONVERGED);
        assert_int_equal(outcome_of(ctx, definite, tiny, o), TULLE_CONVERGED);
        assert_int_equal(outcome_of(ctx, definite, bad, o), TULLE_NOT_A_NUMBER);
        assert_int_not_equal(outcome_of(ctx, singular, mixed, o), TULLE_CONVERGED);
    }
    const tulle_solver_options cg = {.method = TULLE_CG}, stab = {.method = TULLE_BICGSTAB};
    const tulle_solver_options gmres = {.method = TULLE_GMRES}, minres = {.method = TULLE_MINRES};
    assert_int_equal(outcome_of(ctx, indefinite, across, cg), TULLE_INDEFINITE);
    assert_int_equal(outcome_of(ctx, turned, ones, cg), TULLE_INDEFINITE);
    assert_int_equal(outcome_of(ctx, turned, ones, stab), TULLE_BROKE_DOWN);
    assert_int_equal(outcome_of(ctx, turned, ones, gmres), TULLE_CONVERGED);
    assert_int_equal(outcome_of(ctx, singular, across, cg), TULLE_INDEFINITE);
    assert_int_equal(outcome_of(ctx, singular, across, gmres), TULLE_BROKE_DOWN);
    assert_int_equal(outcome_of(ctx, indefinite, across, minres), TULLE_CONVERGED);
    assert_int_equal(outcome_of(ctx, indefinite, mixed, minres), TULLE_CONVERGED);
    assert_int_equal(outcome_of(ctx, singular, ones, minres), TULLE_CONVERGED);
    assert_int_equal(outcome_of(ctx, singular, across, minres), TULLE_BROKE_DOWN);
    assert_int_equal(outcome_of(ctx, singular, mixed, minres), TULLE_BROKE_DOWN);
}
ONCE_ON_EACH_PLACE(outcomes)

/* GMRES, where the last column of its basis is noise: the best x that there is, and no larger. */
static void singular(tulle_ctx *ctx, const char *where) {
    const int64_t offsets[] = {0, 2, 4, 4}, columns[] = {0, 1, 0, 1};
    const double values[] = {1, 1, 1, 1}, right[] = {1, 2, 3};
    const tulle_solver_options o = {.method = TULLE_GMRES};
    (void)where;
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        tulle_mat *wide = NULL, *A = NULL;
        tulle_vec *in = NULL, *b = NULL, *x = NULL;
        tulle_linop *L = NULL;
        double largest = 0;
        must(tulle_mat_create_csr(ctx, 3, 3, 4, TULLE_I64, offsets, columns, TULLE_F64, values,
                                  NULL, &wide));
        must(tulle_mat_copy(ctx, wide, (tulle_type)type, &A));
        must(tulle_linop_from_mat(ctx, A, &L));
        must(tulle_vec_create(ctx, TULLE_F64, 3, &in));
        must(tulle_vec_create(ctx, (tulle_type)type, 3, &b));
        must(tulle_vec_create(ctx, (tulle_type)type, 3, &x));
        must(tulle_vec_write(ctx, in, right, 0));
        must(tulle_vec_copy(ctx, in, b));
        const tulle_solver_report r = run(ctx, L, NULL, &o, b, x);
        assert_int_equal(r.outcome, TULLE_BROKE_DOWN);
        assert_true(fabs(r.norm - sqrt(9.5)) < 1e-5);
        must(tulle_vec_norm_max(ctx, x, tulle_to_num(&largest)));
        assert_true(largest < 3);
        tulle_linop_destroy(L);
        tulle_mat_destroy(A);
        tulle_mat_destroy(wide);
        tulle_vec_destroy(in);
        tulle_vec_destroy(b);
        tulle_vec_destroy(x);
    }
}
ONCE_ON_EACH_PLACE(singular)

/* What a monitor was told, and when it says stop. */
typedef struct {
    int64_t calls, stop_at;
    double first, last;
} told;

static int listen(void *user, int64_t iteration, double norm) {
    told *t = user;
    assert_int_equal(iteration, t->calls);
    if (iteration == 0) t->first = norm;
    t->last = norm;
    t->calls++;
    return iteration == t->stop_at;
}

/* Every iteration from 0 on, in order, whatever the method; and that it can be stopped at any. */
static void monitor(tulle_ctx *ctx, const char *where) {
    (void)where;
    host_system s = system_grid(7, 0, 0.1);
    tulle_mat *A = system_mat(ctx, &s, TULLE_F64), *narrow = system_mat(ctx, &s, TULLE_F32);
    tulle_vec *b = system_vector(ctx, TULLE_F64, s.n, 1);
    tulle_vec *x = system_vector(ctx, TULLE_F64, s.n, 2);
    tulle_linop *L = NULL, *single = NULL;
    must(tulle_linop_from_mat(ctx, A, &L));
    must(tulle_linop_from_mat(ctx, narrow, &single));
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        for (int mixed = 0; mixed < 2; mixed++) {
            told t = {.stop_at = -1};
            tulle_solver_options o = {.method = (tulle_method)method,
                                      .restart = 5,
                                      .monitor = listen,
                                      .monitor_user = &t,
                                      .single_A = mixed ? single : NULL};
            tulle_solver_report r = run(ctx, L, NULL, &o, b, x);
            assert_int_equal(r.outcome, TULLE_CONVERGED);
            assert_int_equal(t.calls, r.iterations + 1);
            assert_true(t.first == r.start_norm);
            assert_true(t.last < 1e-3 * t.first);
            for (int at = 0; at < 3; at++) {
                t = (told){.stop_at = at};
                r = run(ctx, L, NULL, &o, b, x);
                assert_int_equal(r.outcome, TULLE_STOPPED);
                assert_true(t.calls > at);
                if (at == 0) assert_int_equal(t.calls, 1);
            }
        }
    }
    tulle_linop_destroy(L);
    tulle_linop_destroy(single);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_mat_destroy(A);
    tulle_mat_destroy(narrow);
    system_free(&s);
}
ONCE_ON_EACH_PLACE(monitor)

/* CG on -1, 2, -1, which takes as many iterations as there are rows, and exact arithmetic for
 * fewer. Where sums are made once an iteration it takes no more, and what it cannot do, it leaves
 * to one that can. */
static void one_line(tulle_ctx *ctx, const double *right, double tolerance, int64_t most) {
    enum { ROWS = 200 };
    int64_t offsets[ROWS + 1] = {0}, columns[3 * ROWS], nnz = 0;
    double values[3 * ROWS];
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t c = i > 0 ? i - 1 : 0; c <= i + 1 && c < ROWS; c++) {
            columns[nnz] = c;
            values[nnz++] = c == i ? 2 : -1;
        }
        offsets[i + 1] = nnz;
    }
    tulle_mat *A = NULL;
    tulle_vec *b = NULL, *x = NULL;
    tulle_linop *L = NULL, *M = NULL;
    must(tulle_mat_create_csr(ctx, ROWS, ROWS, nnz, TULLE_I64, offsets, columns, TULLE_F64, values,
                              NULL, &A));
    must(tulle_linop_from_mat(ctx, A, &L));
    must(tulle_linop_jacobi(ctx, L, &M));
    must(tulle_vec_create(ctx, TULLE_F64, ROWS, &b));
    must(tulle_vec_create(ctx, TULLE_F64, ROWS, &x));
    must(tulle_vec_write(ctx, b, right, 0));
    for (int scaled = 0; scaled < 2; scaled++) {
        const tulle_solver_options o = {.method = TULLE_CG, .tolerance = tolerance};
        const tulle_solver_report r = run(ctx, L, scaled ? M : NULL, &o, b, x);
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        assert_true(r.iterations <= most);
    }
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_mat_destroy(A);
}

static void pipelined(tulle_ctx *ctx, const char *where) {
    double ones[200], numbers[200];
    uint64_t random = 1;
    (void)where;
    for (int i = 0; i < 200; i++) {
        ones[i] = 1;
        numbers[i] = zoo_number(&random);
    }
    one_line(ctx, numbers, 1e-10, 202);
    one_line(ctx, ones, 1e-8, 101);
    one_line(ctx, ones, 1e-12, 1000);
}
ONCE_ON_EACH_PLACE(pipelined)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),   cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_singular),  cmocka_unit_test(test_monitor),
        cmocka_unit_test(test_pipelined),
    };
    emulate_by_turns(2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
