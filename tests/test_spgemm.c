/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel for C = alpha op(A) op(B) against the definition in long double: the pattern
 * exactly, the values within their bound. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

/* What an entry of C is by definition; products 0: there is none. */
typedef struct {
    long double sum, magnitude;
    int64_t products;
} want;

/* Row i of op(A) op(B), for a B whose entries are sorted by row and begin[k] is the first of row k.
 */
static void row_by_definition(const entries *a, const entries *b, const int64_t *begin, int64_t i,
                              want *row) {
    memset(row, 0, (size_t)b->cols * sizeof *row);
    for (int64_t e = 0; e < a->nnz; e++) {
        if (a->row[e] != i) continue;
        for (int64_t f = begin[a->col[e]]; f < begin[a->col[e] + 1]; f++) {
            long double product = (long double)a->value[e] * (long double)b->value[f];
            want *w = &row[b->col[f]];
            w->sum += product;
            w->magnitude += fabsl(product);
            w->products++;
        }
    }
}

static int64_t *row_begins(const entries *sorted) {
    int64_t *begin = calloc((size_t)sorted->rows + 1, sizeof *begin);
    assert_non_null(begin);
    for (int64_t e = 0; e < sorted->nnz; e++) begin[sorted->row[e] + 1]++;
    for (int64_t i = 0; i < sorted->rows; i++) begin[i + 1] += begin[i];
    return begin;
}

static double error_of(const want *w, double alpha, tulle_type type, double got) {
    long double unit = type == TULLE_F32 ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
    long double tiny = type == TULLE_F32 ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    long double n = (long double)(w->products + 1), scale = fabsl((long double)alpha);
    long double bound = n * unit / (1 - n * unit) * scale * w->magnitude + n * (1 + scale) * tiny;
    long double error = fabsl((long double)got - (long double)alpha * w->sum) / bound;
    return isnan(error) ? INFINITY : (double)error;
}

typedef struct {
    tulle_trans op_A, op_B;
    double alpha;
    tulle_type type;
    tulle_index a_index, b_index;
    bool unsorted;
} setting;

static void check_row(const want *row, int64_t cols, const entries *c, int64_t *at, int64_t i,
                      const setting *s) {
    int64_t last = -1, found = 0, wanted = 0;
    for (; *at < c->nnz && c->row[*at] == i; ++*at) {
        int64_t j = c->col[*at];
        if (!s->unsorted) assert_true(j > last);
        last = j;
        if (row[j].products == 0) fail_msg("C has (%lld, %lld)", (long long)i, (long long)j);
        double error = error_of(&row[j], s->alpha, s->type, c->value[*at]);
        if (!(error <= 1)) fail_msg("(%lld, %lld) off by %g", (long long)i, (long long)j, error);
        found++;
    }
    for (int64_t j = 0; j < cols; j++) wanted += row[j].products > 0;
    assert_int_equal(found, wanted);
}

static void check_product(tulle_ctx *ctx, const entries *A, const entries *B, const setting *s,
                          const tulle_mat *C) {
    entries a = entries_copy(A), b = entries_copy(B), c = entries_read(ctx, C);
    if (s->op_A == TULLE_T) entries_transpose(&a);
    if (s->op_B == TULLE_T) entries_transpose(&b);
    entries_sort(&b);
    int64_t *begin = row_begins(&b), at = 0;
    want *row = calloc((size_t)b.cols + 1, sizeof *row);
    assert_non_null(row);
    assert_int_equal(c.rows, a.rows);
    assert_int_equal(c.cols, b.cols);
    for (int64_t i = 0; i < a.rows; i++) {
        row_by_definition(&a, &b, begin, i, row);
        check_row(row, b.cols, &c, &at, i, s);
    }
    assert_int_equal(at, c.nnz);
    free(row);
    free(begin);
    entries_free(&a);
    entries_free(&b);
    entries_free(&c);
}

