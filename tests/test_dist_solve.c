/* SPDX-License-Identifier: Apache-2.0 */
/* Solvers of distributed matrices: one to four threads solve what one process solves, in as many
 * iterations, with the same bits from run to run; and what processes must agree on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "counting.h"
#include "places.h"
#include "ranks.h"
#include "systems.h"

/* Preconditioners of each process. */
typedef enum { NONE, JACOBI, BLOCK, ILU, POLYNOMIAL, WAYS } preconditioner;

typedef struct {
    host_system s;
    tulle_type type;
    preconditioner with;
    bool none_for_1;    /* rank 1 has no rows */
    bool monitor_for_1; /* rank 1 alone has the monitor */
    tulle_solver_options options;
    int fail_at; /* allocation of rank 1 that fails */
    const double *b;
    double *x; /* the solution, gathered in rank 0 */
    tulle_solver_report report[MOST_RANKS];
} task;

static int64_t share(const task *t, int ranks, int rank, int64_t *first) {
    if (!t->none_for_1 || ranks == 1) return tulle_dist_share(t->s.n, ranks, rank, first);
    if (rank == 1) {
        *first = tulle_dist_share(t->s.n, ranks - 1, 0, NULL);
        return 0;
    }
    return tulle_dist_share(t->s.n, ranks - 1, rank > 0 ? rank - 1 : 0, first);
}

static tulle_status make_matrix(const process *p, tulle_dist_mat **A) {
    const task *t = p->data;
    int64_t first;
    const int64_t rows = share(t, p->ranks, p->rank, &first), begin = t->s.offsets[first];
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    for (int64_t i = 0; i <= rows; i++) offsets[i] = t->s.offsets[first + i] - begin;
    void *values = ranks_numbers(t->s.values + begin, offsets[rows], t->type);
    const tulle_status status = tulle_dist_mat_create(p->ctx, p->comm, rows, rows, offsets,
                                                      t->s.columns + begin, t->type, values, A);
    free(values);
    free(offsets);
    return status;
}

static tulle_status make_preconditioner(const process *p, tulle_dist_mat *A, tulle_linop *L,
                                        tulle_linop **M) {
    const task *t = p->data;
    tulle_mat *block = tulle_dist_mat_block(A);
    tulle_linop *diagonal = NULL;
    tulle_factor *F = NULL;
    tulle_status status = TULLE_OK;
    switch (t->with) {
        case JACOBI:
            return tulle_linop_jacobi(p->ctx, L, M);
        case BLOCK:
            return tulle_linop_block_jacobi(p->ctx, block, 4, M);
        case ILU:
            status = tulle_factor_create(p->ctx, block, NULL, &F);
            if (status == TULLE_OK) status = tulle_linop_from_factor(p->ctx, F, t->type, M);
            tulle_factor_destroy(F);
            return status;
        case POLYNOMIAL:
            status = tulle_linop_jacobi(p->ctx, L, &diagonal);
            if (status == TULLE_OK) {
                status = tulle_linop_chebyshev(p->ctx, L, diagonal, 3, 0, 0, M);
            }
            tulle_linop_destroy(diagonal);
            return status;
        default:
            return TULLE_OK;
    }
}

static tulle_status run(const process *p, tulle_linop *L, tulle_linop *M, tulle_vec *b,
                        tulle_vec *x) {
    task *t = p->data;
    tulle_solver *S = NULL;
    tulle_solver_options options = t->options;
    if (t->monitor_for_1 && p->rank != 1) options.monitor = NULL;
    tulle_status status = tulle_solver_create(p->ctx, L, M, &options, &S);
    if (status == TULLE_OK) status = tulle_solver_run(p->ctx, S, b, x, t->report + p->rank);
    if (status == TULLE_OK) status = tulle_dist_gather(p->ctx, p->comm, x, 0, t->x);
    tulle_solver_destroy(S);
    return status;
}

static tulle_status solve(process *p) {
    const task *t = p->data;
    int64_t first;
    const int64_t rows = share(t, p->ranks, p->rank, &first);
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL, *M = NULL;
    tulle_vec *b = NULL, *x = NULL;
    void *given = ranks_numbers(t->b + first, rows, t->type);
    tulle_status status = make_matrix(p, &A);
    if (status == TULLE_OK) status = tulle_linop_from_dist(p->ctx, A, &L);
    if (status == TULLE_OK) status = make_preconditioner(p, A, L, &M);
    tulle_dist_mat_destroy(A); /* the operator holds it */
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, t->type, rows, &b);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, t->type, rows, &x);
    if (status == TULLE_OK) status = tulle_vec_write(p->ctx, b, given, 0);
    if (status == TULLE_OK) status = run(p, L, M, b, x);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    free(given);
    return status;
}

