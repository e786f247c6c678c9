/* SPDX-License-Identifier: Apache-2.0 */
/* Several right-hand sides at once: each column ends as it does alone, and true residuals are held
 * in long double. */
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

/* Most right-hand sides of a test. */
enum { MOST_COLUMNS = 70 };

/* Several right-hand sides on the host, [columns][n], and multivectors of them. */
typedef struct {
    tulle_ctx *ctx;
    tulle_type type;
    int64_t n, columns;
    double *b;
    tulle_vec *B, *X;
} several;

static several several_of(tulle_ctx *ctx, const problem *p, tulle_type type, int64_t columns) {
    several s = {.ctx = ctx, .type = type, .n = p->s.n, .columns = columns};
    uint64_t random = 17;
    s.b = calloc((size_t)(s.n * columns), sizeof *s.b);
    assert_non_null(s.b);
    for (int64_t i = 0; i < s.n * columns; i++) s.b[i] = (double)(float)zoo_number(&random);
    return s;
}

static void write_columns(tulle_ctx *ctx, tulle_type type, const double *numbers, int64_t n,
                          int64_t columns, tulle_layout layout, tulle_vec *V) {
    const int64_t ld = layout == TULLE_COLUMN_MAJOR ? n + 3 : columns + 2;
    const int64_t count = ld * (layout == TULLE_COLUMN_MAJOR ? columns : n);
    double *laid = calloc((size_t)count, sizeof *laid);
    float *narrow = (float *)laid;
    for (int64_t j = 0; j < columns; j++) {
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = layout == TULLE_COLUMN_MAJOR ? i + j * ld : i * ld + j;
            if (type == TULLE_F32) {
                narrow[at] = (float)numbers[j * n + i];
            } else {
                laid[at] = numbers[j * n + i];
            }
        }
    }
    must(tulle_vec_write(ctx, V, laid, ld));
    free(laid);
}

/* Makes B of the numbers on the host, and an X that is not 0. */
static void make_vectors(several *s, tulle_layout layout) {
    must(tulle_vec_create_columns(s->ctx, s->type, s->n, s->columns, layout, 0, &s->B));
    must(tulle_vec_create_columns(s->ctx, s->type, s->n, s->columns, layout, 0, &s->X));
    write_columns(s->ctx, s->type, s->b, s->n, s->columns, layout, s->B);
    must(tulle_vec_random(s->ctx, s->X, 3));
}

static void free_vectors(several *s) {
    tulle_vec_destroy(s->B);
    tulle_vec_destroy(s->X);
}

/* A vector with column j of a multivector. */
static tulle_vec *column_of(const several *s, const tulle_vec *V, int64_t j) {
    tulle_vec_info info;
    tulle_vec *column;
    must(tulle_vec_describe(V, &info));
    const bool by_row = info.layout == TULLE_ROW_MAJOR;
    const int64_t count = info.ld * (by_row ? s->n : s->columns);
    const size_t size = s->type == TULLE_F32 ? sizeof(float) : sizeof(double);
    char *all = calloc((size_t)count, size), *own = calloc((size_t)s->n, size);
    must(tulle_vec_read(s->ctx, V, all, info.ld));
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t at = by_row ? i * info.ld + j : j * info.ld + i;
        memcpy(own + (size_t)i * size, all + (size_t)at * size, size);
    }
    must(tulle_vec_create(s->ctx, s->type, s->n, &column));
    must(tulle_vec_write(s->ctx, column, own, 0));
    free(all);
    free(own);
    return column;
}

static const tulle_solver_report *run(const several *s, tulle_solver *S, tulle_solver_report *all) {
    const tulle_solver_report *reports;
    int64_t count;
    must(tulle_solver_run(s->ctx, S, s->B, s->X, all));
    must(tulle_solver_reports(S, &reports, &count));
    assert_int_equal(count, s->columns);
    return reports;
}

