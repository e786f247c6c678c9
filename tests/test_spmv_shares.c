/* SPDX-License-Identifier: Apache-2.0 */
/* A^T x by shares of columns (spmv/shares.h), which threads of a CPU make after a few products: the
 * bits are those of one thread, which makes no shares, before and after, and values that change in
 * place count in the next product. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "places.h"
#include "tulle/advanced.h"
#include "tulle/tulle.h"

enum { PRODUCTS = 12 };

/* A random matrix, with all types of indices; its values change in place. */
typedef struct shape {
    int64_t rows, cols, a_row; /* a_row: number of entries of each row */
    int64_t near;              /* neighbours in a row are at most about so far apart, and most rows
                                  are near the diagonal; 0: columns are anywhere */
    bool scatters;             /* true: rows begin anywhere, so that pieces differ in length */
    bool falls;                /* true: columns fall within rows */
    bool shares;               /* true: two threads make shares */
} shape;

static const shape shapes[] = {
    {.rows = 60000, .cols = 60000, .a_row = 3, .near = 4, .shares = true},
    {.rows = 4000, .cols = 20000, .a_row = 90, .shares = true},
    {.rows = 50000, .cols = 100000, .a_row = 4, .near = 12000, .scatters = true},
    {.rows = 60000, .cols = 60000, .a_row = 3, .near = 4, .falls = true}};

typedef struct arrays {
    int64_t nnz;
    int64_t *offsets, *cols;
    int32_t *narrow_offsets, *narrow_cols;
    double *f64;
    float *f32;
} arrays;

static uint64_t state = 1;

static int64_t any(int64_t end) {
    state = state * 2862933555777941757u + 3037000493u;
    return (int64_t)((state >> 33) % (uint64_t)end);
}

static void *numbers(int64_t count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

static void draw_values(arrays *a) {
    for (int64_t e = 0; e < a->nnz; e++) {
        a->f64[e] = (double)any(1000003) / 1000003 - 0.5;
        a->f32[e] = (float)a->f64[e];
    }
}

/* Draws the columns of row i, each in a stretch of its own, so that they ascend or fall. */
static void draw_row(const shape *s, int64_t i, int64_t *cols) {
    const int64_t wide = s->near > 0 ? s->near : s->cols / s->a_row;
    const int64_t most = s->cols - s->a_row * wide;
    const int64_t first = s->scatters || i % 100 == 0 ? any(most + 1) : i < most ? i : most;
    for (int64_t k = 0; k < s->a_row; k++) {
        const int64_t place = s->falls ? s->a_row - 1 - k : k;
        cols[place] = first + k * wide + any(wide);
    }
}

static arrays draw(const shape *s) {
    arrays a = {.nnz = s->rows * s->a_row};
    a.offsets = numbers(s->rows + 1, sizeof *a.offsets);
    a.narrow_offsets = numbers(s->rows + 1, sizeof *a.narrow_offsets);
    a.cols = numbers(a.nnz, sizeof *a.cols);
    a.narrow_cols = numbers(a.nnz, sizeof *a.narrow_cols);
    a.f64 = numbers(a.nnz, sizeof *a.f64);
    a.f32 = numbers(a.nnz, sizeof *a.f32);
    for (int64_t i = 0; i < s->rows; i++) {
        draw_row(s, i, a.cols + i * s->a_row);
        a.offsets[i + 1] = (i + 1) * s->a_row;
        a.narrow_offsets[i + 1] = (int32_t)a.offsets[i + 1];
    }
    for (int64_t e = 0; e < a.nnz; e++) a.narrow_cols[e] = (int32_t)a.cols[e];
    draw_values(&a);
    return a;
}

static void give_up(const arrays *a) {
    free(a->offsets);
    free(a->cols);
    free(a->narrow_offsets);
    free(a->narrow_cols);
    free(a->f64);
    free(a->f32);
}

/* Makes a matrix around the arrays. */
static tulle_mat *around(tulle_ctx *ctx, const shape *s, const arrays *a, tulle_type type,
                         tulle_index index) {
    const tulle_mat_options borrowed = {.ownership = TULLE_BORROW};
    const void *offsets =
        index == TULLE_I32 ? (const void *)a->narrow_offsets : (const void *)a->offsets;
    const void *cols = index == TULLE_I64 ? (const void *)a->cols : (const void *)a->narrow_cols;
    const void *values = type == TULLE_F32 ? (const void *)a->f32 : (const void *)a->f64;
    tulle_mat *A = NULL;
    must(tulle_mat_create_csr(ctx, s->rows, s->cols, a->nnz, index, offsets, cols, type, values,
                              &borrowed, &A));
    return A;
}

/* Computes y := 1.5 A^T x + beta y, y being of ones before or, where beta is 0, of NaN. */
static void multiply(tulle_ctx *ctx, const shape *s, const tulle_mat *A, tulle_type type,
                     double beta, void *y) {
    const size_t size = (size_t)tulle_type_size(type);
    void *x = numbers(s->rows, size);
    tulle_vec *from = NULL, *to = NULL;
    for (int64_t i = 0; i < s->rows; i++) {
        const double number = 1.0 / (double)(i % 97 + 1);
        if (type == TULLE_F32) ((float *)x)[i] = (float)number;
        if (type == TULLE_F64) ((double *)x)[i] = number;
    }
    must(tulle_vec_create(ctx, type, s->rows, &from));
    must(tulle_vec_create(ctx, type, s->cols, &to));
    must(tulle_vec_write(ctx, from, x, s->rows));
    must(tulle_vec_fill(ctx, to, beta == 0 ? NAN : 1));
    must(tulle_spmv(ctx, TULLE_T, tulle_num(1.5), A, from, tulle_num(beta), to));
    must(tulle_vec_read(ctx, to, y, s->cols));
    tulle_vec_destroy(from);
    tulle_vec_destroy(to);
    free(x);
}

static int64_t kept_bytes(const tulle_mat *A) {
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    return info.plan_bytes;
}

static bool text_has(tulle_ctx *ctx, const tulle_mat *A, const char *words) {
    char text[8192];
    must(tulle_spmv_explain(ctx, TULLE_T, A, text, sizeof text, NULL));
    return strstr(text, words) != NULL;
}

/* Multiplies by one thread and by two, with beta 0 in turn with another, and compares bits. */
static void compare(tulle_ctx *one, tulle_ctx *two, const shape *s, arrays *a, tulle_type type,
                    tulle_index index) {
    const size_t size = (size_t)tulle_type_size(type);
    void *want = numbers(s->cols, size), *found = numbers(s->cols, size);
    tulle_mat *alone = around(one, s, a, type, index), *A = around(two, s, a, type, index);
    assert_true(text_has(two, A, "if they pay") != s->falls);
    for (int k = 0; k < PRODUCTS; k++) {
        draw_values(a);
        multiply(one, s, alone, type, k % 2 ? -3 : 0, want);
        multiply(two, s, A, type, k % 2 ? -3 : 0, found);
        assert_memory_equal(found, want, (size_t)s->cols * size);
        if (k == 0) assert_int_equal(kept_bytes(A), 0);
    }
    assert_int_equal(kept_bytes(alone), 0);
    assert_int_equal(kept_bytes(A), s->shares ? s->rows * tulle_offset_size(index) : 0);
    assert_int_equal(text_has(two, A, "one for each of 2 threads"), s->shares);
    assert_false(text_has(two, A, "if they pay"));
    multiply(one, s, A, type, 0, want); /* one thread uses no shares of another */
    multiply(two, s, A, type, 0, found);
    assert_memory_equal(found, want, (size_t)s->cols * size);
    tulle_mat_destroy(alone);
    tulle_mat_destroy(A);
    free(want);
    free(found);
}

static void test_shares(void **unused) {
    (void)unused;
    tulle_ctx *one = NULL, *two = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &one));
    must(tulle_ctx_create("cpu:2", NULL, &two));
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        arrays a = draw(&shapes[k]);
        for (tulle_index index = TULLE_I32; index <= TULLE_I64; index++) {
            compare(one, two, &shapes[k], &a, TULLE_F32, index);
            compare(one, two, &shapes[k], &a, TULLE_F64, index);
        }
        give_up(&a);
    }
    tulle_ctx_destroy(two);
    tulle_ctx_destroy(one);
}

