/* SPDX-License-Identifier: Apache-2.0 */
/* PACKED: the kinds of lines that matrices of known columns get, what cannot be packed, values of
 * f32 under a product in f64, and arrays that are used in place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "naive_layout.h"
#include "places.h"
#include "spmv/select.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"

enum { KINDS = 4 };

/* How many lines of each kind there are. */
static void count_kinds(tulle_ctx *ctx, const char *spec, int64_t kinds[KINDS]) {
    tulle_mat *csr = NULL, *A = NULL;
    must(tulle_generate(ctx, spec, 1, TULLE_F64, &csr));
    must(tulle_mat_convert(ctx, csr, TULLE_PACKED, TULLE_I32, 0, &A));
    naive_layout l = naive_read(ctx, A);
    naive_check(&l);
    memset(kinds, 0, KINDS * sizeof *kinds);
    for (int64_t line = 0; line < l.n.cols; line++) kinds[l.mask[2 * line + 1] % KINDS]++;
    naive_free(&l);
    tulle_mat_destroy(A);
    tulle_mat_destroy(csr);
}

static void kinds(tulle_ctx *ctx, const char *where) {
    (void)where;
    int64_t of[KINDS];
    /* Two slices in a row of the grid: at its ends a row has an entry less, and its others move. */
    count_kinds(ctx, "p2d5:64,5", of);
    assert_true(of[0] > 0 && of[1] > 0 && of[2] == 0 && of[3] == 0);
    count_kinds(ctx, "random:70,256,9", of);
    assert_true(of[1] > 0 && of[2] == 0 && of[3] == 0);
    count_kinds(ctx, "random:70,60000,9", of);
    assert_true(of[2] > 0 && of[3] == 0);
    count_kinds(ctx, "random:70,10000000,9", of);
    assert_true(of[3] > 0);
}

/* Two rows whose first columns are so far apart. */
static tulle_status pack_apart(tulle_ctx *ctx, int64_t distance, tulle_mat **A) {
    int64_t offsets[] = {0, 1, 2}, cols[] = {7, 7 + distance};
    double values[] = {1, 2};
    tulle_mat *csr = NULL;
    must(tulle_mat_create_csr(ctx, 2, INT64_C(1) << 40, 2, TULLE_I64, offsets, cols, TULLE_F64,
                              values, NULL, &csr));
    tulle_status status = tulle_mat_convert(ctx, csr, TULLE_PACKED, TULLE_I64, 0, A);
    tulle_mat_destroy(csr);
    return status;
}

static void reach(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = NULL;
    must(pack_apart(ctx, UINT32_MAX, &A));
    naive_layout l = naive_read(ctx, A);
    naive_check(&l);
    assert_int_equal(l.mask[1] % KINDS, 3);
    naive_free(&l);
    tulle_mat_destroy(A);
    assert_int_equal(pack_apart(ctx, INT64_C(1) << 32, &A), TULLE_TOO_LARGE);
    assert_null(A);
    assert_string_equal(tulle_last_error()->argument, "format");
    assert_non_null(strstr(tulle_last_error()->message, "2^32 apart"));
    must(pack_apart(ctx, 1, &A)); /* neighbours are a diagonal, wherever they stand */
    l = naive_read(ctx, A);
    assert_int_equal(l.n.codes, 0);
    naive_free(&l);
    tulle_mat_destroy(A);
}

/* The kernel of the format on the context's backend. */
static const tulle__spmv_kernel *kernel_of(const tulle_ctx *ctx) {
    const tulle__kernels *kernels = tulle__spmv_kernels(ctx->backend, false);
    for (int i = 0; i < kernels->count; i++) {
        const tulle__kernel *kernel = kernels->item[i];
        if (strcmp(kernel->name, "spmv_packed") == 0) return tulle__spmv_of(kernel);
    }
    fail();
    return NULL;
}

