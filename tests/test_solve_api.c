/* SPDX-License-Identifier: Apache-2.0 */
/* Solvers beside their numbers: what they keep, tell, allocate and refuse; null spaces, mixed
 * precision, sums and operators of the caller's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "places.h"
#include "systems.h"

/* A system with its operator, for one test. */
typedef struct {
    host_system s;
    tulle_mat *A;
    tulle_linop *L, *M;
    tulle_dense *b, *x;
} problem;

static problem make(tulle_ctx *ctx, host_system s, tulle_type type) {
    problem p = {.s = s, .A = system_mat(ctx, &s, type)};
    must(tulle_linop_from_mat(ctx, p.A, &p.L));
    must(tulle_linop_jacobi(ctx, p.L, &p.M));
    p.b = system_vector(ctx, type, s.n, 1);
    p.x = system_vector(ctx, type, s.n, 2);
    return p;
}

static void give_up(problem *p) {
    tulle_linop_destroy(p->L);
    tulle_linop_destroy(p->M);
    tulle_mat_destroy(p->A);
    tulle_dense_destroy(p->b);
    tulle_dense_destroy(p->x);
    system_free(&p->s);
}

static double *numbers_of(tulle_ctx *ctx, const tulle_dense *x, int64_t n) {
    double *numbers = calloc((size_t)n, sizeof *numbers);
    must(tulle_dense_read(ctx, x, numbers, 0));
    return numbers;
}

static int side_for(const char *where) {
    return is_slow(where) ? 6 : 30;
}

/* The same bits every time, also from graphs; new values of A; nothing more is allocated. */
static void runs_again(tulle_ctx *ctx, const char *where) {
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        problem p = make(ctx, system_grid(side_for(where), 0, 0.2), TULLE_F64);
        const tulle_solve_options o = {.method = (tulle_method)method, .restart = 7};
        tulle_solver *S = NULL;
        tulle_solve_report first, next;
        tulle_memory_usage before, after;
        must(tulle_solver_create(ctx, p.L, p.M, &o, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &first));
        assert_int_equal(first.outcome, TULLE_CONVERGED);
        assert_true(first.iterations > 3);
        double *x = numbers_of(ctx, p.x, p.s.n);
        must(tulle_ctx_memory(ctx, &before));
        for (int round = 0; round < 3; round++) {
            must(tulle_solver_run(ctx, S, p.b, p.x, &next));
            double *again = numbers_of(ctx, p.x, p.s.n);
            assert_memory_equal(again, x, (size_t)p.s.n * sizeof *x);
            assert_int_equal(next.iterations, first.iterations);
            free(again);
        }
        must(tulle_ctx_memory(ctx, &after));
        assert_int_equal(after.in_use, before.in_use);
        assert_int_equal(after.high, before.high);
        for (int64_t k = 0; k < p.s.nnz; k++) p.s.values[k] *= 0.5;
        must(tulle_mat_set_values(ctx, p.A, p.s.nnz, p.s.values));
        must(tulle_linop_renew(ctx, p.M));
        must(tulle_solver_run(ctx, S, p.b, p.x, &next));
        assert_int_equal(next.outcome, TULLE_CONVERGED);
        const system_norms norms = system_check(ctx, &p.s, TULLE_F64, p.b, p.x);
        assert_true(norms.residual <= 1e-8 * norms.b);
        free(x);
        tulle_solver_destroy(S);
        give_up(&p);
    }
}

static void test_runs_again(void **state) {
    (void)state;
    on_each_place(runs_again);
}

/* What a monitor has been told. */
typedef struct {
    int64_t told, stop_at;
    double last;
    bool in_order;
} listener;

static int listen(void *user, int64_t iteration, double norm) {
    listener *l = user;
    l->in_order = l->in_order && iteration == l->told + 1;
    l->told = iteration;
    l->last = norm;
    return iteration >= l->stop_at;
}

