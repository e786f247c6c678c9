/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion and transposition against the same done to a plain list of entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "matrix/matrix.h"
#include "places.h"

static void convert(tulle_ctx *ctx, const tulle_mat *A, const entries *want, tulle_format format,
                    tulle_index index, unsigned flags, const char *what) {
    tulle_mat_info info;
    tulle_mat *B = NULL;
    must(tulle_mat_describe(A, &info));
    must(tulle_mat_convert(ctx, A, format, index, flags, &B));
    entries_check(ctx, B, want, format, index, info.type, what);
    tulle_mat_destroy(B);
}

/* Everything that can be made of one matrix. */
static void everything(tulle_ctx *ctx, const entries *e, tulle_mat *coo, tulle_index index,
                       tulle_type type, const char *name) {
    entries sorted = entries_copy(e);
    entries_sort(&sorted);
    entries summed = entries_copy(&sorted);
    entries_sum(&summed, type);
    entries transposed = entries_copy(e);
    entries_transpose(&transposed);
    entries_sort(&transposed);
    tulle_mat *csr = NULL, *T = NULL;

    convert(ctx, coo, e, TULLE_COO, index, 0, name);
    convert(ctx, coo, &sorted, TULLE_CSR, index, 0, name);
    convert(ctx, coo, &summed, TULLE_CSR, index, TULLE_SUM_DUPLICATES, name);
    convert(ctx, coo, &summed, TULLE_COO, index, TULLE_SUM_DUPLICATES, name);
    must(tulle_mat_transpose(ctx, coo, &T));
    tulle_mat_info info;
    must(tulle_mat_describe(coo, &info));
    entries_check(ctx, T, &transposed, TULLE_CSR, info.index, type, name);
    tulle_mat_destroy(T);

    must(tulle_mat_convert(ctx, coo, TULLE_CSR, index, 0, &csr));
    convert(ctx, csr, &sorted, TULLE_COO, info.index, 0, name);
    convert(ctx, csr, &sorted, TULLE_CSR, info.index, 0, name);
    convert(ctx, csr, &summed, TULLE_CSR, info.index, TULLE_SUM_DUPLICATES, name);
    must(tulle_mat_transpose(ctx, csr, &T));
    entries_free(&transposed);
    transposed = entries_copy(&sorted);
    entries_transpose(&transposed);
    entries_sort(&transposed);
    entries_check(ctx, T, &transposed, TULLE_CSR, index, type, name);
    tulle_mat_destroy(T);
    tulle_mat_destroy(csr);
    entries_free(&sorted);
    entries_free(&summed);
    entries_free(&transposed);
}

static void zoo(tulle_ctx *ctx, const char *where) {
    int count = zoo_count();
    for (int i = 0; i < count; i++) {
        zoo_matrix m = zoo_make(i);
        entries e = entries_of_zoo(&m);
        for (int pair = i % 3; pair < 9; pair += is_slow(where) ? 9 : 3) {
            tulle_index from = (tulle_index)(pair / 3), to = (tulle_index)(pair % 3);
            tulle_type type = pair % 2 ? TULLE_F32 : TULLE_F64;
            tulle_mat *A = NULL;
            must(entries_to_coo(ctx, &e, from, type, &A));
            everything(ctx, &e, A, to, type, m.name);
            tulle_mat_destroy(A);
        }
        entries_free(&e);
        zoo_free(&m);
    }
}

