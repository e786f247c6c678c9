/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel for C = alpha op(A) op(B) against the definition in long double: the pattern
 * exactly, the values within their bound. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "spgemm_check.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

typedef struct {
    tulle_ctx *ctx;
    const char *where;
    bool repeatable; /* as the kernel says */
    unsigned number; /* of the setting */
    int third;       /* of the cases that is tried, from 1; 0: all are */
    int ninth;       /* the third of that third, from 0; -1: all of it */
    int cases;       /* so far */
} tester;

/* Products that take some seconds on the emulator. */
enum { MOST_EMULATED = 200000 };

/* The same call again: the same bits where the kernel says so. */
static void multiply_again(const tester *t, const entries *A, const entries *B,
                           const spgemm_setting *s, const tulle_mat *a, const tulle_mat *b,
                           const tulle_mat *C) {
    tulle_ctx *ctx = t->ctx;
    tulle_mat *again = NULL;
    tulle_spgemm_options options = {.unsorted = s->unsorted};
    tulle_spgemm_report report;
    must(tulle_spgemm(ctx, s->op_A, s->op_B, tulle_num(s->alpha), a, b, &options, &report, &again));
    if (!t->repeatable) spgemm_check(ctx, A, B, s, again);
    if (!s->unsorted && t->repeatable) {
        entries one = entries_read(ctx, C), two = entries_read(ctx, again);
        entries_assert_same(&one, &two, report.kernel);
        assert_int_equal(report.nnz, one.nnz);
        entries_free(&one);
        entries_free(&two);
    }
    tulle_mat_destroy(again);
}

/* Right, and once more; on the emulator, where each call takes long, one in three. */
static void multiply(const tester *t, const entries *A, const entries *B, const spgemm_setting *s) {
    tulle_ctx *ctx = t->ctx;
    tulle_mat *a = entries_to_csr(ctx, A, s->a_index, s->type);
    tulle_mat *b = entries_to_csr(ctx, B, s->b_index, s->type);
    tulle_mat *C = NULL;
    tulle_spgemm_options options = {.unsorted = s->unsorted};
    must(tulle_spgemm(ctx, s->op_A, s->op_B, tulle_num(s->alpha), a, b, &options, NULL, &C));
    spgemm_check(ctx, A, B, s, C);
    if (!is_slow(t->where) || t->number % 3 == 0) multiply_again(t, A, B, s, a, b, C);
    tulle_mat_destroy(C);
    tulle_mat_destroy(b);
    tulle_mat_destroy(a);
}

/* The i-th of all settings, in an order in which neighbours differ in much. */
static spgemm_setting setting_number(unsigned i) {
    static const double alphas[] = {1, -0.75, 0, 1e30};
    return (spgemm_setting){.alpha = alphas[i % 4],
                            .type = i / 2 % 2 ? TULLE_F64 : TULLE_F32,
                            .a_index = (tulle_index)(i % 3),
                            .b_index = (tulle_index)(i / 3 % 3),
                            .unsorted = i % 5 == 4};
}

/* Each order of the emulator meets a third of the cases, with the default kernel and with one that
 * is tested alone; with others, a ninth. */
static bool is_turn(tester *t) {
    int number = t->cases++;
    if (t->third == 0) return true;
    return number % 3 == t->third - 1 && (t->ninth < 0 || number / 3 % 3 == t->ninth);
}

/* How many products there are. */
static int64_t products_of(const entries *A, const entries *B, const spgemm_setting *s) {
    const int64_t *inner = s->op_A == TULLE_N ? A->col : A->row;
    entries b = entries_copy(B);
    if (s->op_B == TULLE_T) entries_transpose(&b);
    int64_t *begin = entries_begins(&b), products = 0; /* their number is all that is asked */
    for (int64_t e = 0; e < A->nnz; e++) products += begin[inner[e] + 1] - begin[inner[e]];
    free(begin);
    entries_free(&b);
    return products;
}

/* On the emulator without a few that have many products, in hundreds of rows that are alike:
 * try_kinds has some such rows. */
static void try_ops(tester *t, const entries *A, const entries *B) {
    for (int ops = 0; ops < 4; ops++) {
        spgemm_setting s = setting_number(t->number++);
        s.op_A = (tulle_trans)(ops & 1);
        s.op_B = (tulle_trans)(ops >> 1);
        int64_t inner = s.op_A == TULLE_N ? A->cols : A->rows;
        int64_t rows = s.op_B == TULLE_N ? B->rows : B->cols;
        if (inner != rows) continue;
        if (is_slow(t->where) && products_of(A, B, &s) > MOST_EMULATED) continue;
        multiply(t, A, B, &s);
    }
}