static void limits(tulle_ctx *ctx, const char *where) {
    problem p = make(ctx, system_grid(side_for(where), 0, 0), TULLE_F64);
    listener l = {.told = -1, .stop_at = INT64_MAX, .in_order = true};
    tulle_solve_options o = {.monitor = listen, .monitor_user = &l};
    tulle_solver *S = NULL;
    tulle_solve_report r;
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    assert_true(l.in_order);
    assert_int_equal(l.told, r.iterations);
    assert_true(l.last <= r.limit);
    const int64_t all = r.iterations;
    assert_true(all > 5);

    l = (listener){.told = -1, .stop_at = 3, .in_order = true};
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    assert_int_equal(r.outcome, TULLE_STOPPED);
    assert_in_range(r.iterations, 3, all);
    tulle_solver_destroy(S);

    o = (tulle_solve_options){.max_iterations = 4};
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    assert_int_equal(r.outcome, TULLE_MOST_ITERATIONS);
    assert_int_equal(r.iterations, 4);
    assert_true(r.norm < r.start_norm);
    tulle_solver_destroy(S);

    o = (tulle_solve_options){.max_seconds = 1e-9, .tolerance = 1e-15};
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    assert_int_equal(r.outcome, TULLE_MOST_TIME);
    tulle_solver_destroy(S);

    o = (tulle_solve_options){.tolerance = 1e-40, .patience = 20};
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    assert_int_not_equal(r.outcome, TULLE_CONVERGED);
    assert_true(r.norm <= 1e-12 * r.start_norm);
    tulle_solver_destroy(S);

    o = (tulle_solve_options){.guess = true}; /* from the solution there is nothing to do */
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    assert_int_equal(r.iterations, 0);
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    must(tulle_dense_fill(ctx, p.b, 0)); /* and of 0, 0 is the solution */
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    double *x = numbers_of(ctx, p.x, p.s.n);
    for (int64_t i = 0; i < p.s.n; i++) assert_true(x[i] == 0);
    free(x);
    tulle_solver_destroy(S);
    give_up(&p);
}
ONCE_ON_EACH_PLACE(limits)

/* A torus: x and the residual have no part along constant vectors. */
static void null_spaces(tulle_ctx *ctx, const char *where) {
    problem p = make(ctx, system_torus(side_for(where)), TULLE_F64);
    tulle_dense *ones = NULL, *constant = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, p.s.n, &constant));
    must(tulle_vec_create(ctx, TULLE_F64, p.s.n, &ones));
    must(tulle_dense_fill(ctx, ones, 1 / sqrt((double)p.s.n)));
    for (int way = 0; way < 8; way++) {
        const tulle_solve_options o = {.method = way & 2 ? TULLE_GMRES : TULLE_CG,
                                       .constant_null_space = way & 1,
                                       .null_space = way & 1 ? NULL : ones,
                                       .max_iterations = 400};
        tulle_solver *S = NULL;
        tulle_solve_report r;
        double along;
        must(tulle_solver_create(ctx, p.L, way & 4 ? p.M : NULL, &o, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &r));
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        must(tulle_vec_dot(ctx, p.x, ones, tulle_to_num(&along)));
        assert_true(fabs(along) < 1e-9);
        /* Nothing is left of b but what rounding leaves, of some constants nothing at all. */
        must(tulle_dense_fill(ctx, constant, 1.0 / (3 + way)));
        must(tulle_solver_run(ctx, S, constant, p.x, &r));
        must(tulle_vec_norm2(ctx, p.x, tulle_to_num(&along)));
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        assert_int_equal(r.iterations, 0);
        assert_true(along == 0);
        tulle_solver_destroy(S);
    }
    tulle_dense_destroy(constant);
    tulle_dense_destroy(ones);
    give_up(&p);
}
ONCE_ON_EACH_PLACE(null_spaces)

/* Constant vectors are no null vectors of this A: without its constant part x is no solution. */
static void no_null_space(tulle_ctx *ctx, const char *where) {
    problem p = make(ctx, system_grid(3, 0, 0), TULLE_F64);
    tulle_mat *single = NULL;
    tulle_linop *L = NULL;
    (void)where;
    must(tulle_mat_copy(ctx, p.A, TULLE_F32, &single));
    must(tulle_linop_from_mat(ctx, single, &L));
    for (int way = 0; way < 8; way++) {
        const tulle_solve_options o = {.method = (tulle_method)(way / 2),
                                       .constant_null_space = true,
                                       .guess = way & 1,
                                       .lowest = way / 2 == TULLE_CHEBYSHEV ? 1 : 0,
                                       .highest = way / 2 == TULLE_CHEBYSHEV ? 7 : 0,
                                       .max_iterations = 60,
                                       .single_A = way & 1 ? L : NULL};
        tulle_solver *S = NULL;
        tulle_solve_report r;
        must(tulle_dense_random(ctx, p.b, 3));
        must(tulle_dense_fill(ctx, p.x, 1));
        must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &r));
        assert_int_not_equal(r.outcome, TULLE_CONVERGED);
        assert_true(r.norm > r.limit);
        tulle_solver_destroy(S);
    }
    tulle_linop_destroy(L);
    tulle_mat_destroy(single);
    give_up(&p);
}
ONCE_ON_EACH_PLACE(no_null_space)

