/* SPDX-License-Identifier: Apache-2.0 */
/* Harwell-Boeing and Rutherford-Boeing files: types, symmetries, formats of Fortran's, and what
 * broken files get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/file/rb.h"
#include "io_help.h"
#include "places.h"

static tulle_ctx *cpu;

static int start(void **state) {
    (void)state;
    return tulle_ctx_create("cpu:2", NULL, &cpu);
}

static int end(void **state) {
    (void)state;
    tulle_ctx_destroy(cpu);
    return 0;
}

/* The head of [1 0 2; 0 0 3], whose offsets are "1244" and whose indices are "112". */
#define TITLE "a title that says nothing                                               key1\n"
#define LINES "             3             1             1             1\n"
#define SIZES(code) code "                        2             3             3             0\n"
#define HEAD(code, formats) TITLE LINES SIZES(code) formats "\n"
#define LISTS " 1 2 2 4\n 1 1 2\n"
#define FORMATS "(4I2)           (3I2)           (3F4.1)             "

#define BANNER "%%MatrixMarket matrix coordinate real "
#define SMALL BANNER "general\n2 3 3\n1 1 1\n1 3 2\n2 3 3\n"

static io_file file_of(const char *name, const char *text) {
    return (io_file){text, strlen(text), name};
}

static tulle_status load(const char *text, tulle_type type, tulle_mat **A, tulle_file_info *info) {
    return io_load(cpu, file_of("f", text), type, A, info);
}

static void expect(const char *text, const char *matrix, tulle_type type) {
    io_expect(cpu, file_of("f", text), matrix, type);
}

static void test_types(void **state) {
    (void)state;
    expect(HEAD("RUA", FORMATS) LISTS " 1.0 2.0 3.0\n", SMALL, TULLE_F64);
    expect(HEAD("rra", FORMATS) LISTS " 1.0 2.0 3.0\n\n  \n", SMALL, TULLE_F32);
    expect(HEAD("RUA", FORMATS) LISTS " 1.0 2.0 3.0", SMALL, TULLE_F64);
    expect(HEAD("IUA", "(4I2) (3I2) (3I2)") LISTS " 1 2 3\n", SMALL, TULLE_F64);
    expect(HEAD("PUA", "(4I2) (3I2)") LISTS, BANNER "general\n2 3 3\n1 1 1\n1 3 1\n2 3 1\n",
           TULLE_F64);
    /* Lines end as on other systems. */
    expect(
        "t\r\n 3 1 1 1\r\nRUA            2 3 3 0\r\n(4I2) (3I2) (3F4.1)\r\n 1 2 2 4\r\n 1 1 2\r\n"
        " 1.0 2.0 3.0\r\n",
        SMALL, TULLE_F64);
    /* A right-hand side follows. */
    expect(TITLE " 5 1 1 1 1\n" SIZES("RUA") FORMATS
           "(2F4.1)\n"
           "F                          1             0\n" LISTS " 1.0 2.0 3.0\n 9.0 9.0\n",
           SMALL, TULLE_F64);
}

#define SQUARE(code) code "                        3             3             3             0\n"

static void test_symmetries(void **state) {
    (void)state;
    const char *lists = " 1 3 4 4\n 1 3 3\n";
    char text[1024];
    snprintf(text, sizeof text, TITLE LINES SQUARE("RSA") FORMATS "\n%s 1.0 2.0 3.0\n", lists);
    expect(text, BANNER "symmetric\n3 3 3\n1 1 1\n3 1 2\n3 2 3\n", TULLE_F64);
    snprintf(text, sizeof text, TITLE LINES SQUARE("PSA") FORMATS "\n%s", lists);
    expect(text, BANNER "symmetric\n3 3 3\n1 1 1\n3 1 1\n3 2 1\n", TULLE_F64);
    snprintf(text, sizeof text,
             TITLE LINES SQUARE("RZA") FORMATS "\n 1 3 4 4\n 2 3 3\n 1.0 2.0 3.0\n");
    expect(text, BANNER "skew-symmetric\n3 3 3\n2 1 1\n3 1 2\n3 2 3\n", TULLE_F64);
    tulle_file_info info;
    tulle_mat *A;
    assert_int_equal(load(text, TULLE_F64, &A, &info), TULLE_OK);
    assert_string_equal(info.symmetry, "skew-symmetric");
    assert_string_equal(info.field, "real");
    assert_string_equal(info.container, "plain");
    assert_int_equal(info.stored, 3);
    assert_int_equal(info.expanded, 6);
    assert_int_equal(info.text_bytes, strlen(text));
    tulle_mat_destroy(A);
}

