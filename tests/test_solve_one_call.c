/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_solve: what is chosen, what follows a failure, and what is claimed of x. */
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

/* A system of few rows, given densely. */
typedef struct {
    tulle_mat *A;
    tulle_vec *b, *x;
    int n;
    double dense[64], rhs[8];
} small;

enum { MOST = 8 };

static small small_make(tulle_ctx *ctx, int n, const double *dense, const double *rhs,
                        tulle_type type) {
    small s = {.n = n};
    int32_t offsets[MOST + 1] = {0}, columns[MOST * MOST];
    double values[MOST * MOST];
    float singles[MOST * MOST];
    int count = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (dense[i * n + j] == 0) continue;
            columns[count] = j;
            singles[count] = (float)dense[i * n + j];
            values[count++] = dense[i * n + j];
        }
        offsets[i + 1] = count;
    }
    memcpy(s.dense, dense, (size_t)(n * n) * sizeof *dense);
    memcpy(s.rhs, rhs, (size_t)n * sizeof *rhs);
    must(tulle_mat_create_csr(ctx, n, n, count, TULLE_I32, offsets, columns, type,
                              type == TULLE_F32 ? (void *)singles : (void *)values, NULL, &s.A));
    must(tulle_vec_create(ctx, type, n, &s.b));
    must(tulle_vec_create(ctx, type, n, &s.x));
    float narrow[MOST];
    for (int i = 0; i < n; i++) narrow[i] = (float)rhs[i];
    must(tulle_vec_write(ctx, s.b, type == TULLE_F32 ? (void *)narrow : (void *)rhs, 0));
    must(tulle_vec_fill(ctx, s.x, 77));
    return s;
}

static void small_free(small *s) {
    tulle_vec_destroy(s->x);
    tulle_vec_destroy(s->b);
    tulle_mat_destroy(s->A);
}

/* |b - A x|, in long double, of a system in f64. */
static double residual_of(tulle_ctx *ctx, const small *s) {
    double x[MOST];
    long double squares = 0;
    must(tulle_vec_read(ctx, s->x, x, 0));
    for (int i = 0; i < s->n; i++) {
        long double r = s->rhs[i];
        for (int j = 0; j < s->n; j++) r -= (long double)s->dense[i * s->n + j] * x[j];
        squares += r * r;
    }
    return (double)sqrtl(squares);
}

static const double line[] = {2, -1, 0, 0, -1, 2, -1, 0, 0, -1, 2, -1, 0, 0, -1, 2};
static const double hidden[] = {1, 0.9, 0.9, 0.9, 1, -0.9, 0.9, -0.9, 1};
static const double corner[] = {1, -1, -1, 1};

/* Zeros choose: CG, and what is said is so. */
static void chooses(tulle_ctx *ctx, const char *where) {
    (void)where;
    small s = small_make(ctx, 4, line, corner, TULLE_F64);
    tulle_solve_report r;
    must(tulle_solve(ctx, s.A, s.b, s.x, NULL, &r));
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_int_equal(r.method, TULLE_CG);
    assert_true(r.facts.symmetric);
    assert_string_equal(r.method_why, "A is symmetric, and its diagonal is positive and dominant");
    assert_true(r.precond_why[0] != '\0');
    assert_int_equal(r.attempts, 1);
    assert_int_equal(r.used, 0);
    assert_true(r.attempt[0].made);
    assert_string_equal(r.attempt[0].precond, r.precond);
    assert_int_equal(r.attempt[0].iterations, r.solver.iterations);
    assert_true(residual_of(ctx, &s) <= 1e-8 * 2);
    small_free(&s);
}

/* Number of attempts with factors before CG finds A indefinite: on a real GPU, where each level of
 * a triangle is a wait, factors are not worth their time. */
static int with_factors(tulle_ctx *ctx) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    return device.backend == TULLE_CUDA ? 0 : 1;
}

/* A matrix that no pair of its entries shows to be indefinite: factors fail, then CG, and GMRES
 * solves it. */