/* From a guess so far away that the norm that CG carries is far too small in the end: what it was
 * does not count against the patience of the next beginning. */
static void far_guess(tulle_ctx *ctx, const char *where) {
    const int side = is_slow(where) ? 6 : 40;
    problem p = make(ctx, system_grid(side, 0, 0), TULLE_F64);
    const tulle_solve_options o = {.guess = true, .patience = is_slow(where) ? 8 : 30};
    tulle_solver *S = NULL;
    tulle_solve_report r;
    must(tulle_vec_scale(ctx, tulle_num(1e12), p.x));
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    assert_true(r.begun_anew > 0);
    tulle_solver_destroy(S);
    give_up(&p);
}
ONCE_ON_EACH_PLACE(far_guess)

/* The residual at the end of f32 is that of x in f64, in whatever format. */
static void narrow_formats(tulle_ctx *ctx, const char *where) {
    static const tulle_format formats[] = {TULLE_SELL, TULLE_DIA, TULLE_COO, TULLE_BSR};
    problem p = make(ctx, system_grid(4, 0, 0.1), TULLE_F32);
    const tulle_convert_options options = {.block = 2};
    const tulle_solve_options o = {.tolerance = 1e-8};
    (void)where;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        tulle_mat *A = NULL;
        tulle_linop *L = NULL;
        tulle_solver *S = NULL;
        tulle_solve_report r;
        must(tulle_mat_convert_with(ctx, p.A, formats[i], TULLE_I32,
                                    formats[i] == TULLE_BSR ? &options : NULL, &A));
        must(tulle_linop_from_mat(ctx, A, &L));
        must(tulle_solver_create(ctx, L, NULL, &o, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &r));
        const system_norms norms = system_check(ctx, &p.s, TULLE_F32, p.b, p.x);
        assert_true(fabs(r.norm - norms.residual) <= 1e-6 * norms.residual);
        assert_int_equal(r.outcome == TULLE_CONVERGED, r.norm <= r.limit);
        tulle_solver_destroy(S);
        tulle_linop_destroy(L);
        tulle_mat_destroy(A);
    }
    give_up(&p);
}
ONCE_ON_EACH_PLACE(narrow_formats)

/* A matrix that is singular but for rounding: the last row is the sum of the others. */
static host_system nearly_singular(int64_t n, int seed) {
    host_system s = system_grid((int)n, 0, 0); /* has room */
    double *sum = calloc((size_t)n, sizeof *sum);
    s.n = n;
    s.nnz = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            const double value =
                i + 1 < n ? sin((double)(seed + 37 * i + i * i * j + 5 * j)) : sum[j];
            sum[j] += value;
            s.columns[s.nnz] = j;
            s.values[s.nnz++] = value;
        }
        s.offsets[i + 1] = s.nnz;
    }
    free(sum);
    return s;
}

/* However large the rounding of a correction is: no x is worse than the first. */
static void no_worse(tulle_ctx *ctx, const char *where) {
    const int seeds = is_slow(where) ? 2 : 40;
    for (int seed = 0; seed < seeds; seed++) {
        problem p = make(ctx, nearly_singular(5, seed), seed % 2 ? TULLE_F64 : TULLE_F32);
        for (int way = 0; way < 4; way++) {
            const tulle_solve_options o = {
                .method = TULLE_GMRES, .restart = way & 1 ? 3 : 0, .max_iterations = 40};
            tulle_solver *S = NULL;
            tulle_solve_report r;
            must(tulle_solver_create(ctx, p.L, way & 2 ? p.M : NULL, &o, &S));
            must(tulle_solver_run(ctx, S, p.b, p.x, &r));
            assert_true(r.norm <= r.start_norm * (1 + 1e-6));
            tulle_solver_destroy(S);
        }
        give_up(&p);
    }
}
ONCE_ON_EACH_PLACE(no_worse)