/* A format of three values, the line or lines of these, and the values. */
static void test_formats(void **state) {
    (void)state;
    static const struct {
        const char *format, *lines, *values[3];
    } cases[] = {
        {"(3E7.1)", "1.0E+002.0E+003.0E+00\n", {"1", "2", "3"}},
        {"(3d7.1)", "1.0D+002.0d+00-3.D+00\n", {"1", "2", "-3"}},
        {"(2E7.1)", "1.0E+002.0E+00\n3.0E+00\n", {"1", "2", "3"}},
        {"(E7.1)", "1.0E+00\n  2.000\n.3E1\n", {"1", "2", "3"}},
        {"(3E8.1)", " 1.5-101-2.5+100     3.0\n", {"1.5e-101", "-2.5e100", "3"}},
        {"(3E8.1E3)", " 1.5-101-2.5+100     3.0\n", {"1.5e-101", "-2.5e100", "3"}},
        {"(1P,3D9.1)", " 1.5D+01  2.5E 02      3.0\n", {"15", "250", "0.3"}},
        {"(1P3E9.1)", "     -1.5    2.5E1        4\n", {"-0.15", "25", "0.04"}},
        {"( 1p , 3 ( e9.1 ) )", "     -1.5    2.5E1        4\n", {"-0.15", "25", "0.04"}},
        {"(-1P3F9.0)", "      1.5      2.5      3.0\n", {"15", "25", "30"}},
        {"(3F6.3)", " 12345   2.5    -1\n", {"12.345", "2.5", "-0.001"}},
        {"(3F6.3)", " 12E+2   2.5 +1E-1\n", {"1.2", "2.5", "0.0001"}},
        {"(3G6.0)", "     1     2     3\n", {"1", "2", "3"}},
        {"(3I6)", "     1    -2    +3\n", {"1", "-2", "3"}},
        {"(3(1X,F3.1))", "x1.0y2.0z3.0\n", {"1", "2", "3"}},
        {"(1X,F3.1)", " 1.0\n 2.0\n 3.0\n", {"1", "2", "3"}},
        {"(5ES12.4)", "  1.0000E+00  2.0000E+00  3.0000E+00  \n", {"1", "2", "3"}},
        {"(3F7.1)", "   1.0  -20.0   3.0\n", {"1", "-20", "3"}}, /* fields of six characters */
        {"(2F3.1)", "  1.0  -20.0\n   3.0\n", {"1", "-20", "3"}},
        {"(3E8.1)", "  1.E-99  0.0000      -0\n", {"1e-99", "0", "-0"}},
        {"(3E25.1)",
         "   0.10000000000000001E+1   0.20000000000000000E+1   0.3E+00000000000000001\n",
         {"1.0000000000000001", "2", "3"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024], matrix[512];
        snprintf(text, sizeof text, TITLE LINES SIZES("RUA") "(4I2)(3I2)%s\n" LISTS "%s",
                 cases[i].format, cases[i].lines);
        snprintf(matrix, sizeof matrix, "%sgeneral\n2 3 3\n1 1 %s\n1 3 %s\n2 3 %s\n", BANNER,
                 cases[i].values[0], cases[i].values[1], cases[i].values[2]);
        expect(text, matrix, TULLE_F64);
    }
    /* Several lines of each list, and lists without blanks. */
    expect(TITLE " 6 2 2 2\n" SIZES("RUA") "(3I1) (2I1) (2F3.0)\n122\n4\n11\n2\n 1. 2.\n 3.\n",
           SMALL, TULLE_F64);
}

static void test_bad_formats(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",           "16I5",     "(",        "()",           "(I)",           "(16I5",
        "(16A5)",     "(0I5)",    "(16I0)",   "(2(I5)",       "(E16.)",        "(E16.8E)",
        "(1X,2F3.1)", "(9999I9)", "(I99999)", "(257F1000.0)", "(2(1X,2F3.1))", "(4096I16)"};
    tulle__rb_format format;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (tulle__rb_read_format(bad[i], &format)) fail_msg("'%s' is a format", bad[i]);
    }
    const char *behind = tulle__rb_read_format(" (1P,4D20.12) x", &format);
    assert_non_null(behind);
    assert_string_equal(behind, "x");
    assert_int_equal(format.scale, 1);
    assert_int_equal(format.repeat, 4);
    assert_int_equal(format.width, 20);
    assert_int_equal(format.decimals, 12);
    assert_false(format.integer);
}

typedef struct {
    const char *text;
    tulle_status status;
    int line;
    const char *part;
} complaint;

#define REST LISTS " 1.0 2.0 3.0\n"

static const complaint complaints[] = {
    {HEAD("CUA", FORMATS) REST, TULLE_UNSUPPORTED, 3, "CUA: complex numbers are not supported"},
    {HEAD("RHA", FORMATS) REST, TULLE_UNSUPPORTED, 3, "Hermitian"},
    {HEAD("rse", FORMATS) REST, TULLE_UNSUPPORTED, 3, "RSE: matrices of unassembled elements"},
    {HEAD("QUA", FORMATS) REST, TULLE_UNSUPPORTED, 3, "in a file of their own"},
    {HEAD("RSA", FORMATS) REST, TULLE_PARSE_ERROR, 3, "must be square, not 2 x 3"},
    {TITLE LINES SQUARE("PZA") FORMATS "\n" LISTS, TULLE_PARSE_ERROR, 3, "skew-symmetric"},
    {TITLE " 3 1 1\n" SIZES("RUA") FORMATS "\n" REST, TULLE_PARSE_ERROR, 2, "3 numbers of lines"},
    {TITLE " 3 1 1 1 0 0\n" SIZES("RUA") FORMATS "\n" REST, TULLE_PARSE_ERROR, 2,
     "surplus text '0'"},
    {TITLE " 3 1 x 1\n" SIZES("RUA") FORMATS "\n" REST, TULLE_PARSE_ERROR, 2, "'x' is no number"},
    {TITLE " 3 1 -1 1\n" SIZES("RUA") FORMATS "\n" REST, TULLE_PARSE_ERROR, 2, "'-1' is no number"},
    {TITLE " 2 1 1 0\n" SIZES("RUA") FORMATS "\n" REST, TULLE_PARSE_ERROR, 2, "no lines of values"},
    {TITLE LINES "RUA            2 99999999999999999999 3 0\n" FORMATS "\n" REST, TULLE_TOO_LARGE,
     3, "63 bits"},
    {TITLE LINES "RUA            2 9223372036854775807 3 0\n" FORMATS "\n" REST, TULLE_TOO_LARGE, 3,
     "offsets"},
    {TITLE LINES "RUA            2 3\n" FORMATS "\n" REST, TULLE_PARSE_ERROR, 3,
     "lacks the number of entries"},
    {TITLE LINES "RUA             \n" FORMATS "\n" REST, TULLE_PARSE_ERROR, 3,
     "lacks the number of rows"},
    {HEAD("RUA", "(4I2) (3I2) x") REST, TULLE_PARSE_ERROR, 4, "'x' is no format of values"},
    {HEAD("RUA", "(4I2) (3I2)") REST, TULLE_PARSE_ERROR, 4, "'' is no format of values"},
    {HEAD("RUA", "(4F2.0) (3I2) (3F4.1)") REST, TULLE_PARSE_ERROR, 4, "no format of offsets"},
    {HEAD("RUA", "(4I2) (3E2.0) (3F4.1)") REST, TULLE_PARSE_ERROR, 4, "no format of indices"},
    {HEAD("RUA", FORMATS) " 0 2 2 4\n", TULLE_PARSE_ERROR, 5, "first offset is 0, and must be 1"},
    {HEAD("RUA", FORMATS) " 1 2 1 4\n", TULLE_PARSE_ERROR, 5, "descend from 2 to 1 in column 2"},
    {HEAD("RUA", FORMATS) " 1 2 5 4\n", TULLE_PARSE_ERROR, 5,
     "offset 5 does not fit the 3 entries"},
    {HEAD("RUA", FORMATS) " 1 2 2 3\n", TULLE_PARSE_ERROR, 5,
     "offset 3 does not fit the 3 entries"},
    {HEAD("RUA", FORMATS) " 1 2-2 4\n", TULLE_PARSE_ERROR, 5, "'-2' is no offset"},
    {HEAD("RUA", FORMATS) " 1 2   4\n", TULLE_PARSE_ERROR, 5, "field 3 of the line is blank"},
    {HEAD("RUA", FORMATS) " 1 2 2\n", TULLE_PARSE_ERROR, 5, "field 4 of the line is blank"},
    {HEAD("RUA", FORMATS) " 1 2 2 4 4\n", TULLE_PARSE_ERROR, 5,
     "surplus text behind the last offset"},
    {HEAD("RUA", "(4I2) (3I3) (3F4.1)") " 1 2 2 4\n  11 1  2\n", TULLE_PARSE_ERROR, 6,
     "row index 11 is out of range"},
    {HEAD("RUA", "(4I2) (3I5) (3F4.1)") " 1 2 2 4\n    1 1 1    2\n", TULLE_PARSE_ERROR, 6,
     "'1_1' is no row index"},
    {HEAD("RUA", FORMATS) " 1 2 2 4\n 1 3 2\n", TULLE_PARSE_ERROR, 6,
     "row index 3 is out of range 1 to 2"},
    {HEAD("RUA", FORMATS) " 1 2 2 4\n 0 1 2\n", TULLE_PARSE_ERROR, 6,
     "row index 0 is out of range"},
    {HEAD("RUA", FORMATS) " 1 2 2 4\n", TULLE_PARSE_ERROR, 5,
     "cut off: it ends before another row"},
    {HEAD("RUA", FORMATS) LISTS, TULLE_PARSE_ERROR, 6, "cut off: it ends before another value"},
    {HEAD("RUA", FORMATS) LISTS " 1.0 one 3.0\n", TULLE_PARSE_ERROR, 7,
     "'one' is no finite number"},
    {HEAD("RUA", FORMATS) LISTS " 1.0 NaN 3.0\n", TULLE_PARSE_ERROR, 7, "'NaN'"},
    {HEAD("RUA", FORMATS) LISTS " 1.01. 23.0\n", TULLE_PARSE_ERROR, 7,
     "'1._2' is no finite number"},
    {HEAD("RUA", FORMATS) LISTS " 1.0 2.E 3.0\n", TULLE_PARSE_ERROR, 7,
     "'2.E' is no finite number"},
    {HEAD("RUA", FORMATS) LISTS " 1.02e+- 3.0\n", TULLE_PARSE_ERROR, 7,
     "'2e+-' is no finite number"},
    {HEAD("RUA", FORMATS) LISTS " 1.0   . 3.0\n", TULLE_PARSE_ERROR, 7, "'.' is no finite number"},
    {HEAD("RUA", FORMATS) LISTS " 1.09E99 3.0\n 4\n", TULLE_PARSE_ERROR, 8, "surplus text"},
    {HEAD("RUA", "(4I2) (3I2) (3E8.1)") LISTS "     1.0  1.E400     3.0\n", TULLE_PARSE_ERROR, 7,
     "'1.E400' is too large for f64"},
    {HEAD("IUA", FORMATS) REST, TULLE_PARSE_ERROR, 7, "'1.0' is no whole number"},
    {TITLE LINES SQUARE("RZA") FORMATS "\n 1 3 4 4\n 1 3 3\n", TULLE_PARSE_ERROR, 6, "diagonal"},
    {TITLE " 3 1 1 1 1\n" SIZES("RUA") FORMATS "\n", TULLE_PARSE_ERROR, 4, "ends inside the head"},
};

static void expect_complaint(const char *name, const char *text, tulle_status status, int line,
                             const char *part) {
    io_expect_complaint(cpu, file_of(name, text), TULLE_F64, status, line, part);
}

static void test_complaints(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++)
        expect_complaint("f", complaints[i].text, complaints[i].status, complaints[i].line,
                         complaints[i].part);
    tulle_mat *A;
    assert_int_equal(load(HEAD("RUA", "(4I2) (3I2) (3E8.1)") LISTS "     1.0   1.E99     3.0\n",
                          TULLE_F32, &A, NULL),
                     TULLE_PARSE_ERROR);
    assert_non_null(strstr(tulle_last_error()->message, "too large for f32; read it as f64"));
}

