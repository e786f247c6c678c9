/* SPDX-License-Identifier: Apache-2.0 */
/* Multigrid of distributed matrices: what is refused, what is not a number, and that all processes
 * hear of a failure of one of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/error.h"
#include "counting.h"
#include "places.h"
#include "shares.h"

/* The matrix, and the options of rank 1. */
typedef struct {
    shares s;
    tulle_amg_options options;
    int fail_at; /* allocation of rank 1 that fails */
} task;

static const tulle_amg_options plain = {.coarsest_rows = 8, .gathered_rows = 10};

static tulle_status make_matrix(const process *p, tulle_dist_mat **A) {
    process own = *p;
    own.data = &((task *)p->data)->s;
    return shares_matrix(&own, TULLE_F64, A);
}

/* Returns `made`, if the communicator is still of use. */
static tulle_status go_on(const process *p, tulle_status made) {
    double norm = 0;
    tulle_vec *x = NULL;
    TULLE__TRY(tulle_vec_create(p->ctx, TULLE_F64, 1, &x));
    tulle_status status = tulle_vec_fill(p->ctx, x, 1);
    if (status == TULLE_OK) status = tulle_dist_norm2(p->ctx, p->comm, x, &norm);
    tulle_vec_destroy(x);
    TULLE__TRY(status);
    return norm * norm > p->ranks - 0.5 ? made : wrong("norm %g", norm);
}

/* The failure's own record is kept for the test. */
static tulle_status differ(process *p) {
    const task *t = p->data;
    tulle_dist_mat *A = NULL;
    tulle_linop *M = (tulle_linop *)1;
    TULLE__TRY(make_matrix(p, &A));
    const tulle_status status =
        tulle_amg_create_dist(p->ctx, A, p->rank == 1 ? &t->options : &plain, &M);
    tulle_dist_mat_destroy(A);
    return M ? wrong("a hierarchy") : status;
}

static void test_options(void **state) {
    (void)state;
    static const struct {
        tulle_amg_options options;
        const char *argument; /* NULL: rank 1 alone is at fault */
        tulle_status status;
    } cases[] = {
        {{.strength = 0.5, .coarsest_rows = 8, .gathered_rows = 10}, "options.strength", 0},
        {{.degree = 3, .coarsest_rows = 8, .gathered_rows = 10}, "options.degree", 0},
        {{.coarsest_rows = 8, .gathered_rows = 11}, "options.gathered_rows", 0},
        {{.coarsest_rows = 9, .gathered_rows = 10}, "options.coarsest_rows", 0},
        {{.gathered_rows = -1}, NULL, TULLE_INVALID_ARGUMENT},
        {{.degree = 99}, NULL, TULLE_INVALID_ARGUMENT},
        {{.family = TULLE_AMG_SMOOTHED, .coarsest_rows = 8, .gathered_rows = 10},
         "options.family",
         0},
        {{.keep_plans = true}, NULL, TULLE_UNSUPPORTED},
        {{.block = 2}, NULL, TULLE_UNSUPPORTED},
    };
    task t = {.s = shares_grid(&(grid){6, 1, {1, 1, 1}, 1})};
    shares_deal(&t.s, 3, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        process p[MOST_RANKS];
        t.options = cases[i].options;
        run_ranks(3, 30, "cpu:1", differ, &t, p);
        for (int r = 0; r < 3; r++) {
            if (cases[i].argument) {
                assert_int_equal(p[r].status, TULLE_INVALID_ARGUMENT);
                assert_string_equal(p[r].argument, cases[i].argument);
            } else {
                assert_int_equal(p[r].status, r == 1 ? cases[i].status : TULLE_PEER_FAILED);
            }
        }
    }
    shares_drop(&t.s);
}

