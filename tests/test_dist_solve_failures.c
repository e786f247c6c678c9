/* SPDX-License-Identifier: Apache-2.0 */
/* Solvers of distributed matrices: what processes must agree on, and that all of them hear of a
 * failure of one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "counting.h"
#include "joint.h"
#include "places.h"

/* Options that differ are found when the solver is made. */
static tulle_status differ(process *p) {
    const joint *t = p->data;
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL;
    tulle_solver *S = (tulle_solver *)1;
    const tulle_solver_options *given = &t->options;
    const tulle_solver_options plain = {.method = TULLE_CG};
    tulle_status status = joint_matrix(p, &A);
    if (status == TULLE_OK) status = tulle_linop_from_dist(p->ctx, A, &L);
    if (status == TULLE_OK) {
        status = tulle_solver_create(p->ctx, L, NULL, p->rank == 1 ? given : &plain, &S);
    }
    if (S) status = wrong("a solver was made");
    tulle_linop_destroy(L);
    tulle_dist_mat_destroy(A);
    return status;
}

static void test_agreement(void **state) {
    (void)state;
    static const struct {
        tulle_solver_options options;
        const char *argument;
    } cases[] = {{{.method = TULLE_MINRES}, "options.method"},
                 {{.tolerance = 1e-9}, "options.tolerance"},
                 {{.max_iterations = 7}, "options.max_iterations"},
                 {{.guess = true}, "options.guess"},
                 {{.max_seconds = 1}, "options.max_seconds (0 or not)"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        joint t = {.s = system_grid(4, 0, 0), .type = TULLE_F64, .options = cases[i].options};
        process p[MOST_RANKS];
        run_ranks(3, 0, "cpu:1", differ, &t, p);
        for (int r = 0; r < 3; r++) {
            assert_int_equal(p[r].status, TULLE_INVALID_ARGUMENT);
            assert_string_equal(p[r].argument, cases[i].argument);
        }
        system_free(&t.s);
    }
    joint t = {.s = system_grid(4, 0, 0), .type = TULLE_F64, .options = {.patience = -1}};
    process p[MOST_RANKS];
    run_ranks(3, 0, "cpu:1", differ, &t, p);
    assert_int_equal(p[1].status, TULLE_INVALID_ARGUMENT);
    assert_int_equal(p[0].status, TULLE_PEER_FAILED);
    assert_int_equal(p[2].status, TULLE_PEER_FAILED);
    system_free(&t.s);
}

/* Each allocation of rank 1 fails in turn while the solver is made: rank 0 hears of it, and where
 * no bounds are to be estimated, the communicator is still of use. */
static tulle_status without_memory(process *p) {
    const joint *t = p->data;
    counting c = {.fail_at = 0};
    tulle_allocator allocator = counting_allocator(&c);
    const tulle_ctx_options options = {.host = &allocator};
    tulle_ctx *own = p->ctx;
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL;
    tulle_solver *S = NULL;
    tulle_vec *x = NULL;
    double result;
    TULLE__TRY(tulle_ctx_create(p->where, &options, &p->ctx));
    tulle_status status = joint_matrix(p, &A);
    if (status == TULLE_OK) status = tulle_linop_from_dist(p->ctx, A, &L);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, TULLE_F64, 1, &x);
    if (p->rank == 1) c.fail_at = c.requests + t->fail_at;
    if (status == TULLE_OK) status = tulle_solver_create(p->ctx, L, NULL, &t->options, &S);
    c.fail_at = 0;
    if (status != TULLE_OK && S) status = wrong("a solver after a failure");
    const bool goes_on = t->options.method != TULLE_CHEBYSHEV;
    if (goes_on && tulle_dist_dot(p->ctx, p->comm, x, x, &result) != TULLE_OK) {
        status = wrong("the communicator has failed");
    }
    tulle_vec_destroy(x);
    tulle_solver_destroy(S);
    tulle_linop_destroy(L);
    tulle_dist_mat_destroy(A);
    tulle_comm_destroy(p->comm); /* it has memory of the context, too */
    p->comm = NULL;
    tulle_ctx_destroy(p->ctx);
    p->ctx = own;
    return status;
}

static void test_no_memory(void **state) {
    (void)state;
    static const tulle_method methods[] = {TULLE_CG, TULLE_FGMRES, TULLE_CHEBYSHEV};
    for (int i = 0; i < 3; i++) {
        joint t = {.s = system_grid(4, 0, 0), .type = TULLE_F64};
        process p[MOST_RANKS];
        t.options.method = methods[i];
        do {
            t.fail_at++;
            run_ranks(2, 60, "cpu:1", without_memory, &t, p);
            if (p[1].status == TULLE_OK) break;
            if (p[1].status != TULLE_OUT_OF_MEMORY || p[0].status != TULLE_PEER_FAILED ||
                p[0].seconds > 30) {
                fail_msg("%s, allocation %d: %s, %s; %s", tulle_method_name(methods[i]), t.fail_at,
                         tulle_status_name(p[0].status), tulle_status_name(p[1].status),
                         p[1].words);
            }
        } while (true);
        must_all(p);
        assert_true(t.fail_at > 4);
        system_free(&t.s);
    }
}

/* A process ends in the middle: the others get a status. */
static int cancel(void *user, const char *what, int64_t done, int64_t total) {
    (void)what, (void)total;
    return *(int *)user == 1 && done == 3;
}
static tulle_status leave(process *p) {
    TULLE__TRY(tulle_ctx_set_progress(p->ctx, cancel, &p->rank));
    return joint_solve(p);
}
static void test_killed(void **state) {
    (void)state;
    double b[JOINT_N], x[JOINT_N];
    joint t = joint_make(JOINT_SIDE, 0, b, x);
    process p[MOST_RANKS];
    run_ranks(3, 60, "cpu:1", leave, &t, p);
    assert_int_equal(p[1].status, TULLE_CANCELLED);
    assert_int_equal(p[0].status, TULLE_PEER_FAILED);
    assert_int_equal(p[2].status, TULLE_PEER_FAILED);
    for (int r = 0; r < 3; r++) assert_true(p[r].seconds < 30);
    system_free(&t.s);
}

/* A communicator that is not A's is refused. */
static tulle_status another(process *p) {
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL;
    tulle_solver *S = NULL;
    tulle_solver_options options = {.method = TULLE_CG};
    TULLE__TRY(tulle_comm_create_threads(1, 0, &options.comm));
    tulle_status status = joint_matrix(p, &A);
    if (status == TULLE_OK) status = tulle_linop_from_dist(p->ctx, A, &L);
    if (status == TULLE_OK) status = tulle_solver_create(p->ctx, L, NULL, &options, &S);
    tulle_solver_destroy(S);
    tulle_linop_destroy(L);
    tulle_dist_mat_destroy(A);
    tulle_comm_destroy(options.comm);
    return status;
}
static void test_two_communicators(void **state) {
    (void)state;
    joint t = {.s = system_grid(4, 0, 0), .type = TULLE_F64};
    process p[MOST_RANKS];
    run_ranks(2, 0, "cpu:1", another, &t, p);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(p[r].status, TULLE_INVALID_ARGUMENT);
        assert_string_equal(p[r].argument, "A");
    }
    system_free(&t.s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_two_communicators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
