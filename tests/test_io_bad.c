/* SPDX-License-Identifier: Apache-2.0 */
/* What bad files get: one line that names the file, the line and the fault, and no memory. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io_help.h"
#include "places.h"

#define BANNER "%%MatrixMarket matrix "

/* A text and what it gets. */
typedef struct {
    const char *text;
    tulle_status status;
    int line;
    const char *part; /* of the message */
} complaint;

#define REAL BANNER "coordinate real general\n"

static const complaint complaints[] = {
    {"", TULLE_PARSE_ERROR, 0, "empty"},
    {"\n\n", TULLE_PARSE_ERROR, 2, "before its banner, %%MatrixMarket"},
    {"\n\nhello\n", TULLE_PARSE_ERROR, 3, "does not start with %%MatrixMarket"},
    {BANNER "coordinate real general\n\xef\xbb\xbf"
            "1 1 0\n",
     TULLE_PARSE_ERROR, 2, "no number of rows"},
    {BANNER "array unsigned-integer general\n1 1\n-3\n", TULLE_PARSE_ERROR, 3, "'-3' is negative"},
    {BANNER "array integer general\n1 1\n1.5-3\n", TULLE_PARSE_ERROR, 3, "no whole number"},
    {REAL "1 1 1\n1 1 3-4\n", TULLE_PARSE_ERROR, 3, "'3-4' is no finite number"},
    {REAL "1 1 1\n1 1 1.5e5-4\n", TULLE_PARSE_ERROR, 3, "'1.5e5-4' is no finite number"},
    {REAL "1 1 1\n1 1 1.5+309\n", TULLE_PARSE_ERROR, 3, "too large"},
    {REAL "3 3 3\n1 1 1\n2 3 9e307\n2 3 9e307\n", TULLE_PARSE_ERROR, 0,
     "row 2, column 3 (from 1) is too large for f64"},
    {REAL "2000000000000 3 3\n1 1 1\n1999999999999 3 9e307\n1999999999999 3 9e307\n",
     TULLE_PARSE_ERROR, 0, "row 1999999999999, column 3"},
    {"$MeshFormat\n4.1 0 8\n", TULLE_UNSUPPORTED, 0, "Gmsh"},
    {"<VTKFile>", TULLE_UNSUPPORTED, 0, "VTK"},
    {"<?xml version=\"1.0\"?>\n", TULLE_UNSUPPORTED, 0, "VTK"},
    {"# vtk DataFile Version 3.0\n", TULLE_UNSUPPORTED, 0, "VTK"},
    {"\x89HDF\r\n\x1a\n", TULLE_UNSUPPORTED, 0, "HDF5"},
    {"MATLAB 5.0 MAT-file", TULLE_UNSUPPORTED, 0, "MATLAB"},
    {"\x93NUMPY\1", TULLE_UNSUPPORTED, 0, ".npy"},
    {"PK\3\4", TULLE_PARSE_ERROR, 0, "zip archive is cut off"},
    {"\xff\xfe%", TULLE_UNSUPPORTED, 0, "UTF-16"},
    {"BZh9", TULLE_UNSUPPORTED, 0, "bzip2"},
    {"title key\n 3 1 1 1\nRSA            3 3 3 0\n", TULLE_PARSE_ERROR, 3, "Rutherford-Boeing"},
    {"title key\n 3 1 1 1\nRSAE           3 3 3 0\n", TULLE_PARSE_ERROR, 1, "%%MatrixMarket"},
    {"hello, world\n", TULLE_PARSE_ERROR, 1, "%%MatrixMarket"},
    {REAL, TULLE_PARSE_ERROR, 1, "before the size line"},
    {REAL "% a\n% b\n", TULLE_PARSE_ERROR, 3, "before the size line"},
    {"%%MatrixMarket vector coordinate real general\n", TULLE_PARSE_ERROR, 1, "'vector'"},
    {"%%MatrixMarket matrixcoordinate real general\n", TULLE_PARSE_ERROR, 1, "'matrixcoordinate'"},
    {BANNER "sparse real general\n", TULLE_PARSE_ERROR, 1, "'sparse' is no format"},
    {BANNER "coordinate quaternion general\n", TULLE_PARSE_ERROR, 1, "'quaternion'"},
    {BANNER "coordinate real persymmetric\n", TULLE_PARSE_ERROR, 1, "'persymmetric'"},
    {BANNER "coordinate real general x\n", TULLE_PARSE_ERROR, 1, "'x'"},
    {BANNER "coordinate complex general\n1 1 0\n", TULLE_UNSUPPORTED, 1, "complex"},
    {BANNER "coordinate complex Hermitian\n1 1 0\n", TULLE_UNSUPPORTED, 1, "Hermitian"},
    {BANNER "array pattern general\n1 1\n", TULLE_PARSE_ERROR, 1, "pattern"},
    {BANNER "coordinate pattern skew-symmetric\n1 1 0\n", TULLE_PARSE_ERROR, 1, "pattern"},
    {REAL "a b c\n", TULLE_PARSE_ERROR, 2, "'a' is no number of rows"},
    {REAL "-1 1 1\n", TULLE_PARSE_ERROR, 2, "'-1'"},
    {REAL "3 3\n", TULLE_PARSE_ERROR, 2, "entries"},
    {REAL "3 3 1 1\n", TULLE_PARSE_ERROR, 2, "surplus"},
    {REAL "3 9223372036854775808 1\n", TULLE_TOO_LARGE, 2, "columns"},
    {BANNER "array real general\n9223372036854775807 2\n", TULLE_TOO_LARGE, 2, "too many"},
    {BANNER "array real symmetric\n9223372036854775807 9223372036854775807\n", TULLE_TOO_LARGE, 2,
     "too many"},
    {BANNER "array real general\n1000000 1000000\n1\n2\n", TULLE_PARSE_ERROR, 4,
     "2 of 1000000000000"},
    {BANNER "array real general\n1 1\n1\n2\n", TULLE_PARSE_ERROR, 4, "surplus"},
    {BANNER "coordinate real symmetric\n2 3 0\n", TULLE_PARSE_ERROR, 2, "square"},
    {REAL "2 2 3\n1 1 1\n2 2 2\n", TULLE_PARSE_ERROR, 4, "2 of 3"},
    {REAL "2 2 1\n1 1 1\n\n% c\n2 2 2\n1 2 3\n", TULLE_PARSE_ERROR, 6, "surplus"},
    {REAL "2 2 0\n1 1 1\n", TULLE_PARSE_ERROR, 3, "surplus"},
    {REAL "2 2 2\n1 1 1\n0 1 1\n", TULLE_PARSE_ERROR, 4, "row index 0"},
    {REAL "2 2 1\n3 1 1\n", TULLE_PARSE_ERROR, 3, "row index 3"},
    {REAL "2 2 1\n1 3 1\n", TULLE_PARSE_ERROR, 3, "column index 3"},
    {REAL "2 2 1\n1 -1 1\n", TULLE_PARSE_ERROR, 3, "'-1'"},
    {REAL "2 2 1\n1.0 1 1\n", TULLE_PARSE_ERROR, 3, "'1.0' is no row index"},
    {REAL "2 2 1\n18446744073709551617 1 1\n", TULLE_PARSE_ERROR, 3, "out of range"},
    {REAL "2 2 1\n1 1\n", TULLE_PARSE_ERROR, 3, "before the value"},
    {REAL "2 2 1\n1\n", TULLE_PARSE_ERROR, 3, "before the column"},
    {REAL "2 2 1\n1 1 1 1\n", TULLE_PARSE_ERROR, 3, "surplus text '1'"},
    {REAL "2 2 1\n1 1 1 %c\n", TULLE_PARSE_ERROR, 3, "surplus text '%c'"},
    {BANNER "coordinate pattern general\n2 2 1\n1 1 1\n", TULLE_PARSE_ERROR, 3, "surplus"},
    {REAL "2 2 1\n1 1 one\n", TULLE_PARSE_ERROR, 3, "'one' is no finite number"},
    {REAL "2 2 1\n1 1 nan\n", TULLE_PARSE_ERROR, 3, "'nan'"},
    {REAL "2 2 1\n1 1 -inf\n", TULLE_PARSE_ERROR, 3, "'-inf'"},
    {REAL "2 2 1\n1 1 0x10\n", TULLE_PARSE_ERROR, 3, "'0x10'"},
    {REAL "2 2 1\n1 1 .\n", TULLE_PARSE_ERROR, 3, "'.'"},
    {REAL "2 2 1\n1 1 1e\n", TULLE_PARSE_ERROR, 3, "'1e'"},
    {REAL "2 2 1\n1 1 1.2.3\n", TULLE_PARSE_ERROR, 3, "'1.2.3'"},
    {REAL "2 2 1\n1 1 1e309\n", TULLE_PARSE_ERROR, 3, "too large"},
    {BANNER "coordinate integer general\n1 1 1\n1 1 1.5\n", TULLE_PARSE_ERROR, 3, "whole"},
    {BANNER "coordinate integer general\n1 1 1\n1 1 1e3\n", TULLE_PARSE_ERROR, 3, "whole"},
    {BANNER "coordinate real skew-symmetric\n2 2 1\n1 1 1\n", TULLE_PARSE_ERROR, 3, "diagonal"},
    {REAL "10 10 1000000000000000\n1 1 1\n", TULLE_PARSE_ERROR, 3, "1 of 1000000000000000"},
    {"\x89TULLE\r\n", TULLE_PARSE_ERROR, 0, "cut off"},
};

