/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_dist_solve: threads that share the rows of a system choose the same way, and find a
 * solution of the whole system, with the same bits in every run; what one of them cannot do, none
 * does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "joint.h"
#include "places.h"

/* A system, whose matrix joint.c makes, and how tulle_dist_solve solves it. */
typedef struct {
    joint j; /* first: the data of a process are this task, and joint.c reads them */
    tulle_solve_options options[MOST_RANKS];
    int columns;           /* right-hand sides; 0 and 1: b alone */
    const double *several; /* [rows][columns] their numbers, in f64; NULL: ones */
    tulle_solve_report report[MOST_RANKS];
    bool starts; /* x begins at ones */
} task;

static tulle_status solve(process *p) {
    task *t = p->data;
    int64_t first;
    const int64_t rows = joint_share(&t->j, p->ranks, p->rank, &first);
    const int columns = t->columns > 0 ? t->columns : 1;
    tulle_dist_mat *A = NULL;
    tulle_vec *b = NULL, *x = NULL;
    void *given = ranks_numbers(t->j.b + first, rows, t->j.type);
    tulle_status status = joint_matrix(p, &A);
    if (status == TULLE_OK)
        status = tulle_vec_create_columns(p->ctx, t->j.type, rows, columns, TULLE_ROW_MAJOR, 0, &b);
    if (status == TULLE_OK)
        status = tulle_vec_create_columns(p->ctx, t->j.type, rows, columns, TULLE_ROW_MAJOR, 0, &x);
    if (status == TULLE_OK && columns == 1) status = tulle_vec_write(p->ctx, b, given, 0);
    if (status == TULLE_OK && columns > 1) {
        status = t->several ? tulle_vec_write(p->ctx, b, (void *)(t->several + columns * first), 0)
                            : tulle_vec_fill(p->ctx, b, 1);
    }
    if (status == TULLE_OK) status = tulle_vec_fill(p->ctx, x, t->starts ? 1 : NAN);
    if (status == TULLE_OK) {
        status = tulle_dist_solve(p->ctx, A, b, x, t->options + p->rank, t->report + p->rank);
    }
    if (status == TULLE_OK) status = tulle_dist_gather(p->ctx, p->comm, x, 0, t->j.x);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_dist_mat_destroy(A);
    free(given);
    return status;
}

/* Solves by so many threads, which have found out the same. */
static tulle_solve_report together(const char *where, int ranks, task *t) {
    process p[MOST_RANKS];
    for (int r = 1; r < ranks; r++) t->options[r] = t->options[0];
    run_ranks(ranks, 0, where, solve, t, p);
    must_all(p);
    const tulle_solve_report *a = t->report;
    for (int r = 1; r < ranks; r++) {
        const tulle_solve_report *c = t->report + r;
        assert_int_equal(c->solver.outcome, a->solver.outcome);
        assert_int_equal(c->solver.iterations, a->solver.iterations);
        assert_memory_equal(&c->solver.norm, &a->solver.norm, sizeof(double));
        assert_int_equal(c->method, a->method);
        assert_string_equal(c->precond, a->precond);
        assert_string_equal(c->method_why, a->method_why);
        assert_string_equal(c->precond_why, a->precond_why);
        assert_int_equal(c->attempts, a->attempts);
        for (int i = 0; i < a->attempts; i++) {
            assert_int_equal(c->attempt[i].row, a->attempt[i].row);
            assert_int_equal(c->attempt[i].outcome, a->attempt[i].outcome);
        }
    }
    return *a;
}

/* Fails unless x solves the system to the tolerance, in long double. */
static void expect_solved(const task *t, const tulle_solve_report *r) {
    const double limit = t->j.type == TULLE_F32 ? 1e-5 : 1e-8, left = joint_residual(&t->j);
    if (r->solver.outcome == TULLE_CONVERGED && left <= 1.01 * limit) return;
    fail_msg("%s with %s: %s, %g", tulle_method_name(r->method), r->precond,
             tulle_outcome_text(r->solver.outcome), left);
}

enum { SIDE = JOINT_SIDE, N = JOINT_N };

static task make(int side, double convection, double shift, double *b, double *x) {
    task t = {.j = joint_make(side, convection, b, x)};
    if (shift == 0) return t;
    system_free(&t.j.s);
    t.j.s = system_grid(side, convection, shift);
    return t;
}

/* Rows whose diagonal entry is smaller than the others together. */
static int64_t count_not_dominant(const host_system *s) {
    int64_t count = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double others = 0, diagonal = 0;
        for (int64_t e = s->offsets[i]; e < s->offsets[i + 1]; e++) {
            if (s->columns[e] == i) {
                diagonal = fabs(s->values[e]);
            } else {
                others += fabs(s->values[e]);
            }
        }
        count += others > diagonal * (1 + 1e-6);
    }
    return count;
}