/* Solves by so many threads, which agree on how it went. */
static tulle_solver_report together(const char *where, int ranks, task *t) {
    process p[MOST_RANKS];
    run_ranks(ranks, 0, where, solve, t, p);
    must_all(p);
    for (int r = 1; r < ranks; r++) {
        assert_int_equal(t->report[r].outcome, t->report[0].outcome);
        assert_int_equal(t->report[r].iterations, t->report[0].iterations);
        assert_true(t->report[r].norm == t->report[0].norm);
    }
    return t->report[0];
}

/* |b - A x| over |b|, in long double. */
static double residual(const task *t) {
    long double squares = 0, of_b = 0;
    for (int64_t i = 0; i < t->s.n; i++) {
        long double r = t->b[i];
        const void *x = t->x;
        for (int64_t e = t->s.offsets[i]; e < t->s.offsets[i + 1]; e++) {
            const int64_t c = t->s.columns[e];
            r -= t->s.values[e] *
                 (long double)(t->type == TULLE_F32 ? ((const float *)x)[c] : t->x[c]);
        }
        squares += r * r;
        of_b += (long double)t->b[i] * t->b[i];
    }
    return (double)sqrtl(squares / of_b);
}

static task make(int side, double convection, double *b, double *x) {
    task t = {.s = system_grid(side, convection, 0), .type = TULLE_F64, .b = b, .x = x};
    for (int64_t i = 0; i < t.s.n; i++) b[i] = (double)(float)cos((double)(i * i % 97));
    return t;
}

enum { SIDE = 12, N = SIDE * SIDE };

/* Every method with every preconditioner that suits it, by one to four threads. */
static void methods(tulle_ctx *ctx, const char *where) {
    double b[N], x[N];
    const int few = is_slow(where) ? 9 : 1, turn = turn_of(where, 9);
    int number = 0;
    (void)ctx;
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        for (int with = 0; with < WAYS; with++) {
            const bool symmetric = system_wants_symmetric((tulle_method)method);
            task t = make(SIDE, symmetric ? 0 : 0.3, b, x);
            t.with = (preconditioner)with;
            t.options.method = (tulle_method)method;
            t.options.restart = 60;
            for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
                if (number++ % few != (few > 1 ? turn : 0)) continue;
                t.type = (ranks + with) % 2 ? TULLE_F64 : TULLE_F32;
                t.none_for_1 = ranks > 2;
                const tulle_solver_report r = together(where, ranks, &t);
                const double limit = t.type == TULLE_F32 ? 1e-5 : 1e-8;
                if (r.outcome != TULLE_CONVERGED || !(residual(&t) <= 1.01 * limit)) {
                    fail_msg("%s with %d, %d threads: %s, %g", tulle_method_name(t.options.method),
                             with, ranks, tulle_outcome_text(r.outcome), residual(&t));
                }
            }
            system_free(&t.s);
        }
    }
}
ONCE_ON_EACH_PLACE(methods)

/* p3d7:7: CG without a preconditioner and with the diagonal takes as many iterations as one
 * process, give or take one, and the same bits each time. */
static host_system model(void) {
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL, *wide = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    must(tulle_generate(ctx, "p3d7:7", 0, TULLE_F64, &A));
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, 0, &wide));
    host_system s = {.n = tulle_mat_rows(A), .nnz = tulle_mat_nnz(A)};
    s.offsets = calloc((size_t)s.n + 1, sizeof *s.offsets);
    s.columns = calloc((size_t)s.nnz, sizeof *s.columns);
    s.values = calloc((size_t)s.nnz, sizeof *s.values);
    must(tulle_mat_read(ctx, wide, s.offsets, NULL, s.columns, s.values));
    tulle_mat_destroy(wide);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    return s;
}

