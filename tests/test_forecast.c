/* SPDX-License-Identifier: Apache-2.0 */
/* What the rule would take, asked about a description alone, on every place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/statistics.h"

/* Columns from farther apart than any x. */
static void wide(tulle_ctx *ctx, const char *where) {
    (void)where;
    int64_t offsets[] = {0, 1};
    int64_t columns[] = {0};
    double values[1] = {1};
    zoo_matrix m = {"wide", 1, (int64_t)1 << 58, 1, offsets, columns, values};
    tulle_mat_info info;
    tulle_forecast f;
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I64, TULLE_F64);
    must(tulle_mat_describe(A, &info));
    assert_int_equal(tulle_spmv_forecast(ctx, &info, true, &f), TULLE_TOO_LARGE);
    tulle_mat_destroy(A);
}

/* What a call would do is what is forecast from the description alone, in every format. */
static void forecast(tulle_ctx *ctx, const char *where) {
    for (int i = turn_of(where, 5); i < zoo_count(); i += is_slow(where) ? 5 : 1) {
        zoo_matrix m = zoo_make(i);
        tulle_index index = (tulle_index)(i % 3);
        tulle_mat *A = zoo_mat(ctx, &m, index, i % 2 ? TULLE_F32 : TULLE_F64);
        for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
            tulle_mat *B = NULL;
            tulle_mat_info info;
            tulle_choice choice;
            tulle_forecast guess;
            must(tulle_mat_convert(ctx, A, (tulle_format)f, index, 0, &B));
            must(tulle_mat_describe(B, &info));
            tulle_status status = tulle_spmv_forecast(ctx, &info, true, &guess);
            tulle_status would = tulle_spmv_describe(ctx, TULLE_N, B, true, &choice);
            if (status == TULLE_OK) {
                must(would);
                assert_string_equal(guess.kernel, choice.kernel);
                assert_string_equal(guess.params, choice.params);
                assert_int_equal(guess.minimal_bytes, choice.minimal_bytes);
                assert_int_equal(guess.kernel_bytes, choice.kernel_bytes);
                assert_true(guess.cost_bytes >= 0);
            } else {
                assert_int_equal(status, TULLE_UNSUPPORTED);
                assert_int_equal(would, TULLE_UNSUPPORTED);
                assert_int_not_equal(f, TULLE_CSR);
            }
            tulle_mat_destroy(B);
        }
        tulle_mat_destroy(A);
        zoo_free(&m);
    }
}

static void misuse(tulle_ctx *ctx, const char *where) {
    (void)where;
    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    tulle_mat_info info;
    tulle_forecast f;
    must(tulle_mat_describe(A, &info));
    assert_int_equal(tulle_spmv_forecast(NULL, &info, true, &f), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_spmv_forecast(ctx, NULL, true, &f), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_spmv_forecast(ctx, &info, true, NULL), TULLE_INVALID_ARGUMENT);
    info.format = (tulle_format)TULLE_FORMAT_COUNT;
    assert_int_equal(tulle_spmv_forecast(ctx, &info, true, &f), TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "like");
    info.format = TULLE_CSR;
    info.rows = -1;
    assert_int_equal(tulle_spmv_forecast(ctx, &info, true, &f), TULLE_INVALID_ARGUMENT);
    info.rows = m.rows;
    info.type = (tulle_type)0;
    assert_int_equal(tulle_spmv_forecast(ctx, &info, true, &f), TULLE_INVALID_ARGUMENT);
    tulle_mat_destroy(A);
    zoo_free(&m);
}

static void test_wide(void **state) {
    (void)state;
    on_each_place(wide);
}
static void test_forecast(void **state) {
    (void)state;
    on_each_place(forecast);
}
static void test_misuse(void **state) {
    (void)state;
    on_each_place(misuse);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_forecast),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