/* Entries in random order, many of them repeated: the order of equals and of sums. */
static void shuffled(tulle_ctx *ctx, const char *where) {
    static const struct {
        int64_t rows, cols, nnz;
    } sizes[] = {{1, 1, 40},      {1, 50, 300},      {50, 1, 300},        {40, 30, 500},
                 {7, 3000, 4000}, {300000, 20, 900}, {20000, 500, 200000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (is_slow(where) && sizes[i].nnz > 500) continue;
        if (is_slow(where) && sizes[i].rows > 50) continue;
        entries e = entries_random(sizes[i].rows, sizes[i].cols, sizes[i].nnz, i);
        tulle_type type = i % 2 ? TULLE_F64 : TULLE_F32;
        tulle_mat *A = NULL;
        must(entries_to_coo(ctx, &e, TULLE_I32, type, &A));
        everything(ctx, &e, A, TULLE_I64_I32, type, "shuffled");
        tulle_mat_destroy(A);
        entries_free(&e);
    }
}

/* Sorted rows of a caller's own in which an entry stands twice. */
static void repeated_in_csr(tulle_ctx *ctx, const char *where) {
    static const int32_t offsets[] = {0, 3}, columns[] = {0, 1, 1};
    static const double values[] = {1, 2, 3};
    static const tulle_format formats[] = {TULLE_CSR, TULLE_SELL};
    (void)where;
    for (int f = 0; f < 2; f++) {
        double sums[2];
        tulle_mat *A = NULL, *B = NULL, *back = NULL;
        tulle_mat_info info;
        must(tulle_mat_create_csr(ctx, 1, 2, 3, TULLE_I32, offsets, columns, TULLE_F64, values,
                                  NULL, &A));
        must(tulle_mat_convert(ctx, A, formats[f], TULLE_I32, TULLE_SUM_DUPLICATES, &B));
        must(tulle_mat_describe(B, &info));
        assert_int_equal(info.nnz, 2);
        must(tulle_mat_convert(ctx, B, TULLE_CSR, TULLE_I32, 0, &back));
        must(tulle_mat_read(ctx, back, NULL, NULL, NULL, sums));
        assert_true(sums[0] == 1 && sums[1] == 5);
        tulle_mat_destroy(A);
        tulle_mat_destroy(B);
        tulle_mat_destroy(back);
    }
}

/* Columns that 32 bits cannot hold. */
static void wide(tulle_ctx *ctx, const char *where) {
    entries e = entries_random(200, (int64_t)1 << 55, is_slow(where) ? 200 : 5000, 3);
    entries sorted = entries_copy(&e);
    entries_sort(&sorted);
    tulle_mat *A = NULL, *B = NULL;
    must(entries_to_coo(ctx, &e, TULLE_I64, TULLE_F64, &A));
    convert(ctx, A, &sorted, TULLE_CSR, TULLE_I64, 0, "wide");
    entries_sum(&sorted, TULLE_F64);
    convert(ctx, A, &sorted, TULLE_CSR, TULLE_I64, TULLE_SUM_DUPLICATES, "wide");
    must(tulle_mat_transpose(ctx, A, &B));
    assert_int_equal(B->pattern->format, TULLE_DCSR); /* no memory has a table of its rows */
    tulle_mat_destroy(B);
    B = NULL;
    assert_int_equal(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64_I32, 0, &B), TULLE_TOO_LARGE);
    assert_null(B);
    tulle_mat_destroy(A);
    entries_free(&e);
    entries_free(&sorted);
}

/* Several buckets, several threads: the bits must not depend on how many. */
static void test_any_number_of_threads(void **state) {
    (void)state;
    static const char *const places[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:8", "cpu:61"};
    entries e = entries_random(100000, 3000, 400000, 11);
    entries first = {0};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        tulle_ctx *ctx = NULL;
        tulle_mat *A = NULL, *B = NULL;
        must(tulle_ctx_create(places[i], NULL, &ctx));
        must(entries_to_coo(ctx, &e, TULLE_I32, TULLE_F32, &A));
        must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I32, TULLE_SUM_DUPLICATES, &B));
        entries got = entries_read(ctx, B);
        if (i == 0) {
            first = got;
        } else {
            entries_assert_same(&got, &first, places[i]);
            entries_free(&got);
        }
        tulle_mat_destroy(A);
        tulle_mat_destroy(B);
        tulle_ctx_destroy(ctx);
    }
    entries_sort(&e);
    entries_sum(&e, TULLE_F32);
    for (int64_t k = 0; k < e.nnz; k++) e.value[k] = (float)e.value[k];
    entries_assert_same(&first, &e, "threads");
    entries_free(&first);
    entries_free(&e);
}

/* Two contexts whose memories are apart, where this machine has them. */
static void foreign(tulle_ctx *ctx, const char *where) {
    tulle_ctx *home = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &home));
    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(home, &m, TULLE_I32, TULLE_F64), *B = NULL;
    bool apart = strncmp(where, "cpu", 3) != 0;
    tulle_status want = apart ? TULLE_SPACE_MISMATCH : TULLE_OK;
    assert_int_equal(tulle_mat_convert(ctx, A, TULLE_COO, TULLE_I32, 0, &B), want);
    tulle_mat_destroy(B);
    assert_int_equal(tulle_mat_transpose(ctx, A, &B), want);
    tulle_mat_destroy(B);
    assert_int_equal(tulle_mat_tile(ctx, A, 2, &B), want);
    tulle_mat_destroy(B);
    assert_int_equal(tulle_mat_with_values(ctx, A, TULLE_F64, m.nnz, m.values, &B), want);
    assert_int_equal(B == NULL, apart);
    tulle_mat_destroy(B);
    assert_int_equal(tulle_mat_set_values(ctx, A, m.nnz, m.values), want);
    assert_int_equal(tulle_mat_read(ctx, A, NULL, NULL, NULL, m.values), want);
    tulle_mat_destroy(A);
    zoo_free(&m);
    tulle_ctx_destroy(home);
}

/* made: where the call would have put its object, or NULL. */
static void expect_bad(tulle_status status, const char *argument, tulle_mat **made) {
    assert_int_equal(status, TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, argument);
    if (made) assert_null(*made);
}

