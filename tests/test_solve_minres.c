/* SPDX-License-Identifier: Apache-2.0 */
/* MINRES on indefinite and singular systems, with the norm of every iteration held to the least
 * that there is in the Krylov space, which is computed in long double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "problems.h"
#include "zoo.h"

/* Numbers of a small system, and of the iterations whose norms are kept. */
enum { SIDE = 4, ROWS = SIDE * SIDE, MOST = 400 };

/* Norms that a monitor was told, by iteration. */
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

/* CG finds an indefinite A; MINRES solves the system, in no more iterations than there are
 * different eigenvalues, but for rounding, and its norm never grows. */
static void indefinite(tulle_ctx *ctx, const char *where) {
    const int side = is_slow(where) ? 6 : 12;
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        problem p = problem_with_jacobi(ctx, system_grid(side, 0, -2.7), (tulle_type)type);
        norms_told told = {0};
        const double tolerance = type == TULLE_F32 ? 1e-4 : 1e-9;
        const tulle_solver_options cg = {.method = TULLE_CG};
        const tulle_solver_options o = {.method = TULLE_MINRES,
                                        .tolerance = tolerance,
                                        .monitor = listen,
                                        .monitor_user = &told};
        assert_int_equal(problem_solve(ctx, &p, NULL, &cg).outcome, TULLE_INDEFINITE);
        const tulle_solver_report r = problem_solve(ctx, &p, NULL, &o);
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        const system_norms norms = system_check(ctx, &p.s, (tulle_type)type, p.b, p.x);
        assert_true(norms.residual <= 1.0001 * tolerance * norms.b);
        assert_true(r.iterations <= p.s.n);
        assert_int_equal(told.count, r.iterations + 1);
        for (int64_t i = 1; i < told.count; i++) assert_true(told.norm[i] <= told.norm[i - 1]);
        problem_free(&p);
    }
}
ONCE_ON_EACH_PLACE(indefinite)

/* A small system in long double. */
typedef struct {
    long double A[ROWS][ROWS], M[ROWS], b[ROWS];
} dense;

static void multiply(const dense *d, const long double *x, long double *y) {
    for (int i = 0; i < ROWS; i++) {
        y[i] = 0;
        for (int j = 0; j < ROWS; j++) y[i] += d->A[i][j] * x[j];
    }
}

static long double inner(const long double *weight, const long double *x, const long double *y) {
    long double sum = 0;
    for (int i = 0; i < ROWS; i++) sum += (weight ? weight[i] : 1) * x[i] * y[i];
    return sum;
}

/* Makes x orthogonal to the vectors before it by this inner product, and of length 1. */
static void orthonormal(const long double *weight, long double (*before)[ROWS], int count,
                        long double *x) {
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < count; k++) {
            const long double part = inner(weight, before[k], x);
            for (int i = 0; i < ROWS; i++) x[i] -= part * before[k][i];
        }
    }
    const long double length = sqrtl(inner(weight, x, x));
    for (int i = 0; i < ROWS; i++) x[i] /= length;
}

/* Finds the norms |r| and |M r| of the residuals r of which the root of (r, M r) is the least in
 * the Krylov spaces of M A and M b, by dimension. */
static void least_norms(const dense *d, int count, double *norm, double *preconditioned) {
    static long double p[ROWS][ROWS], q[ROWS][ROWS];
    long double r[ROWS], Mr[ROWS], next[ROWS];
    memcpy(r, d->b, sizeof r);
    for (int i = 0; i < ROWS; i++) p[0][i] = d->M[i] * r[i];
    orthonormal(NULL, p, 0, p[0]);
    for (int k = 0; k <= count; k++) {
        for (int i = 0; i < ROWS; i++) Mr[i] = d->M[i] * r[i];
        norm[k] = (double)sqrtl(inner(NULL, r, r));
        preconditioned[k] = (double)sqrtl(inner(NULL, Mr, Mr));
        if (k == count) return;
        multiply(d, p[k], q[k]);
        for (int i = 0; i < ROWS; i++) next[i] = d->M[i] * q[k][i];
        orthonormal(d->M, q, k, q[k]);
        const long double part = inner(d->M, q[k], r);
        for (int i = 0; i < ROWS; i++) r[i] -= part * q[k][i];
        memcpy(p[k + 1], next, sizeof next);
        orthonormal(NULL, p, k + 1, p[k + 1]);
    }
}

