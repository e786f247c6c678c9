/* SPDX-License-Identifier: Apache-2.0 */
/* Multivectors times small dense matrices and each other: against the definition, of every width,
 * in every layout, in parts, and the same bits whatever the threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "columns.h"
#include "places.h"
#include "tulle/vec.h"

static const lie lies[] = {
    {TULLE_COLUMN_MAJOR, 0, 0}, {TULLE_ROW_MAJOR, 0, 0},    {TULLE_COLUMN_MAJOR, 3, 1},
    {TULLE_ROW_MAJOR, 1, 0},    {TULLE_COLUMN_MAJOR, 4, 2}, {TULLE_ROW_MAJOR, 4, 3},
};
enum { LIES = sizeof lies / sizeof *lies };

/* One product of n x k1, k2 columns, in some layouts and scalars. */
typedef struct {
    int64_t n, k1, k2;
    tulle_type type;
    double alpha, beta;
    const lie *of_x, *of_a, *of_y;
} product;

static const double *scalars_of(int turn) {
    static const double all[][2] = {{1, 1}, {-1, 1}, {1, 0}, {-0.75, 0.5}};
    return all[turn % 4];
}

/* The transposed product sums over rows, the other one over columns; both into y, n x k2. */
static void check(const product *p, const columns *x, const columns *a, const columns *y,
                  const columns *got, bool transposed) {
    const long double alpha = p->alpha, beta = p->beta;
    const int64_t rows = transposed ? p->k1 : p->n, count = transposed ? p->n : p->k1;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t c = 0; c < p->k2; c++) {
            long double sum = 0, size = 0;
            for (int64_t k = 0; k < count; k++) {
                const long double of_x = transposed ? x->at[k + i * p->n] : x->at[i + k * p->n];
                const long double product_of = of_x * a->at[k + c * count];
                sum += product_of;
                size += fabsl(product_of);
            }
            const long double old = beta == 0 ? 0 : beta * y->at[i + c * rows];
            const long double parts = (long double)((p->k1 - 1) / 32);
            long double bound = (long double)(count + 2) * (1 + fabsl(alpha)) * least_of(p->type);
            if (transposed) {
                bound += gamma_of(700, p->type) * fabsl(alpha) * size +
                         gamma_of((long double)p->n / 8192, TULLE_F64) * fabsl(alpha) * size +
                         gamma_of(3, p->type) * fabsl(old);
            } else {
                bound += gamma_of((long double)p->k1 + 3 + 2 * parts, p->type) *
                         (fabsl(alpha) * size + fabsl(old));
            }
            assert_near(got->at[i + c * rows], alpha * sum + old, bound,
                        transposed ? "dot" : "axpy");
        }
    }
}

/* With a beta of 0, what Y holds is no number. */
static void spoil(columns *y, double beta) {
    for (int64_t k = 0; k < y->rows * y->cols && beta == 0; k++) y->at[k] = NAN;
}

static void try_axpy(tulle_ctx *ctx, const product *p) {
    columns x = columns_random(p->n, p->k1, 1, p->type);
    columns a = columns_random(p->k1, p->k2, 2, p->type);
    columns y = columns_random(p->n, p->k2, 3, p->type);
    spoil(&y, p->beta);
    placed on_x = columns_place(ctx, &x, p->type, *p->of_x);
    placed on_a = columns_place(ctx, &a, p->type, *p->of_a);
    placed on_y = columns_place(ctx, &y, p->type, *p->of_y);
    must(tulle_vec_combine(ctx, tulle_num(p->alpha), on_x.X, on_a.X, tulle_num(p->beta), on_y.X));
    columns got = placed_read(ctx, &on_y);
    check(p, &x, &a, &y, &got, false);
    placed_free(&on_x);
    placed_free(&on_a);
    placed_free(&on_y);
    columns_free(&x);
    columns_free(&a);
    columns_free(&y);
    columns_free(&got);
}

static void try_dot(tulle_ctx *ctx, const product *p) {
    columns x = columns_random(p->n, p->k1, 1, p->type);
    columns z = columns_random(p->n, p->k2, 2, p->type);
    columns r = columns_random(p->k1, p->k2, 3, p->type);
    spoil(&r, p->beta);
    placed on_x = columns_place(ctx, &x, p->type, *p->of_x);
    placed on_z = columns_place(ctx, &z, p->type, *p->of_a);
    placed on_r = columns_place(ctx, &r, p->type, *p->of_y);
    must(tulle_vec_inner(ctx, tulle_num(p->alpha), on_x.X, on_z.X, tulle_num(p->beta), on_r.X));
    columns got = placed_read(ctx, &on_r);
    check(p, &x, &z, &r, &got, true);
    placed_free(&on_x);
    placed_free(&on_z);
    placed_free(&on_r);
    columns_free(&x);
    columns_free(&z);
    columns_free(&r);
    columns_free(&got);
}