/* tulle_mat_optimize times the product without a plan while it holds a lock of the pattern, and
 * these products make shares: none may wait for that lock. */
static void test_shares_while_optimising(void **unused) {
    (void)unused;
    const tulle_optimize_options many = {.expected_calls = 1000000};
    const shape *s = &shapes[1];
    tulle_ctx *ctx = NULL;
    tulle_optimize_report report;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    arrays a = draw(s);
    tulle_mat *A = around(ctx, s, &a, TULLE_F64, TULLE_I32);
    alarm(60);
    must(tulle_mat_optimize_with(ctx, TULLE_T, A, &many, &report));
    alarm(0);
    assert_true(report.measured);
    must(tulle_mat_forget_plans(A));
    assert_int_equal(kept_bytes(A), s->rows * tulle_offset_size(TULLE_I32));
    tulle_mat_destroy(A);
    give_up(&a);
    tulle_ctx_destroy(ctx);
}

/* Products succeed, without a word of failure, where a context's cap leaves no room for shares. */
static void test_no_room(void **unused) {
    (void)unused;
    const shape *s = &shapes[0];
    const tulle_ctx_options capped = {.memory_cap = 20 * (size_t)s->cols};
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu:2", &capped, &ctx));
    arrays a = draw(s);
    double *y = numbers(s->cols, sizeof *y);
    tulle_mat *A = around(ctx, s, &a, TULLE_F64, TULLE_I64);
    for (int k = 0; k < PRODUCTS; k++) multiply(ctx, s, A, TULLE_F64, 0, y);
    assert_int_equal(kept_bytes(A), 0);
    assert_int_equal(tulle_last_error()->status, TULLE_OK);
    tulle_mat_destroy(A);
    free(y);
    give_up(&a);
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares),
                                       cmocka_unit_test(test_shares_while_optimising),
                                       cmocka_unit_test(test_no_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
