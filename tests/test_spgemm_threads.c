/* SPDX-License-Identifier: Apache-2.0 */
/* C has the same bits for any number of threads, whatever kernel of a CPU computes it and however
 * much memory it may take: all of them add an entry's products in the order of A's row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"
#include "tulle/spgemm.h"

/* What rows of C come from: B's rows by their words, rows that are the row before moved, rows with
 * the same columns in A (3 and 6 together), few products, many in few columns, hundreds in many. */
static const char *const pairs[][2] = {
    {"p2d5:70", "p2d5:70"},
    {"p3d27:11", "p3d27:11"},
    {"fem3:6", "fem3:6"},
    {"blocks:6,4", "blocks:6,4"},
    {"p2d5:30,20", "random:600,90000,7"}, /* A's rows are moved, B's are not */
    {"fem:3000", "fem:3000"},
    {"rmat:10,16", "rmat:10,16"},
    {"powerlaw:5000,4.2,900,60,100", "powerlaw:5000,4.2,900,60,100"},
    {"random:4000,4000,1", "random:4000,4000,9"},
    {"random:3000,300,3", "random:300,200000,6"},
    {"random:300,300,12", "random:300,200000,15"},
    {"random:40,300,40", "random:300,500000,40"},
    {"random:9,2,2", "random:2,100000,30000"},
    {"random:50,7,0", "random:7,30,3"},
    {"band 200 20 1 5", "band 219 3 7"}, /* now and then a row is not moved */
    {"band 200 150",
     "band 349 2 3940"}, /* A's rows are moved; with them, a window's end is passed */
};
static const char *const places[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:7"};
enum { PAIRS = sizeof pairs / sizeof *pairs, PLACES = 4 };

/* Zeros of both signs, numbers whose sums round, and those whose products vanish. */
static double number(int64_t k) {
    static const double some[] = {-0.0, 1.0 / 3, -0.7, 0.0, 1e-30, 3.25, -1e20, 0.1, -0.0};
    return some[(size_t)k * 7 % 9] * (double)(1 + k % 5);
}

/* "band ROWS LENGTH STEP PAUSE": in row i the columns i, i + STEP, ..., where each row that is a
 * multiple of PAUSE has the columns of the row before. */
static tulle_mat *make_band(tulle_ctx *ctx, const char *spec) {
    char *end = NULL;
    int64_t rows = strtol(spec + 4, &end, 10), length = strtol(end, &end, 10);
    int64_t step = *end ? strtol(end, &end, 10) : 1, pause = *end ? strtol(end, NULL, 10) : rows;
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    int64_t *cols = calloc((size_t)(rows * length), sizeof *cols);
    double *values = calloc((size_t)(rows * length), sizeof *values);
    assert_true(offsets && cols && values);
    for (int64_t i = 0; i <= rows; i++) offsets[i] = i * length;
    for (int64_t k = 0; k < rows * length; k++)
        cols[k] = k / length - k / length / pause + k % length * step;
    tulle_mat *A = NULL;
    must(tulle_mat_create_csr(ctx, rows, rows + (length - 1) * step, rows * length, TULLE_I64,
                              offsets, cols, TULLE_F64, values, NULL, &A));
    free(values);
    free(cols);
    free(offsets);
    return A;
}

static tulle_mat *make(tulle_ctx *ctx, const char *spec, tulle_type type) {
    tulle_mat *pattern = NULL, *A = NULL;
    tulle_mat_info info;
    if (strncmp(spec, "band", 4) == 0) {
        pattern = make_band(ctx, spec);
    } else {
        must(tulle_generate(ctx, spec, 1, type, &pattern));
    }
    must(tulle_mat_describe(pattern, &info));
    void *values = calloc((size_t)info.nnz + 1, sizeof(double));
    assert_non_null(values);
    for (int64_t k = 0; k < info.nnz; k++) {
        if (type == TULLE_F64) ((double *)values)[k] = number(k);
        if (type == TULLE_F32) ((float *)values)[k] = (float)number(k);
    }
    must(tulle_mat_with_values(ctx, pattern, type, info.nnz, values, &A));
    free(values);
    tulle_mat_destroy(pattern);
    return A;
}

/* The arrays of C in the host's memory, and the bytes that it took. */
typedef struct {
    int64_t peak, bound;
    tulle_mat_info info;
    int64_t *offsets, *cols;
    char *values;
} product;

static product read_product(tulle_ctx *ctx, const tulle_mat *C, const tulle_spgemm_report *report) {
    product p = {.peak = report->peak_bytes, .bound = report->bound_bytes};
    must(tulle_mat_describe(C, &p.info));
    p.offsets = calloc((size_t)p.info.rows + 1, sizeof *p.offsets);
    p.cols = calloc((size_t)p.info.nnz + 1, sizeof *p.cols);
    p.values = calloc((size_t)p.info.nnz + 1, sizeof(double));
    assert_true(p.offsets && p.cols && p.values);
    must(tulle_mat_read(ctx, C, p.offsets, NULL, p.cols, p.values));
    return p;
}

static void free_product(product *p) {
    free(p->values);
    free(p->cols);
    free(p->offsets);
}

static void assert_same(const product *one, const product *other) {
    assert_int_equal(one->info.nnz, other->info.nnz);
    assert_int_equal(one->info.index, other->info.index);
    size_t rows = (size_t)one->info.rows, nnz = (size_t)one->info.nnz;
    assert_memory_equal(one->offsets, other->offsets, (rows + 1) * sizeof *one->offsets);
    assert_memory_equal(one->cols, other->cols, (nnz + 1) * sizeof *one->cols);
    assert_memory_equal(one->values, other->values, (nnz + 1) * sizeof(double));
}

typedef struct {
    tulle_type type;
    double alpha;
    size_t cap; /* of the context's memory; 0: none */
    const char *kernel;
} way;

static product multiply(const char *where, const char *const pair[2], const way *w) {
    tulle_ctx *ctx = NULL;
    tulle_ctx_options options = {.memory_cap = w->cap};
    tulle_spgemm_report report;
    tulle_mat *C = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    must(tulle_ctx_force_kernel(ctx, w->kernel));
    tulle_mat *A = make(ctx, pair[0], w->type), *B = make(ctx, pair[1], w->type);
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(w->alpha), A, B, NULL, &report, &C));
    assert_string_equal(report.kernel, w->kernel);
    assert_true(report.peak_bytes <= report.bound_bytes);
    product p = read_product(ctx, C, &report);
    tulle_mat_destroy(C);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    return p;
}