/* y := A x in f64 where A's values are f32. */
static void multiply_narrow(tulle_ctx *ctx, const tulle_mat *A, const void *x, void *y) {
    const tulle__pattern *p = A->pattern;
    const tulle__spmv_kernel *kernel = kernel_of(ctx);
    int params[TULLE__MAX_PARAMS];
    tulle__spmv_call call = tulle__one_vector(TULLE_N);
    tulle__spmv_task task = {.shape = tulle__spmv_shape_of(ctx, p, TULLE__VALUES_F32_F64, &call),
                             .place = &ctx->place,
                             .offsets = p->offsets.data,
                             .cols_of = p->cols_of.data,
                             .order = p->order.data,
                             .mask = p->mask.data,
                             .codes = p->codes.data,
                             .values = A->values.data,
                             .x = x,
                             .y = y,
                             .alpha = tulle_num(1),
                             .beta = tulle_num(0),
                             .params = params};
    kernel->defaults(&task.shape, params);
    must(kernel->run[TULLE__VALUES_F32_F64][TULLE_I32](&task));
}

/* Values in f32 under an f64 product are as good as the same values in f64, bit by bit. */
static void narrow_values(tulle_ctx *ctx, const char *where) {
    (void)where;
    enum { ROWS = 320 };
    tulle_mat *csr = NULL, *A = NULL, *wide = NULL;
    tulle_dense *x = NULL, *y = NULL;
    double want[ROWS], got[ROWS];
    must(tulle_generate(ctx, "p2d5:64,5", 1, TULLE_F32, &csr));
    must(tulle_mat_convert(ctx, csr, TULLE_PACKED, TULLE_I32, 0, &A));
    must(tulle_mat_copy(ctx, A, TULLE_F64, &wide));
    must(tulle_vec_create(ctx, TULLE_F64, ROWS, &x));
    must(tulle_vec_create(ctx, TULLE_F64, ROWS, &y));
    must(tulle_dense_random(ctx, x, 1));
    must(tulle_ctx_force_kernel(ctx, "spmv_packed"));
    must(tulle_spmv(ctx, TULLE_N, tulle_num(1), wide, x, tulle_num(0), y));
    must(tulle_ctx_force_kernel(ctx, NULL));
    must(tulle_dense_read(ctx, y, want, 0));
    must(tulle_dense_fill(ctx, y, (double)NAN));
    tulle_dense_info x_info, y_info;
    must(tulle_dense_describe(x, &x_info));
    must(tulle_dense_describe(y, &y_info));
    multiply_narrow(ctx, A, x_info.data, y_info.data);
    must(tulle_dense_read(ctx, y, got, 0));
    assert_memory_equal(got, want, sizeof got);
    tulle_dense_destroy(x);
    tulle_dense_destroy(y);
    tulle_mat_destroy(wide);
    tulle_mat_destroy(A);
    tulle_mat_destroy(csr);
}

/* Kernels read codes by words. */
static void test_alignment(void **state) {
    (void)state;
    static uint32_t words[9];
    static int32_t offsets[] = {0, 32}, cols[] = {0};
    static uint32_t mask[] = {1, 1};
    static double values[32] = {3};
    tulle_mat_options borrow = {.ownership = TULLE_BORROW};
    tulle_storage storage = {.stored = 32, .slice = 32, .window = 1, .coded = 32};
    tulle_mat_arrays given = {.offsets = offsets, .cols = cols, .mask = mask, .values = values};
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    must(tulle_ctx_create("cpu", NULL, &ctx));
    given.codes = (uint8_t *)words + 1;
    assert_int_equal(tulle_mat_create(ctx, 1, 1, TULLE_PACKED, &storage, TULLE_I32, &given,
                                      TULLE_F64, &borrow, &A),
                     TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "arrays.codes");
    given.codes = words;
    must(tulle_mat_create(ctx, 1, 1, TULLE_PACKED, &storage, TULLE_I32, &given, TULLE_F64, &borrow,
                          &A));
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}

static void test_kinds(void **state) {
    (void)state;
    on_each_place(kinds);
}
static void test_narrow_values(void **state) {
    (void)state;
    on_each_place(narrow_values);
}
static void test_reach(void **state) {
    (void)state;
    on_each_place(reach);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_reach),
        cmocka_unit_test(test_narrow_values),
        cmocka_unit_test(test_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