static int64_t iterations_alone(tulle_ctx *ctx, const task *t) {
    tulle_mat *A = system_mat(ctx, &t->s, TULLE_F64);
    tulle_linop *L = NULL, *M = NULL;
    tulle_solver *S = NULL;
    tulle_vec *b = NULL, *x = NULL;
    tulle_solver_report report;
    must(tulle_linop_from_mat(ctx, A, &L));
    if (t->with == JACOBI) must(tulle_linop_jacobi(ctx, L, &M));
    must(tulle_solver_create(ctx, L, M, &t->options, &S));
    must(tulle_vec_create(ctx, TULLE_F64, t->s.n, &b));
    must(tulle_vec_create(ctx, TULLE_F64, t->s.n, &x));
    must(tulle_vec_write(ctx, b, t->b, 0));
    must(tulle_solver_run(ctx, S, b, x, &report));
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_solver_destroy(S);
    tulle_linop_destroy(L);
    tulle_linop_destroy(M);
    tulle_mat_destroy(A);
    return report.iterations;
}

static void alike(tulle_ctx *ctx, const char *where) {
    task t = {.s = model(), .type = TULLE_F64};
    const size_t bytes = (size_t)t.s.n * sizeof(double);
    double *b = malloc(bytes), *x = malloc(bytes), *again = malloc(bytes);
    for (int64_t i = 0; i < t.s.n; i++) b[i] = sin((double)i);
    t.b = b;
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        if (is_slow(where) && ranks % 2 != turn_of(where, 2)) continue;
        t.with = ranks % 2 ? JACOBI : NONE;
        const int64_t alone = iterations_alone(ctx, &t);
        t.x = x;
        const tulle_solver_report first = together(where, ranks, &t);
        t.x = again;
        const tulle_solver_report second = together(where, ranks, &t);
        assert_int_equal(first.outcome, TULLE_CONVERGED);
        assert_true(llabs((long long)(first.iterations - alone)) <= 1);
        assert_int_equal(first.iterations, second.iterations);
        assert_true(first.norm == second.norm);
        assert_memory_equal(x, again, bytes);
    }
    free(b);
    free(x);
    free(again);
    system_free(&t.s);
}
ONCE_ON_EACH_PLACE(alike)

/* The reported norm is that of b - A x, computed more exactly than x is: in rows of the edge, too.
 */
static void exact_norms(tulle_ctx *ctx, const char *where) {
    double b[N], x[N], square = 0;
    task t = make(SIDE, 0, b, x);
    t.options.tolerance = 1e-13;
    for (int i = 0; i < N; i++) square += b[i] * b[i];
    (void)ctx;
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        t.none_for_1 = ranks == 3;
        const double told = together(where, ranks, &t).norm, due = residual(&t) * sqrt(square);
        if (!(fabs(told - due) <= 1e-6 * due)) fail_msg("%d threads: %g, not %g", ranks, told, due);
    }
    system_free(&t.s);
}
ONCE_ON_EACH_PLACE(exact_norms)

/* Two fields u and v, each of the matrix T = tridiag(-1, 2.1, -1), with 2 (u - v) in the rows of u
 * and 2 (v - u) in those of v. The largest eigenvalues, near 8.1, have eigenvectors with v = -u;
 * all eigenvectors with v = u have eigenvalues below 4.1. */
static host_system two_fields(int64_t m) {
    host_system s = {.n = 2 * m};
    s.offsets = calloc((size_t)s.n + 1, sizeof *s.offsets);
    s.columns = calloc(4 * (size_t)s.n, sizeof *s.columns);
    s.values = calloc(4 * (size_t)s.n, sizeof *s.values);
    for (int64_t i = 0; i < s.n; i++) {
        for (int64_t step = -1; step <= 1; step++) {
            if (i % m + step < 0 || i % m + step >= m) continue;
            s.columns[s.nnz] = i + step;
            s.values[s.nnz++] = step == 0 ? 4.1 : -1;
        }
        s.columns[s.nnz] = (i + m) % s.n;
        s.values[s.nnz++] = -2;
        s.offsets[i + 1] = s.nnz;
    }
    return s;
}

/* Estimated bounds of eigenvalues know eigenvectors that differ in sign between processes. */
static void test_bounds(void **state) {
    (void)state;
    enum { M = 200 };
    double b[2 * M], x[2 * M];
    task t = {.s = two_fields(M), .type = TULLE_F64, .b = b, .x = x};
    for (int i = 0; i < 2 * M; i++) b[i] = cos((double)(i * i % 97));
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        t.options.method = TULLE_CHEBYSHEV;
        t.with = NONE;
        assert_int_equal(together("cpu:1", ranks, &t).outcome, TULLE_CONVERGED);
        assert_true(residual(&t) <= 2e-8);
        t.options.method = TULLE_CG;
        t.with = POLYNOMIAL;
        assert_int_equal(together("cpu:1", ranks, &t).outcome, TULLE_CONVERGED);
    }
    system_free(&t.s);
}

