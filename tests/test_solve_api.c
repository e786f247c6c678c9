/* SPDX-License-Identifier: Apache-2.0 */
/* Solvers beside their numbers: what they keep, tell, allocate and refuse; mixed precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "places.h"
#include "problems.h"

/* The same bits every time, also from graphs; new values of A; nothing more is allocated. */
static void runs_again(tulle_ctx *ctx, const char *where) {
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        problem p = problem_with_jacobi(ctx, system_grid(problem_side(where), 0, 0.2), TULLE_F64);
        const tulle_solver_options o = {.method = (tulle_method)method, .restart = 7};
        tulle_solver *S = NULL;
        tulle_solver_report first, next;
        tulle_memory_usage before, after;
        must(tulle_solver_create(ctx, p.L, p.M, &o, &S));
        must(tulle_solver_run(ctx, S, p.b, p.x, &first));
        assert_int_equal(first.outcome, TULLE_CONVERGED);
        assert_true(first.iterations > 3);
        double *x = problem_x(ctx, &p);
        must(tulle_ctx_memory(ctx, &before));
        for (int round = 0; round < 3; round++) {
            must(tulle_solver_run(ctx, S, p.b, p.x, &next));
            double *again = problem_x(ctx, &p);
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
        problem_free(&p);
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
    problem p = problem_with_jacobi(ctx, system_grid(problem_side(where), 0, 0), TULLE_F64);
    listener l = {.told = -1, .stop_at = INT64_MAX, .in_order = true};
    tulle_solver_options o = {.monitor = listen, .monitor_user = &l};
    tulle_solver *S = NULL;
    tulle_solver_report r;
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

    o = (tulle_solver_options){.max_iterations = 4};
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    assert_int_equal(r.outcome, TULLE_MOST_ITERATIONS);
    assert_int_equal(r.iterations, 4);
    assert_true(r.norm < r.start_norm);
    tulle_solver_destroy(S);

    o = (tulle_solver_options){.max_seconds = 1e-9, .tolerance = 1e-15};
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    assert_int_equal(r.outcome, TULLE_MOST_TIME);
    tulle_solver_destroy(S);

    o = (tulle_solver_options){.tolerance = 1e-40, .patience = 20};
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    assert_int_not_equal(r.outcome, TULLE_CONVERGED);
    assert_true(r.norm <= 1e-12 * r.start_norm);
    tulle_solver_destroy(S);

    o = (tulle_solver_options){.guess = true}; /* from the solution there is nothing to do */
    must(tulle_solver_create(ctx, p.L, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    assert_int_equal(r.iterations, 0);
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    must(tulle_vec_fill(ctx, p.b, 0)); /* and of 0, 0 is the solution */
    must(tulle_solver_run(ctx, S, p.b, p.x, &r));
    double *x = problem_x(ctx, &p);
    for (int64_t i = 0; i < p.s.n; i++) assert_true(x[i] == 0);
    free(x);
    tulle_solver_destroy(S);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(limits)

/* f32 inside, the tolerance of f64. */
static void mixed(tulle_ctx *ctx, const char *where) {
    problem p = problem_with_jacobi(ctx, system_grid(problem_side(where), 0, 0.01), TULLE_F64);
    tulle_mat *single = NULL;
    tulle_linop *L = NULL, *M = NULL;
    must(tulle_mat_copy(ctx, p.A, TULLE_F32, &single));
    must(tulle_linop_from_mat(ctx, single, &L));
    must(tulle_linop_jacobi(ctx, L, &M));
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        if (method == TULLE_CHEBYSHEV) continue;
        const tulle_solver_options o = {
            .method = (tulle_method)method, .tolerance = 1e-12, .single_A = L, .single_M = M};
        tulle_solver *S = NULL;
        tulle_solver_report r;
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
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(mixed)

static void assert_fails(tulle_status got, tulle_status wanted, const char *function,
                         const char *argument) {
    assert_int_equal(got, wanted);
    assert_string_equal(tulle_last_error()->function, function);
    assert_string_equal(tulle_last_error()->argument, argument);
}

static void refusals(tulle_ctx *ctx, const char *where) {
    problem p = problem_with_jacobi(ctx, system_grid(4, 0, 0), TULLE_F64);
    const tulle_solver_options wrong[] = {
        {.method = (tulle_method)9},
        {.tolerance = -1},
        {.tolerance = (double)NAN},
        {.absolute = (double)INFINITY},
        {.norm = (tulle_residual_norm)2},
        {.method = TULLE_FGMRES, .norm = TULLE_PRECONDITIONED_NORM},
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
    tulle_vec *ones = system_vector(ctx, TULLE_F64, p.s.n, 1);
    must(tulle_vec_fill(ctx, ones, 1));
    assert_fails(
        tulle_solver_create(ctx, p.L, NULL, &(tulle_solver_options){.null_space = ones}, &S),
        TULLE_INVALID_ARGUMENT, "tulle_solver_create", "null_space");
    assert_null(S);
    tulle_vec_destroy(ones);
    tulle_vec *single = system_vector(ctx, TULLE_F32, p.s.n, 1);
    tulle_vec *shorter = system_vector(ctx, TULLE_F64, p.s.n - 1, 1);
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
    const tulle_solver_options chebyshev = {.method = TULLE_CHEBYSHEV};
    assert_int_equal(tulle_solver_create(ctx, indefinite, NULL, &chebyshev, &S), TULLE_UNSUPPORTED);
    assert_null(S);
    tulle_linop_destroy(indefinite);
    tulle_linop_destroy(narrow);
    tulle_linop_destroy(small);
    tulle_vec_destroy(single);
    tulle_vec_destroy(shorter);
    problem_free(&p);

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
    problem p =
        problem_with_jacobi(ctx, singular ? system_torus(4) : system_grid(4, 0, 0.1), TULLE_F64);
    const tulle_solver_options o = {
        .method = method, .restart = 5, .constant_null_space = singular};
    tulle_solver *S = NULL;
    c.fail_at = c.requests + n;
    tulle_status status = tulle_solver_create(ctx, p.L, p.M, &o, &S);
    if (status == TULLE_OK) status = tulle_solver_run(ctx, S, p.b, p.x, NULL);
    const bool done = status == TULLE_OK && c.requests < c.fail_at;
    if (status != TULLE_OK) assert_int_equal(status, TULLE_OUT_OF_MEMORY);
    c.fail_at = 0;
    if (S) must(tulle_solver_run(ctx, S, p.b, p.x, NULL));
    tulle_solver_destroy(S);
    problem_free(&p);
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
        cmocka_unit_test(test_runs_again), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_mixed),      cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
