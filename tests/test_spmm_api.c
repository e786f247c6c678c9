/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_spmm as an API: misuse, blocks that overlap or alternate, one vector, formats without
 * kernels for multivectors, any number of threads. Results of those kernels are judged in
 * test_spmm.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blocks.h"
#include "layouts.h"
#include "places.h"
#include "reference.h"
#include "tulle/advanced.h"

/* A 33 x 60 matrix of the zoo with a block of three vectors for each side. */
typedef struct {
    zoo_matrix zoo;
    tulle_mat *A;
    tulle_vec *X, *Y;
} fixture;

static tulle_vec *block(tulle_ctx *ctx, int64_t rows, int64_t cols, tulle_layout layout,
                        uint64_t seed) {
    tulle_vec *made = NULL;
    must(tulle_vec_create_columns(ctx, TULLE_F64, rows, cols, layout, 0, &made));
    must(tulle_vec_random(ctx, made, seed));
    return made;
}

static fixture set_up(tulle_ctx *ctx) {
    fixture f = {.zoo = zoo_make(8)};
    f.A = zoo_mat(ctx, &f.zoo, TULLE_I32, TULLE_F64);
    f.X = block(ctx, f.zoo.cols, 3, TULLE_COLUMN_MAJOR, 1);
    f.Y = block(ctx, f.zoo.rows, 3, TULLE_COLUMN_MAJOR, 2);
    return f;
}

static void tear_down(fixture *f) {
    tulle_vec_destroy(f->X);
    tulle_vec_destroy(f->Y);
    tulle_mat_destroy(f->A);
    zoo_free(&f->zoo);
}

static tulle_status spmm(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, const tulle_vec *X,
                         tulle_vec *Y) {
    return tulle_spmm(ctx, op, tulle_num(1), A, X, tulle_num(0), Y);
}

static tulle_status choose(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, const tulle_vec *X,
                           const tulle_vec *Y) {
    tulle_choice choice;
    return tulle_spmm_describe(ctx, op, A, X, Y, true, &choice);
}

typedef tulle_status (*call)(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, const tulle_vec *X,
                             const tulle_vec *Y);

static tulle_status multiply(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, const tulle_vec *X,
                             const tulle_vec *Y) {
    return spmm(ctx, op, A, X, (tulle_vec *)(uintptr_t)Y);
}

