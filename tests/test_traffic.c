/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a product against a plain count of lines, on every place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "entries.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/statistics.h"

/* Lines that elements first to end - 1 stand in, one by one. */
static int64_t stretch(int64_t first, int64_t end, int64_t size) {
    int64_t lines = 0, before = -1;
    for (int64_t i = first; i < end; i++) {
        int64_t line = i * size / 128;
        lines += line != before;
        before = line;
    }
    return lines;
}

/* Distinct lines of x in a stretch of entries, ticked off one by one. */
static int64_t distinct(const zoo_matrix *m, int64_t first, int64_t end, int64_t size) {
    int64_t lines = 0, per_line = 128 / size;
    bool *seen = calloc((size_t)(m->cols / per_line + 1), sizeof *seen);
    assert_non_null(seen);
    for (int64_t k = first; k < end; k++) {
        lines += !seen[m->columns[k] / per_line];
        seen[m->columns[k] / per_line] = true;
    }
    free(seen);
    return lines;
}

static tulle_traffic plain(const zoo_matrix *m, tulle_index index, tulle_type type,
                           int64_t rows_per_block, bool beta_zero) {
    int64_t o = tulle_offset_size(index), c = tulle_index_size(index), v = tulle_type_size(type);
    tulle_traffic t = {.rows_per_block = rows_per_block};
    for (int64_t row = 0; row < m->rows; t.blocks++) {
        int64_t end = m->rows - row < rows_per_block ? m->rows : row + rows_per_block;
        int64_t k = m->offsets[row], k_end = m->offsets[end];
        t.matrix_bytes +=
            128 * (stretch(row, end + 1, o) + stretch(k, k_end, c) + stretch(k, k_end, v));
        t.x_bytes += 128 * distinct(m, k, k_end, v);
        t.y_bytes += 128 * stretch(row, end, v) * (beta_zero ? 1 : 2);
        row = end;
    }
    t.effective_bytes = t.matrix_bytes + t.x_bytes + t.y_bytes;
    t.minimal_bytes =
        (m->rows + 1) * o + m->nnz * (c + v) + m->cols * v + m->rows * v * (beta_zero ? 1 : 2);
    return t;
}

static void compare(tulle_ctx *ctx, const tulle_mat *A, const tulle_traffic *want, bool beta_zero,
                    const char *name) {
    tulle_traffic got;
    must(tulle_mat_traffic(ctx, A, want->rows_per_block, beta_zero, &got));
    if (memcmp(&got, want, sizeof got) == 0) return;
    fail_msg(
        "%s by %lld rows: blocks %lld (%lld), minimal %lld (%lld), matrix %lld (%lld), "
        "x %lld (%lld), y %lld (%lld)",
        name, (long long)want->rows_per_block, (long long)got.blocks, (long long)want->blocks,
        (long long)got.minimal_bytes, (long long)want->minimal_bytes, (long long)got.matrix_bytes,
        (long long)want->matrix_bytes, (long long)got.x_bytes, (long long)want->x_bytes,
        (long long)got.y_bytes, (long long)want->y_bytes);
}

/* All steps, or on the emulator every other one. */
static void compare_all(tulle_ctx *ctx, const char *where, const zoo_matrix *m, tulle_index index,
                        tulle_type type) {
    static const int64_t steps[] = {1, 3, 16, 64, 1000, INT64_MAX};
    size_t first = is_slow(where) ? (size_t)m->nnz % 2 : 0, stride = is_slow(where) ? 2 : 1;
    tulle_mat *A = zoo_mat(ctx, m, index, type);
    for (size_t s = first; s < sizeof steps / sizeof *steps; s += stride) {
        bool beta_zero = s < 3;
        tulle_traffic want = plain(m, index, type, steps[s], beta_zero);
        compare(ctx, A, &want, beta_zero, m->name);
    }
    tulle_mat_destroy(A);
}

static void zoo(tulle_ctx *ctx, const char *where) {
    for (int i = 0; i < zoo_count(); i++) {
        zoo_matrix m = zoo_make(i);
        for (int pair = 0; pair < 6; pair += is_slow(where) ? 4 : 1) {
            int combination = (pair + i) % 6;
            compare_all(ctx, where, &m, (tulle_index)(combination / 2),
                        (tulle_type)(combination % 2));
        }
        zoo_free(&m);
    }
}

static void large(tulle_ctx *ctx, const char *where) {
    for (int i = 0; i < zoo_large_count(); i += is_slow(where) ? 2 : 1) {
        zoo_matrix m = zoo_make_large(i);
        tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
        tulle_traffic want = plain(&m, TULLE_I32, TULLE_F64, 40, true);
        compare(ctx, A, &want, true, m.name);
        tulle_mat_destroy(A);
        zoo_free(&m);
    }
}

