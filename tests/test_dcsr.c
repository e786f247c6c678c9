/* SPDX-License-Identifier: Apache-2.0 */
/* DCSR where nothing may have a place for every row: from entries and back, transposes, and what a
 * forecast says of it. What it shares with all formats is tested with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gaps.h"
#include "matrix/matrix.h"
#include "naive_layout.h"
#include "places.h"

/* Fails unless A is in DCSR, as it should be, and holds these entries. */
static void is_dcsr(tulle_ctx *ctx, const tulle_mat *A, const entries *want, const char *what) {
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    assert_int_equal(info.format, TULLE_DCSR);
    tulle_mat_lengths n;
    must(tulle_mat_counts(A, &n));
    assert_int_equal(n.order, info.storage.heads);
    assert_int_equal(info.storage.heads, info.rows - info.empty_rows);
    tulle_mat *coo = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_COO, info.index, 0, &coo));
    entries_check(ctx, coo, want, TULLE_COO, info.index, info.type, what);
    tulle_mat_destroy(coo);
}

/* From COO, repeated entries kept or summed, to another index type. */
static void converted(tulle_ctx *ctx, const entries *e, tulle_index index, tulle_type type,
                      const char *what) {
    tulle_mat *coo = NULL, *A = NULL, *B = NULL;
    entries want = entries_copy(e);
    entries_sort(&want);
    must(entries_to_coo(ctx, e, TULLE_I64, type, &coo));
    must(tulle_mat_convert(ctx, coo, TULLE_DCSR, index, 0, &A));
    is_dcsr(ctx, A, &want, what);
    must(tulle_mat_convert(ctx, A, TULLE_DCSR, TULLE_I64, 0, &B));
    is_dcsr(ctx, B, &want, what);
    tulle_mat_destroy(B);
    entries_sum(&want, type);
    must(tulle_mat_convert(ctx, coo, TULLE_DCSR, index, TULLE_SUM_DUPLICATES, &B));
    is_dcsr(ctx, B, &want, what);
    tulle_mat_destroy(B);
    must(tulle_mat_convert(ctx, A, TULLE_COO, index, TULLE_SUM_DUPLICATES, &B));
    entries_check(ctx, B, &want, TULLE_COO, index, type, what);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
    tulle_mat_destroy(coo);
    entries_free(&want);
}

static void small(tulle_ctx *ctx, const char *where) {
    static const struct {
        int64_t rows, cols, nnz;
    } sizes[] = {{500, 300, 90}, {7, 400, 100}, {3000, 3, 50}, {9, 9, 0}, {40, 30, 200}};
    for (size_t i = (size_t)turn_of(where, 2); i < sizeof sizes / sizeof *sizes;
         i += is_slow(where) ? 2 : 1) {
        entries e = entries_random(sizes[i].rows, sizes[i].cols, sizes[i].nnz, i);
        converted(ctx, &e, i % 2 ? TULLE_I32 : TULLE_I64_I32, i % 2 ? TULLE_F64 : TULLE_F32, where);
        entries_free(&e);
    }
}

/* More rows and columns than there is memory for a bit of each. */
static void test_hypersparse(void **state) {
    (void)state;
    enum { NNZ = 3000, MOST_BYTES = 2 << 20 };
    tulle_ctx *ctx = NULL;
    tulle_mat *coo = NULL, *A = NULL, *T = NULL, *B = NULL;
    tulle_memory_usage usage;
    entries e = entries_random((int64_t)1 << 50, (int64_t)1 << 51, NNZ, 7);
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    converted(ctx, &e, TULLE_I64, TULLE_F64, "hypersparse");
    must(entries_to_coo(ctx, &e, TULLE_I64, TULLE_F64, &coo));
    must(tulle_mat_convert(ctx, coo, TULLE_DCSR, TULLE_I64, 0, &A));
    must(tulle_mat_transpose(ctx, A, &T));
    must(tulle_mat_transpose(ctx, T, &B));
    entries_sort(&e);
    is_dcsr(ctx, B, &e, "transposed twice");
    tulle_mat_destroy(B);
    entries_transpose(&e);
    entries_sort(&e);
    is_dcsr(ctx, T, &e, "transposed");
    must(tulle_ctx_memory(ctx, &usage));
    assert_true(usage.high < MOST_BYTES);
    assert_int_equal(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, 0, &B), TULLE_TOO_LARGE);
    assert_null(B);
    tulle_mat_destroy(coo);
    tulle_mat_destroy(A);
    tulle_mat_destroy(T);
    tulle_ctx_destroy(ctx);
    entries_free(&e);
}

/* Each format that can be forecast from the rows with entries alone has the same numbers as from
 * all rows. */
static void forecasts(tulle_ctx *ctx, const char *where) {
    static const tulle_convert_options defaults = {0};
    for (int i = turn_of(where, 5); i < zoo_count(); i += is_slow(where) ? 5 : 1) {
        zoo_matrix m = zoo_make(i);
        tulle_mat *csr = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64), *A = NULL;
        int compared = 0;
        must(tulle_mat_convert(ctx, csr, TULLE_DCSR, TULLE_I32, 0, &A));
        for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
            tulle_storage want, got;
            tulle_status status = tulle__mat_forecast(ctx, A, (tulle_format)f, &defaults, &got);
            if (status == TULLE_UNSUPPORTED) continue;
            must(status);
            must(tulle__mat_forecast(ctx, csr, (tulle_format)f, &defaults, &want));
            storage_clear_gaps(&got);
            storage_clear_gaps(&want);
            if (memcmp(&got, &want, sizeof want) != 0) {
                fail_msg("%s: another forecast of %s", m.name, tulle_format_name((tulle_format)f));
            }
            compared++;
        }
        assert_true(compared >= 10);
        tulle_mat_destroy(A);
        tulle_mat_destroy(csr);
        zoo_free(&m);
    }
}

static void test_small(void **state) {
    (void)state;
    on_each_place(small);
}
static void test_forecasts(void **state) {
    (void)state;
    on_each_place(forecasts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_hypersparse),
        cmocka_unit_test(test_forecasts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