/* A name says what a file is when its content does not. */
static void test_names(void **state) {
    (void)state;
    static const char *const names[] = {"a.rb",       "a.HB",      "a.rua",
                                        "b/a.psa.gz", "a.Rse.zst", "a.hb.xz"};
    static const char *const others[] = {"a.mtx", "rb", ".rb", "a.rub", "a.rb.mtx", "a.rua.bz"};
    for (size_t i = 0; i < 6; i++)
        expect_complaint(names[i], "a\nb\nc\n", TULLE_PARSE_ERROR, 2, "'b' is no number");
    expect_complaint("a.rb", TITLE LINES "RUX            2 3 3 0\n", TULLE_PARSE_ERROR, 3,
                     "'RUX' is no type of a matrix");
    for (size_t i = 0; i < 6; i++)
        expect_complaint(others[i], "a\nb\nc\n", TULLE_PARSE_ERROR, 1, "%%MatrixMarket");
    tulle_mat *A;
    assert_int_equal(tulle_mat_load_memory(cpu, SMALL, strlen(SMALL), "a.rb", TULLE_F64, &A, NULL),
                     TULLE_OK);
    tulle_mat_destroy(A);
}

/* Numbers that the type cannot hold, with the line of the first. */
static void test_counts(void **state) {
    (void)state;
    tulle_file_info info;
    tulle_mat *A;
    assert_int_equal(load(HEAD("RUA", "(4I2) (3I2) (E8.1)") LISTS "     0.0\n  1.E-99\n 1.0-999\n",
                          TULLE_F32, &A, &info),
                     TULLE_OK);
    assert_int_equal(info.vanished, 2);
    assert_int_equal(info.vanished_line, 8);
    tulle_mat_destroy(A);
    assert_int_equal(
        load(HEAD("IUA", "(4I2) (3I2) (I16)") LISTS "9007199254740992\n9007199254740993\n1\n",
             TULLE_F64, &A, &info),
        TULLE_OK);
    assert_int_equal(info.rounded, 1);
    assert_int_equal(info.rounded_line, 8);
    assert_string_equal(info.field, "integer");
    tulle_mat_destroy(A);
}