static void goes_on(tulle_ctx *ctx, const char *where) {
    const int first = with_factors(ctx);
    (void)where;
    small s = small_make(ctx, 3, hidden, corner, TULLE_F64);
    tulle_solve_report r;
    must(tulle_solve(ctx, s.A, s.b, s.x, NULL, &r));
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_int_equal(r.attempts, first + 2);
    assert_int_equal(r.used, first + 1);
    if (first == 1) {
        assert_string_equal(r.attempt[0].precond, "ic:0");
        assert_false(r.attempt[0].made);
        assert_in_range(r.attempt[0].row, 1, 2);
    }
    assert_int_equal(r.attempt[first].method, TULLE_CG);
    assert_int_equal(r.attempt[first].outcome, TULLE_INDEFINITE);
    assert_int_equal(r.method, TULLE_GMRES);
    assert_string_equal(r.precond, "ilu:0");
    assert_non_null(strstr(r.method_why, "; cg ended as INDEFINITE"));
    assert_true(residual_of(ctx, &s) <= 1e-8 * 2);

    const tulle_solve_options once = {.max_attempts = first + 1};
    must(tulle_solve(ctx, s.A, s.b, s.x, &once, &r));
    assert_int_equal(r.attempts, first + 1);
    assert_int_equal(r.solver.outcome, TULLE_INDEFINITE);
    small_free(&s);
}

/* A matrix that may be negative definite is solved with as -A; the report's facts and residual are
 * those of A. What a caller gives is for A, and nothing is turned. */
static void turns_signs(tulle_ctx *ctx, const char *where) {
    static const double minus[] = {-4, 1, 0, 1, -4, 1, 0, 1, -4};
    static const double mixed[] = {-4, 1, 0, 1, 4, 1, 0, 1, -4};
    tulle_solve_report r;
    (void)where;
    small s = small_make(ctx, 3, minus, corner, TULLE_F64);
    must(tulle_solve(ctx, s.A, s.b, s.x, NULL, &r));
    assert_int_equal(r.attempts, 1);
    assert_int_equal(r.method, TULLE_CG);
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_int_equal(r.facts.diagonal_positive, 0);
    assert_int_equal(strncmp(r.method_why, "-A is symmetric", 15), 0);
    assert_true(residual_of(ctx, &s) <= 1e-8 * 2);

    tulle_linop *M = NULL;
    const tulle_solve_options keeps = {.keep_precond = &M};
    must(tulle_solve(ctx, s.A, s.b, s.x, &keeps, &r));
    assert_int_equal(r.attempt[0].method, TULLE_GMRES);
    assert_true(residual_of(ctx, &s) <= 1e-8 * 2);
    tulle_linop_destroy(M);
    small_free(&s);

    /* What follows a failure is that of -A, too. */
    double turned[9];
    for (int k = 0; k < 9; k++) turned[k] = -hidden[k];
    s = small_make(ctx, 3, turned, corner, TULLE_F64);
    must(tulle_solve(ctx, s.A, s.b, s.x, NULL, &r));
    const int first = with_factors(ctx);
    assert_int_equal(r.attempts, first + 2);
    assert_int_equal(r.attempt[first].outcome, TULLE_INDEFINITE);
    assert_string_equal(r.precond, "ilu:0");
    assert_true(residual_of(ctx, &s) <= 1e-8 * 2);
    small_free(&s);

    s = small_make(ctx, 3, mixed, corner, TULLE_F64);
    must(tulle_solve(ctx, s.A, s.b, s.x, NULL, &r));
    assert_int_equal(r.attempt[0].method, TULLE_GMRES);
    small_free(&s);
}

/* One pair of entries shows that CG would fail; a diagonal of zeros is filled by other rows. */
static void looks_first(tulle_ctx *ctx, const char *where) {
    static const double pair[] = {1, 2, 2, 1};
    static const double hollow[] = {0, 3, 0, 0, 0, -2, 5, 0, 0};
    tulle_solve_report r;
    (void)where;
    small s = small_make(ctx, 2, pair, corner, TULLE_F64);
    must(tulle_solve(ctx, s.A, s.b, s.x, NULL, &r));
    assert_int_equal(r.facts.indefinite_pairs, 2);
    assert_int_equal(r.attempt[0].method, TULLE_GMRES);
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    small_free(&s);
    s = small_make(ctx, 3, hollow, corner, TULLE_F64);
    must(tulle_solve(ctx, s.A, s.b, s.x, NULL, &r));
    assert_int_equal(r.facts.empty_diagonal, 0);
    assert_int_equal(r.attempts, 1);
    assert_true(r.permuted && r.attempt[0].permuted);
    assert_string_equal(r.precond_why, "rows change places for large entries on the diagonal");
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_true(residual_of(ctx, &s) <= 1e-8 * 2);
    small_free(&s);
}

