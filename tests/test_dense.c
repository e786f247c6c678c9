/* SPDX-License-Identifier: Apache-2.0 */
/* Dense blocks: shapes, leading dimensions, what lies between the columns, numbers that are the
 * same everywhere, misuse, memory that runs out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "dense/dense.h"
#include "places.h"

enum { MOST = 4000 };

/* Where entry (i, j) of a block is, in numbers. */
static int64_t at(tulle_layout layout, int64_t ld, int64_t i, int64_t j) {
    return layout == TULLE_COLUMN_MAJOR ? i + j * ld : i * ld + j;
}

static double number(const void *array, tulle_type type, int64_t i) {
    return type == TULLE_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void set_number(void *array, tulle_type type, int64_t i, double value) {
    if (type == TULLE_F32) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

/* One shape of block inside a larger array, all of whose numbers are watched. */
typedef struct {
    int64_t rows, cols, ld;
    tulle_layout layout;
    tulle_type type;
} shape;

static bool inside(const shape *s, int64_t place) {
    int64_t run = s->layout == TULLE_COLUMN_MAJOR ? s->rows : s->cols;
    int64_t runs = s->layout == TULLE_COLUMN_MAJOR ? s->cols : s->rows;
    return place % s->ld < run && place / s->ld < runs;
}

/* A block wrapped around the first numbers of an array of MOST, all -1. */
static tulle_vec *watched(tulle_ctx *ctx, const shape *s, tulle_vec **array) {
    tulle_vec_info info;
    tulle_vec *X = NULL;
    must(tulle_vec_create(ctx, s->type, MOST, array));
    must(tulle_vec_fill(ctx, *array, -1));
    must(tulle_vec_describe(*array, &info));
    must(tulle_vec_wrap(ctx, s->type, s->rows, s->cols, s->layout, s->ld, info.data, &X));
    return X;
}

/* Between the columns nothing may have changed. */
static void check_around(tulle_ctx *ctx, const shape *s, const tulle_vec *array) {
    static double all[MOST];
    must(tulle_vec_read(ctx, array, all, 0));
    for (int64_t i = 0; i < MOST; i++) {
        if (!inside(s, i)) assert_true(number(all, s->type, i) == -1);
    }
}

static void check_shape(tulle_ctx *ctx, const shape *s, int64_t host_ld) {
    static double host[MOST], back[MOST];
    tulle_vec *array = NULL, *X = watched(ctx, s, &array);
    for (int64_t i = 0; i < MOST; i++) set_number(host, s->type, i, (double)i);
    must(tulle_vec_write(ctx, X, host, host_ld));
    check_around(ctx, s, array);
    for (int64_t i = 0; i < MOST; i++) set_number(back, s->type, i, -2);
    must(tulle_vec_read(ctx, X, back, host_ld));
    shape outside = *s;
    outside.ld = host_ld;
    for (int64_t i = 0; i < MOST; i++) {
        assert_true(number(back, s->type, i) == (inside(&outside, i) ? (double)i : -2));
    }
    must(tulle_vec_fill(ctx, X, 0.1));
    check_around(ctx, s, array);
    must(tulle_vec_read(ctx, X, back, host_ld));
    double tenth = s->type == TULLE_F32 ? (double)0.1f : 0.1;
    for (int64_t i = 0; i < s->rows; i++) {
        for (int64_t j = 0; j < s->cols; j++) {
            assert_true(number(back, s->type, at(s->layout, host_ld, i, j)) == tenth);
        }
    }
    must(tulle_vec_random(ctx, X, 1));
    check_around(ctx, s, array);
    tulle_vec_destroy(X);
    tulle_vec_destroy(array);
}

static void shapes(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const int64_t sizes[][4] = {{5, 3, 5, 5},    {5, 3, 7, 5},    {5, 3, 5, 9},
                                       {3, 5, 8, 6},    {1, 40, 41, 40}, {40, 1, 50, 45},
                                       {13, 13, 13, 13}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int layout = 0; layout < 2; layout++) {
            const int64_t *n = sizes[i];
            shape s = {.rows = layout ? n[1] : n[0],
                       .cols = layout ? n[0] : n[1],
                       .ld = n[2],
                       .layout = (tulle_layout)layout,
                       .type = i % 2 ? TULLE_F64 : TULLE_F32};
            check_shape(ctx, &s, n[3]);
        }
    }
}

static void random_numbers(tulle_ctx *ctx, const char *where) {
    enum { ROWS = 60, COLS = 50, N = ROWS * COLS };
    static double here[N], there[N];
    tulle_ctx *home = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &home));
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        tulle_vec *X = NULL, *Y = NULL, *Z = NULL;
        must(tulle_vec_create_columns(home, (tulle_type)type, ROWS, COLS, TULLE_COLUMN_MAJOR, 0,
                                      &X));
        must(tulle_vec_create_columns(ctx, (tulle_type)type, ROWS, COLS, TULLE_ROW_MAJOR, COLS + 3,
                                      &Y));
        must(tulle_vec_create_columns(ctx, (tulle_type)type, ROWS, COLS, TULLE_ROW_MAJOR, 0, &Z));
        must(tulle_vec_random(home, X, 42));
        must(tulle_vec_random(ctx, Y, 42));
        must(tulle_vec_random(ctx, Z, 43));
        must(tulle_vec_read(home, X, here, 0));
        must(tulle_vec_read(ctx, Y, there, 0));
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < ROWS; i++) {
            for (int64_t j = 0; j < COLS; j++) {
                double v = number(here, (tulle_type)type, i + j * ROWS);
                assert_true(v == number(there, (tulle_type)type, i * COLS + j));
                assert_true(v > -1 && v < 1 && v != 0);
                sum += v;
                squares += v * v;
            }
        }
        /* Mean 0 and variance 1/3, within six standard deviations of the means of N numbers. */
        assert_true(fabs(sum / N) < 6 * sqrt(1.0 / 3 / N));
        assert_true(fabs(squares / N - 1.0 / 3) < 6 * sqrt(4.0 / 45 / N));
        must(tulle_vec_read(ctx, Z, here, 0));
        int same = 0;
        for (int64_t i = 0; i < N; i++) {
            same += number(here, (tulle_type)type, i) == number(there, (tulle_type)type, i);
        }
        assert_true(same < 5);
        tulle_vec_destroy(X);
        tulle_vec_destroy(Y);
        tulle_vec_destroy(Z);
    }
    tulle_ctx_destroy(home);
    (void)where;
}