static void misuse(tulle_ctx *ctx, const char *where) {
    (void)where;
    fixture f = set_up(ctx);
    static const call calls[] = {multiply, choose};
    for (int c = 0; c < 2; c++) {
        assert_int_equal(calls[c](NULL, TULLE_N, f.A, f.X, f.Y), TULLE_INVALID_ARGUMENT);
        assert_int_equal(calls[c](ctx, TULLE_N, NULL, f.X, f.Y), TULLE_INVALID_ARGUMENT);
        assert_int_equal(calls[c](ctx, TULLE_N, f.A, NULL, f.Y), TULLE_INVALID_ARGUMENT);
        assert_int_equal(calls[c](ctx, TULLE_N, f.A, f.X, NULL), TULLE_INVALID_ARGUMENT);
        assert_string_equal(tulle_last_error()->argument, "Y");
        assert_int_equal(calls[c](ctx, (tulle_trans)2, f.A, f.X, f.Y), TULLE_INVALID_ARGUMENT);
    }
    assert_int_equal(tulle_spmm_describe(ctx, TULLE_N, f.A, f.X, f.Y, true, NULL),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(spmm(ctx, TULLE_N, f.A, f.Y, f.X), TULLE_SHAPE_MISMATCH);
    assert_int_equal(spmm(ctx, TULLE_T, f.A, f.X, f.Y), TULLE_SHAPE_MISMATCH);
    assert_string_equal(tulle_last_error()->function, "tulle_spmm");
    assert_string_equal(tulle_last_error()->argument, "X");
    tulle_vec *two = block(ctx, f.zoo.rows, 2, TULLE_COLUMN_MAJOR, 3), *single = NULL;
    assert_int_equal(spmm(ctx, TULLE_N, f.A, f.X, two), TULLE_SHAPE_MISMATCH);
    assert_int_equal(choose(ctx, TULLE_N, f.A, f.X, two), TULLE_INVALID_ARGUMENT);
    must(tulle_vec_create_columns(ctx, TULLE_F32, f.zoo.cols, 3, TULLE_ROW_MAJOR, 0, &single));
    assert_int_equal(spmm(ctx, TULLE_N, f.A, single, f.Y), TULLE_TYPE_MISMATCH);
    tulle_vec_destroy(two);
    tulle_vec_destroy(single);
    tear_down(&f);
}

static void other_space(tulle_ctx *ctx, const char *where) {
    if (strncmp(where, "cpu", 3) == 0) return;
    tulle_ctx *cpu = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &cpu));
    fixture f = set_up(ctx), g = set_up(cpu);
    assert_int_equal(spmm(cpu, TULLE_N, f.A, g.X, g.Y), TULLE_SPACE_MISMATCH);
    assert_int_equal(spmm(ctx, TULLE_N, f.A, g.X, f.Y), TULLE_SPACE_MISMATCH);
    assert_int_equal(spmm(ctx, TULLE_N, f.A, f.X, g.Y), TULLE_SPACE_MISMATCH);
    assert_int_equal(choose(cpu, TULLE_N, f.A, g.X, g.Y), TULLE_SPACE_MISMATCH);
    tear_down(&f);
    tear_down(&g);
    tulle_ctx_destroy(cpu);
}

/* Columns `from` to `to` - 1 of a row-major multivector, or column-major blocks that begin there.
 */
static tulle_vec *part(tulle_ctx *ctx, const tulle_vec *whole, int64_t from, int64_t to) {
    tulle_vec_info info;
    tulle_vec *made = NULL;
    must(tulle_vec_describe(whole, &info));
    int64_t at = info.layout == TULLE_ROW_MAJOR ? from : from * info.ld;
    must(tulle_vec_wrap(ctx, TULLE_F64, info.rows, to - from, info.layout, info.ld,
                        (double *)info.data + at, &made));
    return made;
}

/* A square product from some columns of an array into others. */
static tulle_status within(tulle_ctx *ctx, tulle_layout layout, int64_t x, int64_t y) {
    zoo_matrix m = zoo_make(21); /* banded */
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    tulle_vec *whole = block(ctx, m.rows, 8, layout, 4);
    tulle_vec *X = part(ctx, whole, x, x + 3), *Y = part(ctx, whole, y, y + 3);
    tulle_status status = spmm(ctx, TULLE_N, A, X, Y);
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    tulle_vec_destroy(whole);
    tulle_mat_destroy(A);
    zoo_free(&m);
    return status;
}

static void aliases(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int layout = TULLE_COLUMN_MAJOR; layout <= TULLE_ROW_MAJOR; layout++) {
        tulle_layout l = (tulle_layout)layout;
        must(within(ctx, l, 0, 3));
        must(within(ctx, l, 5, 0));
        assert_int_equal(within(ctx, l, 0, 2), TULLE_ALIASED);
        assert_int_equal(within(ctx, l, 4, 2), TULLE_ALIASED);
        assert_int_equal(within(ctx, l, 1, 1), TULLE_ALIASED);
    }
    fixture f = set_up(ctx);
    tulle_vec_info info;
    tulle_mat_arrays arrays;
    must(tulle_vec_describe(f.Y, &info));
    assert_int_equal(
        tulle_spmm(ctx, TULLE_N, tulle_at((double *)info.data + 40), f.A, f.X, tulle_num(0), f.Y),
        TULLE_ALIASED);
    must(tulle_mat_view(f.A, &arrays));
    tulle_vec *on_values = NULL;
    must(tulle_vec_wrap(ctx, TULLE_F64, f.zoo.rows, 3, TULLE_ROW_MAJOR, 0,
                        (void *)(uintptr_t)arrays.values, &on_values));
    assert_int_equal(spmm(ctx, TULLE_N, f.A, f.X, on_values), TULLE_ALIASED);
    tulle_vec_destroy(on_values);
    tear_down(&f);
}

