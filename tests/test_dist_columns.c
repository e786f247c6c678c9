/* SPDX-License-Identifier: Apache-2.0 */
/* Several columns in several processes: a product sends rows of all columns in one exchange, a
 * solver with a communicator takes the columns one after the other, and each column is solved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "comm/comm.h"
#include "places.h"
#include "ranks.h"

enum { STEPS = 7, COLUMNS = 5 };

/* A communicator of threads that counts what it is asked for. */
typedef struct counted {
    tulle_comm *inner;
    int exchanges, gathers;
} counted;

static tulle_status gather(void *user, const void *from, size_t bytes, void *to) {
    counted *c = user;
    c->gathers++;
    return c->inner->functions.gather(c->inner->user, from, bytes, to);
}

static tulle_status start(void *user, tulle_ctx *ctx, const tulle_comm_piece *sends, int send_count,
                          const tulle_comm_piece *receives, int receive_count) {
    counted *c = user;
    c->exchanges++;
    return c->inner->functions.exchange_start(c->inner->user, ctx, sends, send_count, receives,
                                              receive_count);
}

static tulle_status finish(void *user, tulle_ctx *ctx) {
    counted *c = user;
    return c->inner->functions.exchange_finish(c->inner->user, ctx);
}

static tulle_status count(const process *p, counted *c, tulle_comm **comm) {
    *c = (counted){.inner = p->comm};
    const tulle_comm_functions functions = {.size = sizeof functions,
                                            .rank = p->rank,
                                            .ranks = p->ranks,
                                            .gather = gather,
                                            .exchange_start = start,
                                            .exchange_finish = finish};
    TULLE__TRY(tulle_comm_create(&functions, c, comm));
    (*comm)->fetches = p->comm->fetches;
    return TULLE_OK;
}

/* Exchanges of a product of each op; exchanges and gatherings of so many iterations. */
typedef struct messages {
    int products[2], steps[2];
} messages;

static tulle_status vectors(const process *p, int64_t rows, int k, tulle_vec *v[3]) {
    for (int i = 0; i < 3; i++) {
        TULLE__TRY(tulle_vec_create_columns(
            p->ctx, TULLE_F64, rows, k, i == 0 ? TULLE_ROW_MAJOR : TULLE_COLUMN_MAJOR, 0, v + i));
    }
    return tulle_vec_random(p->ctx, v[0], (uint64_t)p->rank + 1);
}

static tulle_status multiply(const process *p, counted *c, tulle_dist_mat *A, tulle_vec *v[3],
                             messages *m) {
    for (int op = 0; op < 2; op++) {
        const int before = c->exchanges;
        TULLE__TRY(tulle_dist_mat_multiply(p->ctx, op == 0 ? TULLE_N : TULLE_T, tulle_num(1), A,
                                           v[0], tulle_num(0), v[1]));
        m->products[op] = c->exchanges - before;
    }
    return TULLE_OK;
}

/* Takes a few steps of CG, which are counted from the second solution on. */
static tulle_status iterate(const process *p, counted *c, tulle_dist_mat *A, tulle_vec *v[3],
                            messages *m) {
    const tulle_solver_options options = {
        .method = TULLE_CG, .tolerance = 1e-300, .max_iterations = STEPS, .patience = INT64_MAX};
    tulle_linop *L = NULL, *M = NULL;
    tulle_solver *S = NULL;
    tulle_solver_report report;
    tulle_status status = tulle_linop_from_dist(p->ctx, A, &L);
    if (status == TULLE_OK) status = tulle_linop_jacobi(p->ctx, L, &M);
    if (status == TULLE_OK) status = tulle_solver_create(p->ctx, L, M, &options, &S);
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        const int exchanges = c->exchanges, gathers = c->gathers;
        status = tulle_solver_run(p->ctx, S, v[0], v[1], &report);
        m->steps[0] = c->exchanges - exchanges;
        m->steps[1] = c->gathers - gathers;
    }
    tulle_solver_destroy(S);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    return status;
}

