/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers: read as the C library reads them, written so that they come back, shortest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/file/decimal.h"
#include "zoo.h"

enum { ROOM = 1200, TIMES = 20000 };

static uint64_t seed = 2024;

/* Reads a number from a line, whose copy lies in text; whether it reaches the line's end. */
static int reads_whole(const char *written, char text[ROOM], double *f64, float *f32) {
    const char *end = text + snprintf(text, ROOM, "%s\n", written);
    const char *stop64 = tulle__read_f64(text, end, f64), *stop32 = tulle__read_f32(text, end, f32);
    if (stop64 != stop32) fail_msg("'%s' ends in two places", written);
    return stop64 == end - 1;
}

/* glibc's own strtod is correctly rounded; it knows no d for an exponent. */
static void expect_as_strtod(const char *written) {
    char text[ROOM];
    double f64;
    float f32;
    if (!reads_whole(written, text, &f64, &f32)) fail_msg("'%s' is not read to its end", written);
    char *letter = strpbrk(text, "dD");
    if (letter) *letter = 'e';
    const double wanted64 = strtod(text, NULL);
    const float wanted32 = strtof(text, NULL);
    if (memcmp(&f64, &wanted64, 8)) fail_msg("'%s' is %a, not %a", written, f64, wanted64);
    if (memcmp(&f32, &wanted32, 4))
        fail_msg("'%s' is %a, not %a", written, (double)f32, (double)wanted32);
}

static double random_f64(void) {
    double value;
    do {
        const uint64_t bits = zoo_bits(&seed);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static float random_f32(void) {
    float value;
    do {
        const uint32_t bits = (uint32_t)zoo_bits(&seed);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static void test_chosen(void **state) {
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "0.0",
                                        "1",
                                        "+5",
                                        "1.5d3",
                                        "-25D-1",
                                        "+.5d+0000000000000000000000000000000000001",
                                        "1d400",
                                        "5.",
                                        ".5",
                                        "1e400",
                                        "-1e400",
                                        "1e-400",
                                        "1e-99999999999999",
                                        "0e99999999999999",
                                        "00000000000000000000000000001",
                                        "9007199254740993",
                                        "9007199254740992.999999999999999999",
                                        "9007199254740993.00000000000000000000000000001",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072014e-308",
                                        "1.7976931348623158e308",
                                        "1.7976931348623159e308",
                                        "4.9e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "3.4028235677973366e38",
                                        "3.4028235677973365e38",
                                        "1.1754943e-38",
                                        "1.1754942e-38",
                                        "7.0064923216240853e-46",
                                        "7.0064923216240854e-46",
                                        "1.00000005960464477539062500000000000000000001",
                                        "1.000000059604644775390625",
                                        "1.00000017881393432617187499",
                                        "1.00000017881393432617187500",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "0.000000000000000000000000000000000000000000000001e48"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) expect_as_strtod(texts[i]);
}

/* Without a letter the exponent is the same. */
static void test_fortran_exponents(void **state) {
    (void)state;
    static const char *const texts[] = {"1.5e-101", "-0.25e+102", "+.5e+003",
                                        "5.e-000",  "0.1e+309",   "1.7976931348623158e+308",
                                        "4.9e-324", "0.0e-999"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[ROOM], without[ROOM];
        double f64, wanted64;
        float f32, wanted32;
        const char *letter = strchr(texts[i], 'e');
        snprintf(without, sizeof without, "%.*s%s", (int)(letter - texts[i]), texts[i], letter + 1);
        if (!reads_whole(texts[i], text, &wanted64, &wanted32) ||
            !reads_whole(without, text, &f64, &f32))
            fail_msg("'%s' is not read to its end", without);
        if (memcmp(&f64, &wanted64, 8) || memcmp(&f32, &wanted32, 4))
            fail_msg("'%s' is %a, not %a", without, f64, wanted64);
    }
}

static void test_random(void **state) {
    (void)state;
    char text[ROOM];
    for (int i = 0; i < TIMES; i++) {
        snprintf(text, sizeof text, "%.*e", (int)(zoo_bits(&seed) % 30), random_f64());
        expect_as_strtod(text);
        snprintf(text, sizeof text, "%llu.%llue%d",
                 (unsigned long long)(zoo_bits(&seed) >> zoo_bits(&seed) % 64),
                 (unsigned long long)(zoo_bits(&seed) >> zoo_bits(&seed) % 64),
                 (int)(zoo_bits(&seed) % 700) - 350);
        expect_as_strtod(text);
    }
}

/* Exactly between two neighbours, and a little beside that. */
static void test_halfway(void **state) {
    (void)state;
    char text[ROOM];
    for (int i = 0; i < TIMES; i++) {
        const float f = random_f32();
        const double half = ((double)f + (double)nextafterf(f, INFINITY)) / 2;
        if (!isfinite(half)) continue;
        snprintf(text, sizeof text, "%.200e", half);
        expect_as_strtod(text);
        strchr(text, 'e')[-1] = '1';
        expect_as_strtod(text);
        const long double wide = ((long double)ldexp(1 + fabs(zoo_number(&seed)), 40) * 4 + 2) / 4;
        snprintf(text, sizeof text, "%.40Lf", wide);
        expect_as_strtod(text);
    }
}

static void test_no_numbers(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",     "-",      "+",       ".",       "-.",      "e5",      "x",     "1e",
        "1e+",  ".e1",    "inf",     "nan",     "-inf",    "+nan",    "+-1",   "-+1",
        "--1",  "1d",     "1D-",     ".d1",     "1e5d",    "1d5e1",   "1.2.3", "1-5",
        "1.5-", "1.5+-3", "1.5e5-3", "1.5d5+3", "1.5-3-3", "1.5-3e2", "1.5-d3"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[ROOM];
        double f64;
        float f32;
        if (reads_whole(texts[i], text, &f64, &f32)) fail_msg("'%s' is read", texts[i]);
    }
}

static int significant(const char *text) {
    int digits = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text == '.' || *text == '-') continue;
        if (*text == '0') {
            zeros += digits > 0;
        } else {
            digits += zeros + 1;
            zeros = 0;
        }
    }
    return digits;
}

