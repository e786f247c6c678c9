/* SPDX-License-Identifier: Apache-2.0 */
/* Borrowed arrays may begin anywhere their elements may: every kernel for CSR, of vectors and of
 * blocks, on columns and values that do not begin where a load of 16 bytes could. All numbers are
 * small integers, so that sums are exact and results equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "tulle/advanced.h"

enum { ROWS = 70, LENGTH = 9, ENTRIES = ROWS * LENGTH, COLS = 64, VECTORS = 8 };

/* The same matrix, aligned or one element off. */
typedef struct {
    int32_t offsets[ROWS + 1];
    _Alignas(16) int32_t columns[ENTRIES + 1];
    _Alignas(16) float values[ENTRIES + 1];
} arrays;

static tulle_mat *borrow(tulle_ctx *ctx, arrays *a, int off) {
    tulle_mat_options options = {.ownership = TULLE_BORROW};
    tulle_mat *A = NULL;
    for (int i = 0; i <= ROWS; i++) a->offsets[i] = i * LENGTH;
    for (int e = 0; e < ENTRIES; e++) {
        a->columns[off + e] = (e * 7 / LENGTH + e % LENGTH * 6) % COLS;
        a->values[off + e] = (float)(1 + e % 5);
    }
    must(tulle_mat_create_csr(ctx, ROWS, COLS, ENTRIES, TULLE_I32, a->offsets, a->columns + off,
                              TULLE_F32, a->values + off, &options, &A));
    return A;
}

/* What is multiplied: one vector, or a block of them in a layout. */
typedef struct {
    int64_t vectors;
    tulle_layout layout;
} operands;

static tulle_vec *wrap(tulle_ctx *ctx, const operands *o, int64_t rows, float *numbers) {
    tulle_vec *made = NULL;
    int64_t ld = o->layout == TULLE_ROW_MAJOR ? o->vectors : rows;
    must(tulle_vec_wrap(ctx, TULLE_F32, rows, o->vectors, o->layout, ld, numbers, &made));
    return made;
}

static tulle_status multiply(tulle_ctx *ctx, const operands *o, const tulle_mat *A, float *y) {
    float x[COLS * VECTORS];
    for (int i = 0; i < COLS * VECTORS; i++) x[i] = (float)(i % 11 - 5);
    tulle_vec *X = wrap(ctx, o, COLS, x), *Y = wrap(ctx, o, ROWS, y);
    tulle_status status = o->vectors == 1
                              ? tulle_spmv(ctx, TULLE_N, tulle_num(1), A, X, tulle_num(0), Y)
                              : tulle_spmm(ctx, TULLE_N, tulle_num(1), A, X, tulle_num(0), Y);
    must(tulle_ctx_synchronize(ctx));
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    return status;
}

/* How many products were compared: 0 where the kernel does not take such operands. */
static int compare(tulle_ctx *ctx, const operands *o, const char *kernel) {
    arrays one, other;
    float expected[ROWS * VECTORS], found[ROWS * VECTORS];
    tulle_mat *A = borrow(ctx, &one, 0), *B = borrow(ctx, &other, 1);
    must(tulle_ctx_force_kernel(ctx, kernel));
    tulle_status status = multiply(ctx, o, A, expected);
    if (status == TULLE_OK) {
        must(multiply(ctx, o, B, found));
        size_t bytes = (size_t)(ROWS * o->vectors) * sizeof(float);
        if (memcmp(expected, found, bytes) != 0) fail_msg("%s differs", kernel);
    } else {
        if (status != TULLE_UNSUPPORTED) fail_msg("%s: %s", kernel, tulle_last_error()->message);
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    return status == TULLE_OK;
}

static int compare_all(tulle_ctx *ctx, const tulle_kernel_info *kernel) {
    static const operands one = {1, TULLE_COLUMN_MAJOR};
    static const operands blocks[] = {{VECTORS, TULLE_ROW_MAJOR}, {VECTORS, TULLE_COLUMN_MAJOR}};
    if (strncmp(kernel->operation, "spm", 3) != 0) return 1; /* neither spmv nor spmm */
    if (strcmp(kernel->operation, "spmv") == 0) return compare(ctx, &one, kernel->name);
    return compare(ctx, &blocks[0], kernel->name) + compare(ctx, &blocks[1], kernel->name);
}

static void each_kernel(tulle_ctx *ctx, const char *where) {
    tulle_device_info device;
    tulle_kernel_info kernel;
    must(tulle_ctx_device(ctx, &device));
    if (device.backend == TULLE_CUDA) return; /* the arrays are this program's */
    for (int i = 0; i < tulle_kernel_count(device.backend); i++) {
        must(tulle_kernel_describe(device.backend, i, &kernel));
        if (kernel.format != TULLE_CSR || kernel.needs_plan || !kernel.forward) continue;
        if (compare_all(ctx, &kernel) == 0) fail_msg("%s: %s took nothing", where, kernel.name);
    }
}

static void test_misaligned(void **state) {
    (void)state;
    on_each_place(each_kernel);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_misaligned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