static void empty(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const int64_t sizes[][2] = {{0, 0}, {0, 4}, {4, 0}};
    for (size_t i = 0; i < 3; i++) {
        tulle_vec *X = NULL, *W = NULL;
        must(tulle_vec_create_columns(ctx, TULLE_F64, sizes[i][0], sizes[i][1], TULLE_ROW_MAJOR, 0,
                                      &X));
        must(tulle_vec_wrap(ctx, TULLE_F64, sizes[i][0], sizes[i][1], TULLE_COLUMN_MAJOR, 0, NULL,
                            &W));
        must(tulle_vec_fill(ctx, X, 1));
        must(tulle_vec_random(ctx, W, 1));
        must(tulle_vec_write(ctx, X, NULL, 0));
        must(tulle_vec_read(ctx, W, NULL, 0));
        tulle_vec_info info;
        must(tulle_vec_describe(X, &info));
        assert_int_equal(info.bytes, 0);
        tulle_vec_destroy(X);
        tulle_vec_destroy(W);
    }
}

static void describe(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_vec *X = NULL;
    tulle_vec_info info;
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    must(tulle_vec_create_columns(ctx, TULLE_F32, 5, 3, TULLE_ROW_MAJOR, 4, &X));
    must(tulle_vec_describe(X, &info));
    assert_int_equal(info.rows, 5);
    assert_int_equal(info.cols, 3);
    assert_int_equal(info.ld, 4);
    assert_int_equal(info.type, TULLE_F32);
    assert_int_equal(info.layout, TULLE_ROW_MAJOR);
    assert_int_equal(info.backend, device.backend);
    assert_int_equal(info.bytes, (4 * 4 + 3) * 4);
    assert_non_null(info.data);
    assert_int_equal((uintptr_t)info.data % (device.backend == TULLE_CPU ? 64 : 256), 0);
    tulle_vec_destroy(X);
}

