/* SPDX-License-Identifier: Apache-2.0 */
/* Copies in other memory and of other types, and tiles, against a plain list of entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "entries.h"
#include "places.h"

static void tiles(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int i = 0; i < zoo_count(); i += 3) {
        zoo_matrix m = zoo_make(i);
        entries e = entries_of_zoo(&m);
        for (int64_t k = 1; k <= 5; k += 2) {
            entries want = entries_random(k * e.rows + 1, k * e.cols + 1, k * e.nnz, 1);
            want.rows = k * e.rows;
            want.cols = k * e.cols;
            for (int64_t j = 0; j < want.nnz; j++) {
                want.row[j] = j / e.nnz * e.rows + e.row[j % e.nnz];
                want.col[j] = j / e.nnz * e.cols + e.col[j % e.nnz];
                want.value[j] = e.value[j % e.nnz];
            }
            tulle_mat *csr = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64), *coo = NULL, *B = NULL;
            must(tulle_mat_convert(ctx, csr, TULLE_COO, TULLE_I64_I32, 0, &coo));
            must(tulle_mat_tile(ctx, csr, k, &B));
            entries_check(ctx, B, &want, TULLE_CSR, TULLE_I32, TULLE_F64, m.name);
            tulle_mat_destroy(B);
            must(tulle_mat_tile(ctx, coo, k, &B));
            entries_check(ctx, B, &want, TULLE_COO, TULLE_I64_I32, TULLE_F64, m.name);
            tulle_mat_destroy(B);
            tulle_mat_destroy(csr);
            tulle_mat_destroy(coo);
            entries_free(&want);
        }
        entries_free(&e);
        zoo_free(&m);
    }
}

/* A tile's index type grows when it must: no entries, but columns past 32 bits. */
static void tiles_widen(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int32_t offsets[] = {0, 0, 0};
    tulle_mat *A = NULL, *B = NULL;
    must(tulle_mat_create_csr(ctx, 2, INT32_MAX, 0, TULLE_I32, offsets, NULL, TULLE_F32, NULL, NULL,
                              &A));
    must(tulle_mat_tile(ctx, A, 3, &B));
    tulle_mat_info info;
    must(tulle_mat_describe(B, &info));
    assert_int_equal(info.index, TULLE_I64);
    assert_int_equal(info.rows, 6);
    assert_int_equal(info.cols, 3 * (int64_t)INT32_MAX);
    tulle_mat_destroy(B);
    assert_int_equal(tulle_mat_tile(ctx, A, INT64_MAX / 2, &B), TULLE_TOO_LARGE);
    assert_null(B);
    tulle_mat *narrow = NULL;
    must(tulle_mat_create_csr(ctx, 2, 1, 0, TULLE_I32, offsets, NULL, TULLE_F32, NULL, NULL,
                              &narrow));
    assert_int_equal(tulle_mat_tile(ctx, narrow, (int64_t)1 << 42, &B), TULLE_TOO_LARGE);
    tulle_mat_destroy(narrow);
    assert_int_equal(tulle_mat_tile(ctx, A, 0, &B), TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "k");
    assert_int_equal(tulle_mat_tile(NULL, A, 1, &B), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_tile(ctx, NULL, 1, &B), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_tile(ctx, A, 1, NULL), TULLE_INVALID_ARGUMENT);
    tulle_mat_destroy(A);
}

/* From the CPU to the place, there and back, as both types. */
static void copies(tulle_ctx *ctx, const char *where) {
    tulle_ctx *home = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &home));
    for (int i = turn_of(where, 4); i < zoo_count(); i += is_slow(where) ? 4 : 1) {
        zoo_matrix m = zoo_make(i);
        entries e = entries_of_zoo(&m);
        tulle_mat *A = zoo_mat(home, &m, (tulle_index)(i % 3), TULLE_F64);
        tulle_mat *coo = NULL, *there = NULL, *single = NULL, *doubled = NULL, *back = NULL;
        must(tulle_mat_copy(ctx, A, TULLE_F64, &there));
        entries_check(ctx, there, &e, TULLE_CSR, (tulle_index)(i % 3), TULLE_F64, m.name);
        must(tulle_mat_copy(ctx, there, TULLE_F32, &single));
        entries_check(ctx, single, &e, TULLE_CSR, (tulle_index)(i % 3), TULLE_F32, m.name);
        must(tulle_mat_copy(home, single, TULLE_F64, &doubled));
        entries_check(home, doubled, &e, TULLE_CSR, (tulle_index)(i % 3), TULLE_F64, m.name);
        must(tulle_mat_convert(ctx, there, TULLE_COO, TULLE_I32, 0, &coo));
        must(tulle_mat_copy(home, coo, TULLE_F64, &back));
        entries_check(home, back, &e, TULLE_COO, TULLE_I32, TULLE_F64, m.name);
        tulle_mat_destroy(A);
        tulle_mat_destroy(there);
        tulle_mat_destroy(single);
        tulle_mat_destroy(doubled);
        tulle_mat_destroy(coo);
        tulle_mat_destroy(back);
        entries_free(&e);
        zoo_free(&m);
    }
    tulle_ctx_destroy(home);
}

/* Narrowing rounds to nearest, ties to even. */
static void rounding(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int32_t offsets[] = {0, 5}, columns[] = {0, 1, 2, 3, 4};
    const double values[] = {0.1, 1 + 0x1p-24, 1 + 0x3p-24, 1e300, -0x1p-150};
    tulle_mat *A = NULL, *B = NULL;
    must(tulle_mat_create_csr(ctx, 1, 5, 5, TULLE_I32, offsets, columns, TULLE_F64, values, NULL,
                              &A));
    must(tulle_mat_copy(ctx, A, TULLE_F32, &B));
    float got[5];
    must(tulle_mat_read(ctx, B, NULL, NULL, NULL, got));
    for (int i = 0; i < 5; i++) assert_true(got[i] == (float)values[i]);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
}

/* From one GPU to another, through the host in several pieces. One GPU stands for both: a context
 * that is told to be another device. */
static void between_gpus(tulle_ctx *ctx, const char *where) {
    enum { N = 140000 };
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    if (device.backend == TULLE_CPU) return;
    tulle_ctx *other = NULL;
    must(tulle_ctx_create(where, NULL, &other));
    other->ordinal = ctx->ordinal + 1;
    entries e = entries_random(1, 1000, N, 3);
    tulle_mat *A = NULL, *B = NULL, *C = NULL;
    must(entries_to_coo(ctx, &e, TULLE_I32, TULLE_F64, &A));
    must(tulle_mat_copy(other, A, TULLE_F64, &B));
    assert_int_equal(tulle_mat_set_values(ctx, B, e.nnz, e.value), TULLE_SPACE_MISMATCH);
    must(tulle_mat_copy(ctx, B, TULLE_F32, &C));
    entries got = entries_read(ctx, C);
    entries_assert_same(&got, &e, "between GPUs");
    entries_free(&got);
    entries_free(&e);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    tulle_mat_destroy(C);
    tulle_ctx_destroy(other);
}

static void test_tiles(void **state) {
    (void)state;
    on_each_place(tiles);
    on_each_place(tiles_widen);
}
static void test_copies(void **state) {
    (void)state;
    on_each_place(copies);
    on_each_place(rounding);
    on_each_place(between_gpus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
