/* SPDX-License-Identifier: Apache-2.0 */
/* Every CPU kernel for multivectors gives the same bits on any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "tulle/advanced.h"

/* A stencil, and rows of very different lengths; both large enough for several threads. */
static const char *const matrices[] = {"p2d5:90", "rmat:11,16"};
static const char *const places[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:7"};
static const int64_t counts[] = {2, 3, 33};
enum { MATRICES = 2, PLACES = 4, COUNTS = 3, LAYOUTS = 4, CASES = MATRICES * COUNTS * LAYOUTS };

/* op(A) X by a kernel at a place, in the host's memory; the caller frees it. */
static double *product_at(const char *where, const tulle_kernel_info *kernel, int number,
                          tulle_trans op, size_t *bytes) {
    tulle_ctx *ctx = NULL;
    tulle_mat *csr = NULL, *A = NULL;
    tulle_vec *X = NULL, *Y = NULL;
    tulle_mat_info info;
    must(tulle_ctx_create(where, NULL, &ctx));
    must(tulle_ctx_force_kernel(ctx, kernel->name));
    must(tulle_generate(ctx, matrices[number % MATRICES], 1, TULLE_F64, &csr));
    must(tulle_mat_convert(ctx, csr, kernel->format, TULLE_I32, 0, &A));
    must(tulle_mat_describe(A, &info)); /* square */
    int64_t k = counts[number / MATRICES % COUNTS];
    int layouts = number / MATRICES / COUNTS;
    must(
        tulle_vec_create_columns(ctx, TULLE_F64, info.rows, k, (tulle_layout)(layouts % 2), 0, &X));
    must(
        tulle_vec_create_columns(ctx, TULLE_F64, info.rows, k, (tulle_layout)(layouts / 2), 0, &Y));
    must(tulle_vec_random(ctx, X, 1));
    must(tulle_spmm(ctx, op, tulle_num(1), A, X, tulle_num(0), Y));
    *bytes = (size_t)(info.rows * k) * sizeof(double);
    double *host = malloc(*bytes);
    assert_non_null(host);
    must(tulle_vec_read(ctx, Y, host, 0));
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    tulle_mat_destroy(A);
    tulle_mat_destroy(csr);
    tulle_ctx_destroy(ctx);
    return host;
}

static void compare(const tulle_kernel_info *kernel, int number, tulle_trans op) {
    size_t bytes = 0;
    double *one = product_at(places[0], kernel, number, op, &bytes);
    for (int p = 1; p < PLACES; p++) {
        double *many = product_at(places[p], kernel, number, op, &bytes);
        assert_memory_equal(one, many, bytes);
        free(many);
    }
    free(one);
}

static void test_any_threads(void **state) {
    (void)state;
    int compared = 0;
    for (int i = 0; i < tulle_kernel_count(TULLE_CPU); i++) {
        tulle_kernel_info k;
        must(tulle_kernel_describe(TULLE_CPU, i, &k));
        if (strcmp(k.operation, "spmm") != 0) continue;
        for (int number = 0; number < CASES; number++) {
            if (k.repeatable) compare(&k, number, TULLE_N);
            if (k.repeatable_t) compare(&k, number, TULLE_T);
            compared += k.repeatable || k.repeatable_t;
        }
    }
    assert_true(compared > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
