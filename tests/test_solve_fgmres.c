/* SPDX-License-Identifier: Apache-2.0 */
/* FGMRES with a preconditioner that is another one each time, with an inner solver, and with one
 * that stays, where it is GMRES. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "problems.h"

/* Norms that a monitor was told, by iteration. */
enum { MOST = 200 };
typedef struct {
    int64_t count;
    double norm[MOST];
} norms_told;

static int listen(void *user, int64_t iteration, double norm) {
    norms_told *t = user;
    assert_int_equal(iteration, t->count);
    assert_true(t->count < MOST);
    t->norm[t->count++] = norm;
    return 0;
}

/* A preconditioner that changes: each number has a weight by its row and by the application. */
typedef struct {
    tulle_linop *diagonals[3];
    int64_t applied;
} changing;

static tulle_status apply_changing(void *self, tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y) {
    changing *c = self;
    return tulle_linop_apply(ctx, TULLE_N, tulle_num(1), c->diagonals[c->applied++ % 3], X,
                             tulle_num(0), Y);
}

static void make_changing(tulle_ctx *ctx, const problem *p, changing *c) {
    double *numbers = calloc((size_t)p->s.n, sizeof *numbers);
    tulle_vec *d = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, p->s.n, &d));
    c->applied = 0;
    for (int k = 0; k < 3; k++) {
        for (int64_t i = 0; i < p->s.n; i++) numbers[i] = (i + k) % 3 == 0 ? 0.5 : 0.1;
        must(tulle_vec_write(ctx, d, numbers, 0));
        must(tulle_linop_diagonal(ctx, d, &c->diagonals[k]));
    }
    tulle_vec_destroy(d);
    free(numbers);
}

/* In one cycle the norm that FGMRES carries is that of b - A x; the norm that GMRES carries is
 * not. */
static void changes(tulle_ctx *ctx, const char *where) {
    const int side = is_slow(where) ? 5 : 12;
    problem p = problem_of(ctx, system_grid(side, 0.3, 0.1), TULLE_F64);
    const tulle_linop_functions call = {.apply = apply_changing};
    changing c;
    tulle_linop *M = NULL;
    make_changing(ctx, &p, &c);
    must(tulle_linop_create(ctx, TULLE_F64, p.s.n, p.s.n, &call, &c, &M));
    for (int flexible = 0; flexible < 2; flexible++) {
        norms_told told = {0};
        tulle_solver_options o = {.method = flexible ? TULLE_FGMRES : TULLE_GMRES,
                                  .restart = 60,
                                  .max_iterations = 15,
                                  .tolerance = 1e-12,
                                  .monitor = listen,
                                  .monitor_user = &told};
        c.applied = 0;
        const tulle_solver_report r = problem_solve(ctx, &p, M, &o);
        assert_int_equal(r.outcome, TULLE_MOST_ITERATIONS);
        const double carried = told.norm[told.count - 1];
        if (flexible) {
            assert_true(carried < 0.1 * r.start_norm);
            assert_true(fabs(r.norm - carried) <= 1e-12 * r.start_norm);
            assert_int_equal(r.preconditions, r.iterations + 1); /* one finds the unit of M */
        } else {
            assert_true(r.norm > 2 * carried);
        }
    }
    const tulle_solver_options o = {.method = TULLE_FGMRES, .tolerance = 1e-10};
    const tulle_solver_report r = problem_solve(ctx, &p, M, &o);
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    assert_int_equal(r.begun_anew, 0);
    const system_norms norms = system_check(ctx, &p.s, TULLE_F64, p.b, p.x);
    assert_true(norms.residual <= 1.0001e-10 * norms.b);
    tulle_linop_destroy(M);
    for (int k = 0; k < 3; k++) tulle_linop_destroy(c.diagonals[k]);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(changes)

/* An inner solver as the preconditioner, which ends after a few digits. */
static tulle_status apply_solver(void *self, tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y) {
    return tulle_solver_run(ctx, self, X, Y, NULL);
}

static void inner_solver(tulle_ctx *ctx, const char *where) {
    const int side = is_slow(where) ? 5 : 20;
    problem p = problem_with_jacobi(ctx, system_grid(side, 0.3, 0.01), TULLE_F64);
    const tulle_linop_functions call = {.apply = apply_solver};
    const tulle_solver_options inside = {.method = TULLE_BICGSTAB, .tolerance = 0.05};
    const tulle_solver_options o = {.method = TULLE_FGMRES, .tolerance = 1e-10};
    tulle_solver *inner = NULL;
    tulle_linop *M = NULL;
    must(tulle_solver_create(ctx, p.L, p.M, &inside, &inner));
    must(tulle_linop_create(ctx, TULLE_F64, p.s.n, p.s.n, &call, inner, &M));
    const tulle_solver_report r = problem_solve(ctx, &p, M, &o);
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    assert_in_range(r.iterations, 2, 12);
    const system_norms norms = system_check(ctx, &p.s, TULLE_F64, p.b, p.x);
    assert_true(norms.residual <= 1.0001e-10 * norms.b);
    tulle_linop_destroy(M);
    tulle_solver_destroy(inner);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(inner_solver)

/* With an M that stays, or none, or a null space: the iterations and norms of GMRES. */
static void stays(tulle_ctx *ctx, const char *where) {
    const int side = is_slow(where) ? 5 : 12;
    for (int way = 0; way < 4; way++) {
        const bool torus = way & 2;
        host_system s = torus ? system_torus(side) : system_grid(side, 0.3, 0.1);
        problem p = problem_with_jacobi(ctx, s, TULLE_F64);
        norms_told told[2] = {{0}, {0}};
        double *x[2];
        int64_t iterations[2];
        for (int flexible = 0; flexible < 2; flexible++) {
            const tulle_solver_options o = {.method = flexible ? TULLE_FGMRES : TULLE_GMRES,
                                            .restart = 9,
                                            .constant_null_space = torus,
                                            .monitor = listen,
                                            .monitor_user = told + flexible};
            const tulle_solver_report r = problem_solve(ctx, &p, way & 1 ? p.M : NULL, &o);
            assert_int_equal(r.outcome, TULLE_CONVERGED);
            iterations[flexible] = r.iterations;
            x[flexible] = problem_x(ctx, &p);
        }
        assert_int_equal(iterations[0], iterations[1]);
        for (int64_t i = 0; i <= iterations[0]; i++) {
            assert_true(fabs(told[0].norm[i] - told[1].norm[i]) <= 1e-11 * told[0].norm[0]);
        }
        for (int64_t i = 0; i < p.s.n; i++) assert_true(fabs(x[0][i] - x[1][i]) <= 1e-9);
        free(x[0]);
        free(x[1]);
        problem_free(&p);
    }
}
ONCE_ON_EACH_PLACE(stays)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_inner_solver),
        cmocka_unit_test(test_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