/* The entries as they stand, in CSR: the order within rows is theirs. */
static tulle_mat *matrix_of(tulle_ctx *ctx, const entries *e, tulle_index index, tulle_type type) {
    entries rows = entries_copy(e);
    for (int64_t k = 0; k < rows.nnz; k++) rows.col[k] = k;
    entries_sort(&rows); /* by row, and within rows as given */
    int64_t *begin = row_begins(&rows), *columns = calloc((size_t)e->nnz + 1, sizeof *columns);
    double *values = calloc((size_t)e->nnz + 1, sizeof *values);
    assert_non_null(columns);
    assert_non_null(values);
    for (int64_t k = 0; k < e->nnz; k++) {
        columns[k] = e->col[rows.col[k]];
        values[k] = e->value[rows.col[k]];
    }
    void *offsets = widths(begin, e->rows + 1, tulle_offset_size(index), 0);
    void *cols = widths(columns, e->nnz, tulle_index_size(index), 0);
    void *typed = values_as(values, e->nnz, type);
    tulle_mat *A = NULL;
    must(tulle_mat_create_csr(ctx, e->rows, e->cols, e->nnz, index, offsets, cols, type, typed,
                              NULL, &A));
    free(typed);
    free(cols);
    free(offsets);
    free(values);
    free(columns);
    free(begin);
    entries_free(&rows);
    return A;
}

/* The same call twice: right, and the same bits. */
static void multiply(tulle_ctx *ctx, const entries *A, const entries *B, const setting *s) {
    tulle_mat *a = matrix_of(ctx, A, s->a_index, s->type);
    tulle_mat *b = matrix_of(ctx, B, s->b_index, s->type);
    tulle_mat *C = NULL, *again = NULL;
    tulle_spgemm_options options = {.unsorted = s->unsorted};
    tulle_spgemm_report report;
    must(tulle_spgemm(ctx, s->op_A, s->op_B, tulle_num(s->alpha), a, b, &options, NULL, &C));
    check_product(ctx, A, B, s, C);
    must(tulle_spgemm(ctx, s->op_A, s->op_B, tulle_num(s->alpha), a, b, &options, &report, &again));
    if (!s->unsorted) {
        entries one = entries_read(ctx, C), two = entries_read(ctx, again);
        entries_assert_same(&one, &two, report.kernel);
        assert_int_equal(report.nnz, one.nnz);
        entries_free(&one);
        entries_free(&two);
    }
    tulle_mat_destroy(again);
    tulle_mat_destroy(C);
    tulle_mat_destroy(b);
    tulle_mat_destroy(a);
}

/* The i-th of all settings, in an order in which neighbours differ in much. */
static setting setting_number(unsigned i) {
    static const double alphas[] = {1, -0.75, 0, 1e30};
    return (setting){.alpha = alphas[i % 4],
                     .type = (tulle_type)(i / 2 % 2),
                     .a_index = (tulle_index)(i % 3),
                     .b_index = (tulle_index)(i / 3 % 3),
                     .unsorted = i % 5 == 4};
}

typedef struct {
    tulle_ctx *ctx;
    const char *where;
    unsigned number; /* of the setting */
    int third;       /* of the cases that is tried, from 1; 0: all are */
    int cases;       /* so far */
} tester;

/* Each order of the emulator meets a third of the cases. */
static bool is_turn(tester *t) {
    int number = t->cases++;
    return t->third == 0 || number % 3 == t->third - 1;
}

