/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the registry on matrices, operands and orders of the emulator drawn at random: right,
 * and clean in the emulator's eyes. TULLE_TEST_LAUNCHES says how many products (default 300); the
 * seed of places.h says which, and a failure prints how to repeat it. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "reference.h"
#include "tulle/advanced.h"

enum { DEFAULT_LAUNCHES = 300, MOST_SIDE = 200 };

static int64_t below(uint64_t *state, int64_t limit) {
    return (int64_t)(zoo_bits(state) % (uint64_t)limit);
}

/* Rows of random lengths, most short and some long, with columns that never repeat in a row. */
static zoo_matrix random_matrix(uint64_t *state) {
    zoo_matrix m = {
        .name = "random", .rows = 1 + below(state, MOST_SIDE), .cols = 1 + below(state, MOST_SIDE)};
    m.offsets = calloc((size_t)m.rows + 1, sizeof *m.offsets);
    m.columns = malloc((size_t)(m.rows * m.cols) * sizeof *m.columns);
    m.values = malloc((size_t)(m.rows * m.cols) * sizeof *m.values);
    assert_true(m.offsets && m.columns && m.values);
    int64_t usual = 1 + below(state, m.cols < 12 ? m.cols : 12);
    for (int64_t i = 0; i < m.rows; i++) {
        int64_t length = below(state, 16) == 0 ? below(state, m.cols + 1) : below(state, usual + 1);
        int64_t step = length > 0 ? m.cols / length : 1, at = below(state, step);
        for (int64_t k = 0; k < length; k++, at += step) {
            m.columns[m.nnz] = at;
            m.values[m.nnz++] = zoo_number(state);
        }
        m.offsets[i + 1] = m.nnz;
    }
    return m;
}

static void *operand(uint64_t *state, int64_t count, tulle_type type, double **wide) {
    float *single = malloc((size_t)(count + 1) * sizeof *single);
    *wide = malloc((size_t)(count + 1) * sizeof **wide);
    assert_true(single && *wide);
    for (int64_t i = 0; i < count; i++) {
        (*wide)[i] = zoo_number(state);
        single[i] = (float)(*wide)[i];
    }
    if (type == TULLE_F32) return single;
    free(single);
    return *wide;
}

static tulle_dense *upload(tulle_ctx *ctx, tulle_type type, int64_t n, const void *numbers) {
    tulle_dense *v = NULL;
    must(tulle_vec_create(ctx, type, n, &v));
    must(tulle_dense_write(ctx, v, numbers, 0));
    return v;
}

/* Another kernel of those for vectors. */
static tulle_kernel_info random_kernel(tulle_ctx *ctx, uint64_t *state) {
    tulle_device_info device;
    tulle_kernel_info info;
    must(tulle_ctx_device(ctx, &device));
    do {
        int kernels = tulle_kernel_count(device.backend);
        must(tulle_kernel_describe(device.backend, (int)below(state, kernels), &info));
    } while (strcmp(info.operation, "spmv") != 0);
    return info;
}

static tulle_mat *in_format(tulle_ctx *ctx, const zoo_matrix *m, const tulle_kernel_info *kernel,
                            tulle_index index, tulle_type type) {
    tulle_mat *csr = zoo_mat(ctx, m, index, type), *A = NULL;
    tulle_status status = tulle_mat_convert(ctx, csr, kernel->format, index, 0, &A);
    tulle_mat_destroy(csr);
    return status == TULLE_OK ? A : NULL;
}

/* One product; whether the kernel took it. */
static bool launch(tulle_ctx *ctx, uint64_t *state, const tulle_kernel_info *kernel) {
    tulle_type type = below(state, 2) ? TULLE_F64 : TULLE_F32;
    tulle_index index = (tulle_index)below(state, 3);
    product p = {.op = below(state, 2) ? TULLE_T : TULLE_N,
                 .alpha = 0.5 * (double)below(state, 4) - 0.5,
                 .beta = 0.5 * (double)below(state, 3)};
    zoo_matrix m = random_matrix(state);
    tulle_mat *A = in_format(ctx, &m, kernel, index, type);
    bool taken = false;
    if (A) {
        int64_t n = p.op == TULLE_N ? m.cols : m.rows, rows = p.op == TULLE_N ? m.rows : m.cols;
        double *x0, *y0;
        void *x_given = operand(state, n, type, &x0), *y_given = operand(state, rows, type, &y0);
        p.x = x0;
        p.y0 = y0;
        tulle_dense *x = upload(ctx, type, n, x_given), *y = upload(ctx, type, rows, y_given);
        if (below(state, 2)) tulle_mat_optimize(ctx, A, p.op, 1000);
        must(tulle_ctx_force_kernel(ctx, kernel->name));
        tulle_status status = tulle_spmv(ctx, p.op, tulle_num(p.alpha), A, x, tulle_num(p.beta), y);
        must(tulle_ctx_force_kernel(ctx, NULL));
        taken = status == TULLE_OK;
        if (!taken && status != TULLE_UNSUPPORTED) {
            fail_msg("%s: %s", kernel->name, tulle_last_error()->message);
        }
        void *found = malloc((size_t)(rows + 1) * sizeof(double));
        assert_non_null(found);
        must(tulle_dense_read(ctx, y, found, 0));
        double error = taken ? product_error(&m, &p, type, found) : 0;
        if (!(error <= 1)) fail_msg("%s: error %g bounds", kernel->name, error);
        free(found);
        tulle_dense_destroy(x);
        tulle_dense_destroy(y);
        if (x_given != x0) free(x_given);
        if (y_given != y0) free(y_given);
        free(x0);
        free(y0);
    }
    tulle_mat_destroy(A);
    zoo_free(&m);
    return taken;
}

/* A context has one order. */
static int some_launches(uint64_t *state, int count) {
    char order[40];
    int taken = 0;
    snprintf(order, sizeof order, "random:%u", (unsigned)zoo_bits(state));
    setenv("TULLE_EMU_ORDER", order, 1);
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("emulated", NULL, &ctx));
    for (int i = 0; i < count; i++) {
        tulle_kernel_info kernel = random_kernel(ctx, state);
        taken += launch(ctx, state, &kernel);
    }
    tulle_ctx_destroy(ctx);
    return taken;
}

static void test_random_launches(void **unused) {
    (void)unused;
    const char *given = getenv("TULLE_TEST_LAUNCHES");
    int wanted = given ? atoi(given) : DEFAULT_LAUNCHES, taken = 0;
    uint64_t state = places_seed();
    print_message("TULLE_TEST_SEED=%lu TULLE_TEST_LAUNCHES=%d\n", places_seed(), wanted);
    while (taken < wanted) taken += some_launches(&state, 20);
    print_message("%d products\n", taken);
}

int main(void) {
    const char *places = getenv("TULLE_TEST_WHERE");
    if (places && !strstr(places, "emulated")) {
        say_skipped("random launches: for the emulator");
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_launches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
