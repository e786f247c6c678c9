/* SPDX-License-Identifier: Apache-2.0 */
/* X = Q R of multivectors: orthonormal columns and small residuals whatever the condition, in every
 * layout; columns that depend on others; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "columns.h"
#include "places.h"
#include "tulle/vec.h"

static const lie lies[] = {{TULLE_COLUMN_MAJOR, 0, 0},
                           {TULLE_ROW_MAJOR, 0, 0},
                           {TULLE_COLUMN_MAJOR, 3, 1},
                           {TULLE_ROW_MAJOR, 1, 0}};
enum { LIES = sizeof lies / sizeof *lies };

static long double inner(const columns *a, int64_t i, const columns *b, int64_t j) {
    long double sum = 0;
    for (int64_t r = 0; r < a->rows; r++) sum += a->at[r + i * a->rows] * b->at[r + j * b->rows];
    return sum;
}

static void check_orthonormal(const columns *q, tulle_type type) {
    const long double bound = 30 * (long double)q->cols * unit_of(type);
    for (int64_t i = 0; i < q->cols; i++) {
        for (int64_t j = 0; j <= i; j++) assert_near(inner(q, i, q, j), i == j, bound, "Q'Q");
    }
}

static void check_product(const columns *x, const columns *q, const columns *r, tulle_type type) {
    const int64_t n = x->rows, k = x->cols;
    for (int64_t j = 0; j < k; j++) {
        const bool depends = r->at[j + j * k] == 0;
        long double square = 0;
        for (int64_t i = j + 1; i < k; i++) assert_true(r->at[i + j * k] == 0);
        for (int64_t i = 0; i < n; i++) {
            long double left = x->at[i + j * n];
            for (int64_t c = 0; c <= j; c++) left -= q->at[i + c * n] * r->at[c + j * k];
            square += left * left;
        }
        const long double length = sqrtl(inner(x, j, x, j));
        const long double bound = (depends ? 1030 : 30) * (long double)k * unit_of(type) * length;
        assert_near(sqrtl(square), 0, bound + (long double)k * least_of(type), "X - Q R");
    }
}

/* x's numbers are what the type has. */
static void factor(tulle_ctx *ctx, const columns *x, tulle_type type, int turn, int rank) {
    columns zeros = columns_random(x->cols, x->cols, 1, type);
    placed X = columns_place(ctx, x, type, lies[turn % LIES]);
    placed R = columns_place(ctx, &zeros, type, lies[turn / 2 % LIES]);
    int got = -2;
    must(tulle_vec_qr(ctx, X.X, R.X, &got));
    assert_int_equal(got, rank);
    if (rank >= 0) {
        columns q = placed_read(ctx, &X), r = placed_read(ctx, &R);
        check_orthonormal(&q, type);
        check_product(x, &q, &r, type);
        columns_free(&q);
        columns_free(&r);
    }
    placed_free(&X);
    placed_free(&R);
    columns_free(&zeros);
}

static void round_all(columns *x, tulle_type type) {
    for (int64_t i = 0; i < x->rows * x->cols; i++) {
        x->at[i] = type == TULLE_F32 ? (long double)(float)x->at[i] : (long double)(double)x->at[i];
    }
}

static void sizes(tulle_ctx *ctx, const char *where) {
    static const int64_t widths[] = {1, 2, 3, 4, 8, 16, 31, 32};
    const int64_t more[] = {0, 1, 40, is_slow(where) ? 300 : 20000};
    for (int w = 0; w < 8; w++) {
        for (int m = 0; m < 4; m++) {
            const int turn = w + 3 * m;
            if (is_slow(where) && (turn + turn_of(where, 5)) % 5) continue;
            const tulle_type type = turn % 2 ? TULLE_F64 : TULLE_F32;
            columns x = columns_random(widths[w] + more[m], widths[w], (uint64_t)turn + 1, type);
            factor(ctx, &x, type, turn, (int)widths[w]);
            columns_free(&x);
        }
    }
}

static void test_sizes(void **state) {
    (void)state;
    on_each_place(sizes);
}