/* The method follows from the facts of the whole matrix, and finds a solution. */
static void choices(tulle_ctx *ctx, const char *where) {
    static const struct {
        double convection, shift;
        tulle_method method;
    } cases[] = {{0, 0, TULLE_CG}, {0.3, 0.1, TULLE_BICGSTAB}, {0.3, -0.1, TULLE_GMRES}};
    double b[N], x[N];
    int number = 0;
    (void)ctx;
    for (int i = 0; i < 3; i++) {
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            if (is_slow(where) && number++ % 3 != turn_of(where, 3)) continue;
            task t = make(SIDE, cases[i].convection, cases[i].shift, b, x);
            t.j.none_for_1 = ranks > 2;
            t.j.type = ranks % 2 ? TULLE_F64 : TULLE_F32;
            const tulle_solve_report r = together(where, ranks, &t);
            assert_int_equal(r.attempt[0].method, cases[i].method);
            assert_int_equal(r.facts.symmetric, cases[i].convection == 0);
            assert_int_equal(r.facts.diagonal_positive, N);
            assert_int_equal(r.facts.not_dominant, count_not_dominant(&t.j.s));
            assert_int_equal(r.solved.rows, N);
            assert_int_equal(r.solved.nnz, t.j.s.nnz);
            expect_solved(&t, &r);
            system_free(&t.j.s);
        }
    }
}
ONCE_ON_EACH_PLACE(choices)

/* Every preconditioner that is given, with methods that are given. */
static void preconditioners(tulle_ctx *ctx, const char *where) {
    static const char *const preconds[] = {
        "none", "jacobi",      "block-jacobi:3", "ilu:0",       "ic:0",          "milu:0",
        "lu",   "chebyshev:3", "amg:2",          "amg-plain:2", "amg-smoothed:1"};
    static const char *const methods[] = {"cg", "gmres", "minres"};
    double b[N], x[N], again[N];
    int number = 0;
    (void)ctx;
    for (int i = 0; i < (int)(sizeof preconds / sizeof *preconds); i++) {
        if (is_slow(where) && number++ % 3 != turn_of(where, 3)) continue;
        task t = make(SIDE, 0, 0, b, x);
        t.j.none_for_1 = i % 2;
        t.options[0].precond = preconds[i];
        t.options[0].method = methods[i % 3];
        t.options[0].solver.restart = strcmp(methods[i % 3], "gmres") == 0 ? 60 : 0;
        const tulle_solve_report r = together(where, 3, &t);
        assert_string_equal(r.precond, preconds[i]);
        assert_int_equal(r.attempts, 1);
        expect_solved(&t, &r);
        t.j.x = again;
        together(where, 3, &t);
        assert_memory_equal(x, again, sizeof x);
        system_free(&t.j.s);
    }
}
ONCE_ON_EACH_PLACE(preconditioners)

/* A pivot of rank 1's factors is 0: all take the diagonal, or nothing where it was given. */
static void test_pivot(void **state) {
    (void)state;
    double b[N], x[N];
    task t = make(SIDE, 0, 0, b, x);
    process p[MOST_RANKS];
    int64_t second;
    tulle_dist_share(N, 2, 1, &second);
    /* row `second` and the next: 1 1 / 1 1, so that the pivot of the latter is 0 */
    for (int64_t i = second; i < second + 2; i++) {
        for (int64_t e = t.j.s.offsets[i]; e < t.j.s.offsets[i + 1]; e++) {
            const int64_t c = t.j.s.columns[e];
            t.j.s.values[e] = c == second || c == second + 1 ? 1 : t.j.s.values[e];
        }
    }
    const tulle_solve_report r = together("cpu:1", 2, &t);
    bool failed = false;
    for (int i = 0; i < r.attempts; i++) {
        failed = failed || (!r.attempt[i].made && r.attempt[i].row == second + 1);
    }
    assert_true(failed);
    t.options[0].precond = t.options[1].precond = "ilu";
    run_ranks(2, 0, "cpu:1", solve, &t, p);
    assert_int_equal(p[0].status, TULLE_PEER_FAILED);
    assert_non_null(strstr(p[0].words, "rank 1 failed"));
    assert_int_equal(p[1].status, TULLE_ZERO_PIVOT);
    char words[RANK_WORDS];
    snprintf(words, sizeof words, "of rank 1 cannot be made: row %d has no pivot", (int)second + 1);
    assert_non_null(strstr(p[1].words, words));
    system_free(&t.j.s);
}