static void expect_complaint(tulle_ctx *ctx, const char *text, int64_t size, tulle_status status,
                             int64_t line, const char *part) {
    tulle_mat *A = NULL;
    const tulle_status got = tulle_mat_load_memory(ctx, text, size, "text", TULLE_F64, &A, NULL);
    const tulle_error *error = tulle_last_error();
    assert_null(A);
    char begin[32] = "text: "; /* the message alone says which file */
    if (line > 0) snprintf(begin, sizeof begin, "text:%lld: ", (long long)line);
    if (got != status || error->line != line || !strstr(error->message, part) ||
        strncmp(error->message, begin, strlen(begin)) || strcmp(error->file, "text") ||
        strchr(error->message, '\n'))
        fail_msg("%s, line %lld, '%s'; wanted %s, line %lld, '%s'", tulle_status_name(got),
                 (long long)error->line, error->message, tulle_status_name(status), (long long)line,
                 part);
}

static void test_complaints(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        const complaint *c = &complaints[i];
        expect_complaint(io_cpu, c->text, (int64_t)strlen(c->text), c->status, c->line, c->part);
    }
}

static void test_too_large_for_f32(void **state) {
    (void)state;
    const char *text = REAL "1 1 1\n1 1 1e39\n";
    tulle_mat *A;
    assert_int_equal(
        tulle_mat_load_memory(io_cpu, text, (int64_t)strlen(text), "t", TULLE_F32, &A, NULL),
        TULLE_PARSE_ERROR);
    assert_null(A);
    text = REAL "1 1 2\n1 1 2e38\n1 1 2e38\n";
    assert_int_equal(
        tulle_mat_load_memory(io_cpu, text, (int64_t)strlen(text), "t", TULLE_F32, &A, NULL),
        TULLE_PARSE_ERROR);
    assert_null(A);
    tulle_mat_destroy(io_load_text(io_cpu, text, TULLE_F64, NULL));
}