/* The fewest digits with which printf's rounding comes back. */
static int fewest(double value, int is_f32) {
    char text[64];
    for (int digits = 1;; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (is_f32 ? (double)strtof(text, NULL) == value : strtod(text, NULL) == value)
            return digits;
    }
}

static void expect_written(double value, int is_f32) {
    char text[TULLE__NUMBER_ROOM + 1];
    char *end = is_f32 ? tulle__write_f32(text, (float)value) : tulle__write_f64(text, value);
    assert_true(end - text <= TULLE__NUMBER_ROOM);
    *end = 0;
    const double back = is_f32 ? (double)strtof(text, NULL) : strtod(text, NULL);
    if (memcmp(&back, &value, sizeof value)) fail_msg("%a is written as %s", value, text);
    const int whole = fabs(value) < 9e15 && trunc(value) == value;
    if (!whole && significant(text) > fewest(value, is_f32))
        fail_msg("%a is written as %s, which is not short", value, text);
    expect_as_strtod(text);
}

static void test_written(void **state) {
    (void)state;
    static const double chosen[] = {
        0,      -0.0,      1,      -1,     0.1,   0.3,    1.0 / 3, 5e-324,
        1e22,   1e23,      100,    123456, 1e16,  1e15,   0.001,   0.00001,
        9.5e-7, 0x1p-1022, 0x1p53, 0x1p54, 0x1p1, 0x1p-5, 0x1p100, 1.7976931348623157e308};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) expect_written(chosen[i], 0);
    for (int e = -149; e < 128; e++) expect_written(ldexp(1, e), 1);
    for (int e = -1074; e < 1024; e++) expect_written(ldexp(1, e), 0);
    for (int i = 0; i < TIMES; i++) {
        expect_written(random_f64(), 0);
        expect_written((double)random_f32(), 1);
        expect_written(zoo_number(&seed) * 1000, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chosen),     cmocka_unit_test(test_fortran_exponents),
        cmocka_unit_test(test_random),     cmocka_unit_test(test_halfway),
        cmocka_unit_test(test_no_numbers), cmocka_unit_test(test_written),
    };
    return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
