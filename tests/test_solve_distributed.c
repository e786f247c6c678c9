/* SPDX-License-Identifier: Apache-2.0 */
/* Solvers of vectors that are distributed: threads stand for processes, with rows of one matrix
 * each, and one of them with none. Sums and numbers of neighbours go through memory. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "systems.h"
#include "tulle/tulle.h"

enum { PROCESSES = 3, SIDE = 8, ROWS = SIDE * SIDE, MOST_SUMS = 64, PATIENCE = 30 };

/* Rows of each process. */
static const int64_t first[PROCESSES + 1] = {0, ROWS / 3, ROWS / 3, ROWS};

/* What processes share, and where they wait for each other. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t all_here;
    int here, meetings;
    host_system s;
    double sums[PROCESSES][MOST_SUMS], x[ROWS];
} exchange;

typedef struct {
    exchange *e;
    int rank;
    tulle_type type;
    bool mixed;
    struct timespec late; /* before it begins to solve */
    tulle_solver_options options;
    tulle_solver_report report;
    tulle_status status;
} process;

/* One that does not come is a failure, not a test that hangs. */
static bool meet(exchange *e) {
    struct timespec until;
    bool met = true;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    pthread_mutex_lock(&e->lock);
    const int meeting = e->meetings;
    if (++e->here == PROCESSES) {
        e->here = 0;
        e->meetings++;
        pthread_cond_broadcast(&e->all_here);
    }
    while (met && e->meetings == meeting) {
        met = pthread_cond_timedwait(&e->all_here, &e->lock, &until) == 0;
    }
    pthread_mutex_unlock(&e->lock);
    return met;
}

static tulle_status sum(void *user, double *sums, int count) {
    const process *p = user;
    memcpy(p->e->sums[p->rank], sums, (size_t)count * sizeof *sums);
    if (!meet(p->e)) return TULLE_CANCELLED;
    for (int i = 0; i < count; i++) {
        sums[i] = 0;
        for (int rank = 0; rank < PROCESSES; rank++) sums[i] += p->e->sums[rank][i];
    }
    return meet(p->e) ? TULLE_OK : TULLE_CANCELLED;
}

static double row_times_x(const exchange *e, int64_t row) {
    double y = 0;
    for (int64_t k = e->s.offsets[row]; k < e->s.offsets[row + 1]; k++) {
        y += e->s.values[k] * e->x[e->s.columns[k]];
    }
    return y;
}

static double number(tulle_type type, const void *numbers, int64_t i) {
    return type == TULLE_F32 ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}

static void put(tulle_type type, void *numbers, int64_t i, double x) {
    if (type == TULLE_F32) {
        ((float *)numbers)[i] = (float)x;
    } else {
        ((double *)numbers)[i] = x;
    }
}

/* Y := this process's rows times all of X. */
static tulle_status apply(void *self, tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y) {
    const process *p = self;
    const int64_t begin = first[p->rank], rows = first[p->rank + 1] - begin;
    tulle_vec_info info;
    double numbers[ROWS];
    tulle_status status = tulle_vec_describe(X, &info);
    if (status == TULLE_OK) status = tulle_vec_read(ctx, X, numbers, 0);
    if (status != TULLE_OK) return status;
    for (int64_t i = 0; i < rows; i++) p->e->x[begin + i] = number(info.type, numbers, i);
    if (!meet(p->e)) return TULLE_CANCELLED;
    for (int64_t i = 0; i < rows; i++) put(info.type, numbers, i, row_times_x(p->e, begin + i));
    if (!meet(p->e)) return TULLE_CANCELLED;
    return tulle_vec_write(ctx, Y, numbers, 0);
}