/* f32 inside, the tolerance of f64. */
static void mixed(tulle_ctx *ctx, const char *where) {
    problem p = make(ctx, system_grid(side_for(where), 0, 0.01), TULLE_F64);
    tulle_mat *single = NULL;
    tulle_linop *L = NULL, *M = NULL;
    must(tulle_mat_copy(ctx, p.A, TULLE_F32, &single));
    must(tulle_linop_from_mat(ctx, single, &L));
    must(tulle_linop_jacobi(ctx, L, &M));
    for (int method = 0; method < 3; method++) {
        const tulle_solve_options o = {
            .method = (tulle_method)method, .tolerance = 1e-12, .single_A = L, .single_M = M};
        tulle_solver *S = NULL;
        tulle_solve_report r;
        must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &r));
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        assert_true(r.begun_anew > 0);
        const system_norms norms = system_check(ctx, &p.s, TULLE_F64, p.b, p.x);
        assert_true(norms.residual <= 1e-12 * norms.b);
        tulle_solver_destroy(S);
    }
    tulle_linop_destroy(L);
    tulle_linop_destroy(M);
    tulle_mat_destroy(single);
    give_up(&p);
}
ONCE_ON_EACH_PLACE(mixed)

/* Sums that a caller makes whole: here there is one process, so they are whole before. */
static tulle_status count_sums(void *user, double *sums, int count) {
    *(int64_t *)user += count;
    return sums ? TULLE_OK : TULLE_INVALID_ARGUMENT;
}
static tulle_status no_sums(void *user, double *sums, int count) {
    (void)user;
    (void)sums;
    (void)count;
    return TULLE_UNSUPPORTED;
}

/* The matrix again, as functions that no graph may capture. */
static tulle_status apply_mat(void *self, tulle_ctx *ctx, const tulle_dense *X, tulle_dense *Y) {
    must(tulle_ctx_synchronize(ctx));
    return tulle_spmv(ctx, TULLE_N, tulle_num(1), self, X, tulle_num(0), Y);
}

static void callers(tulle_ctx *ctx, const char *where) {
    problem p = make(ctx, system_grid(side_for(where), 0, 0.1), TULLE_F64);
    tulle_linop *own = NULL;
    const tulle_linop_functions functions = {.apply = apply_mat};
    must(tulle_linop_create(ctx, TULLE_F64, p.s.n, p.s.n, &functions, p.A, &own));
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        int64_t sums = 0;
        tulle_solve_options o = {
            .method = (tulle_method)method, .sum = count_sums, .sum_user = &sums, .restart = 9};
        tulle_solver *S = NULL;
        tulle_solve_report r;
        must(tulle_solver_create(ctx, own, p.M, &o, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &r));
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        assert_true(sums >= r.iterations);
        const system_norms norms = system_check(ctx, &p.s, TULLE_F64, p.b, p.x);
        assert_true(norms.residual <= 1e-7 * norms.b);
        tulle_solver_destroy(S);
    }
    const tulle_solve_options o = {.sum = no_sums};
    tulle_solver *S = NULL;
    must(tulle_solver_create(ctx, own, NULL, &o, &S));
    assert_int_equal(tulle_solver_run(ctx, S, p.b, p.x, NULL), TULLE_UNSUPPORTED);
    assert_non_null(strstr(tulle_last_error()->message, "the caller's sum failed"));
    tulle_solver_destroy(S);
    tulle_linop_destroy(own);
    give_up(&p);
}
ONCE_ON_EACH_PLACE(callers)

/* Operators made of one that may be captured later: so may they, then. */
enum { MADE_OF = 4 };
static void make_of(tulle_ctx *ctx, tulle_linop *L, tulle_linop *of[MADE_OF]) {
    must(tulle_linop_product(ctx, L, L, of));
    must(tulle_linop_sum(ctx, 2, L, 0, NULL, of + 1));
    must(tulle_linop_chebyshev(ctx, L, NULL, 2, 1, 8, of + 2));
    must(tulle_linop_sum(ctx, 1, of[0], -1, of[2], of + 3));
}

static void assert_capturable(tulle_linop *const of[MADE_OF], bool wanted) {
    for (int i = 0; i < MADE_OF; i++) {
        tulle_linop_info info;
        must(tulle_linop_describe(of[i], &info));
        assert_int_equal(info.capturable, wanted);
    }
}

/* A sequence of systems on one pattern: the tuner settles while it is solved for the first time,
 * and tries nothing in the next. */