/* Any cut is noticed, but for one in the blanks and the newline at the end. */
static void test_cut_off(void **state) {
    (void)state;
    const char *text = HEAD("RUA", "(4I2) (3I2) (3F4.1)") LISTS " 1.0 2.0 3.5\n";
    const size_t size = strlen(text);
    for (size_t cut = 1; cut < size - 1; cut++) {
        tulle_mat *A;
        const tulle_status status =
            tulle_mat_load_memory(cpu, text, (int64_t)cut, "a.rua", TULLE_F64, &A, NULL);
        if (cut == size - 2 || cut == size - 3) { /* "3." and "3" are numbers, too */
            assert_int_equal(status, TULLE_OK);
        } else if (status != TULLE_PARSE_ERROR) {
            fail_msg("cut to %zu: %s", cut, tulle_status_name(status));
        }
        tulle_mat_destroy(A);
    }
}

/* Counts that the file does not hold take no memory. */
static void test_lies(void **state) {
    (void)state;
    static const struct {
        const char *sizes;
        tulle_status status;
    } lies[] = {
        {"RUA            2 1000000000000 3 0\n", TULLE_PARSE_ERROR},
        {"RUA            2 3 1000000000000000 0\n", TULLE_PARSE_ERROR},
        {"PUA            1000000000000 3 3 0\n", TULLE_OK},
    };
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text, TITLE LINES "%s" FORMATS "\n" LISTS, lies[i].sizes);
        io_expect_little_memory(file_of("f", text), lies[i].status, (size_t)1 << 24);
    }
}

