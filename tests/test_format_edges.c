/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts on both sides of where something changes: limits, default widths, windows, numbers that
 * must be refused, and the first of several faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "naive_layout.h"
#include "places.h"
#include "tulle/advanced.h"

/* A matrix by the lengths of its rows, whose entries begin at a column each and follow each other.
 */
static tulle_mat *by_lengths(tulle_ctx *ctx, int64_t rows, int64_t cols, const int64_t *lengths,
                             const int64_t *firsts) {
    int64_t nnz = 0;
    for (int64_t i = 0; i < rows; i++) nnz += lengths[i];
    int32_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    int32_t *columns = calloc((size_t)nnz + 1, sizeof *columns);
    double *values = calloc((size_t)nnz + 1, sizeof *values);
    assert_true(offsets && columns && values);
    for (int64_t i = 0, e = 0; i < rows; i++) {
        for (int64_t k = 0; k < lengths[i]; k++) {
            values[e] = 1;
            columns[e++] = (int32_t)(k + (firsts ? firsts[i] : 0));
        }
        offsets[i + 1] = (int32_t)e;
    }
    tulle_mat *A = NULL;
    must(tulle_mat_create_csr(ctx, rows, cols, nnz, TULLE_I32, offsets, columns, TULLE_F64, values,
                              NULL, &A));
    free(offsets);
    free(columns);
    free(values);
    return A;
}

static tulle_storage converted(tulle_ctx *ctx, const tulle_mat *csr, tulle_format format,
                               const tulle_convert_options *options) {
    tulle_mat *A = NULL;
    tulle_mat_info info;
    must(tulle_mat_convert_with(ctx, csr, format, TULLE_I32, options, &A));
    must(tulle_mat_describe(A, &info));
    tulle_mat_destroy(A);
    return info.storage;
}

enum { ROWS = 2048 };

/* As ELL with a fill that is just enough or just too little: rows of one entry, but one. */
static tulle_status as_ell(tulle_ctx *ctx, int64_t longest, double fill) {
    int64_t lengths[ROWS];
    for (int i = 0; i < ROWS; i++) lengths[i] = i == 5 ? longest : 1;
    tulle_mat *csr = by_lengths(ctx, ROWS, longest, lengths, NULL), *A = NULL;
    tulle_convert_options options = {.fill = fill};
    tulle_status status = tulle_mat_convert_with(ctx, csr, TULLE_ELL, TULLE_I32, &options, &A);
    tulle_mat_destroy(A);
    tulle_mat_destroy(csr);
    return status;
}

static void fills(tulle_ctx *ctx, const char *where) {
    (void)where;
    must(as_ell(ctx, ROWS + 1, 1024.5)); /* 2048 x 2049 slots for 4096 entries */
    assert_int_equal(as_ell(ctx, ROWS + 1, 1024.25), TULLE_TOO_LARGE);
    must(as_ell(ctx, 32, 1)); /* 65536 slots are always fine */
    assert_int_equal(as_ell(ctx, 33, 1), TULLE_TOO_LARGE);
}

/* HYB's own width is the length that a third of the rows reach; one that is asked for is cut to the
 * longest row's. */
static void head_widths(tulle_ctx *ctx, const char *where) {
    static const int64_t lengths[] = {3, 9, 1, 7, 5, 2, 8, 4, 6};
    (void)where;
    tulle_mat *csr = by_lengths(ctx, 9, 9, lengths, NULL);
    tulle_convert_options own = {0}, wide = {.width = 20};
    assert_int_equal(converted(ctx, csr, TULLE_HYB, &own).width, 6);
    assert_int_equal(converted(ctx, csr, TULLE_HYB, &wide).width, 9);
    assert_int_equal(converted(ctx, csr, TULLE_CSR_COO, &wide).width, 9);
    tulle_mat_destroy(csr);
}

/* Two slices with a long row each, and all others of one entry. */
static int64_t window_for(tulle_ctx *ctx, int64_t first, int64_t second) {
    int64_t lengths[64];
    for (int i = 0; i < 64; i++) lengths[i] = 1;
    lengths[3] = first;
    lengths[40] = second;
    tulle_mat *csr = by_lengths(ctx, 64, 64, lengths, NULL);
    tulle_convert_options own = {0};
    int64_t window = converted(ctx, csr, TULLE_SELL, &own).window;
    tulle_mat_destroy(csr);
    return window;
}

/* Rows are sorted where that saves a twentieth of the slots: 1 in 21 is less, 1 in 20 is not. */
static void windows(tulle_ctx *ctx, const char *where) {
    (void)where;
    assert_int_equal(window_for(ctx, 40, 2), 1);
    assert_int_equal(window_for(ctx, 19, 2), 1);
    assert_int_equal(window_for(ctx, 18, 2), 32 * 32);
    assert_int_equal(window_for(ctx, 40, 40), 32 * 32);
}

/* Four slices of rows of one entry, or of two where the row is not the last of so many. */
static int64_t window_for_pairs(tulle_ctx *ctx, int every) {
    int64_t lengths[128];
    for (int i = 0; i < 128; i++) lengths[i] = i % every == every - 1 ? 1 : 2;
    tulle_mat *csr = by_lengths(ctx, 128, 128, lengths, NULL);
    tulle_convert_options own = {0};
    int64_t window = converted(ctx, csr, TULLE_SELL, &own).window;
    tulle_mat_destroy(csr);
    return window;
}