/* A matrix that is not square, and one that is missing; calls that a shared hierarchy lacks. */
static tulle_status refused(process *p) {
    tulle_dist_mat *A = NULL, *wide = NULL;
    tulle_linop *M = NULL;
    static const int64_t offsets[] = {0, 0};
    tulle_status status = make_matrix(p, &A);
    if (status == TULLE_OK) {
        status =
            tulle_dist_mat_create(p->ctx, p->comm, 1, 2, offsets, NULL, TULLE_F64, NULL, &wide);
    }
    if (status == TULLE_OK &&
        (tulle_amg_create_dist(p->ctx, wide, &plain, &M) != TULLE_SHAPE_MISMATCH || M ||
         tulle_amg_create_dist(p->ctx, NULL, &plain, &M) != TULLE_INVALID_ARGUMENT || M)) {
        status = wrong("a matrix that has no hierarchy");
    }
    const tulle_status due = p->rank == 1 ? TULLE_INVALID_ARGUMENT : TULLE_PEER_FAILED;
    if (status == TULLE_OK &&
        tulle_amg_create_dist(p->ctx, A, &plain, p->rank == 1 ? NULL : &M) != due) {
        status = wrong("a place that is missing");
    }
    if (status == TULLE_OK) status = tulle_amg_create_dist(p->ctx, A, &plain, &M);
    if (status == TULLE_OK) status = tulle_amg_update(p->ctx, M, NULL, TULLE_AMG_ANEW);
    if (status == TULLE_OK) status = go_on(p, TULLE_OK);
    const tulle_amg_how how = p->rank == 1 ? TULLE_AMG_KEEP_P : TULLE_AMG_ANEW;
    if (status == TULLE_OK && (tulle_amg_update(p->ctx, M, NULL, how) != TULLE_INVALID_ARGUMENT ||
                               strcmp(tulle_last_error()->argument, "how") != 0)) {
        status = wrong("different updates");
    }
    if (status == TULLE_OK &&
        tulle_amg_update(p->rank == 1 ? NULL : p->ctx, M, NULL, TULLE_AMG_KEEP_P) != due) {
        status = wrong("a context that is missing");
    }
    if (status == TULLE_OK) status = tulle_amg_update(p->ctx, M, NULL, TULLE_AMG_KEEP_P);
    tulle_linop_destroy(M);
    tulle_dist_mat_destroy(A);
    tulle_dist_mat_destroy(wide);
    return status;
}

static void test_refused(void **state) {
    (void)state;
    task t = {.s = shares_grid(&(grid){6, 1, {1, 1, 1}, 1})};
    process p[MOST_RANKS];
    shares_deal(&t.s, 3, 0);
    run_ranks(3, 30, "cpu:1", refused, &t, p);
    must_all(p);
    shares_drop(&t.s);
}

/* A number that is none ends in a solution that says so, and no process waits. */
static tulle_status solve(process *p) {
    const task *t = p->data;
    const int64_t rows = t->s.row_start[p->rank + 1] - t->s.row_start[p->rank];
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL, *M = NULL;
    tulle_solver *S = NULL;
    tulle_vec *b = NULL, *x = NULL;
    tulle_solver_report report = {.iterations = 0};
    const tulle_solver_options options = {.method = TULLE_CG};
    tulle_status status = make_matrix(p, &A);
    if (status == TULLE_OK) status = tulle_linop_from_dist(p->ctx, A, &L);
    if (status == TULLE_OK) status = tulle_amg_create_dist(p->ctx, A, &plain, &M);
    if (status == TULLE_OK) status = tulle_solver_create(p->ctx, L, M, &options, &S);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, TULLE_F64, rows, &b);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, TULLE_F64, rows, &x);
    if (status == TULLE_OK) status = tulle_vec_fill(p->ctx, b, 1);
    if (status == TULLE_OK) status = tulle_solver_run(p->ctx, S, b, x, &report);
    if (status == TULLE_OK && report.outcome != TULLE_NOT_A_NUMBER) {
        status = wrong("%s", tulle_outcome_text(report.outcome));
    }
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_solver_destroy(S);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    tulle_dist_mat_destroy(A);
    return status;
}

static void not_a_number(tulle_ctx *ctx, const char *where) {
    task t = {.s = shares_grid(&(grid){8, 1, {1, 1, 1}, 1})};
    process p[MOST_RANKS];
    (void)ctx;
    t.s.values[t.s.offsets[40]] = NAN;
    for (int ranks = 1; ranks <= MOST_RANKS; ranks += is_slow(where) ? 3 : 1) {
        shares_deal(&t.s, ranks, 0);
        run_ranks(ranks, 60, where, solve, &t, p);
        must_all_of(p, "%d ranks, ", ranks);
        for (int r = 0; r < ranks; r++) assert_true(p[r].seconds < 30);
    }
    shares_drop(&t.s);
}
ONCE_ON_EACH_PLACE(not_a_number)