/* So many entries that several chunks and blocks hold them. */
static void test_large(void **state) {
    enum { COLS = 5000, EACH = 50, ENTRIES = COLS * EACH };
    (void)state;
    io_text text = {0}, matrix = {0};
    io_print(&text, "t\n 9 9 9 9\nRUA            60 %d %d 0\n(8I8) (9I3) (4E14.6)\n", COLS,
             ENTRIES);
    io_print(&matrix, "%sgeneral\n60 %d %d\n", BANNER, COLS, ENTRIES);
    for (int i = 0; i <= COLS; i++) io_print(&text, "%8d%s", 1 + i * EACH, i % 8 == 7 ? "\n" : "");
    io_print(&text, "\n");
    for (int k = 0; k < ENTRIES; k++)
        io_print(&text, "%3d%s", k % EACH + k / EACH % 10 + 1, k % 9 == 8 ? "\n" : "");
    io_print(&text, "\n");
    for (int k = 0; k < ENTRIES; k++) {
        io_print(&text, "%14.6E%s", k / 8.0, k % 4 == 3 ? "\n" : "");
        io_print(&matrix, "%d %d %.6E\n", k % EACH + k / EACH % 10 + 1, k / EACH + 1, k / 8.0);
    }
    io_print(&text, "\n");
    io_print(&matrix, "\n");
    expect(text.bytes, matrix.bytes, TULLE_F64);
    expect(text.bytes, matrix.bytes, TULLE_F32);
    char *last = strrchr(text.bytes, 'E');
    *last = 'x';
    int line = 1;
    for (const char *p = text.bytes; p < last; p++) line += *p == '\n';
    expect_complaint("f", text.bytes, TULLE_PARSE_ERROR, line, "is no finite number");
    free(text.bytes);
    free(matrix.bytes);
}

static void test_out_of_memory(void **state) {
    (void)state;
    io_expect_survival(file_of("f", HEAD("RUA", FORMATS) REST), 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),         cmocka_unit_test(test_symmetries),
        cmocka_unit_test(test_formats),       cmocka_unit_test(test_bad_formats),
        cmocka_unit_test(test_complaints),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_counts),        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_lies),          cmocka_unit_test(test_large),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("Boeing files", tests, start, end);
}
