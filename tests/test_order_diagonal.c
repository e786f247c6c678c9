/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in the order that brings large entries to the diagonal, against all orders of small
 * matrices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "places.h"

enum { MOST = 6, CASES = 300 };

static unsigned seed = 12345;

static int random_below(int n) {
    seed = seed * 1103515245u + 12345u;
    return (int)(seed >> 16) % n;
}

/* A random matrix in which many entries are missing, and of very unlike numbers. */
static void draw(int n, double *dense) {
    for (int k = 0; k < n * n; k++) {
        dense[k] = random_below(3) == 0 ? 0
                                        : ldexp(1 + random_below(8) / 8.0, random_below(9) - 4) *
                                              (random_below(2) ? 1 : -1);
    }
}

static tulle_mat *make(tulle_ctx *ctx, int n, const double *dense, double scale) {
    int32_t offsets[MOST + 1] = {0}, columns[MOST * MOST];
    double values[MOST * MOST];
    int count = 0;
    tulle_mat *A = NULL;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (dense[i * n + j] == 0) continue;
            columns[count] = j;
            values[count++] = dense[i * n + j] * scale;
        }
        offsets[i + 1] = count;
    }
    must(tulle_mat_create_csr(ctx, n, n, count, TULLE_I32, offsets, columns, TULLE_F64, values,
                              NULL, &A));
    return A;
}

/* Numbers of the diagonal that are not 0, and the sum of their logarithms. */
typedef struct {
    int count;
    double sum;
} worth;

static worth worth_of(int n, const double *dense, const int *order) {
    worth w = {0, 0};
    for (int j = 0; j < n; j++) {
        const double a = fabs(dense[order[j] * n + j]);
        if (a == 0) continue;
        w.count++;
        w.sum += log2(a);
    }
    return w;
}

/* The best of all orders that begin with the first `fixed` rows. */
static worth best_of(int n, const double *dense, int *order, int fixed) {
    if (fixed == n) return worth_of(n, dense, order);
    worth best = {-1, 0};
    for (int k = fixed; k < n; k++) {
        int swap = order[fixed];
        order[fixed] = order[k];
        order[k] = swap;
        const worth w = best_of(n, dense, order, fixed + 1);
        if (w.count > best.count || (w.count == best.count && w.sum > best.sum)) best = w;
        swap = order[fixed];
        order[fixed] = order[k];
        order[k] = swap;
    }
    return best;
}

static void read_order(tulle_ctx *ctx, int n, const tulle_order *P, int *order) {
    int64_t wide[MOST];
    must(tulle_order_read(ctx, P, wide));
    for (int j = 0; j < n; j++) order[j] = (int)wide[j];
}

static void is_best(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int c = 0; c < CASES; c++) {
        const int n = 1 + random_below(MOST);
        double dense[MOST * MOST];
        int order[MOST], all[MOST], scaled[MOST];
        int64_t matched;
        tulle_order *P = NULL;
        draw(n, dense);
        tulle_mat *A = make(ctx, n, dense, 1);
        must(tulle_order_diagonal(ctx, A, &P, &matched));
        read_order(ctx, n, P, order);
        for (int j = 0; j < n; j++) all[j] = j;
        const worth best = best_of(n, dense, all, 0), found = worth_of(n, dense, order);
        assert_int_equal(found.count, best.count);
        assert_int_equal(matched, best.count);
        /* Of a singular matrix the matched rows are the best for themselves alone. */
        if (best.count == n) assert_true(fabs(found.sum - best.sum) <= 1e-9);
        tulle_order_destroy(P);
        tulle_mat_destroy(A);
        A = make(ctx, n, dense, ldexp(1, c % 2 ? 900 : -900));
        must(tulle_order_diagonal(ctx, A, &P, &matched));
        read_order(ctx, n, P, scaled);
        assert_memory_equal(scaled, order, (size_t)n * sizeof *order);
        tulle_order_destroy(P);
        tulle_mat_destroy(A);
    }
}

static void test_is_best(void **state) {
    (void)state;
    once_on_each_place(is_best);
}