/* Holds the claim of a column: its true norm in long double is within the limit. */
static void assert_claim(const several *s, const problem *p, int64_t j, double limit) {
    tulle_vec *b = column_of(s, s->B, j), *x = column_of(s, s->X, j);
    const system_norms norms = system_check(s->ctx, &p->s, s->type, b, x);
    assert_true(norms.residual <= 1.0001 * limit);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
}

/* Each column takes about the iterations that it takes alone, and A is applied once for all. */
static void one_way(several *s, const problem *p, const tulle_solver_options *o, tulle_linop *M) {
    tulle_solver *S = NULL, *alone = NULL;
    tulle_solver_report all, of_one;
    const tulle_vec *own_b = NULL;
    must(tulle_solver_create(s->ctx, p->L, M, o, &S));
    must(tulle_solver_create(s->ctx, p->L, M, o, &alone));
    const tulle_solver_report *reports = run(s, S, &all);
    assert_int_equal(all.outcome, TULLE_CONVERGED);
    int64_t most = 0;
    for (int64_t j = 0; j < s->columns; j++) {
        tulle_vec *b = column_of(s, s->B, j), *x = column_of(s, s->X, j);
        own_b = b;
        must(tulle_solver_run(s->ctx, alone, own_b, x, &of_one));
        assert_int_equal(of_one.outcome, TULLE_CONVERGED);
        assert_int_equal(reports[j].outcome, TULLE_CONVERGED);
        const int64_t away = llabs((long long)(reports[j].iterations - of_one.iterations));
        assert_true(away <= 3 + of_one.iterations / 5);
        if (reports[j].iterations > most) most = reports[j].iterations;
        if (o->norm == TULLE_TRUE_NORM) assert_claim(s, p, j, reports[j].limit);
        tulle_vec_destroy(b);
        tulle_vec_destroy(x);
    }
    assert_int_equal(all.iterations, most);
    const int64_t each = o->method == TULLE_BICGSTAB ? 2 : 1;
    /* A GPU has iterations on their way when the last column ends, of a real one two batches of up
     * to 64; GMRES' cycles have residuals. */
    tulle_device_info device;
    must(tulle_ctx_device(s->ctx, &device));
    const int64_t ahead = device.backend == TULLE_CUDA ? 128 : 16;
    assert_true(all.products <= each * (most + ahead) + 6 + most / 12);
    tulle_solver_destroy(S);
    tulle_solver_destroy(alone);
}

static void as_alone(tulle_ctx *ctx, const char *where) {
    /* An emulator takes a fifth of the ways, others with each commit. */
    const int of = is_slow(where) ? 5 : 1;
    for (int way = turn_of(where, of); way < 2 * 2 * 2 * TULLE_METHOD_COUNT; way += of) {
        const tulle_method method = (tulle_method)(way / 8);
        const tulle_type type = way & 1 ? TULLE_F64 : TULLE_F32;
        const tulle_layout layout = way & 2 ? TULLE_ROW_MAJOR : TULLE_COLUMN_MAJOR;
        const bool symmetric = system_wants_symmetric(method) || method == TULLE_CHEBYSHEV;
        problem p = problem_with_jacobi(
            ctx, system_grid(problem_side(where), symmetric ? 0 : 0.5, 0.25), type);
        several s = several_of(ctx, &p, type, 5);
        const tulle_solver_options o = {.method = method,
                                        .restart = 12,
                                        .tolerance = type == TULLE_F32 ? 1e-4 : 1e-9,
                                        .norm = way & 4 && method != TULLE_FGMRES
                                                    ? TULLE_PRECONDITIONED_NORM
                                                    : TULLE_TRUE_NORM};
        for (int64_t i = 0; i < s.n; i++) s.b[s.n + i] = 0;
        for (int64_t i = 0; i < s.n; i++) s.b[2 * s.n + i] = i == 0 ? 1 : 0;
        make_vectors(&s, layout);
        one_way(&s, &p, &o, way & 4 ? p.M : NULL);
        free_vectors(&s);
        free(s.b);
        problem_free(&p);
    }
}
ONCE_ON_EACH_PLACE(as_alone)