static void misuse(tulle_ctx *ctx, const char *where) {
    (void)where;
    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64), *B = (tulle_mat *)1;
    expect_bad(tulle_mat_convert(NULL, A, TULLE_COO, TULLE_I32, 0, &B), "ctx", &B);
    expect_bad(tulle_mat_convert(ctx, NULL, TULLE_COO, TULLE_I32, 0, &B), "A", &B);
    expect_bad(tulle_mat_convert(ctx, A, (tulle_format)TULLE_FORMAT_COUNT, TULLE_I32, 0, &B),
               "format", &B);
    expect_bad(tulle_mat_convert(ctx, A, TULLE_COO, (tulle_index)3, 0, &B), "index", &B);
    expect_bad(tulle_mat_convert(ctx, A, TULLE_COO, TULLE_I32, 2, &B), "flags", &B);
    expect_bad(tulle_mat_convert(ctx, A, TULLE_COO, TULLE_I32, 0, NULL), "B", NULL);
    expect_bad(tulle_mat_transpose(NULL, A, &B), "ctx", &B);
    expect_bad(tulle_mat_transpose(ctx, NULL, &B), "A", &B);
    expect_bad(tulle_mat_transpose(ctx, A, NULL), "B", NULL);
    expect_bad(tulle_mat_copy(NULL, A, TULLE_F32, &B), "ctx", &B);
    expect_bad(tulle_mat_copy(ctx, NULL, TULLE_F32, &B), "A", &B);
    expect_bad(tulle_mat_copy(ctx, A, (tulle_type)0, &B), "type", &B);
    expect_bad(tulle_mat_copy(ctx, A, TULLE_F32, NULL), "B", NULL);
    tulle_mat_destroy(A);
    zoo_free(&m);
}

/* Cancels at the call whose number the user pointer holds. */
static int cancel_at(void *user, const char *what, int64_t done, int64_t total) {
    int *left = user;
    assert_true(strlen(what) > 0);
    assert_in_range(done, 0, total);
    return --*left == 0;
}

static void cancelling(tulle_ctx *ctx, const char *where) {
    (void)where;
    entries e = entries_random(30, 30, 200, 5);
    tulle_mat *A = NULL, *B = NULL;
    must(entries_to_coo(ctx, &e, TULLE_I32, TULLE_F64, &A));
    tulle_memory_usage before, after;
    must(tulle_ctx_memory(ctx, &before));
    int times = 0;
    tulle_status status;
    do {
        int left = ++times;
        must(tulle_ctx_set_progress(ctx, cancel_at, &left));
        status = tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I32, TULLE_SUM_DUPLICATES, &B);
        if (status == TULLE_OK) break;
        assert_int_equal(status, TULLE_CANCELLED);
        assert_null(B);
        must(tulle_ctx_memory(ctx, &after));
        assert_int_equal(after.in_use, before.in_use);
    } while (times < 100);
    assert_int_equal(status, TULLE_OK);
    assert_true(times > 1);
    must(tulle_ctx_set_progress(ctx, NULL, NULL));
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    entries_free(&e);
}

/* Rows without entries are work, too: a matrix of very many rows asks as often as one of very many
 * entries. */
static int count_calls(void *user, const char *what, int64_t done, int64_t total) {
    assert_in_range(done, 0, total);
    *(int *)user += strcmp(what, "sorting entries") == 0;
    return 0;
}

static void many_rows(tulle_ctx *ctx, const char *where) {
    enum { ROWS = 3 << 23 };
    const int32_t row[] = {ROWS - 1, 0}, column[] = {0, 1};
    const double value[] = {1, 2};
    int calls = 0;
    tulle_mat *A = NULL, *B = NULL;
    if (strncmp(where, "cpu", 3) != 0) return; /* a GPU does not stop in between */
    must(tulle_mat_create_coo(ctx, ROWS, 2, 2, TULLE_I32, row, column, TULLE_F64, value, NULL, &A));
    must(tulle_ctx_set_progress(ctx, count_calls, &calls));
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I32, TULLE_SUM_DUPLICATES, &B));
    must(tulle_ctx_set_progress(ctx, NULL, NULL));
    assert_true(calls >= 8);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}
ONCE_ON_EACH_PLACE(many_rows)

static void test_zoo(void **state) {
    (void)state;
    on_each_place(zoo);
}
static void test_shuffled(void **state) {
    (void)state;
    on_each_place(shuffled);
}
static void test_repeated_in_csr(void **state) {
    (void)state;
    on_each_place(repeated_in_csr);
}
static void test_wide(void **state) {
    (void)state;
    on_each_place(wide);
}
static void test_foreign(void **state) {
    (void)state;
    on_each_place(foreign);
}
static void test_misuse(void **state) {
    (void)state;
    on_each_place(misuse);
}
static void test_cancelling(void **state) {
    (void)state;
    on_each_place(cancelling);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_rows),  cmocka_unit_test(test_zoo),
        cmocka_unit_test(test_shuffled),   cmocka_unit_test(test_repeated_in_csr),
        cmocka_unit_test(test_wide),       cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_foreign),    cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_cancelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