/* What is given stays, and its failure is the caller's. */
static void takes_given(tulle_ctx *ctx, const char *where) {
    (void)where;
    small s = small_make(ctx, 3, hidden, corner, TULLE_F64);
    tulle_solve_report r;
    const tulle_solve_options cg = {.method = "cg", .precond = "none"};
    must(tulle_solve(ctx, s.A, s.b, s.x, &cg, &r));
    assert_int_equal(r.solver.outcome, TULLE_INDEFINITE);
    assert_int_equal(r.attempts, 1);
    assert_string_equal(r.method_why, "");
    assert_string_equal(r.precond_why, "");
    assert_int_equal(r.facts.diagonal, 0);
    const tulle_solve_options ic = {.precond = "ic"};
    assert_int_equal(tulle_solve(ctx, s.A, s.b, s.x, &ic, &r), TULLE_ZERO_PIVOT);
    assert_in_range(tulle_last_error()->row, 1, 2);
    static const char *const all[] = {"none",  "jacobi", "block-jacobi:3", "ilu",
                                      "ilu:2", "milu:0", "milu",           "lu"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const tulle_solve_options given = {.method = "gmres", .precond = all[i]};
        must(tulle_solve(ctx, s.A, s.b, s.x, &given, &r));
        assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
        assert_true(strncmp(r.precond, all[i], strlen(all[i])) == 0);
        assert_true(residual_of(ctx, &s) <= 1e-8 * 2);
    }
    small_free(&s);
}

/* The same choice, attempts and iterations in all units, and in f32. */
static void has_no_units(tulle_ctx *ctx, const char *where) {
    static const int exponents[] = {-600, -40, 0, 40, 600};
    tulle_solve_report first = {.attempts = 0};
    (void)where;
    for (int e = 0; e < 5; e++) {
        double dense[9], rhs[3];
        tulle_solve_report r;
        for (int i = 0; i < 9; i++) dense[i] = ldexp(hidden[i], exponents[e]);
        for (int i = 0; i < 3; i++) rhs[i] = ldexp(corner[i], -exponents[e] / 2);
        small s = small_make(ctx, 3, dense, rhs, TULLE_F64);
        must(tulle_solve(ctx, s.A, s.b, s.x, NULL, &r));
        assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
        if (e == 0) first = r;
        assert_int_equal(r.attempts, first.attempts);
        assert_int_equal(r.solver.iterations, first.solver.iterations);
        assert_string_equal(r.precond_why, first.precond_why);
        small_free(&s);
    }
    small s = small_make(ctx, 3, hidden, corner, TULLE_F32);
    tulle_solve_report r;
    must(tulle_solve(ctx, s.A, s.b, s.x, NULL, &r));
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_int_equal(r.attempts, first.attempts);
    small_free(&s);
}

/* Mixed precision, also of numbers that f32 does not have. */
static void narrows(tulle_ctx *ctx, const char *where) {
    static const int exponents[] = {-600, 0, 600};
    (void)where;
    for (int e = 0; e < 3; e++) {
        double dense[16];
        tulle_solve_report r;
        const tulle_solve_options mixed = {.mixed = true, .solver = {.tolerance = 1e-12}};
        for (int i = 0; i < 16; i++) dense[i] = ldexp(line[i], exponents[e]);
        small s = small_make(ctx, 4, dense, corner, TULLE_F64);
        must(tulle_solve(ctx, s.A, s.b, s.x, &mixed, &r));
        assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
        assert_int_equal(r.solved.type, TULLE_F32);
        assert_true(residual_of(ctx, &s) <= 1.01e-12 * 2);
        small_free(&s);
    }
}