/* Each allocation of rank 1 fails in turn: the others hear of it, and all may go on. */
static tulle_status without_memory(process *p) {
    const task *t = p->data;
    counting c = {.fail_at = 0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    tulle_ctx *own = p->ctx;
    tulle_dist_mat *A = NULL;
    tulle_linop *M = NULL;
    if (strcmp(p->where, "emulated") == 0) options.device = &allocator;
    TULLE__TRY(tulle_ctx_create(p->where, &options, &p->ctx));
    tulle_status status = make_matrix(p, &A);
    if (p->rank == 1) c.fail_at = c.requests + t->fail_at;
    if (status == TULLE_OK) status = tulle_amg_create_dist(p->ctx, A, &plain, &M);
    c.fail_at = 0;
    if (status != TULLE_OK && M) status = wrong("a hierarchy after a failure");
    if (go_on(p, TULLE_OK) != TULLE_OK) status = wrong("the communicator has failed");
    tulle_linop_destroy(M);
    tulle_dist_mat_destroy(A);
    tulle_comm_destroy(p->comm); /* it has memory of the context, too */
    p->comm = NULL;
    tulle_ctx_destroy(p->ctx);
    p->ctx = own;
    return c.live == 0 ? status : wrong("%lld blocks are left", (long long)c.live);
}

static void no_memory(tulle_ctx *ctx, const char *where) {
    task t = {.s = shares_grid(&(grid){5, 1, {1, 1, 1}, 1})};
    const int step = is_slow(where) ? 29 : 1;
    process p[MOST_RANKS];
    (void)ctx;
    shares_deal(&t.s, 2, 0);
    for (t.fail_at = 1 + turn_of(where, step);; t.fail_at += step) {
        run_ranks(2, 60, where, without_memory, &t, p);
        if (p[1].status == TULLE_OK) break;
        if (p[1].status != TULLE_OUT_OF_MEMORY || p[0].status != TULLE_PEER_FAILED ||
            p[0].seconds > 30) {
            fail_msg("allocation %d: %s %s, %s %s", t.fail_at, tulle_status_name(p[0].status),
                     p[0].words, tulle_status_name(p[1].status), p[1].words);
        }
    }
    must_all(p);
    assert_true(t.fail_at > 100);
    shares_drop(&t.s);
}
ONCE_ON_EACH_PLACE(no_memory)

/* A process that cancels tells the others. */
static int cancel(void *user, const char *what, int64_t done, int64_t total) {
    (void)what, (void)done, (void)total;
    return *(int *)user == 1;
}
static tulle_status cancelled(process *p) {
    tulle_dist_mat *A = NULL;
    tulle_linop *M = NULL;
    TULLE__TRY(make_matrix(p, &A));
    tulle_status status = tulle_ctx_set_progress(p->ctx, cancel, &p->rank);
    if (status == TULLE_OK) status = tulle_amg_create_dist(p->ctx, A, &plain, &M);
    tulle_dist_mat_destroy(A);
    return M ? wrong("a hierarchy") : go_on(p, status);
}

/* A process that stays away. */
static tulle_status away(process *p) {
    tulle_dist_mat *A = NULL;
    tulle_linop *M = NULL;
    TULLE__TRY(make_matrix(p, &A));
    const tulle_status status =
        p->rank == 1 ? TULLE_OK : tulle_amg_create_dist(p->ctx, A, &plain, &M);
    tulle_linop_destroy(M);
    tulle_dist_mat_destroy(A);
    return status;
}

static void test_absent(void **state) {
    (void)state;
    task t = {.s = shares_grid(&(grid){6, 1, {1, 1, 1}, 1})};
    process p[MOST_RANKS];
    shares_deal(&t.s, 3, 0);
    run_ranks(3, 60, "cpu:1", cancelled, &t, p);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(p[r].status, r == 1 ? TULLE_CANCELLED : TULLE_PEER_FAILED);
        assert_true(p[r].seconds < 30);
    }
    run_ranks(3, 60, "cpu:1", away, &t, p);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(p[r].status, r == 1 ? TULLE_OK : TULLE_PEER_FAILED);
        assert_true(p[r].seconds < 30);
    }
    shares_drop(&t.s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_not_a_number), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
