/* SPDX-License-Identifier: Apache-2.0 */
/* What conversions refuse: padding beyond the limit, wrong options; and what other calls do with
 * formats that are not for them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"

/* ROWS rows of one entry, but one of COLS. */
enum { ROWS = 2000, COLS = 4000, DENSE = 7 };

static tulle_mat *lopsided(tulle_ctx *ctx) {
    enum { NNZ = ROWS - 1 + COLS };
    entries e = entries_random(ROWS, COLS, NNZ, 1);
    int64_t k = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < (i == DENSE ? COLS : 1); j++, k++) {
            e.row[k] = i;
            e.col[k] = i == DENSE ? j : i;
        }
    }
    tulle_mat *A = NULL;
    must(entries_to_coo(ctx, &e, TULLE_I32, TULLE_F32, &A));
    entries_free(&e);
    return A;
}

static void refuses(tulle_ctx *ctx, const tulle_mat *A, tulle_format format, double slots) {
    tulle_mat *B = (tulle_mat *)1;
    char size[64];
    snprintf(size, sizeof size, "%.4g slots (", slots);
    assert_int_equal(tulle_mat_convert(ctx, A, format, TULLE_I32, 0, &B), TULLE_TOO_LARGE);
    assert_null(B);
    assert_string_equal(tulle_last_error()->argument, "format");
    assert_non_null(strstr(tulle_last_error()->message, size));
    assert_non_null(strstr(tulle_last_error()->message, tulle_format_name(format)));
}

static void limits(tulle_ctx *ctx, const char *where) {
    (void)where;
    const double stride = 2016; /* the long row is in all diagonals */
    tulle_mat *A = lopsided(ctx), *B = NULL;
    refuses(ctx, A, TULLE_ELL, stride * COLS);
    refuses(ctx, A, TULLE_ELLR, stride * COLS);
    refuses(ctx, A, TULLE_DIA, stride * COLS);
    static const tulle_format fine[] = {TULLE_HYB, TULLE_CSR_COO, TULLE_JDS, TULLE_CSC};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        must(tulle_mat_convert(ctx, A, fine[i], TULLE_I32, 0, &B));
        tulle_mat_destroy(B);
    }
    tulle_convert_options options = {.fill = stride * COLS / (ROWS - 1 + COLS) + 1};
    must(tulle_mat_convert_with(ctx, A, TULLE_ELL, TULLE_I32, &options, &B));
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

static void wrong_options(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const struct {
        tulle_format format;
        tulle_convert_options options;
        const char *word;
    } wrong[] = {{TULLE_SELL, {.slice = 1025}, "slice"},
                 {TULLE_SELL, {.slice = -1}, "slice"},
                 {TULLE_SELL, {.slice = 32, .window = 33}, "window"},
                 {TULLE_SELL, {.window = 33}, "window"},
                 {TULLE_SELL, {.window = -1}, "window"},
                 {TULLE_PACKED, {.slice = 16}, "slice"},
                 {TULLE_PACKED, {.window = 33}, "window"},
                 {TULLE_HYB, {.width = -1}, "width"},
                 {TULLE_CSR_COO, {.width = -1}, "width"},
                 {TULLE_BSR, {.block = 17}, "block"},
                 {TULLE_BSR, {.block = -1}, "block"},
                 {TULLE_ELL, {.fill = -1}, "fill"},
                 {TULLE_DIA, {.fill = (double)NAN}, "fill"}};
    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tulle_mat *B = (tulle_mat *)1;
        assert_int_equal(
            tulle_mat_convert_with(ctx, A, wrong[i].format, TULLE_I32, &wrong[i].options, &B),
            TULLE_INVALID_ARGUMENT);
        assert_null(B);
        assert_string_equal(tulle_last_error()->argument, "options");
        assert_non_null(strstr(tulle_last_error()->message, wrong[i].word));
    }
    tulle_mat_destroy(A);
    zoo_free(&m);
}

/* What is for some formats alone says so. */
static void unsupported(tulle_ctx *ctx, const char *where) {
    (void)where;
    zoo_matrix m = zoo_make(8);
    tulle_mat *csr = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    for (int format = 0; format < TULLE_FORMAT_COUNT; format++) {
        tulle_mat *A = NULL, *B = (tulle_mat *)1;
        const char *name = tulle_format_name((tulle_format)format);
        must(tulle_mat_convert(ctx, csr, (tulle_format)format, TULLE_I32, 0, &A));
        tulle_status status = tulle_mat_tile(ctx, A, 2, &B);
        if (format == TULLE_COO || format == TULLE_CSR) {
            must(status);
            tulle_mat_destroy(B);
        } else {
            assert_int_equal(status, TULLE_UNSUPPORTED);
            assert_null(B);
            assert_non_null(strstr(tulle_last_error()->message, name));
            assert_non_null(strstr(tulle_last_error()->message, "convert"));
        }
        if (format != TULLE_CSR) {
            assert_int_equal(tulle_mat_plan(ctx, TULLE_N, A, NULL), TULLE_UNSUPPORTED);
            assert_non_null(strstr(tulle_last_error()->message, name));
            assert_int_equal(tulle_mat_optimize(ctx, TULLE_T, A, 1), TULLE_UNSUPPORTED);
            assert_non_null(strstr(tulle_last_error()->message, "convert"));
        }
        tulle_mat_destroy(A);
    }
    tulle_mat_destroy(csr);
    zoo_free(&m);
}

static void test_limits(void **state) {
    (void)state;
    on_each_place(limits);
}
static void test_wrong_options(void **state) {
    (void)state;
    on_each_place(wrong_options);
}
static void test_unsupported(void **state) {
    (void)state;
    on_each_place(unsupported);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_wrong_options),
        cmocka_unit_test(test_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