/* Columns that are more and more alike, up to what a type can tell apart. */
static void conditions(tulle_ctx *ctx, const char *where) {
    enum { ROWS = 90, COLUMNS = 6 };
    (void)where;
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        const int most = type == TULLE_F32 ? 3 : 10;
        for (int digits = 0; digits <= most; digits++) {
            columns x = columns_random(ROWS, COLUMNS, 7, (tulle_type)type);
            for (int64_t i = ROWS; i < ROWS * COLUMNS; i++) {
                x.at[i] = x.at[i % ROWS] + powl(10, -digits) * x.at[i];
            }
            round_all(&x, (tulle_type)type);
            factor(ctx, &x, (tulle_type)type, digits, COLUMNS);
            columns_free(&x);
        }
    }
}
ONCE_ON_EACH_PLACE(conditions)

/* Columns that are alike by turns, much and little: those that are little alike have what they owe
 * to the others as exactly as if they stood alone. */
static void unlike(tulle_ctx *ctx, const char *where) {
    enum { COLUMNS = 16, CASES = 6 };
    for (int c = 0; c < (is_slow(where) ? 2 : CASES); c++) {
        const tulle_type type = c % 2 ? TULLE_F32 : TULLE_F64;
        const int most = type == TULLE_F32 ? 1 : 5;
        const int64_t rows = COLUMNS + 40 * (c % 3);
        columns x = columns_random(rows, COLUMNS, 11 + (uint64_t)c, type);
        for (int64_t i = rows; i < rows * COLUMNS; i++) {
            const int64_t digits = i / rows % 2 ? most : 0;
            x.at[i] = x.at[i % rows] + powl(10, -digits) * x.at[i];
        }
        round_all(&x, type);
        factor(ctx, &x, type, c, COLUMNS);
        columns_free(&x);
    }
}
ONCE_ON_EACH_PLACE(unlike)

/* Copies, sums, zeros; sizes near the ends of a type; what is no number. */
static void faults(tulle_ctx *ctx, const char *where) {
    enum { ROWS = 50, COLUMNS = 5 };
    (void)where;
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        const tulle_type of = (tulle_type)type;
        const long double huge = type == TULLE_F32 ? 1e35L : 1e300L;
        columns x = columns_random(ROWS, COLUMNS, 3, of);
        for (int64_t i = 0; i < ROWS; i++) x.at[i + 2 * ROWS] = x.at[i];
        factor(ctx, &x, of, type, COLUMNS - 1);
        for (int64_t i = 0; i < ROWS; i++) {
            x.at[i + 3 * ROWS] = x.at[i] + x.at[i + ROWS];
            x.at[i + 4 * ROWS] = 0;
        }
        round_all(&x, of);
        factor(ctx, &x, of, type + 1, COLUMNS - 3);
        for (int64_t i = 0; i < ROWS; i++) x.at[i] = x.at[i + 2 * ROWS] = x.at[i + 3 * ROWS] = 0;
        factor(ctx, &x, of, type + 2, 1);
        columns_free(&x);

        x = columns_random(ROWS, COLUMNS, 4, of);
        for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
            x.at[i] *= i / ROWS % 2 ? huge : 1 / huge;
        }
        round_all(&x, of);
        factor(ctx, &x, of, type, COLUMNS);
        x.at[ROWS + 7] = NAN;
        factor(ctx, &x, of, type, -1);
        x.at[ROWS + 7] = INFINITY;
        factor(ctx, &x, of, type, -1);
        columns_free(&x);
    }
}
ONCE_ON_EACH_PLACE(faults)

/* Columns of a few of the smallest numbers: R's numbers, which are whole multiples of these, cannot
 * be closer than that. */
static void smallest(tulle_ctx *ctx, const char *where) {
    enum { ROWS = 40, COLUMNS = 6, CASES = 8 };
    const int cases = is_slow(where) ? 2 : CASES;
    for (int c = 0; c < cases; c++) {
        const tulle_type type = c % 2 ? TULLE_F64 : TULLE_F32;
        columns x = columns_random(ROWS, COLUMNS, 21 + (uint64_t)c, type);
        for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
            const int most = 1 + (int)(i / ROWS) + c;
            x.at[i] = roundl((long double)most * x.at[i]) * least_of(type);
        }
        for (int64_t j = 0; j < COLUMNS; j++)
            x.at[j + j * ROWS] = (long double)(8 + c) * least_of(type);
        factor(ctx, &x, type, c, COLUMNS);
        columns_free(&x);
    }
}
ONCE_ON_EACH_PLACE(smallest)