static double *numbers_of(tulle_ctx *ctx, const tulle_vec *Y, size_t *bytes) {
    tulle_vec_info info;
    must(tulle_vec_describe(Y, &info));
    *bytes = (size_t)info.bytes;
    double *host = malloc(*bytes + 1);
    assert_non_null(host);
    must(tulle_vec_read(ctx, Y, host, 0));
    return host;
}

/* Whether a format has no kernels for multivectors. */
static bool by_columns(tulle_format format) {
    return format != TULLE_CSR && format != TULLE_BSR;
}

/* Vectors of one format: one column is tulle_spmv, in either layout, and so is each column of a
 * column-major multivector in a format without kernels for multivectors. */
static void one_format(tulle_ctx *ctx, const fixture *f, const tulle_mat *A, tulle_format format) {
    tulle_vec *y = block(ctx, f->zoo.rows, 1, TULLE_ROW_MAJOR, 5);
    tulle_vec *Y = block(ctx, f->zoo.rows, 3, TULLE_COLUMN_MAJOR, 6);
    bool columns = by_columns(format);
    if (columns) must(spmm(ctx, TULLE_N, A, f->X, Y));
    for (int64_t j = 0; j < 3; j++) {
        tulle_vec *x = part(ctx, f->X, j, j + 1), *Y_j = part(ctx, Y, j, j + 1);
        size_t bytes;
        must(spmm(ctx, TULLE_N, A, x, y));
        double *as_block = numbers_of(ctx, y, &bytes), *column = numbers_of(ctx, Y_j, &bytes);
        must(tulle_spmv(ctx, TULLE_N, tulle_num(1), A, x, tulle_num(0), y));
        double *as_vector = numbers_of(ctx, y, &bytes);
        assert_memory_equal(as_block, as_vector, bytes);
        if (columns) assert_memory_equal(column, as_vector, bytes);
        free(as_block);
        free(as_vector);
        free(column);
        tulle_vec_destroy(x);
        tulle_vec_destroy(Y_j);
    }
    tulle_vec_destroy(y);
    tulle_vec_destroy(Y);
}

static void formats(tulle_ctx *ctx, const char *where) {
    (void)where;
    fixture f = set_up(ctx);
    tulle_vec *rows = block(ctx, f.zoo.cols, 3, TULLE_ROW_MAJOR, 1);
    for (int format = 0; format < TULLE_FORMAT_COUNT; format++) {
        tulle_mat *A = layout_make(ctx, f.A, (tulle_format)format, TULLE_I32, 0);
        tulle_choice one, block_choice;
        if (!A) continue;
        must(tulle_spmv_describe(ctx, TULLE_N, A, true, &one));
        bool atomics = format == TULLE_CSC;
        if (!atomics) one_format(ctx, &f, A, (tulle_format)format);
        if (by_columns((tulle_format)format)) {
            must(tulle_spmm_describe(ctx, TULLE_N, A, f.X, f.Y, true, &block_choice));
            assert_string_equal(block_choice.kernel, one.kernel);
            assert_int_equal(block_choice.kernel_bytes, 3 * one.kernel_bytes);
            assert_int_equal(block_choice.minimal_bytes,
                             one.minimal_bytes + 2 * 8 * (f.zoo.rows + f.zoo.cols));
            assert_int_equal(spmm(ctx, TULLE_N, A, rows, f.Y), TULLE_UNSUPPORTED);
            assert_non_null(strstr(tulle_last_error()->message, "column-major"));
            assert_int_equal(choose(ctx, TULLE_N, A, rows, f.Y), TULLE_UNSUPPORTED);
        }
        tulle_mat_destroy(A);
    }
    tulle_vec_destroy(rows);
    tear_down(&f);
}

