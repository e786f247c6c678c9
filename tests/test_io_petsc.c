/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices in PETSc's binary form, of both widths of integers, and what broken files get. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io_help.h"
#include "little_files.h"
#include "places.h"

enum { MATRIX = 1211216, VECTOR = 1211214 };

static little_file file; /* the file that a test builds */
static int integer_size; /* bytes of an integer in this file */

static void put(int count, const int64_t *numbers) {
    for (int i = 0; i < count; i++) little_number(&file, (uint64_t)numbers[i], integer_size, true);
}

#define PUT(...)                                                                                   \
    put(sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})

static void put_reals(int count, const double *numbers) {
    for (int i = 0; i < count; i++) little_real(&file, numbers[i], 8, true);
}

#define REALS(...)                                                                                 \
    put_reals(sizeof(double[]){__VA_ARGS__} / sizeof(double), (const double[]){__VA_ARGS__})

static void begin(int integer) {
    file.size = 0;
    integer_size = integer;
}

/* The matrix [1 0 2; 0 0 0; 0 0 3], with the columns of its first row in disorder. */
static void make(int integer) {
    begin(integer);
    PUT(MATRIX, 3, 3, 3);
    PUT(2, 0, 1);
    PUT(2, 0, 2);
    REALS(2, 1, 3);
}

#define SMALL "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n1 3 2\n3 3 3\n"

static io_file built(void) {
    return (io_file){file.bytes, file.size, "p"};
}

static tulle_status load(tulle_type type, tulle_mat **A, tulle_file_info *info) {
    return io_load(io_cpu, built(), type, A, info);
}

static void expect(const char *text, tulle_type type) {
    io_expect(io_cpu, built(), text, type);
}

static void test_meanings(void **state) {
    (void)state;
    for (int integer = 4; integer <= 8; integer += 4) {
        make(integer);
        expect(SMALL, TULLE_F64);
        expect(SMALL, TULLE_F32);
        /* A right-hand side and a solution follow. */
        PUT(VECTOR, 3);
        REALS(1, NAN, 2);
        PUT(VECTOR, 0);
        expect(SMALL, TULLE_F64);
        begin(integer);
        PUT(MATRIX, 0, 7, 0);
        expect("%%MatrixMarket matrix coordinate real general\n0 7 0\n", TULLE_F64);
    }
    make(4);
    tulle_file_info info;
    tulle_mat *A;
    assert_int_equal(load(TULLE_F64, &A, &info), TULLE_OK);
    assert_string_equal(info.field, "real");
    assert_string_equal(info.symmetry, "general");
    assert_string_equal(info.container, "plain");
    assert_int_equal(info.stored, 3);
    assert_int_equal(info.text_bytes, file.size);
    tulle_mat_destroy(A);
    /* Past 2^31 entries PETSc writes 2^31 - 1, and the rows tell the number. */
    begin(4);
    PUT(MATRIX, 3, 3, INT32_MAX);
    PUT(2, 0, 1);
    PUT(2, 0, 2);
    REALS(2, 1, 3);
    expect(SMALL, TULLE_F64);
}

/* Compressed, where the size is not known before the end. */
static void test_packed(void **state) {
    (void)state;
    static const char *const packers[] = {"gzip -c", "xz -c", "zstd -qc"};
    static const char *const containers[] = {"gz", "xz", "zst"};
    make(4);
    io_write_file(io_path("a"), file.bytes, file.size);
    tulle_mat *A, *B = io_load_text(io_cpu, SMALL, TULLE_F64, NULL);
    for (int i = 0; i < 3; i++) {
        char command[256];
        tulle_file_info info;
        snprintf(command, sizeof command, "%s %s >%s", packers[i], io_path("a"), io_path("b"));
        assert_int_equal(system(command), 0);
        if (tulle_mat_load(io_cpu, io_path("b"), TULLE_F64, &A, &info) != TULLE_OK)
            fail_msg("%s", tulle_last_error()->message);
        assert_string_equal(info.container, containers[i]);
        assert_true(io_equal(io_cpu, A, B));
        tulle_mat_destroy(A);
        /* Cut off inside the container. */
        size_t size;
        char *bytes = io_read_file(io_path("b"), &size);
        const tulle_status status =
            tulle_mat_load_memory(io_cpu, bytes, (int64_t)size - 9, "b", TULLE_F64, &A, NULL);
        assert_true(status == TULLE_IO_ERROR || status == TULLE_PARSE_ERROR);
        free(bytes);
    }
    /* Cut off before it was packed. */
    io_write_file(io_path("a"), file.bytes, file.size - 9);
    char command[256];
    snprintf(command, sizeof command, "%s %s >%s", packers[0], io_path("a"), io_path("b"));
    assert_int_equal(system(command), 0);
    assert_int_equal(tulle_mat_load(io_cpu, io_path("b"), TULLE_F64, &A, NULL), TULLE_PARSE_ERROR);
    assert_non_null(
        strstr(tulle_last_error()->message, "ends after 15 of the 24 bytes of the values"));
    tulle_mat_destroy(B);
}

static void expect_complaint(tulle_type type, tulle_status status, const char *part) {
    io_expect_complaint(io_cpu, built(), type, status, 0, part);
}