static void try_both(tulle_ctx *ctx, int64_t n, int64_t k1, int64_t k2, int turn) {
    const double *by = scalars_of(turn);
    const product p = {n,
                       k1,
                       k2,
                       turn % 3 ? TULLE_F64 : TULLE_F32,
                       by[0],
                       by[1],
                       lies + turn % LIES,
                       lies + turn / 2 % LIES,
                       lies + turn / 3 % LIES};
    try_axpy(ctx, &p);
    try_dot(ctx, &p);
}

/* Every width up to two parts' worth, with some other ones. */
static void widths(tulle_ctx *ctx, const char *where) {
    static const int64_t others[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33};
    int turn = 0;
    for (int64_t k = 1; k <= 34; k++) {
        for (int o = 0; o < 12; o++, turn += 5) {
            if (is_slow(where) && (k + o + turn_of(where, 9)) % 9) continue;
            try_both(ctx, 70, k, others[o], turn);
            try_both(ctx, 131, others[o], k, turn + 2);
        }
    }
    try_both(ctx, 40, 65, 70, 3);
}
static void test_widths(void **state) {
    (void)state;
    on_each_place(widths);
}

/* Around tiles and pieces; none at all. */
static void lengths(tulle_ctx *ctx, const char *where) {
    static const int64_t n[] = {0,   1,   2,   31,  32,  33,  127,  128, 129,
                                255, 256, 257, 511, 512, 513, 1025, 5003};
    static const int64_t k[][2] = {{1, 1}, {4, 4}, {8, 8}, {16, 16}, {3, 2}, {32, 5}};
    int turn = 1;
    for (int i = 0; i < 17; i++) {
        for (int j = 0; j < 6; j++, turn += 7) {
            if (is_slow(where) && (i + j + turn_of(where, 3)) % 3) continue;
            try_both(ctx, n[i], k[j][0], k[j][1], turn);
        }
    }
    if (!is_slow(where)) try_both(ctx, 300007, 5, 3, 1); /* more rows than pieces of them */
    try_both(ctx, 5, 0, 3, 2);                           /* Y := beta Y, R has no numbers */
    try_both(ctx, 5, 0, 3, 3);
    try_both(ctx, 5, 3, 0, 3);
}
static void test_lengths(void **state) {
    (void)state;
    on_each_place(lengths);
}

/* Scalars in the place's memory, and X with itself. */
static void scalars(tulle_ctx *ctx, const char *where) {
    (void)where;
    const product p = {600, 5, 5, TULLE_F64, -0.5, 0.25, lies, lies, lies};
    columns x = columns_random(600, 5, 1, TULLE_F64), r = columns_random(5, 5, 2, TULLE_F64);
    columns two = {2, 1, (long double[]){p.alpha, p.beta}};
    placed on_x = columns_place(ctx, &x, TULLE_F64, lies[1]);
    placed on_r = columns_place(ctx, &r, TULLE_F64, lies[0]);
    placed on_two = columns_place(ctx, &two, TULLE_F64, lies[0]);
    tulle_vec_info info;
    must(tulle_vec_describe(on_two.X, &info));
    const double *by = info.data;
    must(tulle_vec_inner(ctx, tulle_at(by), on_x.X, on_x.X, tulle_at(by + 1), on_r.X));
    columns got = placed_read(ctx, &on_r), y = columns_random(600, 5, 3, TULLE_F64);
    check(&p, &x, &x, &r, &got, true);
    placed on_y = columns_place(ctx, &y, TULLE_F64, lies[1]);
    must(tulle_vec_combine(ctx, tulle_at(by), on_x.X, on_r.X, tulle_at(by + 1), on_y.X));
    columns sum = placed_read(ctx, &on_y);
    check(&p, &x, &got, &y, &sum, false);
    columns_free(&x);
    columns_free(&r);
    columns_free(&y);
    columns_free(&got);
    columns_free(&sum);
    placed_free(&on_x);
    placed_free(&on_y);
    placed_free(&on_r);
    placed_free(&on_two);
}
static void test_scalars(void **state) {
    (void)state;
    on_each_place(scalars);
}