/* Symmetric and indefinite: CG ends, and another method finds x. */
static void test_indefinite(void **state) {
    (void)state;
    double b[N], x[N];
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        task t = make(SIDE, 0, -2.5, b, x);
        const tulle_solve_report r = together("cpu:1", ranks, &t);
        assert_int_equal(r.attempt[0].method, TULLE_CG);
        assert_int_not_equal(r.attempt[0].outcome, TULLE_CONVERGED);
        assert_true(r.attempts > 1);
        expect_solved(&t, &r);
        system_free(&t.j.s);
    }
}

/* One entry of the last process makes A unsymmetric for all. */
static void test_last_row(void **state) {
    (void)state;
    double b[N], x[N];
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        task t = make(SIDE, 0, 0, b, x);
        t.j.s.values[t.j.s.nnz - 2] *= 0.5;
        assert_int_not_equal(t.j.s.columns[t.j.s.nnz - 2], N - 1);
        const tulle_solve_report r = together("cpu:1", ranks, &t);
        assert_false(r.facts.symmetric);
        assert_int_equal(r.method, TULLE_BICGSTAB);
        expect_solved(&t, &r);
        system_free(&t.j.s);
    }
}

/* Returns |b - A x| for an x of ones. */
static double residual_of_ones(const task *t) {
    double squares = 0;
    for (int64_t i = 0; i < t->j.s.n; i++) {
        double left = t->j.b[i];
        for (int64_t e = t->j.s.offsets[i]; e < t->j.s.offsets[i + 1]; e++)
            left -= t->j.s.values[e];
        squares += left * left;
    }
    return sqrt(squares);
}

/* Limits hold for all attempts together; x is the best, and begins at a guess. */
static void test_limits(void **state) {
    (void)state;
    double b[N], x[N];
    task t = make(SIDE, 0, 0, b, x);
    t.options[0].solver.max_iterations = 3;
    t.options[0].precond = "none";
    t.options[0].method = "gmres";
    t.options[0].solver.guess = t.starts = true;
    const tulle_solve_report r = together("cpu:1", 3, &t);
    assert_int_equal(r.solver.outcome, TULLE_MOST_ITERATIONS);
    assert_int_equal(r.solver.iterations, 3);
    assert_true(r.solver.norm < r.solver.start_norm);
    assert_true(fabs(r.solver.start_norm - residual_of_ones(&t)) < 1e-12 * r.solver.start_norm);
    t.options[0] = (tulle_solve_options){.solver = {.max_iterations = 3}};
    assert_int_equal(together("cpu:1", 3, &t).attempts, 1);
    t.options[0] = (tulle_solve_options){.solver = {.max_seconds = 1e-9}};
    assert_int_equal(together("cpu:1", 3, &t).solver.outcome, TULLE_MOST_TIME);
    t.options[0] = (tulle_solve_options){.method = NULL};
    t.columns = 2;
    double two[2 * N];
    t.j.x = two;
    assert_int_equal(together("cpu:1", 3, &t).solver.outcome, TULLE_CONVERGED);
    for (int i = 0; i < N; i++) assert_true(two[i] == two[N + i]);
    system_free(&t.j.s);
}

/* The report of several right-hand sides has the norms and the limit of that which is farthest from
 * its limit, and each has the best x of all attempts. */
static void test_several(void **state) {
    (void)state;
    enum { COLUMNS = 3 };
    double b[N], x[COLUMNS * N], several[N * COLUMNS];
    for (int most = 2; most <= 60; most += 2) {
        task t = make(SIDE, 0, -2.5, b, x);
        for (int i = 0; i < N; i++) {
            several[COLUMNS * i] = b[i];
            several[COLUMNS * i + 1] = i == 0 ? 1000 : 0;
            several[COLUMNS * i + 2] = 0.01 * (i % 7);
        }
        t.columns = COLUMNS;
        t.several = several;
        t.options[0] = (tulle_solve_options){.solver.max_iterations = most};
        const tulle_solve_report r = together("cpu:1", 2, &t);
        double worst = -1, norm = 0, start = 0;
        for (int j = 0; j < COLUMNS; j++) {
            for (int i = 0; i < N; i++) b[i] = several[COLUMNS * i + j];
            t.j.x = x + (ptrdiff_t)j * N;
            double size = 0;
            for (int i = 0; i < N; i++) size += b[i] * b[i];
            const double left = joint_residual(&t.j);
            if (left <= worst) continue;
            worst = left;
            start = sqrt(size);
            norm = left * start;
        }
        if (r.solver.outcome == TULLE_CONVERGED) assert_true(worst <= 1e-8 * 1.01);
        assert_true(fabs(r.solver.norm - norm) <= 1e-6 * norm);
        assert_true(fabs(r.solver.limit - 1e-8 * start) <= 1e-14 * start);
        assert_true(worst <= 1 + 1e-12);
        system_free(&t.j.s);
    }
}