static void tuned(tulle_ctx *ctx, const char *where) {
    problem p = make(ctx, system_grid(is_slow(where) ? 6 : 40, 0, 0.001), TULLE_F64);
    const tulle_tuner_options options = {.cache = "", .max_calls = 4};
    tulle_tuner *tuner = NULL;
    tulle_linop *L = NULL, *of[MADE_OF];
    tulle_linop_info info;
    tulle_tuner_info known;
    int steps = 0;
    must(tulle_tuner_create(ctx, &options, &tuner));
    for (int round = 0; round < 3; round++) {
        tulle_solver *S = NULL;
        tulle_solve_report r;
        must(tulle_linop_tuned(ctx, tuner, p.A, &L));
        must(tulle_linop_describe(L, &info));
        assert_false(info.capturable);
        make_of(ctx, L, of);
        assert_capturable(of, false);
        must(tulle_solver_create(ctx, L, NULL, NULL, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &r));
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        must(tulle_linop_describe(L, &info));
        assert_true(info.capturable);
        assert_capturable(of, true);
        for (int i = 0; i < MADE_OF; i++) tulle_linop_destroy(of[i]);
        must(tulle_tuner_describe(tuner, TULLE_N, p.A, &known));
        assert_true(known.settled);
        if (round > 0) assert_int_equal(known.steps, steps);
        steps = known.steps;
        tulle_solver_destroy(S);
        tulle_linop_destroy(L);
        for (int64_t k = 0; k < p.s.nnz; k++) p.s.values[k] *= 1.5;
        must(tulle_mat_set_values(ctx, p.A, p.s.nnz, p.s.values));
    }
    tulle_tuner_destroy(tuner);
    give_up(&p);
}
ONCE_ON_EACH_PLACE(tuned)

/* Under the repeatable setting nothing is tried, and the bits are those without a tuner. */
static void not_tuned(tulle_ctx *ctx, const char *where) {
    problem p = make(ctx, system_grid(is_slow(where) ? 6 : 40, 0, 0.001), TULLE_F64);
    const size_t bytes = (size_t)p.s.n * sizeof(double);
    const tulle_tuner_options options = {.cache = ""};
    double *x[2];
    tulle_tuner *tuner = NULL;
    tulle_tuner_info known;
    must(tulle_ctx_set_repeatable(ctx, true));
    must(tulle_tuner_create(ctx, &options, &tuner));
    for (int i = 0; i < 2; i++) {
        tulle_linop *L = NULL;
        tulle_solver *S = NULL;
        tulle_linop_info info;
        must(i > 0 ? tulle_linop_tuned(ctx, tuner, p.A, &L) : tulle_linop_from_mat(ctx, p.A, &L));
        must(tulle_linop_describe(L, &info));
        assert_true(info.capturable);
        must(tulle_solver_create(ctx, L, NULL, NULL, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, NULL));
        x[i] = numbers_of(ctx, p.x, p.s.n);
        tulle_solver_destroy(S);
        tulle_linop_destroy(L);
    }
    assert_memory_equal(x[0], x[1], bytes);
    assert_int_equal(tulle_tuner_describe(tuner, TULLE_N, p.A, &known), TULLE_NOT_FOUND);
    must(tulle_ctx_set_repeatable(ctx, false));
    tulle_tuner_destroy(tuner);
    free(x[0]);
    free(x[1]);
    give_up(&p);
}
ONCE_ON_EACH_PLACE(not_tuned)

static void assert_fails(tulle_status got, tulle_status wanted, const char *function,
                         const char *argument) {
    assert_int_equal(got, wanted);
    assert_string_equal(tulle_last_error()->function, function);
    assert_string_equal(tulle_last_error()->argument, argument);
}

