/* SPDX-License-Identifier: Apache-2.0 */
/* PACKED: the kinds of lines that matrices of known columns get, what cannot be packed, values of
 * f32 under a product in f64, and arrays that are used in place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
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

/* A slice of rows with a column each: the first and the last column of a span, and some between.
 * All values are small integers, so that products are exact. */
enum { LANES = 32 };
typedef struct {
    int64_t offsets[LANES + 1], cols[LANES];
    double values[LANES];
} one_line;

static one_line line_of(int64_t span) {
    one_line l;
    for (int i = 0; i < LANES; i++) {
        l.offsets[i] = i;
        l.cols[i] = 3 + (i % 2 ? span - i / 2 % 2 : i / 2 % 2);
        l.values[i] = 1 + i % 5;
    }
    l.offsets[LANES] = LANES;
    return l;
}

static void expect_columns(tulle_ctx *ctx, const tulle_mat *A, const one_line *l) {
    naive_layout laid = naive_read(ctx, A);
    naive_check(&laid);
    int64_t *slots = NULL;
    entries e = naive_entries(&laid, &slots);
    assert_int_equal(e.nnz, LANES);
    for (int i = 0; i < LANES; i++) {
        assert_int_equal(e.row[i], i);
        assert_int_equal(e.col[i], l->cols[i]);
    }
    entries_free(&e);
    free(slots);
    naive_free(&laid);
}

/* A x with x the columns' own numbers, and A^T 1. */
static void expect_products(tulle_ctx *ctx, const tulle_mat *A, const one_line *l, int64_t cols) {
    double *x_host = malloc((size_t)cols * sizeof *x_host), y_host[LANES];
    assert_non_null(x_host);
    for (int64_t j = 0; j < cols; j++) x_host[j] = (double)j;
    tulle_vec *x = NULL, *y = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, cols, &x));
    must(tulle_vec_create(ctx, TULLE_F64, LANES, &y));
    must(tulle_vec_write(ctx, x, x_host, 0));
    must(tulle_spmv(ctx, TULLE_N, tulle_num(1), A, x, tulle_num(0), y));
    must(tulle_vec_read(ctx, y, y_host, 0));
    for (int i = 0; i < LANES; i++) assert_true(y_host[i] == l->values[i] * (double)l->cols[i]);
    must(tulle_vec_fill(ctx, y, 1));
    must(tulle_spmv(ctx, TULLE_T, tulle_num(1), A, y, tulle_num(0), x));
    must(tulle_vec_read(ctx, x, x_host, 0));
    for (int i = 0; i < LANES; i++) x_host[l->cols[i]] -= l->values[i];
    for (int64_t j = 0; j < cols; j++) assert_true(x_host[j] == 0);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    free(x_host);
}

/* Columns as far apart as a code of one or two bytes reaches, and by one or two more. */
static void spans(tulle_ctx *ctx, const char *where) {
    static const struct {
        int64_t span;
        unsigned kind;
    } cases[] = {{254, 1},   {255, 1},   {256, 2},   {257, 2},
                 {65534, 2}, {65535, 2}, {65536, 3}, {65537, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        one_line l = line_of(cases[i].span);
        int64_t cols = cases[i].span + 4;
        zoo_matrix m = {.name = where,
                        .rows = LANES,
                        .cols = cols,
                        .nnz = LANES,
                        .offsets = l.offsets,
                        .columns = l.cols,
                        .values = l.values};
        for (int index = 0; index < 3; index++) {
            tulle_mat *csr = zoo_mat(ctx, &m, (tulle_index)index, TULLE_F64), *A = NULL;
            must(tulle_mat_convert(ctx, csr, TULLE_PACKED, (tulle_index)index, 0, &A));
            naive_layout laid = naive_read(ctx, A);
            assert_int_equal(laid.mask[1] % KINDS, cases[i].kind);
            assert_int_equal(laid.n.codes, 32 * (cases[i].kind == 3 ? 4 : cases[i].kind));
            naive_free(&laid);
            expect_columns(ctx, A, &l);
            expect_products(ctx, A, &l, cols);
            tulle_mat_destroy(A);
            tulle_mat_destroy(csr);
        }
    }
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
static void multiply_narrow(tulle_ctx *ctx, const tulle_mat *A, const char *spec, const void *x,
                            void *y) {
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
    if (strchr(spec, ':')) params[0] = 0;
    must(kernel->run[TULLE__VALUES_F32_F64][TULLE_I32](&task));
}

/* Values in f32 under an f64 product are as good as the same values in f64, bit by bit. */
static void narrow_values_with(tulle_ctx *ctx, const char *spec) {
    enum { ROWS = 320 };
    tulle_mat *csr = NULL, *A = NULL, *wide = NULL;
    tulle_vec *x = NULL, *y = NULL;
    double want[ROWS], got[ROWS];
    must(tulle_generate(ctx, "p2d5:64,5", 1, TULLE_F32, &csr));
    must(tulle_mat_convert(ctx, csr, TULLE_PACKED, TULLE_I32, 0, &A));
    must(tulle_mat_copy(ctx, A, TULLE_F64, &wide));
    must(tulle_vec_create(ctx, TULLE_F64, ROWS, &x));
    must(tulle_vec_create(ctx, TULLE_F64, ROWS, &y));
    must(tulle_vec_random(ctx, x, 1));
    must(tulle_ctx_force_kernel(ctx, spec));
    must(tulle_spmv(ctx, TULLE_N, tulle_num(1), wide, x, tulle_num(0), y));
    must(tulle_ctx_force_kernel(ctx, NULL));
    must(tulle_vec_read(ctx, y, want, 0));
    must(tulle_vec_fill(ctx, y, (double)NAN));
    tulle_vec_info x_info, y_info;
    must(tulle_vec_describe(x, &x_info));
    must(tulle_vec_describe(y, &y_info));
    multiply_narrow(ctx, A, spec, x_info.data, y_info.data);
    must(tulle_vec_read(ctx, y, got, 0));
    assert_memory_equal(got, want, sizeof got);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    tulle_mat_destroy(wide);
    tulle_mat_destroy(A);
    tulle_mat_destroy(csr);
}

/* On a CPU also without vectors. */
static void narrow_values(tulle_ctx *ctx, const char *where) {
    narrow_values_with(ctx, "spmv_packed");
    if (strncmp(where, "cpu", 3) == 0) narrow_values_with(ctx, "spmv_packed:bits=0");
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
static void test_spans(void **state) {
    (void)state;
    on_each_place(spans);
}
static void test_reach(void **state) {
    (void)state;
    on_each_place(reach);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),     cmocka_unit_test(test_spans),
        cmocka_unit_test(test_reach),     cmocka_unit_test(test_narrow_values),
        cmocka_unit_test(test_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