/* What the binary form has in f64 is not made infinite in f32; what is infinite there stays so. */
static void test_binary_too_large_for_f32(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        const char *rows = wide ? "2000000000000" : "5";
        char text[128];
        snprintf(text, sizeof text, "%s%s 3 5\n1 1 1\n3 2 -3.5e38\n3 3 4e38\n4 3 1e39\n5 1 1e39\n",
                 REAL, rows);
        tulle_mat *A = io_load_text(io_cpu, text, TULLE_F64, NULL), *B = NULL;
        const char *path = io_path("a.tulle");
        must(tulle_mat_save(io_cpu, A, path, NULL));
        tulle_mat_destroy(A);
        assert_int_equal(tulle_mat_load(io_cpu, path, TULLE_F32, &B, NULL), TULLE_PARSE_ERROR);
        assert_null(B);
        assert_non_null(strstr(tulle_last_error()->message, "row 3, column 2 (from 1)"));
        must(tulle_mat_load(io_cpu, path, TULLE_F64, &A, NULL));
        const double values[] = {1, 3.4e38, INFINITY, -INFINITY, 0};
        must(tulle_mat_set_values(io_cpu, A, 5, values));
        must(tulle_mat_save(io_cpu, A, path, NULL));
        must(tulle_mat_load(io_cpu, path, TULLE_F32, &B, NULL));
        tulle_mat_destroy(A);
        tulle_mat_destroy(B);
        unlink(path);
    }
}

/* Neither the promise of a head nor a bomb may take memory of its own size; nor the rows of a
 * matrix that has hardly any. */
static void test_lies_take_no_memory(void **state) {
    (void)state;
    tulle_ctx *ctx;
    tulle_memory_usage usage;
    assert_int_equal(tulle_ctx_create("cpu:2", NULL, &ctx), TULLE_OK);
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        tulle_mat *A;
        assert_int_not_equal(
            tulle_mat_load_memory(ctx, complaints[i].text, (int64_t)strlen(complaints[i].text),
                                  "text", TULLE_F64, &A, NULL),
            TULLE_OK);
    }
    const char *rows = REAL "1000000000000000 1 1\n1 1 1\n";
    tulle_mat *A;
    assert_int_equal(
        tulle_mat_load_memory(ctx, rows, (int64_t)strlen(rows), "text", TULLE_F64, &A, NULL),
        TULLE_OK);
    tulle_mat_destroy(A);
    assert_int_equal(tulle_ctx_memory(ctx, &usage), TULLE_OK);
    assert_int_equal(usage.in_use, 0);
    assert_true(usage.high < (size_t)1 << 21);
    tulle_ctx_destroy(ctx);
}