static void compare_at(const product *one, const char *const pair[2], const way *w) {
    for (int p = 0; p < PLACES; p++) {
        product other = multiply(places[p], pair, w);
        assert_same(one, &other);
        free_product(&other);
    }
}

/* All kernels at all places, against the first one. */
static void compare(const char *const pair[2], tulle_type type, double alpha) {
    way reference = {type, alpha, 0, "spgemm_spa"};
    product one = multiply(places[0], pair, &reference);
    for (int k = 0; k < tulle_kernel_count(TULLE_CPU); k++) {
        tulle_kernel_info kernel;
        must(tulle_kernel_describe(TULLE_CPU, k, &kernel));
        way w = {type, alpha, 0, kernel.name};
        if (strcmp(kernel.operation, "spgemm") == 0) compare_at(&one, pair, &w);
    }
    free_product(&one);
}

static void test_f64(void **state) {
    (void)state;
    for (int i = 0; i < PAIRS; i++) compare(pairs[i], TULLE_F64, 1);
}

static void test_f32_scaled(void **state) {
    (void)state;
    for (int i = 0; i < PAIRS; i++) compare(pairs[i], TULLE_F32, -0.3);
}

/* With a cap on its memory, spgemm_auto counts all rows before it computes one: it takes less. */
static void test_capped(void **state) {
    (void)state;
    int64_t capped = 0, free = 0;
    for (int i = 0; i < PAIRS; i++) {
        way any = {TULLE_F64, 1, 0, "spgemm_auto"}, less = any;
        less.cap = (size_t)1 << 36;
        product one = multiply(places[1], pairs[i], &any);
        product two = multiply(places[1], pairs[i], &less);
        assert_same(&one, &two);
        capped += two.peak;
        free += one.peak;
        free_product(&two);
        free_product(&one);
    }
    assert_true(capped < free);
}

/* Neither more than all products nor more than all places of C are expected. */
static void test_bound(void **state) {
    (void)state;
    const char *const sparse[] = {"random:4000,4000,9", "random:4000,4000,9"};
    const char *const full[] = {"random:60,4000,2000", "random:4000,60,40"};
    way any = {TULLE_F64, 1, (size_t)1 << 36, "spgemm_hash"};
    product one = multiply(places[0], sparse, &any), two = multiply(places[0], full, &any);
    assert_in_range(one.bound, 1, 12 * 81 * 4000 + 200000);
    assert_in_range(two.bound, 1, 200000);
    free_product(&two);
    free_product(&one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f64),
        cmocka_unit_test(test_f32_scaled),
        cmocka_unit_test(test_capped),
        cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