/* Nothing solves it: the end has a name, and x the norm that is said. */
static void ends_by_name(tulle_ctx *ctx, const char *where) {
    static const double singular[] = {1, 1, 1, 1};
    static const double across[] = {1, -1};
    tulle_solve_report r;
    (void)where;
    small s = small_make(ctx, 2, singular, across, TULLE_F64);
    must(tulle_solve(ctx, s.A, s.b, s.x, NULL, &r));
    assert_true(r.solver.outcome != TULLE_CONVERGED);
    assert_true(fabs(residual_of(ctx, &s) - r.solver.norm) <= 1e-12);
    for (int a = 0; a < r.attempts; a++) {
        if (r.attempt[a].made) assert_true(r.solver.norm <= r.attempt[a].norm);
    }
    small_free(&s);

    /* Random systems without a solution. */
    unsigned seed = 7;
    for (int c = 0; c < 40; c++) {
        double dense[64], rhs[8];
        for (int k = 0; k < 64; k++) {
            seed = seed * 1103515245u + 12345u;
            dense[k] = (int)(seed >> 16) % 7 - 3;
        }
        for (int j = 0; j < 8; j++) {
            dense[8 * 7 + j] = dense[j] + dense[8 + j];
            rhs[j] = j + 1;
        }
        s = small_make(ctx, 8, dense, rhs, TULLE_F64);
        must(tulle_solve(ctx, s.A, s.b, s.x, NULL, &r));
        assert_true(r.solver.outcome != TULLE_CONVERGED);
        assert_true(fabs(residual_of(ctx, &s) - r.solver.norm) <= 1e-9 * (1 + r.solver.norm));
        for (int a = 0; a < r.attempts; a++) {
            if (r.attempt[a].made) assert_true(r.solver.norm <= r.attempt[a].norm * (1 + 1e-9));
        }
        small_free(&s);
    }

    double bad[16];
    memcpy(bad, line, sizeof bad);
    bad[6] = (double)NAN;
    s = small_make(ctx, 4, bad, corner, TULLE_F64);
    must(tulle_solve(ctx, s.A, s.b, s.x, NULL, &r));
    assert_int_equal(r.solver.outcome, TULLE_NOT_A_NUMBER);
    assert_int_equal(r.facts.bad_row, 1);
    assert_int_equal(r.facts.bad_column, 2);
    assert_string_equal(r.precond_why, "there are no factors of Inf or NaN");
    small_free(&s);
}

static void refuses(tulle_ctx *ctx, const char *where) {
    small s = small_make(ctx, 4, line, corner, TULLE_F64);
    tulle_solve_report r;
    const struct {
        tulle_solve_options o;
        const char *said;
    } bad[] = {
        {{.method = "cgs"},
         "method: 'cgs' is none of cg, bicgstab, gmres, chebyshev, minres, fgmres"},
        {{.precond = "ilux"}, "precond: 'ilux' is none of none, jacobi"},
        {{.precond = "jacobi:2"}, "precond: 'jacobi:2' takes no number"},
        {{.precond = "ilu:"}, "precond: 'ilu:' has a number that is not the level of fill"},
        {{.precond = "ilu:2x"}, "precond: 'ilu:2x' has a number that is not the level of fill"},
        {{.precond = "ilu:-1"}, "precond: 'ilu:-1' has a number that is not the level of fill"},
        {{.precond = "block-jacobi:17"}, "the rows of a block, 1 to 16"},
        {{.shift = -1}, "shift: -1 is not 0 or more"},
        {{.shift = (double)NAN}, "shift: "},
        {{.max_attempts = 9}, "max_attempts: 9 is not from 0 to 8"},
        {{.max_attempts = -1}, "max_attempts: -1"},
    };
    (void)where;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(tulle_solve(ctx, s.A, s.b, s.x, &bad[i].o, &r), TULLE_INVALID_ARGUMENT);
        if (!strstr(tulle_last_error()->message, bad[i].said)) {
            fail_msg("'%s' lacks '%s'", tulle_last_error()->message, bad[i].said);
        }
    }
    assert_int_equal(tulle_solve(NULL, s.A, s.b, s.x, NULL, &r), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_solve(ctx, NULL, s.b, s.x, NULL, &r), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_solve(ctx, s.A, NULL, s.x, NULL, &r), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_solve(ctx, s.A, s.b, NULL, NULL, &r), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_solve(ctx, s.A, s.b, s.x, NULL, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_solve(ctx, s.A, s.x, s.x, NULL, &r), TULLE_ALIASED);
    small other = small_make(ctx, 3, hidden, corner, TULLE_F32);
    assert_int_equal(tulle_solve(ctx, s.A, other.b, s.x, NULL, &r), TULLE_SHAPE_MISMATCH);
    const tulle_solve_options mixed = {.mixed = true};
    assert_int_equal(tulle_solve(ctx, other.A, other.b, other.x, &mixed, &r),
                     TULLE_INVALID_ARGUMENT);
    tulle_mat *wide = NULL;
    const int32_t offsets[] = {0, 1}, columns[] = {1};
    const double values[] = {1};
    must(tulle_mat_create_csr(ctx, 1, 2, 1, TULLE_I32, offsets, columns, TULLE_F64, values, NULL,
                              &wide));
    assert_int_equal(tulle_solve(ctx, wide, s.b, s.x, NULL, &r), TULLE_SHAPE_MISMATCH);
    tulle_mat_destroy(wide);
    small_free(&other);
    small_free(&s);
}