/* made: where the call would have put its object, or NULL. */
static void expect_bad(tulle_status status, const char *argument, tulle_vec **made) {
    assert_int_equal(status, TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, argument);
    if (made) assert_null(*made);
}

static void misuse_of_makers(tulle_ctx *ctx, const char *where) {
    (void)where;
    const tulle_layout by_column = TULLE_COLUMN_MAJOR;
    double data[6];
    tulle_vec *X = (tulle_vec *)1;
    expect_bad(tulle_vec_create_columns(NULL, TULLE_F64, 2, 3, by_column, 0, &X), "ctx", &X);
    expect_bad(tulle_vec_create_columns(ctx, (tulle_type)0, 2, 3, by_column, 0, &X), "type", &X);
    expect_bad(tulle_vec_create_columns(ctx, TULLE_F64, -2, 3, by_column, 0, &X), "rows", &X);
    expect_bad(tulle_vec_create_columns(ctx, TULLE_F64, 2, -3, by_column, 0, &X), "cols", &X);
    expect_bad(tulle_vec_create_columns(ctx, TULLE_F64, 2, 3, (tulle_layout)2, 0, &X), "layout",
               &X);
    expect_bad(tulle_vec_create_columns(ctx, TULLE_F64, 2, 3, by_column, 1, &X), "ld", &X);
    expect_bad(tulle_vec_create_columns(ctx, TULLE_F64, 2, 3, TULLE_ROW_MAJOR, 2, &X), "ld", &X);
    expect_bad(tulle_vec_create_columns(ctx, TULLE_F64, 2, 3, by_column, -1, &X), "ld", &X);
    expect_bad(tulle_vec_create_columns(ctx, TULLE_F64, 2, 3, by_column, 0, NULL), "X", NULL);
    expect_bad(tulle_vec_create(ctx, TULLE_F64, -1, &X), "rows", &X);
    expect_bad(tulle_vec_create(ctx, TULLE_F64, 1, NULL), "x", NULL);
    expect_bad(tulle_vec_wrap(NULL, TULLE_F64, 2, 3, by_column, 0, data, &X), "ctx", &X);
    expect_bad(tulle_vec_wrap(ctx, TULLE_F64, 2, 3, by_column, 0, NULL, &X), "data", &X);
    expect_bad(tulle_vec_wrap(ctx, TULLE_F64, 2, 3, by_column, 1, data, &X), "ld", &X);
    expect_bad(tulle_vec_wrap(ctx, TULLE_F64, 2, 3, by_column, 0, data, NULL), "X", NULL);
    const int64_t huge = (int64_t)1 << 40;
    assert_int_equal(tulle_vec_create_columns(ctx, TULLE_F64, huge, huge, by_column, 0, &X),
                     TULLE_TOO_LARGE);
    assert_null(X);
    assert_int_equal(tulle_vec_create_columns(ctx, TULLE_F64, 2, 3, by_column, INT64_MAX, &X),
                     TULLE_TOO_LARGE);
    assert_null(X);
}

