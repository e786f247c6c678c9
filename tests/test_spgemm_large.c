/* SPDX-License-Identifier: Apache-2.0 */
/* A band of ones times itself, whose entries count the paths of two steps: entry (i, j) is how many
 * rows are within the width of both. On a GPU with the memory for it, C has more than 2^31 entries;
 * elsewhere the same on a small band. And a column times a row, of which as many are only counted,
 * where 32-bit offsets were asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "making.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

enum { WIDTH = 20, REACH = 2 * WIDTH };

/* 81 n - 40 41 entries of C: 2,154,598,360; A, C and scratch take 46 GB. */
static const int64_t many_rows = 26600000, few_rows = 400;
static const int64_t room_for_many = INT64_C(60000000000);

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* The entries of the rows before one, of a band of n rows that reaches so far. */
static int64_t before(int64_t n, int64_t reach, int64_t row) {
    const int64_t left = least(row, reach), right = most(0, row - (n - reach));
    const int64_t all = row * (2 * reach + 1);
    return all - left * reach + left * (left - 1) / 2 - right * (right + 1) / 2;
}

/* Rows within the width of both i and j. */
static int64_t paths(int64_t n, int64_t i, int64_t j) {
    return least(n - 1, least(i, j) + WIDTH) - most(0, most(i, j) - WIDTH) + 1;
}

static tulle_vec *around(tulle_ctx *ctx, int64_t count, const void *values) {
    tulle_vec *X = NULL;
    must(tulle_vec_wrap(ctx, TULLE_F64, count, 1, TULLE_COLUMN_MAJOR, 0, (void *)(uintptr_t)values,
                        &X));
    return X;
}

static tulle_mat *band_of_ones(tulle_ctx *ctx, int64_t n) {
    char spec[64];
    tulle_mat_arrays arrays;
    snprintf(spec, sizeof spec, "banded:%lld,%d", (long long)n, WIDTH);
    tulle_mat *A = making_generated(ctx, spec, 1, TULLE_F64);
    must(tulle_mat_view(A, &arrays));
    tulle_vec *values = around(ctx, before(n, WIDTH, n), arrays.values);
    must(tulle_vec_divide(ctx, values, values, values)); /* none is 0 */
    must(tulle_mat_values_changed(ctx, A));
    tulle_vec_destroy(values);
    return A;
}

static const void *item(const void *array, int64_t at, int64_t size) {
    return (const char *)array + at * size;
}

static int64_t offset_at(tulle_ctx *ctx, const tulle_mat_arrays *c, int64_t size, int64_t row) {
    int64_t wide = 0;
    int32_t narrow = 0;
    void *to = size == 4 ? (void *)&narrow : (void *)&wide;
    must(tulle__copy_wait(ctx, to, item(c->offsets, row, size), (size_t)size));
    return size == 4 ? narrow : wide;
}

static void check_row(tulle_ctx *ctx, const tulle_mat *C, int64_t n, int64_t row) {
    tulle_mat_arrays c;
    tulle_mat_info info;
    must(tulle_mat_view(C, &c));
    must(tulle_mat_describe(C, &info));
    const int64_t size = tulle_offset_size(info.index), begin = before(n, REACH, row);
    const int64_t first = most(0, row - REACH), count = before(n, REACH, row + 1) - begin;
    int32_t cols[2 * REACH + 1];
    double values[2 * REACH + 1];
    assert_int_equal(offset_at(ctx, &c, size, row), begin);
    assert_int_equal(offset_at(ctx, &c, size, row + 1), begin + count);
    must(tulle__copy_wait(ctx, cols, item(c.cols, begin, 4), (size_t)count * sizeof *cols));
    must(tulle__copy_wait(ctx, values, item(c.values, begin, 8), (size_t)count * sizeof *values));
    for (int64_t k = 0; k < count; k++) {
        assert_int_equal(cols[k], first + k);
        assert_true(values[k] == (double)paths(n, row, first + k));
    }
}