/* No method is of any use where a number is NaN. */
static void test_not_a_number(void **state) {
    (void)state;
    double b[N], x[N];
    task t = make(SIDE, 0, 0, b, x);
    t.j.s.values[t.j.s.nnz - 1] = NAN;
    const tulle_solve_report r = together("cpu:1", 3, &t);
    assert_int_equal(r.solver.outcome, TULLE_NOT_A_NUMBER);
    assert_int_equal(r.attempts, 1);
    system_free(&t.j.s);
}

/* Options that differ, or are for one process. */
static void test_refused(void **state) {
    (void)state;
    static const struct {
        tulle_solve_options first, second;
        tulle_status due;
        const char *words;
    } cases[] = {
        {{.method = "cg"}, {.method = "gmres"}, TULLE_INVALID_ARGUMENT, "method differs"},
        {{.precond = "ilu:1"}, {.precond = "ilu:2"}, TULLE_INVALID_ARGUMENT, "precond differs"},
        {{.mixed = true}, {.mixed = true}, TULLE_UNSUPPORTED, "mixed"},
        {{.block = 2}, {.block = 2}, TULLE_UNSUPPORTED, "block"},
        {{.method = "cgs"}, {.method = "cgs"}, TULLE_INVALID_ARGUMENT, "none of cg"},
        {{.shift = -1}, {.shift = -1}, TULLE_INVALID_ARGUMENT, "shift: -1"},
        {{.max_attempts = 9}, {.max_attempts = 9}, TULLE_INVALID_ARGUMENT, "max_attempts: 9"},
    };
    double b[N], x[N];
    task t = make(SIDE, 0, 0, b, x);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        process p[MOST_RANKS];
        t.options[0] = cases[i].first;
        t.options[1] = cases[i].second;
        run_ranks(2, 0, "cpu:1", solve, &t, p);
        for (int r = 0; r < 2; r++) {
            assert_int_equal(p[r].status, cases[i].due);
            if (!strstr(p[r].words, cases[i].words)) fail_msg("%s", p[r].words);
        }
    }
    system_free(&t.j.s);
}

/* Each allocation of rank 1 fails in turn: both processes end, and the other one hears of it. */
static tulle_status without_memory(process *p) {
    task *t = p->data;
    counting c = {.fail_at = 0};
    tulle_allocator allocator = counting_allocator(&c);
    const tulle_ctx_options options = {.host = &allocator};
    tulle_ctx *own = p->ctx;
    tulle_dist_mat *A = NULL;
    tulle_vec *b = NULL, *x = NULL;
    int64_t first;
    tulle_status status = tulle_ctx_create(p->where, &options, &p->ctx);
    if (status != TULLE_OK) return status;
    const int64_t rows = joint_share(&t->j, p->ranks, p->rank, &first);
    status = joint_matrix(p, &A);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, t->j.type, rows, &b);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, t->j.type, rows, &x);
    if (status == TULLE_OK) status = tulle_vec_fill(p->ctx, b, 1);
    if (p->rank == 1) c.fail_at = c.requests + t->j.fail_at;
    if (status == TULLE_OK) {
        status = tulle_dist_solve(p->ctx, A, b, x, t->options, t->report + p->rank);
    }
    c.fail_at = 0;
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_dist_mat_destroy(A);
    tulle_comm_destroy(p->comm); /* it has memory of the context, too */
    p->comm = NULL;
    tulle_ctx_destroy(p->ctx);
    p->ctx = own;
    if (c.live > 0) status = wrong("%lld blocks are left", (long long)c.live);
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    double b[N], x[N];
    task t = make(5, 0.3, 0, b, x);
    process p[MOST_RANKS];
    for (bool failed = true; failed;) {
        t.j.fail_at++;
        run_ranks(2, 60, "cpu:1", without_memory, &t, p);
        failed = p[1].status != TULLE_OK || t.report[1].attempts > 1;
        if (p[1].status == TULLE_OK && p[0].status == TULLE_OK) continue;
        if (p[1].status != TULLE_OUT_OF_MEMORY || p[0].status != TULLE_PEER_FAILED) {
            fail_msg("allocation %d: %s; %s", t.j.fail_at, p[0].words, p[1].words);
        }
    }
    assert_true(t.j.fail_at > 20);
    system_free(&t.j.s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices),  cmocka_unit_test(test_preconditioners),
        cmocka_unit_test(test_pivot),    cmocka_unit_test(test_indefinite),
        cmocka_unit_test(test_limits),   cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_last_row), cmocka_unit_test(test_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