/* Columns that are the same but for a power of 2 get the same digits, at once as alone. */
static void units(tulle_ctx *ctx, const char *where) {
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        problem p = problem_with_jacobi(ctx, system_grid(problem_side(where), 0, 0.25), TULLE_F64);
        several s = several_of(ctx, &p, TULLE_F64, 4);
        const int power[] = {0, 600, -700, 990};
        const tulle_solver_options o = {.method = (tulle_method)method};
        tulle_solver *S = NULL;
        tulle_solver_report all;
        for (int64_t i = 0; i < 4 * s.n; i++) s.b[i] = ldexp(s.b[i % s.n], power[i / s.n]);
        make_vectors(&s, TULLE_COLUMN_MAJOR);
        must(tulle_solver_create(ctx, p.L, p.M, &o, &S));
        const tulle_solver_report *reports = run(&s, S, &all);
        double *x = calloc((size_t)(4 * s.n), sizeof *x);
        must(tulle_vec_read(ctx, s.X, x, s.n));
        for (int64_t j = 0; j < 4; j++) {
            assert_int_equal(reports[j].outcome, TULLE_CONVERGED);
            assert_int_equal(reports[j].iterations, reports[0].iterations);
            assert_true(reports[j].norm == ldexp(reports[0].norm, power[j]));
            for (int64_t i = 0; i < s.n; i++) {
                assert_true(x[j * s.n + i] == ldexp(x[i], power[j]));
            }
        }
        free(x);
        tulle_solver_destroy(S);
        free_vectors(&s);
        free(s.b);
        problem_free(&p);
    }
}
ONCE_ON_EACH_PLACE(units)

/* Numbers of an eigenvector of a grid's matrix, with which CG ends at once. */
static void fill_with_eigenvector(double *b, int side) {
    const double angle = acos(-1) / (side + 1);
    for (int i = 0; i < side * side; i++) {
        b[i] = sin(angle * (i % side + 1)) * sin(angle * (i / side + 1));
    }
}

/* A and M count in one unit for all columns, also where A makes columns of different sizes. */
static void one_unit(tulle_ctx *ctx, const char *where) {
    const int32_t offsets[] = {0, 1, 2}, columns[] = {0, 1};
    const double values[] = {0x1p140, 1}, b[] = {3, 0, 0, 5};
    tulle_mat *A = NULL;
    tulle_linop *L = NULL;
    tulle_vec *B = NULL, *X = NULL;
    (void)where;
    must(tulle_mat_create_csr(ctx, 2, 2, 2, TULLE_I32, offsets, columns, TULLE_F64, values, NULL,
                              &A));
    must(tulle_linop_from_mat(ctx, A, &L));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 2, 2, TULLE_COLUMN_MAJOR, 0, &B));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 2, 2, TULLE_COLUMN_MAJOR, 0, &X));
    must(tulle_vec_write(ctx, B, b, 2));
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        if (method == TULLE_CHEBYSHEV) continue; /* the spectrum is too wide */
        const tulle_solver_options o = {.method = (tulle_method)method};
        tulle_solver *S = NULL;
        tulle_solver_report r;
        double x[4];
        must(tulle_solver_create(ctx, L, NULL, &o, &S));
        must(tulle_solver_run(ctx, S, B, X, &r));
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        must(tulle_vec_read(ctx, X, x, 2));
        assert_true(fabs(x[0] * 0x1p140 - 3) < 1e-7 && fabs(x[3] - 5) < 1e-7);
        tulle_solver_destroy(S);
    }
    tulle_vec_destroy(B);
    tulle_vec_destroy(X);
    tulle_linop_destroy(L);
    tulle_mat_destroy(A);
}
ONCE_ON_EACH_PLACE(one_unit)

