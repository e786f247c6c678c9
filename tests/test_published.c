/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that stand as papers published them, where the build has them and where it leaves them
 * out (TULLE_PUBLISHED): their names end in TULLE_UNSUPPORTED then, and name the option, and each
 * format and operation works without them. Numbers are small integers, so that results are exact.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/backend.h"
#include "tulle/tulle.h"

#include "tulle/add.h"
#include "tulle/advanced.h"
#include "tulle/batch.h"
#include "tulle/factor.h"
#include "tulle/generate.h"
#include "tulle/spgemm.h"
#include "tulle/spmm.h"
#include "tulle/trisolve.h"

static void must(tulle_status status) {
    if (status != TULLE_OK) fail_msg("%s", tulle_last_error()->message);
}

static tulle_ctx *ctx;

static int open_cpu(void **state) {
    (void)state;
    return tulle_ctx_create("cpu:2", NULL, &ctx) != TULLE_OK;
}
static int close_cpu(void **state) {
    (void)state;
    tulle_ctx_destroy(ctx);
    return 0;
}

/* The option is named where it would help, and only there. */
static void check_named(const char *kernel, tulle_status got) {
    const bool named =
        got != TULLE_OK && strstr(tulle_last_error()->message, "-DTULLE_PUBLISHED=ON");
    if (TULLE__PUBLISHED) {
        assert_true(got == TULLE_OK || got == TULLE_NOT_FOUND);
        assert_false(named);
    } else {
        assert_int_equal(got, TULLE_UNSUPPORTED);
        assert_true(named);
        assert_non_null(strstr(tulle_last_error()->message, kernel));
    }
}

static void test_names(void **state) {
    (void)state;
    int count = 0;
    for (int op = 0; op < TULLE__OPERATION_COUNT; op++) {
        const char *const *name = tulle__operations[op]->published;
        for (; name && *name; name++, count++)
            check_named(*name, tulle_ctx_force_kernel(ctx, *name));
    }
    assert_true(count > 0);
    assert_int_equal(tulle_ctx_force_kernel(ctx, "spgemm_nobody"), TULLE_NOT_FOUND);
    must(tulle_ctx_force_kernel(ctx, NULL));
}

enum { N = 25, K = 3 };

/* N x K numbers, wrapped. */
static tulle_vec *wrapped(double *numbers) {
    tulle_vec *X = NULL;
    must(tulle_vec_wrap(ctx, TULLE_F64, N, K, TULLE_COLUMN_MAJOR, N, numbers, &X));
    return X;
}
static tulle_vec *column(double *numbers) {
    tulle_vec *x = NULL;
    must(tulle_vec_wrap(ctx, TULLE_F64, N, 1, TULLE_COLUMN_MAJOR, N, numbers, &x));
    return x;
}
static void number(double *numbers) {
    for (int i = 0; i < N * K; i++) numbers[i] = i % 7 - 3;
}

static tulle_mat *stencil(void) {
    tulle_mat *A = NULL;
    must(tulle_generate(ctx, "p2d5:5", 1, TULLE_F64, &A));
    return A;
}

/* Row i of the five-point stencil on 5 x 5 points times a column of X. */
static double stencil_row(const double *x, int i) {
    const int side = 5, r = i / side, c = i % side;
    double sum = 4 * x[i];
    if (r > 0) sum -= x[i - side];
    if (r < side - 1) sum -= x[i + side];
    if (c > 0) sum -= x[i - 1];
    if (c < side - 1) sum -= x[i + 1];
    return sum;
}

static void check_products(const tulle_mat *A, tulle_trans op, const char *format) {
    double x[N * K], y[N * K];
    number(x);
    tulle_vec *X = wrapped(x), *Y = wrapped(y), *one = column(x), *of_one = column(y);
    for (int many = 0; many < 2; many++) {
        for (int i = 0; i < N * K; i++) y[i] = -77;
        must(many ? tulle_spmm(ctx, op, tulle_num(1), A, X, tulle_num(0), Y)
                  : tulle_spmv(ctx, op, tulle_num(1), A, one, tulle_num(0), of_one));
        for (int i = 0; i < (many ? N * K : N); i++) {
            if (y[i] != stencil_row(x + i / N * N, i % N)) fail_msg("%s: number %d", format, i);
        }
    }
    tulle_vec *const all[] = {X, Y, one, of_one};
    for (int i = 0; i < 4; i++) tulle_vec_destroy(all[i]);
}

