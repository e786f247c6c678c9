/* SPDX-License-Identifier: Apache-2.0 */
/* What is used in place must be aligned to its elements: arrays of every format, multivectors,
 * scalars by address. What is copied need not be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "layouts.h"
#include "places.h"
#include "tulle/spmm.h"

enum { ARRAYS = 8, VALUES = 7 };

static const char *const names[ARRAYS] = {"arrays.offsets", "arrays.rows",    "arrays.cols",
                                          "arrays.order",   "arrays.lengths", "arrays.mask",
                                          "arrays.codes",   "values"};

/* A matrix's arrays, each so many bytes behind an address that suits all elements. */
typedef struct {
    tulle_mat_info info;
    int64_t bytes[ARRAYS];
    char *room[ARRAYS];
    int64_t off[ARRAYS];
} arrays;

static arrays arrays_read(tulle_ctx *ctx, const tulle_mat *A) {
    arrays a = {.off = {0}};
    tulle_mat_lengths n;
    must(tulle_mat_describe(A, &a.info));
    must(tulle_mat_counts(A, &n));
    int64_t item = tulle_index_size(a.info.index), offset = tulle_offset_size(a.info.index);
    const int64_t bytes[ARRAYS] = {
        n.offsets * offset, n.rows * item, n.cols * item, n.order * item,
        n.lengths * item,   n.mask * 4,    n.codes,       n.values * tulle_type_size(a.info.type)};
    memcpy(a.bytes, bytes, sizeof bytes);
    for (int k = 0; k < ARRAYS; k++) {
        a.room[k] = bytes[k] > 0 ? malloc((size_t)bytes[k] + 16) : NULL;
        assert_true(a.room[k] || bytes[k] == 0);
    }
    tulle_mat_buffers to = {a.room[0], a.room[1], a.room[2], a.room[3],
                            a.room[4], a.room[5], a.room[6], a.room[7]};
    must(tulle_mat_read_arrays(ctx, A, &to));
    return a;
}

static void move(arrays *a, int k, int64_t off) {
    memmove(a->room[k] + off, a->room[k] + a->off[k], (size_t)a->bytes[k]);
    a->off[k] = off;
}

static void keep(void *user, void *array) {
    (void)user;
    (void)array;
}

static tulle_status make(tulle_ctx *ctx, const arrays *a, tulle_ownership ownership,
                         tulle_mat **A) {
    const void *at[ARRAYS];
    for (int k = 0; k < ARRAYS; k++) at[k] = a->room[k] ? a->room[k] + a->off[k] : NULL;
    tulle_mat_options options = {.ownership = ownership, .release = keep};
    tulle_mat_arrays given = {at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]};
    return tulle_mat_create(ctx, a->info.rows, a->info.cols, a->info.format, &a->info.storage,
                            a->info.index, &given, a->info.type, &options, A);
}

static void expect_refused(tulle_status status, const char *argument) {
    assert_int_equal(status, TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, argument);
    assert_non_null(strstr(tulle_last_error()->message, "not a multiple of"));
}

static entries by_rows(tulle_ctx *ctx, const tulle_mat *A) {
    tulle_mat *csr = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, 0, &csr));
    entries e = entries_read(ctx, csr);
    tulle_mat_destroy(csr);
    return e;
}

/* The arrays in place, one of them off by half an element; and copied from there. */
static void one_format(tulle_ctx *ctx, const tulle_mat *A, bool *met) {
    arrays a = arrays_read(ctx, A);
    entries want = by_rows(ctx, A);
    tulle_mat *B = NULL;
    for (int k = 0; k < ARRAYS; k++) {
        if (a.bytes[k] == 0) continue;
        met[k] = true;
        int64_t half = k == VALUES ? tulle_type_size(a.info.type) / 2 : 2;
        move(&a, k, half);
        for (int ownership = TULLE_BORROW; ownership <= TULLE_TAKE; ownership++) {
            expect_refused(make(ctx, &a, (tulle_ownership)ownership, &B), names[k]);
            assert_null(B);
        }
        must(make(ctx, &a, TULLE_COPY, &B));
        entries got = by_rows(ctx, B);
        entries_assert_same(&got, &want, names[k]);
        entries_free(&got);
        tulle_mat_destroy(B);
        move(&a, k, 0);
    }
    for (int k = 0; k < ARRAYS; k++) free(a.room[k]);
    entries_free(&want);
}

static void one_matrix(tulle_ctx *ctx, const zoo_matrix *m, tulle_index index, bool *met) {
    tulle_mat *csr = zoo_mat(ctx, m, index, TULLE_F64);
    for (int format = 0; format < TULLE_FORMAT_COUNT; format++) {
        int layout = layout_count((tulle_format)format) > 1;
        tulle_mat *A = layout_make(ctx, csr, (tulle_format)format, index, layout);
        if (A) one_format(ctx, A, met);
        tulle_mat_destroy(A);
    }
    tulle_mat_destroy(csr);
}