/* A column that has ended stays as it is while others are begun anew: in f32 the norm that CG
 * carries is soon too small. */
static void begun_anew(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(problem_side(where), 0, 0), TULLE_F32);
    several s = several_of(ctx, &p, TULLE_F32, 3);
    const tulle_solver_options o = {.method = TULLE_CG, .tolerance = is_slow(where) ? 1e-7 : 6e-7};
    tulle_solver *S = NULL;
    tulle_solver_report all;
    fill_with_eigenvector(s.b, problem_side(where));
    for (int64_t i = 0; i < s.n; i++) s.b[i] = (double)(float)s.b[i];
    make_vectors(&s, TULLE_COLUMN_MAJOR);
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    const tulle_solver_report *reports = run(&s, S, &all);
    for (int64_t j = 0; j < 3; j++) {
        if (reports[j].outcome == TULLE_CONVERGED) assert_claim(&s, &p, j, reports[j].limit);
        tulle_vec *b = column_of(&s, s.B, j), *x = column_of(&s, s.X, j);
        const system_norms norms = system_check(ctx, &p.s, TULLE_F32, b, x);
        assert_true(norms.residual <= 1e-4 * norms.b);
        assert_true(fabs(norms.residual - reports[j].norm) <= 1e-3 * reports[j].norm);
        tulle_vec_destroy(b);
        tulle_vec_destroy(x);
    }
    assert_true(all.begun_anew > 0);
    tulle_solver_destroy(S);
    free_vectors(&s);
    free(s.b);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(begun_anew)

/* A column with NaN, one of zeros and one that no iteration is left for end by their own names, and
 * leave the others as they are. */
static void ends(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(problem_side(where), 0, 0), TULLE_F64);
    several s = several_of(ctx, &p, TULLE_F64, 4);
    tulle_solver_report all;
    s.b[5] = (double)NAN;
    for (int64_t i = 0; i < s.n; i++) s.b[s.n + i] = 0;
    fill_with_eigenvector(s.b + 3 * s.n, problem_side(where));
    make_vectors(&s, TULLE_COLUMN_MAJOR);
    for (int limited = 0; limited < 2; limited++) {
        const tulle_solver_options o = {.method = TULLE_CG, .max_iterations = limited ? 4 : 0};
        tulle_solver *S = NULL;
        must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
        const tulle_solver_report *reports = run(&s, S, &all);
        assert_int_equal(all.outcome, TULLE_NOT_A_NUMBER);
        assert_int_equal(reports[0].outcome, TULLE_NOT_A_NUMBER);
        assert_int_equal(reports[1].outcome, TULLE_CONVERGED);
        assert_int_equal(reports[1].iterations, 0);
        assert_int_equal(reports[2].outcome, limited ? TULLE_MOST_ITERATIONS : TULLE_CONVERGED);
        if (!limited) assert_claim(&s, &p, 2, reports[2].limit);
        if (limited) assert_int_equal(reports[2].iterations, 4);
        assert_true(reports[3].iterations <= 2);
        assert_int_equal(reports[3].outcome, TULLE_CONVERGED);
        assert_claim(&s, &p, 3, reports[3].limit);
        tulle_vec *x = column_of(&s, s.X, 1);
        double norm;
        must(tulle_vec_norm2(ctx, x, tulle_to_num(&norm)));
        assert_true(norm == 0);
        tulle_vec_destroy(x);
        tulle_solver_destroy(S);
    }
    free_vectors(&s);
    free(s.b);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(ends)

/* Where A is singular, a column with a part that no x takes away stagnates by the host's word,
 * while others go on; with the null space given all converge. */