static void test_formats(void **state) {
    (void)state;
    tulle_mat *A = stencil();
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        tulle_mat *B = NULL;
        must(tulle_mat_convert(ctx, A, (tulle_format)f, TULLE_I32, 0, &B));
        check_products(B, TULLE_N, tulle_format_name((tulle_format)f));
        check_products(B, TULLE_T, tulle_format_name((tulle_format)f));
        tulle_mat_destroy(B);
    }
    tulle_mat_destroy(A);
}

/* A A - A A and A^T - A have zeros alone; L L^T x = b and T x = b are solved. */
static void test_operations(void **state) {
    (void)state;
    tulle_mat *A = stencil(), *C = NULL, *Z = NULL, *T = NULL;
    double x[N * K], b[N * K];
    number(x);
    tulle_vec *X = wrapped(x), *B = wrapped(b);
    must(tulle_spgemm(ctx, TULLE_N, TULLE_T, tulle_num(1), A, A, NULL, NULL, &C));
    must(tulle_add(ctx, TULLE_N, TULLE_T, tulle_num(1), C, tulle_num(-1), C, NULL, NULL, &Z));
    must(tulle_mat_transpose(ctx, A, &T));
    check_products(T, TULLE_N, "transposed");
    must(tulle_spmm(ctx, TULLE_N, tulle_num(1), Z, X, tulle_num(0), B));
    for (int i = 0; i < N * K; i++) assert_true(b[i] == 0);

    tulle_factor *F = NULL;
    const tulle_factor_options options = {.kind = TULLE_CHOLESKY, .fill = TULLE_FILL_ALL};
    must(tulle_spmm(ctx, TULLE_N, tulle_num(1), A, X, tulle_num(0), B));
    must(tulle_factor_create(ctx, A, &options, &F));
    must(tulle_factor_solve(ctx, TULLE_N, tulle_num(1), F, B, B));
    for (int i = 0; i < N * K; i++) assert_true(b[i] - x[i] < 1e-12 && x[i] - b[i] < 1e-12);
    must(tulle_trisolve(ctx, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, tulle_num(1), A, X, B));
    assert_true(b[0] == x[0] / 4);
    tulle_factor_destroy(F);
    tulle_mat *const all[] = {A, C, Z, T};
    for (int i = 0; i < 4; i++) tulle_mat_destroy(all[i]);
    tulle_vec_destroy(X);
    tulle_vec_destroy(B);
}

static void test_batch(void **state) {
    (void)state;
    enum { WAYS = 6, FIRST_PUBLISHED = 3 };
    static const tulle_batch_way ways[WAYS] = {TULLE_BATCH_GROUPED,  TULLE_BATCH_STREAMS,
                                               TULLE_BATCH_SHARED,   TULLE_BATCH_TASKS,
                                               TULLE_BATCH_SHUFFLES, TULLE_BATCH_GRID};
    static const char *const names[WAYS] = {
        [FIRST_PUBLISHED] = "TULLE_BATCH_TASKS", "TULLE_BATCH_SHUFFLES", "TULLE_BATCH_GRID"};
    double x[N * K], r[K * K];
    number(x);
    tulle_vec *X = wrapped(x), *R = NULL;
    must(tulle_vec_wrap(ctx, TULLE_F64, K, K, TULLE_COLUMN_MAJOR, K, r, &R));
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_dot(batch, 1, X, X, 0, R, NULL));
    double want = 0;
    for (int i = 0; i < N; i++) want += x[i] * x[i];
    for (int w = 0; w < WAYS; w++) {
        r[0] = -1;
        const tulle_status status = tulle_batch_run(ctx, batch, ways[w]);
        if (w >= FIRST_PUBLISHED) check_named(names[w], status);
        if (status == TULLE_OK) must(tulle_ctx_synchronize(ctx));
        assert_true(r[0] == (status == TULLE_OK ? want : -1));
        assert_true(status == TULLE_OK || w >= FIRST_PUBLISHED);
    }
    tulle_batch_destroy(batch);
    tulle_vec_destroy(R);
    tulle_vec_destroy(X);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_formats),
                                       cmocka_unit_test(test_operations),
                                       cmocka_unit_test(test_batch)};
    return cmocka_run_group_tests(tests, open_cpu, close_cpu);
}