static void each_format(tulle_ctx *ctx, const char *where) {
    (void)where;
    bool met[ARRAYS] = {false};
    for (int i = 8; i < zoo_count(); i += 5) {
        zoo_matrix m = zoo_make(i);
        one_matrix(ctx, &m, (tulle_index)(i % 3), met);
        zoo_free(&m);
    }
    for (int k = 0; k < ARRAYS; k++) {
        if (!met[k]) fail_msg("no matrix has %s", names[k]);
    }
}

/* The older functions name their own parameters. */
static void lists(tulle_ctx *ctx, const char *where) {
    (void)where;
    static int32_t room[8] = {0, 0, 1, 2};
    static double values[4];
    const char *off = (const char *)room + 2;
    tulle_mat_options borrow = {.ownership = TULLE_BORROW};
    tulle_mat *A = NULL;
    const char *bad = (const char *)values + 4;
#define CSR(o, c, v) tulle_mat_create_csr(ctx, 2, 2, 2, TULLE_I32, o, c, TULLE_F64, v, &borrow, &A)
#define COO(r, c, v) tulle_mat_create_coo(ctx, 2, 2, 2, TULLE_I32, r, c, TULLE_F64, v, &borrow, &A)
    expect_refused(CSR(off, room, values), "offsets");
    expect_refused(CSR(room, off, values), "columns");
    expect_refused(CSR(room, room, bad), "values");
    expect_refused(COO(off, room, values), "row_indices");
    expect_refused(COO(room, off, values), "columns");
    expect_refused(COO(room, room, bad), "values");
#undef CSR
#undef COO
}

/* X, two numbers of f32, is pointed at the third number of f64 of eight that are 1: only there
 * zeros are written. */
static void pointed(tulle_ctx *ctx, tulle_vec *lent, tulle_vec *X, char *at) {
    double numbers[8];
    tulle_vec_info info;
    assert_int_equal(tulle_vec_point(lent, at), TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "X");
    assert_int_equal(tulle_vec_point(X, NULL), TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "data");
    expect_refused(tulle_vec_point(X, at + 2), "data");
    must(tulle_vec_describe(X, &info));
    assert_ptr_equal(info.data, at + 4);
    must(tulle_vec_point(X, at + 16));
    must(tulle_vec_point(X, at + 16));
    must(tulle_vec_fill(ctx, X, 0));
    must(tulle_vec_read(ctx, lent, numbers, 0));
    for (int i = 0; i < 8; i++) assert_true(numbers[i] == (i == 2 ? 0 : 1));
    must(tulle_vec_fill(ctx, lent, 1));
}

/* A vector in f32 may begin where one in f64 may not. */
static void operands(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_vec *lent = NULL, *X = NULL, *Y = NULL;
    tulle_vec_info info;
    must(tulle_vec_create(ctx, TULLE_F64, 8, &lent));
    must(tulle_vec_fill(ctx, lent, 1));
    must(tulle_vec_describe(lent, &info));
    char *at = info.data;
    expect_refused(tulle_vec_wrap(ctx, TULLE_F64, 2, 1, TULLE_COLUMN_MAJOR, 0, at + 4, &X), "data");
    assert_null(X);
    expect_refused(tulle_vec_wrap(ctx, TULLE_F32, 2, 1, TULLE_COLUMN_MAJOR, 0, at + 2, &X), "data");
    must(tulle_vec_wrap(ctx, TULLE_F32, 2, 1, TULLE_COLUMN_MAJOR, 0, at + 4, &X));
    pointed(ctx, lent, X, at);
    tulle_vec_destroy(X);

    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    must(tulle_vec_create_columns(ctx, TULLE_F64, m.cols, 2, TULLE_ROW_MAJOR, 0, &X));
    must(tulle_vec_create_columns(ctx, TULLE_F64, m.rows, 2, TULLE_ROW_MAJOR, 0, &Y));
    tulle_scalar good = tulle_at(at + 8), bad = tulle_at(at + 12);
    must(tulle_vec_fill(ctx, X, 1));
    must(tulle_vec_fill(ctx, Y, 1));
    must(tulle_spmm(ctx, TULLE_N, good, A, X, good, Y));
    expect_refused(tulle_spmm(ctx, TULLE_N, bad, A, X, good, Y), "alpha");
    expect_refused(tulle_spmm(ctx, TULLE_N, good, A, X, bad, Y), "beta");
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    must(tulle_vec_create(ctx, TULLE_F64, m.cols, &X));
    must(tulle_vec_create(ctx, TULLE_F64, m.rows, &Y));
    expect_refused(tulle_spmv(ctx, TULLE_N, bad, A, X, good, Y), "alpha");
    expect_refused(tulle_spmv(ctx, TULLE_N, good, A, X, bad, Y), "beta");
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    tulle_vec_destroy(lent);
    tulle_mat_destroy(A);
    zoo_free(&m);
}

static void test_formats(void **state) {
    (void)state;
    once_on_each_place(each_format);
}
static void test_lists(void **state) {
    (void)state;
    once_on_each_place(lists);
}
static void test_operands(void **state) {
    (void)state;
    once_on_each_place(operands);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