/* The first trouble in the file's order, with its exact line, whichever thread meets it. */
static void test_lines_of_large_files(void **state) {
    (void)state;
    io_text text = io_random_text(5000, 5000, 200000, 1);
    static const char *const wheres[] = {"cpu:1", "cpu:2", "cpu:5"};
    for (int w = 0; w < 3; w++) {
        tulle_ctx *ctx;
        assert_int_equal(tulle_ctx_create(wheres[w], NULL, &ctx), TULLE_OK);
        for (int at = 1; at <= 9; at += 2) {
            /* spoil one line in the first half, and another behind it */
            char *early = memchr(text.bytes + text.size * (size_t)at / 20, '\n', text.size / 2) + 1;
            char *late = memchr(text.bytes + text.size * (size_t)(at + 10) / 20, '\n', 4096) + 1;
            int64_t line = 1;
            for (const char *c = text.bytes; c < early; c++) line += *c == '\n';
            const char was[2] = {*early, *late};
            *early = '!';
            *late = '?';
            expect_complaint(ctx, text.bytes, (int64_t)text.size, TULLE_PARSE_ERROR, line, "'!");
            *early = was[0];
            *late = was[1];
        }
        tulle_ctx_destroy(ctx);
    }
    free(text.bytes);
}

/* The line of the first entry that is too many, among comments and blank lines. */
static void test_line_of_surplus_entry(void **state) {
    (void)state;
    io_text text = io_random_text(100, 100, 200000, 1);
    const char *sizes = strstr(text.bytes, "200000");
    for (int promised = 0; promised < 200000; promised += 23456) {
        char digits[12];
        snprintf(digits, sizeof digits, "%06d", promised);
        memcpy((char *)sizes, digits, 6);
        int64_t line = 3, entries = 0;
        const char *c = strchr(sizes, '\n') + 1;
        for (;; c = strchr(c, '\n') + 1, line++) {
            entries += *c != '%' && *c != '\n';
            if (entries > promised) break;
        }
        expect_complaint(io_cpu, text.bytes, (int64_t)text.size, TULLE_PARSE_ERROR, line,
                         "surplus");
    }
    free(text.bytes);
}

static void expect_no_file(const char *path, tulle_status status, const char *part) {
    tulle_mat *A;
    const tulle_status got = tulle_mat_load(io_cpu, path, TULLE_F64, &A, NULL);
    const char *message = tulle_last_error()->message;
    const size_t length = strlen(path);
    if (got != status || !strstr(message, part) || strcmp(tulle_last_error()->file, path) ||
        strncmp(message, path, length) || strncmp(message + length, ": ", 2))
        fail_msg("%s: %s", tulle_status_name(got), tulle_last_error()->message);
    assert_null(A);
}

static void test_files_that_cannot_be_read(void **state) {
    (void)state;
    expect_no_file(io_path("none.mtx"), TULLE_IO_ERROR, "No such file");
    expect_no_file(io_path("."), TULLE_IO_ERROR, "directory");
    io_write_file(io_path("empty.mtx"), "", 0);
    expect_no_file(io_path("empty.mtx"), TULLE_PARSE_ERROR, "empty");
    if (geteuid() != 0) {
        assert_int_equal(chmod(io_path("empty.mtx"), 0), 0);
        expect_no_file(io_path("empty.mtx"), TULLE_IO_ERROR, "ermission");
    } else {
        say_skipped("a file without permission: root may read everything");
    }
    unlink(io_path("empty.mtx"));
}

static void test_wrong_arguments(void **state) {
    (void)state;
    tulle_mat *A = (tulle_mat *)&A;
    assert_int_equal(tulle_mat_load(io_cpu, NULL, TULLE_F64, &A, NULL), TULLE_INVALID_ARGUMENT);
    assert_null(A);
    assert_int_equal(tulle_mat_load(NULL, "x", TULLE_F64, &A, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_load(io_cpu, "x", TULLE_F64, NULL, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_load(io_cpu, "x", (tulle_type)7, &A, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_load_memory(io_cpu, "x", -1, "x", TULLE_F64, &A, NULL),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_load_memory(io_cpu, NULL, 0, "x", TULLE_F64, &A, NULL),
                     TULLE_INVALID_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complaints),
        cmocka_unit_test(test_too_large_for_f32),
        cmocka_unit_test(test_binary_too_large_for_f32),
        cmocka_unit_test(test_lies_take_no_memory),
        cmocka_unit_test(test_lines_of_large_files),
        cmocka_unit_test(test_line_of_surplus_entry),
        cmocka_unit_test(test_files_that_cannot_be_read),
        cmocka_unit_test(test_wrong_arguments),
    };
    return cmocka_run_group_tests_name("bad files", tests, io_start, io_end);
}
