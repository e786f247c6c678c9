/* SPDX-License-Identifier: Apache-2.0 */
/* Files of several blocks: texts are cut between lines wherever blocks end, seekable or packed, and
 * lines are counted across them; the longest line; numbers halfway between two; and damage to each
 * part of a binary file. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/file/blocks.h"
#include "io/file/decimal.h"
#include "io_help.h"
#include "places.h"

static tulle_status load(const io_text *text, tulle_mat **A) {
    return tulle_mat_load_memory(io_cpu, text->bytes, (int64_t)text->size, "f", TULLE_F64, A, NULL);
}

/* The line that is told is right behind any number of blocks. */
static void test_lines_behind_blocks(void **state) {
    enum { ENTRIES = 120000 };
    (void)state;
    io_text text = {0};
    tulle_mat *A = NULL;
    io_print(&text, "%%%%MatrixMarket matrix coordinate integer general\n%d 9 %d\n", ENTRIES,
             ENTRIES);
    for (int i = 1; i < ENTRIES; i++) io_print(&text, "%d %d %d\n", i, 1 + i % 9, i % 1000);
    io_print(&text, "%d 10 1\n", ENTRIES);
    assert_true(text.size > 4 * TULLE__BLOCK_MIN);
    assert_int_equal(load(&text, &A), TULLE_PARSE_ERROR);
    assert_int_equal(tulle_last_error()->line, ENTRIES + 2);
    assert_non_null(strstr(tulle_last_error()->message, "column index 10"));
    free(text.bytes);
}

/* A text of more than one of a stream's blocks, through a file that must be unpacked. */
static void test_packed_blocks(void **state) {
    (void)state;
    io_text text = io_random_text(5000, 5000, 220000, 0);
    tulle_mat *A = io_load_text(io_cpu, text.bytes, TULLE_F64, NULL), *B = NULL;
    assert_true(text.size > TULLE__BLOCK_MAX);
    must(tulle_mat_save(io_cpu, A, io_path("a.mtx.gz"), NULL));
    must(tulle_mat_load(io_cpu, io_path("a.mtx.gz"), TULLE_F64, &B, NULL));
    assert_true(io_equal(io_cpu, A, B));
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    free(text.bytes);
}

/* Values number 1, 2, ... of a skew-symmetric array, column by column below the diagonal. */
static void test_skew_array(void **state) {
    enum { N = 500 };
    (void)state;
    io_text text = {0};
    tulle_mat *A = NULL;
    io_print(&text, "%%%%MatrixMarket matrix array integer skew-symmetric\n%d %d\n", N, N);
    for (int k = 1; k <= N * (N - 1) / 2; k++) io_print(&text, "%d\n", k);
    assert_true(text.size > 2 * TULLE__BLOCK_MIN);
    must(load(&text, &A));
    int32_t *offsets = calloc(N + 1, sizeof *offsets), *columns = calloc(N * N, sizeof *columns);
    double *values = calloc(N * N, sizeof *values);
    assert_true(offsets && columns && values);
    must(tulle_mat_read(io_cpu, A, offsets, NULL, columns, values));
    for (int i = 0; i < N; i++) {
        assert_int_equal(offsets[i + 1] - offsets[i], N - 1);
        for (int e = offsets[i]; e < offsets[i + 1]; e++) {
            int j = columns[e], row = i > j ? i : j, col = i > j ? j : i;
            int number = col * (2 * N - col - 1) / 2 + row - col;
            assert_true(values[e] == (i > j ? number : -number));
        }
    }
    tulle_mat_destroy(A);
    free(offsets);
    free(columns);
    free(values);
    free(text.bytes);
}

/* A line of so many characters, its end not counted. */
static tulle_status load_line(size_t length) {
    io_text text = {0};
    tulle_mat *A = NULL;
    io_print(&text, "%%%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1");
    for (size_t blanks = length - 4; blanks > 0;) {
        int some = blanks < 200 ? (int)blanks : 200;
        io_print(&text, "%*s", some, "");
        blanks -= (size_t)some;
    }
    io_print(&text, "7\n");
    tulle_status status = load(&text, &A);
    tulle_mat_destroy(A);
    free(text.bytes);
    return status;
}

static void test_longest_line(void **state) {
    (void)state;
    must(load_line(TULLE__LINE_LIMIT - 1));
    assert_int_equal(load_line(TULLE__LINE_LIMIT), TULLE_PARSE_ERROR);
    assert_non_null(strstr(tulle_last_error()->message, "longer than 65536 bytes"));
}

/* Halfway between two decimals of which each would do, the even one is written. */
static void test_halfway(void **state) {
    static const struct {
        double number;
        const char *text;
    } wide[] = {{0x1p50 + 0.25, "1125899906842624.2"}, {0x1p50 + 0.75, "1125899906842624.8"}};
    static const struct {
        float number;
        const char *text;
    } narrow[] = {{0x1p21f + 0.25f, "2097152.2"}, {0x1p21f + 0.75f, "2097152.8"}};
    char text[TULLE__NUMBER_ROOM + 1];
    (void)state;
    for (int i = 0; i < 2; i++) {
        *tulle__write_f64(text, wide[i].number) = 0;
        assert_string_equal(text, wide[i].text);
        *tulle__write_f32(text, narrow[i].number) = 0;
        assert_string_equal(text, narrow[i].text);
    }
}

/* Damage is told of each array by its name. */
static void test_damaged_arrays(void **state) {
    static const char *const names[] = {"offsets", "columns", "values"};
    const tulle_save_options binary = {.binary = true};
    tulle_mat_info info;
    int told[3] = {0};
    size_t size = 0;
    (void)state;
    io_text text = io_random_text(60, 60, 400, 0);
    tulle_mat *A = io_load_text(io_cpu, text.bytes, TULLE_F64, NULL);
    must(tulle_mat_describe(A, &info));
    must(tulle_mat_save(io_cpu, A, io_path("a.tulle"), &binary));
    char *bytes = io_read_file(io_path("a.tulle"), &size);
    for (size_t i = 128; i < size; i += 4) {
        tulle_mat *B = NULL;
        bytes[i] ^= 1;
        tulle_status status =
            tulle_mat_load_memory(io_cpu, bytes, (int64_t)size, "f", TULLE_F64, &B, NULL);
        bytes[i] ^= 1;
        tulle_mat_destroy(B);
        if (status == TULLE_OK) continue; /* between two arrays */
        for (int k = 0; k < 3; k++)
            told[k] += strstr(tulle_last_error()->message, names[k]) != NULL;
        assert_non_null(
            strstr(tulle_last_error()->message, "the binary file is damaged: the checksum of its"));
    }
    assert_int_equal(told[0], 61);
    assert_int_equal(told[1], info.nnz);
    assert_int_equal(told[2], 2 * info.nnz);
    free(bytes);
    free(text.bytes);
    tulle_mat_destroy(A);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_behind_blocks),
        cmocka_unit_test(test_packed_blocks),
        cmocka_unit_test(test_skew_array),
        cmocka_unit_test(test_longest_line),
        cmocka_unit_test(test_halfway),
        cmocka_unit_test(test_damaged_arrays),
    };
    return cmocka_run_group_tests_name("blocks", tests, io_start, io_end);
}