static void try_ops(tester *t, const entries *A, const entries *B) {
    for (int ops = 0; ops < 4; ops++) {
        setting s = setting_number(t->number++);
        s.op_A = (tulle_trans)(ops & 1);
        s.op_B = (tulle_trans)(ops >> 1);
        int64_t inner = s.op_A == TULLE_N ? A->cols : A->rows;
        int64_t rows = s.op_B == TULLE_N ? B->rows : B->cols;
        if (inner == rows) multiply(t->ctx, A, B, &s);
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
    setting s = setting_number(t->number++);
    multiply(t->ctx, &A, &B, &s);
    entries_free(&A);
    entries_free(&B);
}

/* A B whose columns never fall, and repeat. */
static void try_repeated(tester *t) {
    entries A = entries_random(6, 20, 60, 31), B = entries_random(20, 15, 300, 32);
    entries_sort(&B);
    setting s = setting_number(t->number++);
    multiply(t->ctx, &A, &B, &s);
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
    try_random(t, 1, 300, 2000, 300, 12000, 6);
    try_random(t, 3, 5, 70000, 12, 20000, 7);
    try_random(t, 9, 200, 40000, 400, 800, 8);
    try_random(t, 5, 90, 50000, 200, 700, 9);
    try_random(t, 4, 300, 60000, 400, 4500, 10);
    try_random(t, 1, 20, 20000, 18, 8000, 11);
    try_repeated(t);
}

/* Each entry adds its products in the order of A's row: A holds powers of two, so that products are
 * exact and only the order of the sums decides their bits. */
static void check_order(tulle_ctx *ctx, const entries *A, const entries *B, const tulle_mat *C) {
    entries c = entries_read(ctx, C);
    int64_t *begin = row_begins(B), at = 0;
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

static void try_order_of(tester *t, int64_t rows, int64_t inner, int64_t cols, int64_t a_nnz,
                         int64_t b_nnz, uint64_t seed) {
    if (!is_turn(t)) return;
    entries A = entries_random(rows, inner, a_nnz, seed);
    entries B = entries_random(inner, cols, b_nnz, seed + 1);
    for (int64_t e = 0; e < A.nnz; e++) A.value[e] = ldexp(e % 3 == 0 ? -1 : 1, (int)(e % 60));
    entries_sort(&B);
    entries_sum(&B, TULLE_F64);
    tulle_mat *a = matrix_of(t->ctx, &A, TULLE_I32, TULLE_F64), *C = NULL;
    tulle_mat *b = matrix_of(t->ctx, &B, TULLE_I32, TULLE_F64);
    must(tulle_spgemm(t->ctx, TULLE_N, TULLE_N, tulle_num(1), a, b, NULL, NULL, &C));
    check_order(t->ctx, &A, &B, C);
    tulle_mat_destroy(C);
    tulle_mat_destroy(b);
    tulle_mat_destroy(a);
    entries_free(&A);
    entries_free(&B);
}

/* Few columns, so that many products meet; rows of every kind. */
static void try_order(tester *t) {
    try_order_of(t, 20, 30, 12, 200, 120, 21);
    try_order_of(t, 9, 60, 90, 500, 2500, 22);
    try_order_of(t, 4, 500, 40000, 1200, 1500, 23);
    try_order_of(t, 2, 200, 900, 300, 9000, 24);
    try_order_of(t, 1, 4000, 50000, 4000, 8000, 25);
    try_order_of(t, 2, 5, 35000, 12, 20000, 26);
    try_order_of(t, 3, 9, 40000, 150, 27, 27);
    try_order_of(t, 2, 20, 50000, 300, 100, 28);
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
        tester t = {ctx, where, (unsigned)turn_of(where, 12), third, 0};
        test(&t);
        tried++;
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
    assert_true(tried > 0);
}

/* The third of the cases for an order of the emulator, of which there are three. */
static int third_of(const char *where, int *orders) {
    return is_slow(where) ? 1 + (turn_of(where, 3) + (*orders)++) % 3 : 0;
}

static void zoo(tulle_ctx *ctx, const char *where) {
    static int orders;
    each_kernel(ctx, where, third_of(where, &orders), try_zoo);
}

static void kinds(tulle_ctx *ctx, const char *where) {
    static int orders;
    each_kernel(ctx, where, third_of(where, &orders), try_kinds);
}

static void order(tulle_ctx *ctx, const char *where) {
    static int orders;
    each_kernel(ctx, where, third_of(where, &orders), try_order);
}

/* A row of so many products that several blocks of a GPU share it. */
static void try_giant(tester *t) {
    setting s = setting_number(t->number);
    s.unsorted = false;
    entries A = entries_random(3, 40, 60, 11), B = entries_random(40, 150000, 300000, 12);
    for (int64_t e = 0; e < 45; e++) A.row[e] = 1;
    multiply(t->ctx, &A, &B, &s);
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