/* Every format solves; those that are brought to CSR do so unless they are to be kept. */
static void takes_formats(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        small s = small_make(ctx, 4, line, corner, TULLE_F64);
        tulle_mat *B = NULL;
        const tulle_status converted =
            tulle_mat_convert(ctx, s.A, (tulle_format)f, TULLE_I32, 0, &B);
        for (int keep = 0; keep < 2 && converted == TULLE_OK; keep++) {
            const tulle_solve_options o = {.keep_format = keep};
            tulle_solve_report r;
            must(tulle_solve(ctx, B, s.b, s.x, &o, &r));
            assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
            assert_true(residual_of(ctx, &s) <= 1e-8 * 2);
            if (keep) assert_int_equal(r.solved.format, f);
            if (!keep && f == TULLE_COO) assert_int_equal(r.solved.format, TULLE_CSR);
        }
        tulle_mat_destroy(B);
        small_free(&s);
    }
}

/* A symmetric A with eigenvalues on both sides of 0, of too many rows for GMRES to keep all its
 * vectors: MINRES follows where that stagnates. */
static void minimises(tulle_ctx *ctx, const char *where) {
    if (is_slow(where)) {
        say_skipped("MINRES after GMRES: too many iterations for an emulator");
        return;
    }
    problem p = problem_of(ctx, system_grid(40, 0, -3.1), TULLE_F64);
    const tulle_solve_options o = {.precond = "none", .solver = {.patience = 300}};
    tulle_solve_report r;
    must(tulle_solve(ctx, p.A, p.b, p.x, &o, &r));
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_int_equal(r.attempt[0].method, TULLE_GMRES);
    assert_true(r.attempt[0].outcome != TULLE_CONVERGED);
    assert_int_equal(r.method, TULLE_MINRES);
    const system_norms norms = system_check(ctx, &p.s, TULLE_F64, p.b, p.x);
    assert_true(norms.residual <= 1e-8 * norms.b);
    problem_free(&p);
}

static tulle_status sum_nothing(void *user, double *sums, int count) {
    (void)user;
    (void)sums;
    (void)count;
    return TULLE_OK;
}

/* A null space that is given is that of A with its rows where they are; and no process knows the
 * facts of a system that is distributed. */
static void leaves_rows(tulle_ctx *ctx, const char *where) {
    static const double ring[] = {0, 1, -1, -1, 0, 1, 1, -1, 0};
    static const double apart[] = {1, 1, -2};
    small s = small_make(ctx, 3, ring, apart, TULLE_F64);
    tulle_solve_report r;
    (void)where;
    tulle_solve_options o = {.solver = {.constant_null_space = true}};
    must(tulle_solve(ctx, s.A, s.b, s.x, &o, &r));
    assert_false(r.permuted);
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    for (int a = 0; a < r.attempts; a++) assert_false(r.attempt[a].permuted);
    o = (tulle_solve_options){.solver = {.sum = sum_nothing}};
    assert_int_equal(tulle_solve(ctx, s.A, s.b, s.x, &o, &r), TULLE_UNSUPPORTED);
    small_free(&s);
}