/* Each matrix of the zoo by itself and turned. */
static void try_zoo(tester *t) {
    for (int i = 0; i < zoo_count(); i++) {
        if (!is_turn(t)) continue;
        zoo_matrix m = zoo_make(i);
        entries e = entries_of_zoo(&m);
        try_ops(t, &e, &e);
        entries_free(&e);
        zoo_free(&m);
    }
}

static void try_random(tester *t, int64_t rows, int64_t inner, int64_t cols, int64_t a_nnz,
                       int64_t b_nnz, uint64_t seed) {
    if (!is_turn(t)) return;
    entries A = entries_random(rows, inner, a_nnz, seed);
    entries B = entries_random(inner, cols, b_nnz, seed + 1);
    spgemm_setting s = setting_number(t->number++);
    multiply(t, &A, &B, &s);
    entries_free(&A);
    entries_free(&B);
}

/* A B whose columns never fall, and repeat. */
static void try_repeated(tester *t) {
    entries A = entries_random(6, 20, 60, 31), B = entries_random(20, 15, 300, 32);
    entries_sort(&B);
    spgemm_setting s = setting_number(t->number++);
    multiply(t, &A, &B, &s);
    entries_free(&A);
    entries_free(&B);
}

/* Rows of every kind: with no products, a few, hundreds, thousands; few and many columns. */
static void try_kinds(tester *t) {
    try_random(t, 50, 40, 60, 100, 80, 1);
    try_random(t, 33, 70, 1000, 300, 900, 2);
    try_random(t, 9, 60, 90, 500, 2500, 3);
    try_random(t, 5, 60, 40000, 200, 3000, 4);
    try_random(t, 70, 9, 300, 90, 1500, 5);
    try_random(t, 1, 300, 2000, 700, 5000, 6);
    try_random(t, 2, 5, 70000, 7, 20000, 7);
    try_random(t, 9, 200, 40000, 400, 800, 8);
    try_random(t, 5, 90, 50000, 200, 700, 9);
    try_random(t, 4, 300, 60000, 400, 4500, 10);
    try_random(t, 1, 20, 20000, 18, 8000, 11);
    try_random(t, 2, 30, 800, 40, 1600, 13);
    try_repeated(t);
}

/* Each entry adds its products in the order of A's row: A holds powers of two, so that products are
 * exact and only the order of the sums decides their bits. */
static void check_order(tulle_ctx *ctx, const entries *A, const entries *B, const tulle_mat *C) {
    entries c = entries_read(ctx, C);
    int64_t *begin = entries_begins(B), at = 0;
    double *sums = calloc((size_t)B->cols + 1, sizeof *sums);
    assert_non_null(sums);
    for (int64_t i = 0; i < A->rows; i++) {
        memset(sums, 0, (size_t)B->cols * sizeof *sums);
        for (int64_t e = 0; e < A->nnz; e++) {
            if (A->row[e] != i) continue;
            for (int64_t f = begin[A->col[e]]; f < begin[A->col[e] + 1]; f++) {
                sums[B->col[f]] += A->value[e] * B->value[f];
            }
        }
        for (; at < c.nnz && c.row[at] == i; at++) assert_true(c.value[at] == sums[c.col[at]]);
    }
    free(sums);
    free(begin);
    entries_free(&c);
}

/* apart: number that all columns of B are multiples of. */
static void try_order_apart(tester *t, int64_t rows, int64_t inner, int64_t cols, int64_t apart,
                            int64_t a_nnz, int64_t b_nnz, uint64_t seed) {
    if (!is_turn(t)) return;
    entries A = entries_random(rows, inner, a_nnz, seed);
    entries B = entries_random(inner, cols, b_nnz, seed + 1);
    for (int64_t e = 0; e < B.nnz; e++) B.col[e] *= apart;
    B.cols *= apart;
    for (int64_t e = 0; e < A.nnz; e++) A.value[e] = ldexp(e % 3 == 0 ? -1 : 1, (int)(e % 60));
    entries_sort(&B);
    entries_sum(&B, TULLE_F64);
    tulle_mat *a = entries_to_csr(t->ctx, &A, TULLE_I32, TULLE_F64), *C = NULL;
    tulle_mat *b = entries_to_csr(t->ctx, &B, TULLE_I32, TULLE_F64);
    must(tulle_spgemm(t->ctx, TULLE_N, TULLE_N, tulle_num(1), a, b, NULL, NULL, &C));
    check_order(t->ctx, &A, &B, C);
    tulle_mat_destroy(C);
    tulle_mat_destroy(b);
    tulle_mat_destroy(a);
    entries_free(&A);
    entries_free(&B);
}

