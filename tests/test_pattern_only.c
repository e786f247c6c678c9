/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of which a pattern alone is given: every entry is 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "entries.h"
#include "places.h"
#include "tulle/spgemm.h"

enum { ROWS = 60, COLS = 50, ENTRIES = 300 };

static entries ones_of(uint64_t seed) {
    entries e = entries_random(ROWS, COLS, ENTRIES, seed);
    entries_sort(&e);
    for (int64_t k = 0; k < e.nnz; k++) e.value[k] = 1;
    return e;
}

/* The same arrays as A's, offered again without values. */
static tulle_status offer_again(tulle_ctx *ctx, const tulle_mat *A, tulle_format format,
                                const tulle_mat_options *options, const void *values,
                                tulle_mat **B) {
    tulle_mat_info info;
    tulle_mat_arrays arrays;
    must(tulle_mat_describe(A, &info));
    must(tulle_mat_view(A, &arrays));
    arrays.values = (void *)values;
    return tulle_mat_create(ctx, info.rows, info.cols, format, &info.storage, info.index, &arrays,
                            info.type, options, B);
}

static void ones_in_each_form(tulle_ctx *ctx, const char *where) {
    static const tulle_format formats[] = {TULLE_CSR, TULLE_COO, TULLE_CSC};
    entries e = ones_of(5);
    for (int i = 0; i < 12; i++) {
        tulle_mat_options options = {.ownership = i / 3 % 2 ? TULLE_BORROW : TULLE_COPY,
                                     .pattern = true};
        tulle_type type = i < 6 ? TULLE_F64 : TULLE_F32;
        tulle_mat *csr = entries_to_csr(ctx, &e, TULLE_I32, type), *A = NULL, *B = NULL;
        must(tulle_mat_convert(ctx, csr, formats[i % 3], TULLE_I32, 0, &A));
        must(offer_again(ctx, A, formats[i % 3], &options, NULL, &B));
        entries_compare(ctx, A, B, where);
        tulle_mat_destroy(B);
        tulle_mat_destroy(A);
        tulle_mat_destroy(csr);
    }
    entries_free(&e);
}

/* From host arrays that count from 1; and nothing at all. */
static void ones_from_the_host(tulle_ctx *ctx, const char *where) {
    static const tulle_mat_options options = {.base = 1, .pattern = true};
    static const int64_t offsets[] = {1, 3, 3, 4}, rows[] = {1, 1, 3}, columns[] = {2, 2, 1};
    tulle_mat *A = NULL, *B = NULL, *none = NULL;
    must(tulle_mat_create_csr(ctx, 3, 2, 3, TULLE_I64, offsets, columns, TULLE_F32, NULL, &options,
                              &A));
    must(tulle_mat_create_coo(ctx, 3, 2, 3, TULLE_I64, rows, columns, TULLE_F32, NULL, &options,
                              &B));
    must(tulle_mat_create_coo(ctx, 3, 2, 0, TULLE_I32, NULL, NULL, TULLE_F32, NULL, &options,
                              &none));
    float values[3] = {0};
    must(tulle_mat_read(ctx, A, NULL, NULL, NULL, values));
    for (int i = 0; i < 3; i++) assert_true(values[i] == 1);
    entries_compare(ctx, A, B, where);
    tulle_mat_destroy(none);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

/* A^T A of a pattern counts the rows that two columns share; beside values it has them added. */
static void products(tulle_ctx *ctx, const char *where) {
    entries e = ones_of(6), v = entries_random(ROWS, COLS, ENTRIES, 7);
    static const tulle_mat_options options = {.ownership = TULLE_BORROW, .pattern = true};
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64), *P = NULL;
    tulle_mat *V = entries_to_csr(ctx, &v, TULLE_I64_I32, TULLE_F64);
    must(offer_again(ctx, A, TULLE_CSR, &options, NULL, &P));
    for (int i = 0; i < 3; i++) {
        const tulle_mat *left = i == 2 ? V : A, *right = i == 1 ? V : A;
        tulle_mat *want = NULL, *got = NULL;
        must(tulle_spgemm(ctx, TULLE_T, TULLE_N, tulle_num(1), left, right, NULL, NULL, &want));
        must(tulle_spgemm(ctx, TULLE_T, TULLE_N, tulle_num(1), i == 2 ? V : P, i == 1 ? V : P, NULL,
                          NULL, &got));
        entries_compare(ctx, want, got, where);
        tulle_mat_destroy(got);
        tulle_mat_destroy(want);
    }
    tulle_mat_destroy(P);
    tulle_mat_destroy(V);
    tulle_mat_destroy(A);
    entries_free(&v);
    entries_free(&e);
}

/* New values go to the matrix' own array. */
static void new_values(tulle_ctx *ctx, const char *where) {
    entries e = ones_of(8);
    static const tulle_mat_options options = {.ownership = TULLE_BORROW, .pattern = true};
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64), *P = NULL;
    must(offer_again(ctx, A, TULLE_CSR, &options, NULL, &P));
    for (int64_t k = 0; k < e.nnz; k++) e.value[k] = (double)k;
    must(tulle_mat_set_values(ctx, P, e.nnz, e.value));
    tulle_mat *want = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    entries_compare(ctx, want, P, where);
    tulle_mat_destroy(want);
    tulle_mat_destroy(P);
    tulle_mat_destroy(A);
    entries_free(&e);
}

static void refusals(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const tulle_mat_options pattern = {.pattern = true},
                                   borrowed = {.pattern = true, .ownership = TULLE_BORROW};
    static const int32_t offsets[] = {0, 1, 2}, broken[] = {0, 7};
    entries e = ones_of(9);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64), *ell = NULL, *B = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_ELL, TULLE_I32, 0, &ell));
    assert_int_equal(offer_again(ctx, ell, TULLE_ELL, &pattern, NULL, &B), TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->message, "options: pattern is for COO, CSR and CSC");
    assert_int_equal(offer_again(ctx, A, TULLE_CSR, &pattern, e.value, &B), TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->message,
                        "arrays.values must be NULL where options say pattern");
    assert_int_equal(offer_again(ctx, A, TULLE_CSR, NULL, NULL, &B), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_create_csr(ctx, 2, 2, 2, TULLE_I32, offsets, broken, TULLE_F64, NULL,
                                          &pattern, &B),
                     TULLE_INVALID_MATRIX);
    assert_null(B);
    tulle_memory_usage before, after;
    must(tulle_ctx_memory(ctx, &before));
    tulle_mat_arrays arrays;
    must(tulle_mat_view(A, &arrays));
    assert_int_equal(tulle_mat_create_csr(ctx, ROWS, 1, e.nnz, TULLE_I32, arrays.offsets,
                                          arrays.cols, TULLE_F64, NULL, &borrowed, &B),
                     TULLE_INVALID_MATRIX);
    must(tulle_ctx_memory(ctx, &after));
    assert_int_equal(after.in_use - after.workspace, before.in_use - before.workspace);
    tulle_mat_destroy(ell);
    tulle_mat_destroy(A);
    entries_free(&e);
}

ONCE_ON_EACH_PLACE(ones_in_each_form)
ONCE_ON_EACH_PLACE(ones_from_the_host)
ONCE_ON_EACH_PLACE(products)
ONCE_ON_EACH_PLACE(new_values)
ONCE_ON_EACH_PLACE(refusals)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ones_in_each_form), cmocka_unit_test(test_ones_from_the_host),
        cmocka_unit_test(test_products),          cmocka_unit_test(test_new_values),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