/* The order of 128 rows takes as many bytes as 43 slots: sorting saves 32 of these, or 64. */
static void windows_of_short_rows(tulle_ctx *ctx, const char *where) {
    (void)where;
    assert_int_equal(window_for_pairs(ctx, 4), 1);
    assert_int_equal(window_for_pairs(ctx, 2), 32 * 32);
}

/* Rows that grow, so that a longer one always waits behind the window's end. */
static void neighbouring_windows(tulle_ctx *ctx, const char *where) {
    int64_t lengths[40];
    (void)where;
    for (int i = 0; i < 40; i++) lengths[i] = i;
    tulle_mat *csr = by_lengths(ctx, 40, 40, lengths, NULL), *A = NULL;
    tulle_convert_options options = {.slice = 4, .window = 8};
    must(tulle_mat_convert_with(ctx, csr, TULLE_SELL, TULLE_I32, &options, &A));
    naive_layout l = naive_read(ctx, A);
    naive_check(&l);
    for (int p = 0; p < 40; p++) assert_int_equal(l.order[p], p / 8 * 8 + 7 - p % 8);
    naive_free(&l);
    tulle_mat_destroy(A);
    tulle_mat_destroy(csr);
}

/* A diagonal below the main one begins left of the first column. */
static void diagonal_below(tulle_ctx *ctx, const char *where) {
    int64_t lengths[40], firsts[40];
    (void)where;
    for (int i = 0; i < 40; i++) {
        lengths[i] = i >= 3;
        firsts[i] = i - 3;
    }
    tulle_mat *csr = by_lengths(ctx, 40, 40, lengths, firsts), *A = NULL;
    must(tulle_mat_convert(ctx, csr, TULLE_PACKED, TULLE_I32, 0, &A));
    naive_layout l = naive_read(ctx, A);
    naive_check(&l);
    assert_int_equal(l.n.codes, 0);
    naive_free(&l);
    tulle_mat_destroy(A);
    tulle_mat_destroy(csr);
}

static void refuse(tulle_ctx *ctx, int64_t rows, tulle_format format, const tulle_storage *storage,
                   const tulle_mat_arrays *arrays) {
    tulle_mat *A = (tulle_mat *)1;
    assert_int_equal(
        tulle_mat_create(ctx, rows, 3, format, storage, TULLE_I32, arrays, TULLE_F64, NULL, &A),
        TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "storage");
    assert_null(A);
}

/* Numbers of which one alone is wrong. */
static void numbers(tulle_ctx *ctx, const char *where) {
    static const double values[64] = {1};
    static const int32_t zeros[64] = {0}, two_blocks[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
    static const int32_t one_slice[] = {0, 32}, heads[] = {0, 1, 1}, order[] = {0, 1, 2};
    static const uint32_t mask[] = {1, 1};
    static const uint8_t codes[64] = {0};
    (void)where;
    tulle_mat_arrays all = {.cols = zeros, .order = order, .values = values};
    all.offsets = heads;
    refuse(ctx, 3, TULLE_DCSR, &(tulle_storage){.stored = 1, .heads = 2}, &all);
    all.mask = mask;
    all.codes = codes;
    all.offsets = one_slice;
    tulle_storage packed = {.stored = 32, .slice = 32, .window = 1, .coded = 33};
    refuse(ctx, 1, TULLE_PACKED, &packed, &all);
    all.offsets = two_blocks;
    all.cols = columns;
    refuse(ctx, 3, TULLE_BSR, &(tulle_storage){.stored = 16, .block = 2, .full = true}, &all);
    all.cols = zeros;
    tulle_storage sections = {
        .stored = 32, .sections = 2, .section_row = {0, 0, 1}, .section_at = {0, 0, 32}};
    refuse(ctx, 3, TULLE_JDS_ELL, &sections, &all);
}

/* Of two faults the first is told, whichever thread meets the other. */
static void first_fault(tulle_ctx *ctx, const char *where) {
    int32_t cols[64];
    double values[64];
    tulle_mat *A = NULL;
    (void)where;
    for (int i = 0; i < 64; i++) {
        cols[i] = i == 10 || i == 20 || i == 50 ? 64 : i;
        values[i] = 1;
    }
    tulle_storage storage = {.stored = 64, .width = 1, .stride = 64};
    tulle_mat_arrays arrays = {.cols = cols, .values = values};
    assert_int_equal(
        tulle_mat_create(ctx, 64, 64, TULLE_ELL, &storage, TULLE_I32, &arrays, TULLE_F64, NULL, &A),
        TULLE_INVALID_MATRIX);
    assert_non_null(strstr(tulle_last_error()->message, "cols[10]"));
}

#define TEST(name)                                                                                 \
    static void test_##name(void **state) {                                                        \
        (void)state;                                                                               \
        on_each_place(name);                                                                       \
    }
TEST(fills)
TEST(head_widths)
TEST(windows)
TEST(windows_of_short_rows)
TEST(neighbouring_windows)
TEST(diagonal_below)
TEST(numbers)
TEST(first_fault)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fills),
        cmocka_unit_test(test_head_widths),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_windows_of_short_rows),
        cmocka_unit_test(test_neighbouring_windows),
        cmocka_unit_test(test_diagonal_below),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_first_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