/* Expects a complaint about the file with one of its integers changed. */
static void expect_changed(int integer, int which, int64_t number, tulle_status status,
                           const char *part) {
    make(integer);
    const size_t size = file.size;
    file.size = (size_t)(which * integer);
    PUT(number);
    file.size = size;
    expect_complaint(TULLE_F64, status, part);
}

static void test_faults(void **state) {
    enum { ROWS = 1, COLS, ENTRIES, LENGTHS, INDICES = 7 };
    (void)state;
    for (int integer = 4; integer <= 8; integer += 4) {
        const int64_t most = integer == 4 ? INT32_MAX : INT64_MAX;
        expect_changed(integer, ROWS, -1, TULLE_PARSE_ERROR, "names -1 rows, 3 columns");
        expect_changed(integer, COLS, -3, TULLE_PARSE_ERROR, "-3 columns");
        expect_changed(integer, ENTRIES, -2, TULLE_PARSE_ERROR, "-2 entries");
        expect_changed(integer, ENTRIES, -1, TULLE_UNSUPPORTED, "dense matrix");
        expect_changed(integer, ENTRIES, 2, TULLE_PARSE_ERROR, "rows have 3 entries");
        expect_changed(integer, ENTRIES, 99, TULLE_PARSE_ERROR, "cut off");
        expect_changed(integer, ROWS, most, integer == 4 ? TULLE_PARSE_ERROR : TULLE_TOO_LARGE,
                       "rows");
        expect_changed(integer, ROWS, most - 1, TULLE_PARSE_ERROR, "cut off: it has");
        expect_changed(integer, COLS, 2, TULLE_PARSE_ERROR,
                       "column index of entry 0 (from 0) is 2, out of range 0 to 1");
        expect_changed(integer, LENGTHS, 3, TULLE_PARSE_ERROR, "the rows have 4 entries");
        expect_changed(integer, LENGTHS, -2, TULLE_PARSE_ERROR, "row 0 (from 0) has -2 entries");
        expect_changed(integer, INDICES, 3, TULLE_PARSE_ERROR, "entry 0 (from 0) is 3");
        expect_changed(integer, INDICES + 1, -1, TULLE_PARSE_ERROR, "entry 1 (from 0) is -1");
    }
    expect_changed(8, LENGTHS + 1, INT64_MAX, TULLE_PARSE_ERROR, "row 1 (from 0) has");
    begin(4);
    PUT(MATRIX, 1, 1, 1);
    PUT(1);
    PUT(0);
    REALS(1e39);
    expect_complaint(TULLE_F32, TULLE_PARSE_ERROR, "value 0 (from 0) is too large for f32");
    file.size -= 8;
    REALS(-INFINITY);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "value 0 (from 0) is no finite number");
}

/* A PETSc of single precision writes values of 4 bytes. */
static void test_single(void **state) {
    (void)state;
    for (int integer = 4; integer <= 8; integer += 4) {
        begin(integer);
        PUT(MATRIX, 3, 3, 3);
        PUT(2, 0, 1);
        PUT(0, 2, 2);
        for (int i = 0; i < 3; i++) little_real(&file, i + 1, 4, true);
        expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "its values take 4 bytes each");
    }
}

static void test_what_follows(void **state) {
    (void)state;
    make(4);
    little_number(&file, 7, 1, true);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "surplus bytes behind the matrix, from byte 64");
    make(4);
    PUT(MATRIX, 0, 0, 0);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "no vector of PETSc's");
    make(4);
    PUT(VECTOR);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "cut off");
    make(4);
    PUT(VECTOR, 2);
    REALS(1);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "cut off");
    make(8);
    PUT(VECTOR, -2);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "vector behind the matrix has -2 numbers");
    make(8);
    PUT(VECTOR, INT64_MAX / 2);
    expect_complaint(TULLE_F64, TULLE_PARSE_ERROR, "vector behind the matrix has");
    make(4);
    REALS(0, 0, 0);
    expect_complaint(TULLE_F64, TULLE_UNSUPPORTED, "complex");
    begin(4);
    PUT(VECTOR, 0);
    expect_complaint(TULLE_F64, TULLE_UNSUPPORTED, "is a vector in PETSc's binary form");
}

static void test_cut_off(void **state) {
    (void)state;
    for (int integer = 4; integer <= 8; integer += 4) {
        make(integer);
        const size_t size = file.size;
        for (file.size = 0; file.size < size; file.size++) {
            tulle_mat *A;
            const tulle_status status = load(TULLE_F64, &A, NULL);
            if (status != TULLE_PARSE_ERROR)
                fail_msg("cut to %zu: %s", file.size, tulle_status_name(status));
            assert_null(A);
        }
    }
}

/* Entries that the head does not name: sizes that only the rows tell take no memory. */
static void test_lies(void **state) {
    (void)state;
    begin(4);
    PUT(MATRIX, 2, 3, INT32_MAX);
    PUT(INT32_MAX, INT32_MAX);
    PUT(0, 0);
    io_expect_little_memory(built(), TULLE_PARSE_ERROR, (size_t)1 << 22);
    assert_non_null(strstr(tulle_last_error()->message, "cut off"));
}

static void test_out_of_memory(void **state) {
    (void)state;
    make(4);
    io_expect_survival(built(), 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meanings),     cmocka_unit_test(test_packed),
        cmocka_unit_test(test_faults),       cmocka_unit_test(test_single),
        cmocka_unit_test(test_what_follows), cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_lies),         cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("files of PETSc", tests, io_start, io_end);
}