static void takes(tulle_ctx *ctx, const char *where) {
    static const double dense[] = {0, 2, 0, 0, 0, 3, 4, (double)INFINITY, (double)NAN};
    (void)where;
    tulle_order *P = NULL;
    int64_t matched;
    int order[3];
    tulle_mat *A = make(ctx, 3, dense, 1), *B = NULL;
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        if (tulle_mat_convert(ctx, A, (tulle_format)f, TULLE_I32, 0, &B) != TULLE_OK) continue;
        must(tulle_order_diagonal(ctx, B, &P, &matched));
        read_order(ctx, 3, P, order);
        assert_int_equal(matched, 3);
        assert_int_equal(order[0], 2);
        assert_int_equal(order[1], 0);
        assert_int_equal(order[2], 1);
        tulle_order_destroy(P);
        tulle_mat_destroy(B);
    }
    assert_int_equal(tulle_order_diagonal(ctx, NULL, &P, &matched), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_order_diagonal(NULL, A, &P, &matched), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_order_diagonal(ctx, A, NULL, &matched), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_order_diagonal(ctx, A, &P, NULL), TULLE_INVALID_ARGUMENT);
    tulle_mat_destroy(A);
    const int32_t offsets[] = {0, 1}, columns[] = {1};
    const double values[] = {1};
    must(tulle_mat_create_csr(ctx, 1, 2, 1, TULLE_I32, offsets, columns, TULLE_F64, values, NULL,
                              &A));
    assert_int_equal(tulle_order_diagonal(ctx, A, &P, &matched), TULLE_SHAPE_MISMATCH);
    tulle_mat_destroy(A);
    const int32_t none[] = {0};
    must(tulle_mat_create_csr(ctx, 0, 0, 0, TULLE_I32, none, NULL, TULLE_F64, NULL, NULL, &A));
    must(tulle_order_diagonal(ctx, A, &P, &matched));
    assert_int_equal(matched, 0);
    tulle_order_destroy(P);
    tulle_mat_destroy(A);
}

static void test_takes(void **state) {
    (void)state;
    once_on_each_place(takes);
}

/* Rows that may as well stay where they are do so, and entries that stand twice count as their
 * sum: here 0 in the first column of the first row. */
static void stays(tulle_ctx *ctx, const char *where) {
    static const int32_t rows[] = {0, 0, 0, 1, 1, 2}, columns[] = {0, 1, 2, 1, 2, 0};
    static const double ones[] = {0, 1, 1, 1, 1, 1}, twice[] = {4, 1, -4, 1, 1, 1};
    (void)where;
    for (int c = 0; c < 2; c++) {
        int32_t to[6];
        int order[3];
        int64_t matched;
        tulle_mat *A = NULL;
        tulle_order *P = NULL;
        memcpy(to, columns, sizeof to);
        if (c == 1) to[2] = 0;
        must(tulle_mat_create_coo(ctx, 3, 3, 6, TULLE_I32, rows, to, TULLE_F64, c ? twice : ones,
                                  NULL, &A));
        must(tulle_order_diagonal(ctx, A, &P, &matched));
        read_order(ctx, 3, P, order);
        assert_int_equal(matched, 3);
        assert_int_equal(order[0], 2);
        assert_int_equal(order[1], c == 0 ? 1 : 0);
        assert_int_equal(order[2], c == 0 ? 0 : 1);
        tulle_order_destroy(P);
        tulle_mat_destroy(A);
    }
}

static void test_stays(void **state) {
    (void)state;
    once_on_each_place(stays);
}

/* Half of the rows stay alone, and each of them reaches all columns that have entries: the search
 * of all of them together takes milliseconds, and one search for each of them minutes. */
static void ends_soon(tulle_ctx *ctx, const char *where) {
    enum { ROWS = 100000, EACH = 4, SECONDS = 10 };
    int32_t *offsets = malloc((ROWS + 1) * sizeof *offsets);
    int32_t *columns = malloc((size_t)ROWS * EACH * sizeof *columns);
    double *values = malloc((size_t)ROWS * EACH * sizeof *values);
    int64_t matched;
    tulle_mat *A = NULL;
    tulle_order *P = NULL;
    (void)where;
    for (int i = 0; i <= ROWS; i++) offsets[i] = EACH * i;
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < EACH; k++) {
            columns[EACH * i + k] = (i / 2 + k) % (ROWS / 2);
            values[EACH * i + k] = 1 + random_below(3);
        }
    }
    must(tulle_mat_create_csr(ctx, ROWS, ROWS, (int64_t)ROWS * EACH, TULLE_I32, offsets, columns,
                              TULLE_F64, values, NULL, &A));
    const clock_t start = clock();
    must(tulle_order_diagonal(ctx, A, &P, &matched));
    assert_true(matched <= ROWS / 2);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < SECONDS);
    tulle_order_destroy(P);
    tulle_mat_destroy(A);
    free(values);
    free(columns);
    free(offsets);
}

static void test_ends_soon(void **state) {
    (void)state;
    once_on_each_place(ends_soon);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_is_best), cmocka_unit_test(test_takes),
                                       cmocka_unit_test(test_stays),
                                       cmocka_unit_test(test_ends_soon)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