/* A singular system with two right-hand sides. */
static tulle_status solve_pair(process *p) {
    const task *t = p->data;
    int64_t first;
    const int64_t rows = share(t, p->ranks, p->rank, &first);
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL;
    tulle_solver *S = NULL;
    tulle_vec *b = NULL, *x = NULL;
    tulle_solver_report report = {.iterations = 0};
    tulle_status status = make_matrix(p, &A);
    if (status == TULLE_OK) status = tulle_linop_from_dist(p->ctx, A, &L);
    if (status == TULLE_OK) {
        status = tulle_vec_create_columns(p->ctx, t->type, rows, 2, TULLE_ROW_MAJOR, 0, &b);
    }
    if (status == TULLE_OK) {
        status = tulle_vec_create_columns(p->ctx, t->type, rows, 2, TULLE_ROW_MAJOR, 0, &x);
    }
    if (status == TULLE_OK) status = tulle_vec_random(p->ctx, b, (uint64_t)p->rank + 1);
    if (status == TULLE_OK) status = tulle_solver_create(p->ctx, L, NULL, &t->options, &S);
    if (status == TULLE_OK) status = tulle_solver_run(p->ctx, S, b, x, &report);
    if (status == TULLE_OK && report.outcome != TULLE_CONVERGED) {
        status = wrong("%s", tulle_outcome_text(report.outcome));
    }
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_solver_destroy(S);
    tulle_linop_destroy(L);
    tulle_dist_mat_destroy(A);
    return status;
}

static void singular(tulle_ctx *ctx, const char *where) {
    task t = {.s = system_torus(8), .type = TULLE_F64, .options = {.constant_null_space = true}};
    process p[MOST_RANKS];
    (void)ctx;
    run_ranks(3, 0, where, solve_pair, &t, p);
    must_all(p);
    system_free(&t.s);
}
ONCE_ON_EACH_PLACE(singular)

/* A communicator of one rank that queues its work in the stream: its sums are captured in graphs,
 * so its functions are called for fewer iterations than there are. */
static tulle_status copy(void *user, const void *from, size_t bytes, void *to) {
    (void)user;
    memcpy(to, from, bytes);
    return TULLE_OK;
}
static tulle_status copy_on_stream(void *user, tulle_ctx *ctx, const void *from, size_t bytes,
                                   void *to) {
    const int64_t count = (int64_t)(bytes / sizeof(double));
    tulle_vec *x = NULL, *y = NULL;
    ++*(int *)user;
    tulle_status status =
        tulle_vec_wrap(ctx, TULLE_F64, count, 1, TULLE_COLUMN_MAJOR, 0, (void *)from, &x);
    if (status == TULLE_OK) {
        status = tulle_vec_wrap(ctx, TULLE_F64, count, 1, TULLE_COLUMN_MAJOR, 0, to, &y);
    }
    if (status == TULLE_OK) status = tulle_vec_copy(ctx, x, y);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    return status;
}
static tulle_status no_pieces(void *user, tulle_ctx *ctx, const tulle_comm_piece *sends,
                              int send_count, const tulle_comm_piece *receives, int receive_count) {
    (void)user, (void)ctx, (void)sends, (void)receives;
    return send_count + receive_count == 0 ? TULLE_OK : TULLE_UNSUPPORTED;
}
static tulle_status no_finish(void *user, tulle_ctx *ctx) {
    (void)user, (void)ctx;
    return TULLE_OK;
}

static int64_t solve_alone(tulle_ctx *ctx, const char *where, bool on_stream, task *t,
                           int *queued) {
    process p = {.ranks = 1, .ctx = ctx, .data = t, .where = where, .body = solve};
    const tulle_comm_functions functions = {.size = sizeof functions,
                                            .ranks = 1,
                                            .on_stream = on_stream,
                                            .capturable = on_stream,
                                            .gather = copy,
                                            .gather_on_stream = copy_on_stream,
                                            .exchange_start = no_pieces,
                                            .exchange_finish = no_finish};
    must(tulle_comm_create(&functions, queued, &p.comm));
    must(solve(&p));
    tulle_comm_destroy(p.comm);
    assert_int_equal(t->report[0].outcome, TULLE_CONVERGED);
    return t->report[0].iterations;
}