static void try_order_of(tester *t, int64_t rows, int64_t inner, int64_t cols, int64_t a_nnz,
                         int64_t b_nnz, uint64_t seed) {
    try_order_apart(t, rows, inner, cols, 1, a_nnz, b_nnz, seed);
}

/* Rows of up to some hundred products that a GPU sorts: many products meet, and columns lie far
 * from each other. */
static void try_far_columns(tester *t, int64_t rows, int64_t inner, int64_t cols, int64_t a_nnz,
                            int64_t b_nnz, uint64_t seed) {
    try_order_apart(t, rows, inner, cols, 1001, a_nnz, b_nnz, seed);
}

/* Few columns, so that many products meet; rows of every kind. */
static void try_order(tester *t) {
    if (!t->repeatable) return;
    try_order_of(t, 20, 30, 12, 200, 120, 21);
    try_order_of(t, 9, 60, 90, 500, 2500, 22);
    try_order_of(t, 4, 500, 40000, 1200, 1500, 23);
    try_order_of(t, 2, 200, 900, 300, 9000, 24);
    try_order_of(t, 1, 4000, 50000, 4000, 8000, 25);
    try_order_of(t, 2, 5, 35000, 7, 20000, 26);
    try_order_of(t, 3, 9, 40000, 150, 27, 27);
    try_order_of(t, 2, 20, 50000, 300, 100, 28);
    try_far_columns(t, 140, 40, 60, 700, 320, 29);
    try_far_columns(t, 140, 40, 60, 1300, 320, 30);
    try_far_columns(t, 140, 40, 300, 1500, 700, 33);
    try_far_columns(t, 140, 40, 500, 3000, 700, 34);
}

static void each_kernel(tulle_ctx *ctx, const char *where, int third, void (*test)(tester *)) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    int tried = 0;
    for (int k = 0; k < tulle_kernel_count(device.backend); k++) {
        tulle_kernel_info info;
        must(tulle_kernel_describe(device.backend, k, &info));
        if (strcmp(info.operation, "spgemm") != 0 || !is_wanted(info.name)) continue;
        must(tulle_ctx_force_kernel(ctx, info.name));
        bool all = strcmp(info.name, "spgemm_auto") == 0 || getenv("TULLE_TEST_KERNEL");
        tester t = {ctx,
                    where,
                    info.repeatable,
                    (unsigned)turn_of(where, 12),
                    third,
                    all ? -1 : turn_of(where, 9) / 3,
                    0};
        test(&t);
        tried++;
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
    assert_true(tried > 0);
}

/* The third of the cases for an order of the emulator, of which there are three. */
static int third_of(const char *where) {
    return is_slow(where) ? 1 + turn_in_order(where, 3) : 0;
}

static void zoo(tulle_ctx *ctx, const char *where) {
    each_kernel(ctx, where, third_of(where), try_zoo);
}

static void kinds(tulle_ctx *ctx, const char *where) {
    each_kernel(ctx, where, third_of(where), try_kinds);
}

static void order(tulle_ctx *ctx, const char *where) {
    each_kernel(ctx, where, third_of(where), try_order);
}

/* A row of so many products that several blocks of a GPU share it: three, each with more entries
 * than it holds sums at a time. */
static void try_giant(tester *t) {
    spgemm_setting s = setting_number(t->number);
    s.unsorted = false;
    entries A = entries_random(3, 40, 60, 11), B = entries_random(40, 40000, 40000, 12);
    for (int64_t e = 0; e < 50; e++) A.row[e] = 1;
    multiply(t, &A, &B, &s);
    entries_free(&A);
    entries_free(&B);
}

static void giant(tulle_ctx *ctx, const char *where) {
    each_kernel(ctx, where, 0, try_giant);
}

static void test_zoo(void **state) {
    (void)state;
    on_each_place(zoo);
}

static void test_kinds(void **state) {
    (void)state;
    on_each_place(kinds);
}

static void test_order(void **state) {
    (void)state;
    on_each_place(order);
}

static void test_giant(void **state) {
    (void)state;
    once_on_each_place(giant);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zoo),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_giant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