/* All columns at an end of a type: numbers that have few digits left, lengths that are hardly or no
 * numbers of the type; Q is orthonormal, and R is what it can be. */
static void ends(tulle_ctx *ctx, const char *where) {
    static const int to[2][8] = {{-149, -140, -128, -75, 70, 120, 127, 128},
                                 {-1074, -1060, -1030, -540, 520, 1000, 1023, 1024}};
    enum { ROWS = 60, COLUMNS = 4 };
    (void)where;
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        const tulle_type of = (tulle_type)type;
        for (int e = 0; e < 8; e++) {
            columns x = columns_random(ROWS, COLUMNS, 9, of), zeros = columns_random(4, 4, 1, of);
            for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
                /* whole multiples of the smallest number, which round to no other */
                x.at[i] = ldexpl(x.at[i] < 0 ? x.at[i] - 0.25L : x.at[i] + 0.25L,
                                 to[type - TULLE_F32][e] - 1);
                if (e < 3)
                    x.at[i] = ceill(ldexpl(x.at[i], -to[type - TULLE_F32][0])) *
                              ldexpl(1, to[type - TULLE_F32][0]);
            }
            round_all(&x, of);
            placed X = columns_place(ctx, &x, of, lies[e % LIES]);
            placed R = columns_place(ctx, &zeros, of, lies[e / 2 % LIES]);
            int rank = -2;
            must(tulle_vec_qr(ctx, X.X, R.X, &rank));
            assert_int_equal(rank, COLUMNS);
            columns q = placed_read(ctx, &X), r = placed_read(ctx, &R);
            check_orthonormal(&q, of);
            if (e < 6) check_product(&x, &q, &r, of);
            columns *const all[] = {&x, &zeros, &q, &r};
            for (int i = 0; i < 4; i++) columns_free(all[i]);
            placed_free(&X);
            placed_free(&R);
        }
    }
}
ONCE_ON_EACH_PLACE(ends)

#define ASSERT_REFUSED(call, wanted, argument_)                                                    \
    do {                                                                                           \
        assert_int_equal(call, wanted);                                                            \
        assert_string_equal(tulle_last_error()->argument, argument_);                              \
    } while (0)

static void refusals(tulle_ctx *ctx, const char *where) {
    tulle_vec *X = NULL, *R = NULL, *flat = NULL, *wide = NULL, *single = NULL;
    (void)where;
    must(tulle_vec_create_columns(ctx, TULLE_F64, 40, 3, TULLE_ROW_MAJOR, 0, &X));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 3, 3, TULLE_ROW_MAJOR, 0, &R));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 2, 3, TULLE_ROW_MAJOR, 0, &flat));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 40, 33, TULLE_ROW_MAJOR, 0, &wide));
    must(tulle_vec_create_columns(ctx, TULLE_F32, 3, 3, TULLE_ROW_MAJOR, 0, &single));
    ASSERT_REFUSED(tulle_vec_qr(ctx, NULL, R, NULL), TULLE_INVALID_ARGUMENT, "X");
    ASSERT_REFUSED(tulle_vec_qr(ctx, X, NULL, NULL), TULLE_INVALID_ARGUMENT, "R");
    ASSERT_REFUSED(tulle_vec_qr(ctx, X, flat, NULL), TULLE_SHAPE_MISMATCH, "R");
    ASSERT_REFUSED(tulle_vec_qr(ctx, flat, R, NULL), TULLE_SHAPE_MISMATCH, "X");
    ASSERT_REFUSED(tulle_vec_qr(ctx, X, single, NULL), TULLE_TYPE_MISMATCH, "R");
    ASSERT_REFUSED(tulle_vec_qr(ctx, wide, wide, NULL), TULLE_SHAPE_MISMATCH, "R");
    must(tulle_vec_random(ctx, X, 1));
    must(tulle_vec_qr(ctx, X, R, NULL));
    tulle_vec *const all[] = {X, R, flat, wide, single};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tulle_vec_destroy(all[i]);
}
ONCE_ON_EACH_PLACE(refusals)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),    cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_unlike),   cmocka_unit_test(test_faults),
        cmocka_unit_test(test_ends),     cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_smallest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