static void captured(tulle_ctx *ctx, const char *where) {
    double b[N], x[N], again[N];
    task t = make(SIDE, 0, b, x);
    int queued = 0, waited = 0;
    t.with = JACOBI;
    const int64_t iterations = solve_alone(ctx, where, true, &t, &queued);
    t.x = again;
    assert_int_equal(solve_alone(ctx, where, false, &t, &waited), iterations);
    assert_memory_equal(x, again, sizeof x);
    assert_int_equal(waited, 0);
    tulle_device_info info;
    must(tulle_ctx_device(ctx, &info));
    assert_true(info.backend == TULLE_CPU ? queued == 0 : queued > 0 && queued < 2 * iterations);
    system_free(&t.s);
}
ONCE_ON_EACH_PLACE(captured)

/* Options that differ are found when the solver is made. */
static tulle_status differ(process *p) {
    const task *t = p->data;
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL;
    tulle_solver *S = (tulle_solver *)1;
    const tulle_solver_options *given = &t->options;
    const tulle_solver_options plain = {.method = TULLE_CG};
    tulle_status status = make_matrix(p, &A);
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
        task t = {.s = system_grid(4, 0, 0), .type = TULLE_F64, .options = cases[i].options};
        process p[MOST_RANKS];
        run_ranks(3, 0, "cpu:1", differ, &t, p);
        for (int r = 0; r < 3; r++) {
            assert_int_equal(p[r].status, TULLE_INVALID_ARGUMENT);
            assert_string_equal(p[r].argument, cases[i].argument);
        }
        system_free(&t.s);
    }
    task t = {.s = system_grid(4, 0, 0), .type = TULLE_F64, .options = {.patience = -1}};
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
    const task *t = p->data;
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
    tulle_status status = make_matrix(p, &A);
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
        task t = {.s = system_grid(4, 0, 0), .type = TULLE_F64};
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
    return solve(p);
}
static void test_killed(void **state) {
    (void)state;
    double b[N], x[N];
    task t = make(SIDE, 0, b, x);
    process p[MOST_RANKS];
    run_ranks(3, 60, "cpu:1", leave, &t, p);
    assert_int_equal(p[1].status, TULLE_CANCELLED);
    assert_int_equal(p[0].status, TULLE_PEER_FAILED);
    assert_int_equal(p[2].status, TULLE_PEER_FAILED);
    for (int r = 0; r < 3; r++) assert_true(p[r].seconds < 30);
    system_free(&t.s);
}

/* The monitor of one process says stop: all end in the same iteration. */
static int stop(void *user, int64_t iteration, double norm) {
    (void)norm;
    return iteration >= *(const int64_t *)user;
}
static void stops(tulle_ctx *ctx, const char *where) {
    static const tulle_method methods[] = {TULLE_CG, TULLE_GMRES, TULLE_CHEBYSHEV};
    double b[N], x[N];
    int64_t last = 0;
    task t = make(SIDE, 0, b, x);
    (void)ctx;
    t.monitor_for_1 = true;
    t.options.monitor = stop;
    t.options.monitor_user = &last;
    for (int i = 0; i < 6; i++) {
        last = i % 2 ? 5 : 0;
        t.options.method = methods[i / 2];
        const tulle_solver_report r = together(where, 2, &t);
        assert_int_equal(r.outcome, TULLE_STOPPED);
        assert_true(r.iterations >= last && (last > 0) == (r.iterations > 0));
    }
    system_free(&t.s);
}
ONCE_ON_EACH_PLACE(stops)

/* A communicator that is not A's is refused. */
static tulle_status another(process *p) {
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL;
    tulle_solver *S = NULL;
    tulle_solver_options options = {.method = TULLE_CG};
    TULLE__TRY(tulle_comm_create_threads(1, 0, &options.comm));
    tulle_status status = make_matrix(p, &A);
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
    task t = {.s = system_grid(4, 0, 0), .type = TULLE_F64};
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
        cmocka_unit_test(test_methods),     cmocka_unit_test(test_alike),
        cmocka_unit_test(test_exact_norms), cmocka_unit_test(test_singular),
        cmocka_unit_test(test_captured),    cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_killed),      cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_stops),       cmocka_unit_test(test_two_communicators),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
