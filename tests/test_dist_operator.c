/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of distributed matrices: bounds of their eigenvalues, and graphs that capture them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "joint.h"
#include "places.h"

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
    joint t = {.s = two_fields(M), .type = TULLE_F64, .b = b, .x = x};
    for (int i = 0; i < 2 * M; i++) b[i] = cos((double)(i * i % 97));
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        t.options.method = TULLE_CHEBYSHEV;
        t.with = WITH_NONE;
        assert_int_equal(joint_run("cpu:1", ranks, &t).outcome, TULLE_CONVERGED);
        assert_true(joint_residual(&t) <= 2e-8);
        t.options.method = TULLE_CG;
        t.with = WITH_POLYNOMIAL;
        assert_int_equal(joint_run("cpu:1", ranks, &t).outcome, TULLE_CONVERGED);
    }
    system_free(&t.s);
}

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

static int64_t solve_alone(tulle_ctx *ctx, const char *where, bool on_stream, joint *t,
                           int *queued) {
    process p = {.ranks = 1, .ctx = ctx, .data = t, .where = where, .body = joint_solve};
    const tulle_comm_functions functions = {.size = sizeof functions,
                                            .ranks = 1,
                                            .on_stream = on_stream,
                                            .capturable = on_stream,
                                            .gather = copy,
                                            .gather_on_stream = copy_on_stream,
                                            .exchange_start = no_pieces,
                                            .exchange_finish = no_finish};
    must(tulle_comm_create(&functions, queued, &p.comm));
    must(joint_solve(&p));
    tulle_comm_destroy(p.comm);
    assert_int_equal(t->report[0].outcome, TULLE_CONVERGED);
    return t->report[0].iterations;
}

static void capture_with(tulle_ctx *ctx, const char *where, preconditioner with) {
    double b[JOINT_N], x[JOINT_N], again[JOINT_N];
    joint t = joint_make(JOINT_SIDE, 0, b, x);
    int queued = 0, waited = 0;
    t.with = with;
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

static void captured(tulle_ctx *ctx, const char *where) {
    capture_with(ctx, where, WITH_JACOBI);
    capture_with(ctx, where, WITH_MULTIGRID);
}
ONCE_ON_EACH_PLACE(captured)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_captured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