static void singular(tulle_ctx *ctx, const char *where) {
    problem p = problem_with_jacobi(ctx, system_torus(is_slow(where) ? 6 : 20), TULLE_F64);
    for (int way = 0; way < 8; way++) {
        static const tulle_method methods[] = {TULLE_CG, TULLE_GMRES};
        const bool given = way & 2;
        several s = several_of(ctx, &p, TULLE_F64, 3);
        const tulle_solver_options o = {
            .method = methods[way / 4], .constant_null_space = given, .patience = 60};
        tulle_solver *S = NULL;
        tulle_solver_report all;
        for (int64_t j = 0; j < 3; j++) {
            double mean = 0;
            for (int64_t i = 0; i < s.n; i++) mean += s.b[j * s.n + i] / (double)s.n;
            for (int64_t i = 0; i < s.n; i++) s.b[j * s.n + i] -= j == 1 ? 0 : mean;
            if (j == 1) s.b[s.n] += 40;
        }
        make_vectors(&s, TULLE_COLUMN_MAJOR);
        must(tulle_solver_create(ctx, p.L, way & 1 ? p.M : NULL, &o, &S));
        const tulle_solver_report *reports = run(&s, S, &all);
        for (int64_t j = 0; j < 3; j++) {
            if (j == 1 && !given) {
                assert_int_not_equal(reports[j].outcome, TULLE_CONVERGED);
                assert_int_equal(all.outcome, reports[j].outcome);
            } else {
                assert_int_equal(reports[j].outcome, TULLE_CONVERGED);
                if (j != 1) assert_claim(&s, &p, j, reports[j].limit);
            }
        }
        tulle_solver_destroy(S);
        free_vectors(&s);
        free(s.b);
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(singular)

/* More columns than are solved at once; numbers of columns that grow and shrink; guesses. */
static void many(tulle_ctx *ctx, const char *where) {
    problem p = problem_with_jacobi(ctx, system_grid(is_slow(where) ? 4 : 12, 0, 0), TULLE_F64);
    static const int64_t counts[] = {2, 33, 3, MOST_COLUMNS, 1};
    const tulle_solver_options o = {.method = TULLE_CG, .guess = true};
    tulle_solver *S = NULL;
    must(tulle_solver_create(ctx, p.L, p.M, &o, &S));
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        several s = several_of(ctx, &p, TULLE_F64, counts[c]);
        tulle_solver_report all;
        make_vectors(&s, c % 2 == 0 ? TULLE_COLUMN_MAJOR : TULLE_ROW_MAJOR);
        const tulle_solver_report *reports = run(&s, S, &all);
        assert_int_equal(all.outcome, TULLE_CONVERGED);
        for (int64_t j = 0; j < s.columns; j++) assert_claim(&s, &p, j, reports[j].limit);
        run(&s, S, &all); /* starts from the solution */
        assert_int_equal(all.outcome, TULLE_CONVERGED);
        assert_int_equal(all.iterations, 0);
        free_vectors(&s);
        free(s.b);
    }
    tulle_solver_destroy(S);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(many)

/* A second solution takes no memory, and x may be b. */
static void again(tulle_ctx *ctx, const char *where) {
    problem p = problem_with_jacobi(ctx, system_grid(problem_side(where), 0, 0.25), TULLE_F64);
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        several s = several_of(ctx, &p, TULLE_F64, 3);
        const tulle_solver_options o = {.method = (tulle_method)method, .restart = 10};
        tulle_solver *S = NULL;
        tulle_solver_report all;
        tulle_memory_usage before, after;
        make_vectors(&s, TULLE_COLUMN_MAJOR);
        must(tulle_solver_create(ctx, p.L, p.M, &o, &S));
        run(&s, S, &all);
        must(tulle_ctx_memory(ctx, &before));
        run(&s, S, &all);
        must(tulle_ctx_memory(ctx, &after));
        assert_int_equal(after.in_use, before.in_use);
        must(tulle_vec_copy(ctx, s.B, s.X));
        must(tulle_solver_run(ctx, S, s.X, s.X, &all));
        assert_int_equal(all.outcome, TULLE_CONVERGED);
        const tulle_solver_report *reports;
        int64_t count;
        must(tulle_solver_reports(S, &reports, &count));
        for (int64_t j = 0; j < count; j++) assert_claim(&s, &p, j, reports[j].limit);
        tulle_solver_destroy(S);
        free_vectors(&s);
        free(s.b);
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(again)

typedef struct {
    int64_t told, stop;
    double fourth, last; /* norms that were told at iteration 4, and last */
} listener;

static int listen(void *user, int64_t iteration, double norm) {
    listener *l = user;
    assert_int_equal(iteration, l->told);
    l->told++;
    l->last = norm;
    if (iteration == 4) l->fourth = norm;
    return l->stop >= 0 && iteration >= l->stop;
}

/* The monitor hears each iteration once, and of the column that is farthest from its limit. */
static void monitors(tulle_ctx *ctx, const char *where) {
    problem p = problem_with_jacobi(ctx, system_grid(problem_side(where), 0, 0), TULLE_F64);
    several s = several_of(ctx, &p, TULLE_F64, 3);
    /* The first one ends at once; the second one has the largest norms in number. */
    fill_with_eigenvector(s.b, problem_side(where));
    for (int64_t i = 0; i < s.n; i++) s.b[s.n + i] *= 1e20;
    make_vectors(&s, TULLE_COLUMN_MAJOR);
    for (int stops = 0; stops < 3; stops++) {
        listener l = {.stop = stops == 0 ? -1 : stops == 1 ? 0 : 5};
        const tulle_solver_options o = {.method = TULLE_CG, .monitor = listen, .monitor_user = &l};
        tulle_solver *S = NULL;
        tulle_solver_report all;
        must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
        const tulle_solver_report *reports = run(&s, S, &all);
        assert_int_equal(all.outcome, stops == 0 ? TULLE_CONVERGED : TULLE_STOPPED);
        for (int64_t j = 1; j < 3; j++) assert_int_equal(reports[j].outcome, all.outcome);
        if (stops == 0) assert_int_equal(l.told, all.iterations + 1);
        if (stops == 0) assert_true(l.fourth > reports[0].limit * 1e3);
        if (stops == 1) assert_int_equal(l.told, 1);
        if (stops == 2) assert_int_equal(l.told, 6);
        tulle_solver_destroy(S);
    }
    free_vectors(&s);
    free(s.b);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(monitors)

/* A monitor that says stop is not asked again, not even of the columns of another group. */
static void stops_once(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(is_slow(where) ? 4 : 12, 0, 0), TULLE_F64);
    several s = several_of(ctx, &p, TULLE_F64, 40);
    listener l = {.stop = 2};
    const tulle_solver_options o = {.method = TULLE_CG, .monitor = listen, .monitor_user = &l};
    tulle_solver *S = NULL;
    tulle_solver_report all;
    make_vectors(&s, TULLE_COLUMN_MAJOR);
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    const tulle_solver_report *reports = run(&s, S, &all);
    assert_int_equal(l.told, 3);
    for (int64_t j = 0; j < s.columns; j++) assert_int_equal(reports[j].outcome, TULLE_STOPPED);
    tulle_solver_destroy(S);
    free_vectors(&s);
    free(s.b);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(stops_once)

/* No column has more iterations than are allowed, though they begin anew at different numbers. */
static void keeps_limit(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(problem_side(where), 0.5, 0), TULLE_F32);
    for (int most = 3; most < 40; most += is_slow(where) ? 25 : 3) {
        several s = several_of(ctx, &p, TULLE_F32, 4);
        const tulle_solver_options o = {
            .method = TULLE_GMRES, .restart = 7, .tolerance = 1e-6, .max_iterations = most};
        tulle_solver *S = NULL;
        tulle_solver_report all;
        fill_with_eigenvector(s.b, problem_side(where));
        for (int64_t i = 0; i < s.n; i++) s.b[i] = (double)(float)(s.b[i] + 1e-3 * s.b[s.n + i]);
        make_vectors(&s, TULLE_COLUMN_MAJOR);
        must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
        const tulle_solver_report *reports = run(&s, S, &all);
        for (int64_t j = 0; j < s.columns; j++) assert_true(reports[j].iterations <= most);
        tulle_solver_destroy(S);
        free_vectors(&s);
        free(s.b);
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(keeps_limit)

static tulle_status same_sum(void *user, double *sums, int count) {
    (void)sums;
    *(int64_t *)user += count;
    return TULLE_OK;
}

/* Mixed precision and replaced sums take columns one after the other. */
static void in_turn(tulle_ctx *ctx, const char *where) {
    problem p = problem_with_jacobi(ctx, system_grid(problem_side(where), 0, 0.25), TULLE_F64);
    tulle_mat *single = NULL;
    tulle_linop *L = NULL;
    int64_t sums = 0;
    must(tulle_mat_copy(ctx, p.A, TULLE_F32, &single));
    must(tulle_linop_from_mat(ctx, single, &L));
    for (int way = 0; way < 2; way++) {
        several s = several_of(ctx, &p, TULLE_F64, 3);
        const tulle_solver_options mixed = {.single_A = L};
        const tulle_solver_options sum = {.sum = same_sum, .sum_user = &sums};
        tulle_solver *S = NULL;
        tulle_solver_report all;
        make_vectors(&s, TULLE_COLUMN_MAJOR);
        must(tulle_solver_create(ctx, p.L, NULL, way == 0 ? &mixed : &sum, &S));
        const tulle_solver_report *reports = run(&s, S, &all);
        assert_int_equal(all.outcome, TULLE_CONVERGED);
        for (int64_t j = 0; j < 3; j++) assert_claim(&s, &p, j, reports[j].limit);
        tulle_solver_destroy(S);
        free_vectors(&s);
        free(s.b);
    }
    assert_true(sums > 0);
    tulle_linop_destroy(L);
    tulle_mat_destroy(single);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(in_turn)

static void refusals(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(3, 0, 0), TULLE_F64);
    several s = several_of(ctx, &p, TULLE_F64, 3), none = s;
    tulle_vec *two = NULL;
    tulle_solver *S = NULL;
    const tulle_solver_report *reports;
    tulle_solver_report all;
    int64_t count = -1;
    (void)where;
    make_vectors(&s, TULLE_COLUMN_MAJOR);
    must(tulle_vec_create_columns(ctx, TULLE_F64, s.n, 2, TULLE_COLUMN_MAJOR, 0, &two));
    must(tulle_solver_create(ctx, p.L, NULL, NULL, &S));
    must(tulle_solver_reports(S, &reports, &count));
    assert_int_equal(count, 0);
    assert_int_equal(tulle_solver_run(ctx, S, s.B, two, NULL), TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_solver_run(ctx, S, s.B, p.x, NULL), TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_solver_reports(NULL, &reports, &count), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_solver_reports(S, NULL, &count), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_solver_reports(S, &reports, NULL), TULLE_INVALID_ARGUMENT);
    none.columns = 0;
    make_vectors(&none, TULLE_COLUMN_MAJOR);
    run(&none, S, &all);
    assert_int_equal(all.outcome, TULLE_CONVERGED);
    free_vectors(&none);
    tulle_vec_destroy(two);
    tulle_solver_destroy(S);
    free_vectors(&s);
    free(s.b);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(refusals)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_alone),   cmocka_unit_test(test_units),
        cmocka_unit_test(test_ends),       cmocka_unit_test(test_singular),
        cmocka_unit_test(test_many),       cmocka_unit_test(test_again),
        cmocka_unit_test(test_monitors),   cmocka_unit_test(test_in_turn),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_one_unit),
        cmocka_unit_test(test_stops_once), cmocka_unit_test(test_keeps_limit),
        cmocka_unit_test(test_begun_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