/* Everything of one process; a step after one that failed does nothing. */
static tulle_status solve(process *p) {
    const tulle_linop_functions functions = {.apply = apply};
    const int64_t rows = first[p->rank + 1] - first[p->rank];
    tulle_ctx *ctx = NULL;
    tulle_linop *A = NULL, *single = NULL, *M = NULL;
    tulle_vec *b = NULL, *x = NULL;
    tulle_solver *S = NULL;
    tulle_solver_options o = p->options;
    o.sum = sum;
    o.sum_user = p;
    tulle_status s = tulle_ctx_create("cpu:1", NULL, &ctx);
    if (s == TULLE_OK) s = tulle_linop_create(ctx, p->type, rows, rows, &functions, p, &A);
    if (s == TULLE_OK) s = tulle_linop_create(ctx, TULLE_F32, rows, rows, &functions, p, &single);
    if (s == TULLE_OK) s = tulle_vec_create(ctx, p->type, rows, &b);
    if (s == TULLE_OK) s = tulle_vec_create(ctx, p->type, rows, &x);
    if (s == TULLE_OK) s = tulle_vec_fill(ctx, b, 0.25);
    if (s == TULLE_OK) s = tulle_linop_diagonal(ctx, b, &M);
    if (s == TULLE_OK) s = tulle_vec_random(ctx, b, (uint64_t)p->rank + 1);
    if (p->mixed) o.single_A = single;
    if (s == TULLE_OK) s = tulle_solver_create(ctx, A, M, &o, &S);
    nanosleep(&p->late, NULL);
    if (s == TULLE_OK) s = tulle_solver_run(ctx, S, b, x, &p->report);
    tulle_solver_destroy(S);
    tulle_linop_destroy(A);
    tulle_linop_destroy(single);
    tulle_linop_destroy(M);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_ctx_destroy(ctx);
    return s;
}

static void *start(void *user) {
    process *p = user;
    p->status = solve(p);
    return NULL;
}

/* All alike but for `late`; they must agree on how it went. */
static tulle_solver_report together(host_system s, const process *all, struct timespec late) {
    exchange e = {.lock = PTHREAD_MUTEX_INITIALIZER, .all_here = PTHREAD_COND_INITIALIZER, .s = s};
    pthread_t threads[PROCESSES];
    process p[PROCESSES];
    for (int rank = 0; rank < PROCESSES; rank++) {
        p[rank] = *all;
        p[rank].e = &e;
        p[rank].rank = rank;
        if (rank == 0) p[rank].late = late;
        assert_int_equal(pthread_create(threads + rank, NULL, start, p + rank), 0);
    }
    for (int rank = 0; rank < PROCESSES; rank++) pthread_join(threads[rank], NULL);
    for (int rank = 0; rank < PROCESSES; rank++) {
        assert_int_equal(p[rank].status, TULLE_OK);
        assert_int_equal(p[rank].report.outcome, p[0].report.outcome);
        assert_int_equal(p[rank].report.iterations, p[0].report.iterations);
        assert_true(p[rank].report.norm == p[0].report.norm);
    }
    return p[0].report;
}

static const struct timespec at_once = {0, 0};

/* All methods with all kinds of sums, by 3 processes of which one has no rows. */
static void test_methods(void **state) {
    (void)state;
    for (int method = 0; method < TULLE_METHOD_COUNT; method++) {
        for (int way = 0; way < 8; way++) {
            const bool singular = way & 1, left = way & 2, f32 = way & 4;
            const process all = {
                .type = f32 ? TULLE_F32 : TULLE_F64,
                .mixed = !f32 && left,
                .options = {.method = (tulle_method)method,
                            .restart = 12,
                            .constant_null_space = singular,
                            .norm = left && method != TULLE_FGMRES ? TULLE_PRECONDITIONED_NORM
                                                                   : TULLE_TRUE_NORM}};
            host_system s = singular ? system_torus(SIDE) : system_grid(SIDE, 0, 0.1);
            const tulle_solver_report r = together(s, &all, at_once);
            assert_int_equal(r.outcome, TULLE_CONVERGED);
            assert_true(r.iterations > 3 && r.norm <= r.limit);
            system_free(&s);
        }
    }
}

/* One process begins a while later, when the time of the others is over. */
static void test_time(void **state) {
    (void)state;
    const struct timespec late = {0, 200 * 1000 * 1000};
    const process all = {.type = TULLE_F64, .options = {.tolerance = 1e-12, .max_seconds = 0.1}};
    host_system s = system_grid(SIDE, 0, 0);
    const tulle_solver_report r = together(s, &all, late);
    assert_int_equal(r.outcome, TULLE_MOST_TIME);
    system_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