/* A kernel of the registry for blocks that takes CSR. */
static const char *block_kernel(tulle_ctx *ctx) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    for (int i = 0; i < tulle_kernel_count(device.backend); i++) {
        tulle_kernel_info info;
        must(tulle_kernel_describe(device.backend, i, &info));
        if (strcmp(info.operation, "spmm") == 0) return info.name;
    }
    fail_msg("no kernel for multivectors");
    return NULL;
}

/* A forced kernel serves its own operation alone. */
static void forced(tulle_ctx *ctx, const char *where) {
    (void)where;
    fixture f = set_up(ctx);
    tulle_mat *sell = layout_make(ctx, f.A, TULLE_SELL, TULLE_I32, 0);
    const char *name = block_kernel(ctx);
    tulle_choice one, several;
    must(tulle_ctx_force_kernel(ctx, name));
    must(tulle_spmv_describe(ctx, TULLE_N, f.A, true, &one));
    assert_string_equal(one.by, "rule");
    must(tulle_spmm_describe(ctx, TULLE_N, f.A, f.X, f.Y, true, &several));
    assert_string_equal(several.by, "forced");
    assert_string_equal(several.kernel, name);
    assert_int_equal(spmm(ctx, TULLE_N, sell, f.X, f.Y), TULLE_UNSUPPORTED);
    assert_non_null(strstr(tulle_last_error()->message, name));
    must(tulle_ctx_force_kernel(ctx, NULL));
    must(spmm(ctx, TULLE_N, sell, f.X, f.Y));
    tulle_mat_destroy(sell);
    tear_down(&f);
}

/* One column whose numbers stand apart is no vector. */
static void column_with_gaps(tulle_ctx *ctx, const char *where) {
    zoo_matrix m = zoo_make(21); /* banded */
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
    host_block x0 = host_block_make(m.cols, 1, TULLE_ROW_MAJOR, 2, TULLE_F64);
    host_block y0 = host_block_make(m.rows, 1, TULLE_ROW_MAJOR, 1, TULLE_F64);
    host_block got = host_block_make(m.rows, 1, TULLE_ROW_MAJOR, 1, TULLE_F64);
    uint64_t state = 7;
    (void)where;
    for (int64_t i = 0; i < m.cols; i++) *host_block_at(&x0, i, 0) = zoo_number(&state);
    place_block x = place_block_make(ctx, &x0), y = place_block_make(ctx, &y0);
    must(tulle_spmm(ctx, TULLE_N, tulle_num(2), A, x.block, tulle_num(0), y.block));
    place_block_read(ctx, &y, &got);
    product p = {.op = TULLE_N, .alpha = 2, .beta = 0};
    assert_true(host_block_error(&m, p, &x0, &y0, &got) <= 1);
    assert_true(host_block_gaps_kept(&got));
    place_block_free(&x);
    place_block_free(&y);
    host_block_free(&x0);
    host_block_free(&y0);
    host_block_free(&got);
    tulle_mat_destroy(A);
    zoo_free(&m);
}

static void test_column_with_gaps(void **state) {
    (void)state;
    on_each_place(column_with_gaps);
}
static void test_misuse(void **state) {
    (void)state;
    on_each_place(misuse);
}
static void test_other_space(void **state) {
    (void)state;
    on_each_place(other_space);
}
static void test_aliases(void **state) {
    (void)state;
    on_each_place(aliases);
}
static void test_formats(void **state) {
    (void)state;
    on_each_place(formats);
}
static void test_forced(void **state) {
    (void)state;
    on_each_place(forced);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misuse),  cmocka_unit_test(test_other_space),
        cmocka_unit_test(test_aliases), cmocka_unit_test(test_formats),
        cmocka_unit_test(test_forced),  cmocka_unit_test(test_column_with_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