/* NaN reaches the row, or the row and column, of R that it belongs to, and no other. */
static void no_numbers(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int l = 0; l < LIES; l++) {
        columns x = columns_random(700, 3, 1, TULLE_F64), a = columns_random(3, 4, 2, TULLE_F64);
        columns z = columns_random(700, 4, 3, TULLE_F64), r = columns_random(3, 4, 4, TULLE_F64);
        x.at[650 + 700] = NAN;
        placed on_x = columns_place(ctx, &x, TULLE_F64, lies[l]);
        placed on_a = columns_place(ctx, &a, TULLE_F64, lies[0]);
        placed on_z = columns_place(ctx, &z, TULLE_F64, lies[(l + 1) % LIES]);
        placed on_r = columns_place(ctx, &r, TULLE_F64, lies[0]);
        must(tulle_vec_inner(ctx, tulle_num(1), on_x.X, on_z.X, tulle_num(0), on_r.X));
        must(tulle_vec_combine(ctx, tulle_num(1), on_x.X, on_a.X, tulle_num(1), on_z.X));
        columns got = placed_read(ctx, &on_r), sum = placed_read(ctx, &on_z);
        for (int64_t k = 0; k < 12; k++) assert_int_equal(isnan(got.at[k]), k % 3 == 1);
        for (int64_t k = 0; k < 2800; k++) assert_int_equal(isnan(sum.at[k]), k % 700 == 650);
        columns_free(&x);
        columns_free(&a);
        columns_free(&z);
        columns_free(&r);
        columns_free(&got);
        columns_free(&sum);
        placed_free(&on_x);
        placed_free(&on_a);
        placed_free(&on_z);
        placed_free(&on_r);
    }
}
static void test_no_numbers(void **state) {
    (void)state;
    once_on_each_place(no_numbers);
}

/* The same bits however numbers lie. */
static void layouts(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const int64_t k[][2] = {{1, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 16}, {32, 32}, {6, 4}};
    for (int i = 0; i < 7; i++) {
        const tulle_type type = i % 2 ? TULLE_F64 : TULLE_F32;
        const int64_t n = 600 + 4 * i, k1 = k[i][0], k2 = k[i][1];
        columns x = columns_random(n, k1, 1, type), z = columns_random(n, k2, 2, type);
        columns a = columns_random(k1, k2, 3, type), want_r = {0}, want_y = {0};
        for (int l = 0; l < LIES; l++) {
            placed on_x = columns_place(ctx, &x, type, lies[l]);
            placed on_y = columns_place(ctx, &z, type, lies[l]);
            placed on_a = columns_place(ctx, &a, type, lies[0]);
            placed on_r = columns_place(ctx, &a, type, lies[0]);
            must(tulle_vec_inner(ctx, tulle_num(1), on_x.X, on_y.X, tulle_num(0), on_r.X));
            must(tulle_vec_combine(ctx, tulle_num(-1), on_x.X, on_a.X, tulle_num(1), on_y.X));
            columns r = placed_read(ctx, &on_r), y = placed_read(ctx, &on_y);
            if (l == 0) {
                want_r = columns_copy(&r);
                want_y = columns_copy(&y);
            }
            for (int64_t e = 0; e < k1 * k2; e++) assert_near(r.at[e], want_r.at[e], 0, "dot");
            for (int64_t e = 0; e < n * k2; e++) assert_near(y.at[e], want_y.at[e], 0, "axpy");
            columns_free(&r);
            columns_free(&y);
            placed_free(&on_x);
            placed_free(&on_y);
            placed_free(&on_a);
            placed_free(&on_r);
        }
        columns_free(&want_r);
        columns_free(&want_y);
        columns_free(&x);
        columns_free(&z);
        columns_free(&a);
    }
}
static void test_layouts(void **state) {
    (void)state;
    once_on_each_place(layouts);
}

/* The same bits for any number of threads. */
static void test_threads(void **state) {
    (void)state;
    static const char *const where[] = {"cpu:1", "cpu:2", "cpu:5"};
    columns x = columns_random(40011, 4, 1, TULLE_F64), r = columns_random(4, 4, 2, TULLE_F64);
    columns want = {0};
    for (int w = 0; w < 3; w++) {
        tulle_ctx *ctx = NULL;
        must(tulle_ctx_create(where[w], NULL, &ctx));
        placed on_x = columns_place(ctx, &x, TULLE_F64, lies[w]);
        placed on_y = columns_place(ctx, &x, TULLE_F64, lies[w]);
        placed on_r = columns_place(ctx, &r, TULLE_F64, lies[0]);
        must(tulle_vec_combine(ctx, tulle_num(-1), on_x.X, on_r.X, tulle_num(1), on_y.X));
        must(tulle_vec_inner(ctx, tulle_num(1), on_x.X, on_y.X, tulle_num(0), on_r.X));
        columns got = placed_read(ctx, &on_r);
        if (w == 0) want = columns_copy(&got);
        for (int64_t k = 0; k < 16; k++) assert_true(got.at[k] == want.at[k]);
        columns_free(&got);
        placed_free(&on_x);
        placed_free(&on_y);
        placed_free(&on_r);
        tulle_ctx_destroy(ctx);
    }
    columns_free(&want);
    columns_free(&x);
    columns_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths),  cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_scalars), cmocka_unit_test(test_no_numbers),
        cmocka_unit_test(test_layouts), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