/* Columns from far apart: no table could have a place for each line. And farther than any x. */
static void wide(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int64_t cols = (int64_t)1 << 55;
    int64_t offsets[] = {0, 3, 3, 6};
    int64_t columns[] = {0, cols - 1, 15, cols / 2, 16, 17};
    double values[6] = {1, 1, 1, 1, 1, 1};
    zoo_matrix m = {"wide", 3, cols, 6, offsets, columns, values};
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I64, TULLE_F64);
    tulle_traffic got;
    must(tulle_mat_traffic(ctx, A, 1, true, &got));
    assert_int_equal(got.x_bytes, 128 * (2 + 2));
    must(tulle_mat_traffic(ctx, A, 3, true, &got));
    assert_int_equal(got.x_bytes, 128 * 4);
    tulle_mat_destroy(A);

    tulle_mat_info info;
    tulle_forecast f;
    m.cols = (int64_t)1 << 58;
    A = zoo_mat(ctx, &m, TULLE_I64, TULLE_F64);
    must(tulle_mat_describe(A, &info));
    assert_int_equal(tulle_mat_traffic(ctx, A, 1, true, &got), TULLE_TOO_LARGE);
    assert_int_equal(tulle_spmv_forecast(ctx, &info, true, &f), TULLE_TOO_LARGE);
    tulle_mat_destroy(A);
}

/* The default is what the kernel would do under the rule of the paper. */
static void rule(tulle_ctx *ctx, const char *where) {
    static const char *const specs[] = {"p2d5:7,9", "random:60,60,17", "p2d5:700",
                                        "random:90000,50,17"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        if (is_slow(where) && i > 1) continue;
        tulle_mat *A = NULL;
        must(tulle_generate(ctx, specs[i], 1, TULLE_F64, &A));
        tulle_traffic given, same;
        must(tulle_mat_traffic(ctx, A, 0, true, &given));
        must(tulle_mat_traffic(ctx, A, given.rows_per_block, true, &same));
        assert_memory_equal(&given, &same, sizeof given);
        tulle_choice choice;
        must(tulle_ctx_set_rule(ctx, "reguly_giles"));
        must(tulle_spmv_choice(ctx, TULLE_N, A, true, &choice));
        int coop = 0, repeat = 0, block = 0;
        bool vector =
            sscanf(choice.params, "coop=%d,repeat=%d,block=%d", &coop, &repeat, &block) == 3;
        assert_true(vector || strncmp(where, "cpu", 3) == 0);
        if (vector) assert_int_equal(given.rows_per_block, repeat * (block / coop));
        tulle_mat_destroy(A);
    }
}

/* What a call would do is what is forecast from the description alone, in every format. */
static void forecast(tulle_ctx *ctx, const char *where) {
    for (int i = 0; i < zoo_count(); i += is_slow(where) ? 5 : 1) {
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
            tulle_status would = tulle_spmv_choice(ctx, TULLE_N, B, true, &choice);
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
    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64), *coo = NULL;
    tulle_traffic t;
    assert_int_equal(tulle_mat_traffic(NULL, A, 0, true, &t), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_traffic(ctx, NULL, 0, true, &t), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_traffic(ctx, A, 0, true, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_traffic(ctx, A, -1, true, &t), TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "rows_per_block");
    must(tulle_mat_convert(ctx, A, TULLE_COO, TULLE_I32, 0, &coo));
    assert_int_equal(tulle_mat_traffic(ctx, coo, 0, true, &t), TULLE_UNSUPPORTED);
    assert_non_null(strstr(tulle_last_error()->message, "tulle_mat_convert"));
    if (strncmp(where, "cpu", 3) != 0) {
        tulle_ctx *home = NULL;
        must(tulle_ctx_create("cpu:1", NULL, &home));
        assert_int_equal(tulle_mat_traffic(home, A, 0, true, &t), TULLE_SPACE_MISMATCH);
        tulle_ctx_destroy(home);
    }
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
    info.type = (tulle_type)2;
    assert_int_equal(tulle_spmv_forecast(ctx, &info, true, &f), TULLE_INVALID_ARGUMENT);
    tulle_mat_destroy(coo);
    tulle_mat_destroy(A);
    zoo_free(&m);
}

/* The n-th allocation fails: a clean status, and nothing is left behind. */
static void no_memory(tulle_ctx *unused, const char *where) {
    (void)unused;
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    tulle_memory_usage before, after;
    must(tulle_ctx_trim(ctx));
    must(tulle_ctx_memory(ctx, &before));
    tulle_status status = TULLE_OUT_OF_MEMORY;
    int failures = 0;
    for (int64_t n = 1; status != TULLE_OK; n++) {
        tulle_traffic t;
        must(tulle_ctx_trim(ctx));
        c.requests = 0;
        c.fail_at = n;
        status = tulle_mat_traffic(ctx, A, 2, true, &t);
        c.fail_at = 0;
        must(tulle_ctx_memory(ctx, &after));
        assert_int_equal(after.in_use, before.in_use);
        if (status != TULLE_OK) assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        failures += status != TULLE_OK;
    }
    assert_true(failures > 0 || strncmp(where, "cuda", 4) == 0);
    tulle_mat_destroy(A);
    zoo_free(&m);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
}

static void test_zoo(void **state) {
    (void)state;
    on_each_place(zoo);
}
static void test_large(void **state) {
    (void)state;
    on_each_place(large);
}
static void test_wide(void **state) {
    (void)state;
    on_each_place(wide);
}
static void test_rule(void **state) {
    (void)state;
    on_each_place(rule);
}
static void test_forecast(void **state) {
    (void)state;
    on_each_place(forecast);
}
static void test_misuse(void **state) {
    (void)state;
    on_each_place(misuse);
}
static void test_no_memory(void **state) {
    (void)state;
    on_each_place(no_memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zoo),       cmocka_unit_test(test_large),
        cmocka_unit_test(test_wide),      cmocka_unit_test(test_rule),
        cmocka_unit_test(test_forecast),  cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