static void refusals(tulle_ctx *ctx, const char *where) {
    problem p = make(ctx, system_grid(4, 0, 0), TULLE_F64);
    const tulle_solve_options wrong[] = {
        {.method = (tulle_method)9},
        {.tolerance = -1},
        {.tolerance = (double)NAN},
        {.absolute = (double)INFINITY},
        {.norm = (tulle_residual_norm)2},
        {.max_iterations = -1},
        {.max_seconds = -1},
        {.patience = -1},
        {.restart = 257},
        {.lowest = 2, .highest = 1},
        {.highest = 1},
        {.constant_null_space = true, .null_space = p.b},
        {.single_M = p.M},
    };
    (void)where;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tulle_solver *S = (tulle_solver *)1;
        assert_fails(tulle_solver_create(ctx, p.L, NULL, wrong + i, &S), TULLE_INVALID_ARGUMENT,
                     "tulle_solver_create", "options");
        assert_null(S);
    }
    tulle_solver *S = (tulle_solver *)1;
    tulle_dense *ones = system_vector(ctx, TULLE_F64, p.s.n, 1);
    must(tulle_dense_fill(ctx, ones, 1));
    assert_fails(
        tulle_solver_create(ctx, p.L, NULL, &(tulle_solve_options){.null_space = ones}, &S),
        TULLE_INVALID_ARGUMENT, "tulle_solver_create", "null_space");
    assert_null(S);
    tulle_dense_destroy(ones);
    tulle_dense *single = system_vector(ctx, TULLE_F32, p.s.n, 1);
    tulle_dense *shorter = system_vector(ctx, TULLE_F64, p.s.n - 1, 1);
    tulle_linop *narrow = NULL, *small = NULL;
    must(tulle_linop_diagonal(ctx, single, &narrow));
    must(tulle_linop_diagonal(ctx, shorter, &small));
    assert_fails(tulle_solver_create(ctx, p.L, narrow, NULL, &S), TULLE_TYPE_MISMATCH,
                 "tulle_solver_create", "M");
    assert_fails(tulle_solver_create(ctx, p.L, small, NULL, &S), TULLE_SHAPE_MISMATCH,
                 "tulle_solver_create", "M");
    must(tulle_solver_create(ctx, p.L, NULL, NULL, &S));
    assert_fails(tulle_solver_run(ctx, S, shorter, p.x, NULL), TULLE_SHAPE_MISMATCH,
                 "tulle_solver_run", "b");
    assert_fails(tulle_solver_run(ctx, S, p.b, single, NULL), TULLE_TYPE_MISMATCH,
                 "tulle_solver_run", "x");
    must(tulle_solver_run(ctx, S, p.b, p.b, NULL)); /* in place */
    tulle_solver_destroy(S);
    tulle_linop *indefinite = NULL;
    must(tulle_linop_sum(ctx, -1, p.L, 0, NULL, &indefinite));
    const tulle_solve_options chebyshev = {.method = TULLE_CHEBYSHEV};
    assert_int_equal(tulle_solver_create(ctx, indefinite, NULL, &chebyshev, &S), TULLE_UNSUPPORTED);
    assert_null(S);
    tulle_linop_destroy(indefinite);
    tulle_linop_destroy(narrow);
    tulle_linop_destroy(small);
    tulle_dense_destroy(single);
    tulle_dense_destroy(shorter);
    give_up(&p);

    assert_string_equal(tulle_method_name(TULLE_GMRES), "gmres");
    assert_null(tulle_method_name((tulle_method)-1));
    assert_string_equal(tulle_outcome_name(TULLE_STAGNATED), "STAGNATED");
    assert_string_equal(tulle_outcome_name((tulle_outcome)99), "UNKNOWN");
    assert_non_null(strstr(tulle_outcome_text(TULLE_INDEFINITE), "not positive definite"));
}
ONCE_ON_EACH_PLACE(refusals)

/* The n-th allocation fails, for all n: a clean status, and nothing is lost. */
static bool fails_cleanly(const char *where, tulle_method method, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    const bool singular = method == TULLE_GMRES;
    problem p = make(ctx, singular ? system_torus(4) : system_grid(4, 0, 0.1), TULLE_F64);
    const tulle_solve_options o = {.method = method, .restart = 5, .constant_null_space = singular};
    tulle_solver *S = NULL;
    c.fail_at = c.requests + n;
    tulle_status status = tulle_solver_create(ctx, p.L, p.M, &o, &S);
    if (status == TULLE_OK) status = tulle_solver_run(ctx, S, p.b, p.x, NULL);
    const bool done = status == TULLE_OK && c.requests < c.fail_at;
    if (status != TULLE_OK) assert_int_equal(status, TULLE_OUT_OF_MEMORY);
    c.fail_at = 0;
    if (S) must(tulle_solver_run(ctx, S, p.b, p.x, NULL));
    tulle_solver_destroy(S);
    give_up(&p);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void no_memory(tulle_ctx *ctx, const char *where) {
    const int turn = turn_of(where, TULLE_METHOD_COUNT);
    (void)ctx;
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        if (is_slow(where) && method != turn) continue;
        int64_t n = 1;
        while (!fails_cleanly(where, (tulle_method)method, n)) n += is_slow(where) ? 5 : 1;
        assert_true(n > 3);
    }
}
ONCE_ON_EACH_PLACE(no_memory)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_again),  cmocka_unit_test(test_limits),
        cmocka_unit_test(test_null_spaces), cmocka_unit_test(test_no_null_space),
        cmocka_unit_test(test_far_guess),   cmocka_unit_test(test_narrow_formats),
        cmocka_unit_test(test_no_worse),    cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_tuned),       cmocka_unit_test(test_callers),
        cmocka_unit_test(test_not_tuned),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