/* Solves by Gaussian elimination, the largest pivot first; destroys A and leaves x in b. */
static void eliminate(dense *d) {
    for (int k = 0; k < ROWS; k++) {
        int pivot = k;
        for (int i = k; i < ROWS; i++) {
            if (fabsl(d->A[i][k]) > fabsl(d->A[pivot][k])) pivot = i;
        }
        for (int j = 0; j < ROWS; j++) {
            const long double number = d->A[k][j];
            d->A[k][j] = d->A[pivot][j];
            d->A[pivot][j] = number;
        }
        const long double number = d->b[k];
        d->b[k] = d->b[pivot];
        d->b[pivot] = number;
        for (int i = 0; i < ROWS; i++) {
            if (i == k) continue;
            const long double factor = d->A[i][k] / d->A[k][k];
            for (int j = k; j < ROWS; j++) d->A[i][j] -= factor * d->A[k][j];
            d->b[i] -= factor * d->b[k];
        }
    }
    for (int i = 0; i < ROWS; i++) d->b[i] /= d->A[i][i];
}

/* Returns an indefinite grid whose diagonal differs by row. */
static host_system uneven_grid(void) {
    host_system s = system_grid(SIDE, 0, -3.3);
    for (int64_t i = 0; i < s.n; i++) {
        for (int64_t k = s.offsets[i]; k < s.offsets[i + 1]; k++) {
            if (s.columns[k] == i) s.values[k] += 0.3 * (double)(i % 5);
        }
    }
    return s;
}

static void fill_dense(const host_system *s, const double *M, const double *b, dense *d) {
    memset(d, 0, sizeof *d);
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t k = s->offsets[i]; k < s->offsets[i + 1]; k++) {
            d->A[i][s->columns[k]] = (long double)s->values[k];
        }
        d->M[i] = (long double)M[i];
        d->b[i] = (long double)b[i];
    }
}

/* Preconditioners: none; a diagonal; the same diagonal, as a caller's operator. */
enum { NONE, DIAGONAL, CALLERS, KINDS };

static tulle_status apply_other(void *self, tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y) {
    return tulle_linop_apply(ctx, TULLE_N, tulle_num(1), self, X, tulle_num(0), Y);
}

/* Returns diagonal preconditioners of n numbers by kind; the caller gives them up. */
static void make_diagonals(tulle_ctx *ctx, int64_t n, const double *numbers,
                           tulle_linop *made[KINDS]) {
    const tulle_linop_functions call = {.apply = apply_other};
    tulle_vec *d = NULL;
    made[NONE] = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, n, &d));
    must(tulle_vec_write(ctx, d, numbers, 0));
    must(tulle_linop_diagonal(ctx, d, &made[DIAGONAL]));
    must(tulle_linop_create(ctx, TULLE_F64, n, n, &call, made[DIAGONAL], &made[CALLERS]));
    tulle_vec_destroy(d);
}

static void give_up(tulle_linop *made[KINDS]) {
    tulle_linop_destroy(made[CALLERS]);
    tulle_linop_destroy(made[DIAGONAL]);
}