/* Iterations that are allowed are shared by all attempts, and a guess is begun from. */
static void keeps_limits(tulle_ctx *ctx, const char *where) {
    small s = small_make(ctx, 4, line, corner, TULLE_F64);
    tulle_solve_report r;
    (void)where;
    tulle_solve_options o = {.precond = "none", .solver = {.max_iterations = 1}};
    must(tulle_solve(ctx, s.A, s.b, s.x, &o, &r));
    assert_int_equal(r.solver.outcome, TULLE_MOST_ITERATIONS);
    assert_int_equal(r.attempts, 1);
    small turns = small_make(ctx, 3, hidden, corner, TULLE_F64);
    for (int most = 1; most < 6; most++) {
        int64_t all = 0;
        o = (tulle_solve_options){.solver = {.max_iterations = most}};
        must(tulle_solve(ctx, turns.A, turns.b, turns.x, &o, &r));
        for (int a = 0; a < r.attempts; a++) all += r.attempt[a].iterations;
        assert_true(all <= most);
    }
    small_free(&turns);
    o = (tulle_solve_options){.method = NULL};
    must(tulle_solve(ctx, s.A, s.b, s.x, &o, &r));
    o.solver.guess = true;
    must(tulle_solve(ctx, s.A, s.b, s.x, &o, &r));
    assert_int_equal(r.solver.iterations, 0);
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    small_free(&s);
}

/* Solves a system on a grid whose A is neither symmetric nor dominant. */
static tulle_solve_report solve_flow(tulle_ctx *ctx, double shift) {
    problem p = problem_of(ctx, system_grid(18, 1.5, shift), TULLE_F64);
    tulle_solve_report r;
    must(tulle_solve(ctx, p.A, p.b, p.x, NULL, &r));
    assert_false(r.facts.symmetric);
    assert_true(r.facts.not_dominant > 0);
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    const system_norms norms = system_check(ctx, &p.s, TULLE_F64, p.b, p.x);
    assert_true(norms.residual <= 1.0001e-8 * norms.b);
    problem_free(&p);
    return r;
}

/* On a GPU BiCGStab is on trial before GMRES, which follows where the trial fails. */
static void tries_short(tulle_ctx *ctx, const char *where) {
    tulle_device_info device;
    (void)where;
    must(tulle_ctx_device(ctx, &device));
    const bool gpu = device.backend != TULLE_CPU;
    tulle_solve_report r = solve_flow(ctx, 0);
    assert_int_equal(r.attempts, 1);
    assert_int_equal(r.method, gpu ? TULLE_BICGSTAB : TULLE_GMRES);
    r = solve_flow(ctx, -3.9);
    assert_true(r.method != TULLE_BICGSTAB);
    if (!gpu) return;
    assert_true(r.attempts > 1);
    assert_int_equal(r.attempt[0].method, TULLE_BICGSTAB);
    assert_int_equal(r.attempt[1].method, TULLE_GMRES);
    assert_non_null(strstr(r.method_why, "on a GPU bicgstab comes before gmres; bicgstab ended"));
}

#define EACH(name)                                                                                 \
    static void test_##name(void **state) {                                                        \
        (void)state;                                                                               \
        on_each_place(name);                                                                       \
    }
EACH(chooses)
EACH(goes_on)
EACH(turns_signs)
EACH(looks_first)
EACH(takes_given)
EACH(has_no_units)
EACH(narrows)
EACH(ends_by_name)
EACH(refuses)
EACH(takes_formats)
EACH(keeps_limits)
EACH(leaves_rows)
EACH(minimises)
EACH(tries_short)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chooses),      cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_turns_signs),  cmocka_unit_test(test_looks_first),
        cmocka_unit_test(test_takes_given),  cmocka_unit_test(test_has_no_units),
        cmocka_unit_test(test_narrows),      cmocka_unit_test(test_ends_by_name),
        cmocka_unit_test(test_refuses),      cmocka_unit_test(test_takes_formats),
        cmocka_unit_test(test_keeps_limits), cmocka_unit_test(test_leaves_rows),
        cmocka_unit_test(test_minimises),    cmocka_unit_test(test_tries_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