static void misuse_of_blocks(tulle_ctx *ctx, const char *where) {
    double host[6] = {0};
    tulle_vec *X = NULL;
    tulle_vec_info info;
    must(tulle_vec_create_columns(ctx, TULLE_F64, 2, 3, TULLE_COLUMN_MAJOR, 0, &X));
    expect_bad(tulle_vec_describe(NULL, &info), "X", NULL);
    expect_bad(tulle_vec_describe(X, NULL), "info", NULL);
    expect_bad(tulle_vec_write(NULL, X, host, 0), "ctx", NULL);
    expect_bad(tulle_vec_write(ctx, NULL, host, 0), "X", NULL);
    expect_bad(tulle_vec_write(ctx, X, NULL, 0), "host", NULL);
    expect_bad(tulle_vec_write(ctx, X, host, 1), "ld", NULL);
    expect_bad(tulle_vec_read(NULL, X, host, 0), "ctx", NULL);
    expect_bad(tulle_vec_read(ctx, NULL, host, 0), "X", NULL);
    expect_bad(tulle_vec_read(ctx, X, NULL, 0), "host", NULL);
    expect_bad(tulle_vec_read(ctx, X, host, -1), "ld", NULL);
    expect_bad(tulle_vec_fill(NULL, X, 1), "ctx", NULL);
    expect_bad(tulle_vec_fill(ctx, NULL, 1), "X", NULL);
    expect_bad(tulle_vec_random(NULL, X, 1), "ctx", NULL);
    expect_bad(tulle_vec_random(ctx, NULL, 1), "X", NULL);
    tulle_vec_destroy(NULL);
    if (strncmp(where, "cpu", 3) != 0) {
        tulle_ctx *home = NULL;
        must(tulle_ctx_create("cpu:1", NULL, &home));
        assert_int_equal(tulle_vec_write(home, X, host, 0), TULLE_SPACE_MISMATCH);
        assert_int_equal(tulle_vec_read(home, X, host, 0), TULLE_SPACE_MISMATCH);
        assert_int_equal(tulle_vec_fill(home, X, 0), TULLE_SPACE_MISMATCH);
        assert_int_equal(tulle_vec_random(home, X, 0), TULLE_SPACE_MISMATCH);
        tulle_ctx_destroy(home);
    }
    tulle_vec_destroy(X);
}

static void each_allocation_fails(tulle_ctx *unused, const char *where) {
    (void)unused;
    tulle_status status = TULLE_OUT_OF_MEMORY;
    int64_t n = 0;
    while (status != TULLE_OK) {
        counting c = {0};
        tulle_allocator allocator = counting_allocator(&c);
        tulle_ctx_options options = {.host = &allocator};
        if (is_slow(where)) options.device = &allocator;
        tulle_ctx *ctx = NULL;
        must(tulle_ctx_create(where, &options, &ctx));
        c.fail_at = c.requests + ++n;
        tulle_vec *X = (tulle_vec *)1;
        status = tulle_vec_create_columns(ctx, TULLE_F64, 10, 10, TULLE_COLUMN_MAJOR, 0, &X);
        if (status != TULLE_OK) {
            assert_int_equal(status, TULLE_OUT_OF_MEMORY);
            assert_null(X);
        }
        tulle_ctx_destroy(ctx); /* the block keeps what it needs of it */
        tulle_vec_destroy(X);
        assert_int_equal(c.live, 0);
    }
    assert_true(n > 2);
}

/* Runs of two numbers, 8 apart, beside those of another multivector. */
static void test_overlap(void **state) {
    (void)state;
    double array[64];
    tulle_vec a = {.rows = 2, .cols = 2, .ld = 8, .type = TULLE_F64, .data = array};
    tulle_vec b = {.rows = 2, .cols = 2, .ld = 8, .type = TULLE_F64, .data = array + 4};
    assert_false(tulle__dense_overlap(&a, &b)); /* they alternate */
    b.type = TULLE_F32;                         /* its second run is on a's second */
    assert_true(tulle__dense_overlap(&a, &b));
    assert_true(tulle__dense_overlap(&b, &a));
}

static void test_shapes(void **state) {
    (void)state;
    on_each_place(shapes);
    on_each_place(empty);
    on_each_place(describe);
}
static void test_random(void **state) {
    (void)state;
    on_each_place(random_numbers);
}
static void test_misuse(void **state) {
    (void)state;
    on_each_place(misuse_of_makers);
    on_each_place(misuse_of_blocks);
}
static void test_each_allocation_fails(void **state) {
    (void)state;
    on_each_place(each_allocation_fails);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