/* The norms by iteration and x itself, against long double. */
static void least(tulle_ctx *ctx, const char *where) {
    enum { COMPARED = 12 };
    problem p = problem_of(ctx, uneven_grid(), TULLE_F64);
    double numbers[ROWS], ones[ROWS], b[ROWS], norm[2][ROWS];
    uint64_t random = 5;
    tulle_linop *made[KINDS];
    static dense d;
    (void)where;
    for (int i = 0; i < ROWS; i++) {
        ones[i] = 1;
        numbers[i] = 1.5 + zoo_number(&random);
    }
    make_diagonals(ctx, ROWS, numbers, made);
    must(tulle_vec_read(ctx, p.b, b, 0));
    for (int way = 0; way < 2 * KINDS; way++) {
        const int kind = way / 2, which = way % 2;
        norms_told told = {0};
        const tulle_solver_options o = {.method = TULLE_MINRES,
                                        .norm = (tulle_residual_norm)which,
                                        .tolerance = 1e-11,
                                        .monitor = listen,
                                        .monitor_user = &told};
        fill_dense(&p.s, kind == NONE ? ones : numbers, b, &d);
        least_norms(&d, COMPARED, norm[0], norm[1]);
        eliminate(&d);
        const tulle_solver_report r = problem_solve(ctx, &p, made[kind], &o);
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        assert_in_range(r.iterations, COMPARED, 2 * ROWS); /* rounding may ask for more than ROWS */
        for (int k = 0; k <= COMPARED; k++) {
            if (!(fabs(told.norm[k] - norm[which][k]) <= 1e-10 * norm[which][0])) {
                fail_msg("preconditioner %d, norm %d: iteration %d has norm %g, not %g", kind,
                         which, k, told.norm[k], norm[which][k]);
            }
        }
        double *x = problem_x(ctx, &p);
        for (int i = 0; i < ROWS; i++) assert_true(fabs(x[i] - (double)d.b[i]) <= 1e-8);
        free(x);
    }
    give_up(made);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(least)

/* A torus, which is singular, and nothing says so: b without a part along the null vectors has a
 * solution; of another b that part is what remains. */
static void singular(tulle_ctx *ctx, const char *where) {
    const int side = is_slow(where) ? 4 : 23;
    problem p = problem_with_jacobi(ctx, system_torus(side), TULLE_F64);
    tulle_vec *ones = NULL;
    double along;
    must(tulle_vec_create(ctx, TULLE_F64, p.s.n, &ones));
    must(tulle_vec_fill(ctx, ones, 1 / sqrt((double)p.s.n)));
    must(tulle_vec_dot(ctx, p.b, ones, tulle_to_num(&along)));
    for (int way = 0; way < 4; way++) {
        const bool solvable = way & 1;
        const tulle_solver_options o = {.method = TULLE_MINRES, .patience = 40};
        must(tulle_vec_random(ctx, p.b, 5));
        must(tulle_vec_dot(ctx, p.b, ones, tulle_to_num(&along)));
        if (solvable) must(tulle_vec_axpy(ctx, tulle_num(-along), ones, p.b));
        const tulle_solver_report r = problem_solve(ctx, &p, way & 2 ? p.M : NULL, &o);
        if (solvable) {
            assert_int_equal(r.outcome, TULLE_CONVERGED);
        } else {
            assert_true(r.outcome == TULLE_BROKE_DOWN || r.outcome == TULLE_STAGNATED);
            assert_true(r.norm <= fabs(along) * (1 + 1e-6));
        }
    }
    tulle_vec_destroy(ones);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(singular)

/* Preconditioners that are not positive definite, which the first vector or the second one shows;
 * of a singular one nothing is left of the second vector, though the residual is not 0. */
static void bad_preconditioners(tulle_ctx *ctx, const char *where) {
    static const struct {
        double M[2];
        tulle_outcome outcome;
        double norm;
    } ways[] = {{{-1, 1}, TULLE_INDEFINITE, 1},
                {{0, 1}, TULLE_INDEFINITE, 1},
                {{1, -1}, TULLE_INDEFINITE, 1},
                {{1, 0}, TULLE_BROKE_DOWN, 0.5},
                {{1, (double)NAN}, TULLE_NOT_A_NUMBER, 1}};
    const double right[] = {1, 0}, values[] = {2, 1, 1, 3};
    host_system s = system_grid(2, 0, 0);
    s.n = 2;
    s.nnz = 4;
    for (int k = 0; k < 4; k++) {
        s.columns[k] = k % 2;
        s.values[k] = values[k];
    }
    s.offsets[1] = 2;
    s.offsets[2] = 4;
    problem p = problem_of(ctx, s, TULLE_F64);
    (void)where;
    must(tulle_vec_write(ctx, p.b, right, 0));
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        tulle_linop *made[KINDS];
        make_diagonals(ctx, 2, ways[i].M, made);
        for (int kind = DIAGONAL; kind < KINDS; kind++) {
            const tulle_solver_options o = {.method = TULLE_MINRES};
            const tulle_solver_report r = problem_solve(ctx, &p, made[kind], &o);
            assert_int_equal(r.outcome, ways[i].outcome);
            assert_true(fabs(r.norm - ways[i].norm) <= 1e-12);
        }
        give_up(made);
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(bad_preconditioners)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indefinite),
        cmocka_unit_test(test_least),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_bad_preconditioners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