/* Solves, and looks at the residual of each column. */
static tulle_status solve(const process *p, tulle_comm *comm, const char *precond,
                          tulle_dist_mat *A, int k, tulle_vec *v[3]) {
    const tulle_solve_options options = {.method = "cg", .precond = precond};
    tulle_solve_report report;
    double norms[2][COLUMNS];
    TULLE__TRY(tulle_dist_solve(p->ctx, A, v[0], v[1], &options, &report));
    if (report.solver.outcome != TULLE_CONVERGED) return wrong("no solution with %s", precond);
    TULLE__TRY(tulle_dist_norm2(p->ctx, comm, v[0], norms[0]));
    TULLE__TRY(
        tulle_dist_mat_multiply(p->ctx, TULLE_N, tulle_num(-1), A, v[1], tulle_num(1), v[0]));
    TULLE__TRY(tulle_dist_norm2(p->ctx, comm, v[0], norms[1]));
    for (int j = 0; j < k; j++) {
        if (norms[1][j] <= 1.0001e-8 * norms[0][j]) continue;
        return wrong("%s: |b - A x| of column %d is %g of |b|", precond, j,
                     norms[1][j] / norms[0][j]);
    }
    return TULLE_OK;
}

static tulle_status run(const process *p, counted *c, tulle_comm *comm, tulle_dist_mat *A, int k,
                        messages *m) {
    static const char *const preconds[] = {"jacobi", "amg", "ilu"};
    tulle_dist_mat_info info;
    tulle_vec *v[3] = {NULL};
    TULLE__TRY(tulle_dist_mat_describe(A, &info));
    tulle_status status = vectors(p, info.local_rows, k, v);
    if (status == TULLE_OK) status = multiply(p, c, A, v, m);
    if (status == TULLE_OK) status = iterate(p, c, A, v, m);
    for (int i = 0; i < 3 && status == TULLE_OK; i++) {
        status = tulle_vec_random(p->ctx, v[0], (uint64_t)p->rank + 1);
        if (status == TULLE_OK) status = solve(p, comm, preconds[i], A, k, v);
    }
    for (int i = 0; i < 3; i++) tulle_vec_destroy(v[i]);
    return status;
}

static tulle_status compare(process *p) {
    tulle_comm *comm = NULL;
    tulle_dist_mat *A = NULL;
    counted c;
    messages one = {{0}, {0}}, many = {{0}, {0}};
    tulle_status status = count(p, &c, &comm);
    if (status == TULLE_OK) {
        status = tulle_dist_generate(p->ctx, comm, p->data, 1, TULLE_F64, &A);
    }
    if (status == TULLE_OK) status = run(p, &c, comm, A, 1, &one);
    if (status == TULLE_OK) status = run(p, &c, comm, A, COLUMNS, &many);
    tulle_dist_mat_destroy(A);
    tulle_comm_destroy(comm);
    if (status != TULLE_OK) return status;
    for (int op = 0; op < 2; op++) {
        if (one.products[op] == 1 && many.products[op] == 1) continue;
        return wrong("%d and %d exchanges of a product", one.products[op], many.products[op]);
    }
    for (int i = 0; i < 2; i++) {
        if (one.steps[i] > STEPS && many.steps[i] <= COLUMNS * one.steps[i]) continue;
        return wrong("%d and %d %s of iterations", one.steps[i], many.steps[i],
                     i == 0 ? "exchanges" : "gatherings");
    }
    return TULLE_OK;
}

static void columns(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    for (int ranks = 2; ranks <= 3; ranks++) {
        process p[MOST_RANKS];
        run_ranks(ranks, 0, where, compare, is_slow(where) ? "p2d5:6" : "p2d5:16", p);
        must_all(p);
    }
}
ONCE_ON_EACH_PLACE(columns)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