/* C times ones: whole numbers, so that every sum is exact. */
static void check_sums(tulle_ctx *ctx, const tulle_mat *C, int64_t n) {
    double *host = malloc((size_t)n * sizeof *host);
    tulle_vec *x = NULL, *y = NULL;
    assert_non_null(host);
    for (int64_t i = 0; i < n; i++) host[i] = 1;
    must(tulle_vec_create(ctx, TULLE_F64, n, &x));
    must(tulle_vec_create(ctx, TULLE_F64, n, &y));
    must(tulle_vec_write(ctx, x, host, 0));
    must(tulle_spmv(ctx, TULLE_N, tulle_num(1), C, x, tulle_num(0), y));
    must(tulle_vec_read(ctx, y, host, 0));
    for (int64_t i = 0; i < n; i++) {
        const int64_t low = most(0, i - WIDTH), high = least(n, i + WIDTH + 1);
        const int64_t want = before(n, WIDTH, high) - before(n, WIDTH, low);
        if (host[i] != (double)want) fail_msg("row %lld: %g", (long long)i, host[i]);
    }
    tulle_vec_destroy(y);
    tulle_vec_destroy(x);
    free(host);
}

/* 32-bit offsets cannot count C's entries, which is said before C has memory. */
static void check_narrow(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B) {
    const tulle_spgemm_options options = {.index_given = true, .index = TULLE_I32};
    tulle_mat *C = NULL;
    tulle_memory_usage usage;
    must(tulle_ctx_trim(ctx));
    tulle__pool_reset_high(&ctx->pool);
    making_assert_fails(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, B, &options, NULL, &C),
                        "tulle_spgemm", TULLE_TOO_LARGE, "options", &C);
    must(tulle_ctx_memory(ctx, &usage));
    assert_true(usage.high - usage.in_use < (size_t)INT32_MAX * sizeof(double));
}

static void band(tulle_ctx *ctx, const char *where) {
    tulle_device_info device;
    tulle_spgemm_report r;
    tulle_mat_info info;
    tulle_mat *C = NULL;
    must(tulle_ctx_device(ctx, &device));
    const bool large = ctx->kind == TULLE_CUDA && device.memory_bytes >= room_for_many;
    const int64_t n = large ? many_rows : few_rows, nnz = before(n, REACH, n);
    if (!large) say_skipped("%s: C of 2^31 entries: it is no GPU with 60 GB", where);
    tulle_mat *A = band_of_ones(ctx, n);
    if (large) check_narrow(ctx, A, A);
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, NULL, &r, &C));
    must(tulle_mat_describe(C, &info));
    assert_int_equal(r.nnz, nnz);
    assert_int_equal(info.nnz, nnz);
    assert_int_equal(info.index, nnz > INT32_MAX ? TULLE_I64_I32 : TULLE_I32);
    assert_int_equal(info.max_row, 2 * REACH + 1);
    assert_true(info.mean_row == (double)nnz / (double)n);
    assert_true(r.peak_bytes <= r.predicted_bytes && r.predicted_bytes <= r.bound_bytes);
    if (nnz > INT32_MAX)
        print_message("%s: %lld entries, %.0f ms\n", r.kernel, (long long)nnz, r.total_ms);
    for (int64_t k = 0; k < 100; k++) check_row(ctx, C, n, k * (n - 1) / 99);
    for (int64_t row = 0; row < n; row++) { /* those of entries 2^31 - 1 and 2^31 */
        const int64_t middle = nnz > INT32_MAX ? INT32_MAX : nnz / 2;
        const int64_t at = middle / (2 * REACH + 1) + row;
        check_row(ctx, C, n, at);
        if (before(n, REACH, at) > middle) break;
    }
    check_sums(ctx, C, n);
    tulle_mat_destroy(C);
    tulle_mat_destroy(A);
}

/* 46342^2 entries: 2,147,580,964. */
static void column_and_row(tulle_ctx *ctx, const char *where) {
    if (is_slow(where)) {
        say_skipped("%s: 2^31 products", where);
        return;
    }
    tulle_mat *A = making_generated(ctx, "random:46342,1,1", 1, TULLE_F32);
    tulle_mat *B = making_generated(ctx, "random:1,46342,46342", 2, TULLE_F32);
    check_narrow(ctx, A, B);
    assert_non_null(strstr(tulle_last_error()->message, "2147580964 entries"));
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

ONCE_ON_EACH_PLACE(band)
ONCE_ON_EACH_PLACE(column_and_row)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_band),
                                       cmocka_unit_test(test_column_and_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
