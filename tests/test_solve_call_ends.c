/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_solve of hostile systems: what is claimed is so, x is the best one, and limits end all
 * attempts together. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "places.h"
#include "tulle/solve.h"

enum { MOST = 12, MOST_ENTRIES = 2 * MOST * MOST };

/* A system of few rows: its entries, in any order, of which some may stand twice. */
typedef struct {
    int n, count;
    int32_t rows[MOST_ENTRIES], columns[MOST_ENTRIES];
    double values[MOST_ENTRIES], b[MOST], x[MOST];
} tiny;

static unsigned seed;

static double draw(void) {
    seed = seed * 1664525u + 1013904223u;
    return ldexp((int)(seed >> 12), -19) - 1;
}

static void put(tiny *t, int row, int column, double value) {
    t->rows[t->count] = row;
    t->columns[t->count] = column;
    t->values[t->count++] = value;
}

/* A full matrix, of which row i is as large as 2^spread at most or as small as 2^-spread. */
static void fill(tiny *t, int n, int spread) {
    t->n = n;
    t->count = 0;
    for (int i = 0; i < n; i++) {
        const double unit = ldexp(1, (int)(spread * draw()));
        for (int j = 0; j < n; j++) put(t, i, j, unit * (draw() + (i == j ? 3 : 0)));
        t->b[i] = draw();
    }
}

static tulle_mat *matrix_of(tulle_ctx *ctx, const tiny *t, tulle_format format) {
    tulle_mat *A = NULL, *B = NULL;
    must(tulle_mat_create_coo(ctx, t->n, t->n, t->count, TULLE_I32, t->rows, t->columns, TULLE_F64,
                              t->values, NULL, &A));
    const tulle_status status = tulle_mat_convert(ctx, A, format, TULLE_I32, 0, &B);
    tulle_mat_destroy(A);
    return status == TULLE_OK ? B : NULL;
}

/* Adds a to a number that is the sum of two. */
static void add_to(double sum[2], double a) {
    const double s = sum[0] + a, kept = s - sum[0];
    sum[1] += (sum[0] - (s - kept)) + (a - kept);
    sum[0] = s;
}

/* |b - A x|, each number of the residual in twice the precision of f64. */
static double residual_of(const tiny *t) {
    double squares = 0;
    for (int i = 0; i < t->n; i++) {
        double sum[2] = {t->b[i], 0};
        for (int k = 0; k < t->count; k++) {
            const double x = t->x[t->columns[k]], product = t->values[k] * x;
            if (t->rows[k] != i) continue;
            add_to(sum, -product);
            sum[1] -= fma(t->values[k], x, -product);
        }
        squares += (sum[0] + sum[1]) * (sum[0] + sum[1]);
    }
    return sqrt(squares);
}

static double norm_of_b(const tiny *t) {
    double squares = 0;
    for (int i = 0; i < t->n; i++) squares += t->b[i] * t->b[i];
    return sqrt(squares);
}

static tulle_status solve(tulle_ctx *ctx, tiny *t, tulle_format format,
                          const tulle_solve_options *options, tulle_solve_report *report) {
    tulle_mat *A = matrix_of(ctx, t, format);
    tulle_vec *b = NULL, *x = NULL;
    if (!A) return TULLE_UNSUPPORTED;
    must(tulle_vec_create(ctx, TULLE_F64, t->n, &b));
    must(tulle_vec_create(ctx, TULLE_F64, t->n, &x));
    must(tulle_vec_write(ctx, b, t->b, 0));
    must(tulle_vec_write(ctx, x, t->x, 0));
    const tulle_status status = tulle_solve(ctx, A, b, x, options, report);
    must(tulle_vec_read(ctx, x, t->x, 0));
    tulle_vec_destroy(x);
    tulle_vec_destroy(b);
    tulle_mat_destroy(A);
    return status;
}

/* What is claimed, or said, of x is so, x is no worse than the start nor than any attempt's, and a
 * method that finds no number is followed by another. */
static void check_end(const tiny *t, double start, const tulle_solve_report *r) {
    const double found = residual_of(t);
    const bool converged = r->solver.outcome == TULLE_CONVERGED;
    if (converged) assert_true(found <= r->solver.limit * (1 + 1e-12));
    assert_true(fabs(found - r->solver.norm) <= 1e-6 * found + 1e-14 * start);
    assert_true(found <= start * (1 + 1e-12));
    for (int a = 0; a < r->attempts && !converged; a++) {
        if (!r->attempt[a].made) continue;
        assert_false(r->solver.norm > r->attempt[a].norm);
        assert_true(r->attempt[a].outcome != TULLE_NOT_A_NUMBER || r->attempts > a + 1 ||
                    r->attempts > 2);
    }
}

/* In formats other than CSR, also where blocks are chosen, a product in f64 may cancel to b though
 * A x is far from it. */
static void claims(tulle_ctx *ctx, const char *where) {
    const int cases = is_slow(where) ? 2 : 60;
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        seed = 7;
        for (int c = 0; c < cases; c++) {
            tiny t = {.n = 0};
            tulle_solve_report r;
            const tulle_solve_options o = {.keep_format = c % 2 == 0 && f != TULLE_CSR};
            fill(&t, 2 + c % 7, 8 + c % 40);
            const tulle_status status = solve(ctx, &t, (tulle_format)f, &o, &r);
            if (status == TULLE_UNSUPPORTED) continue;
            must(status);
            check_end(&t, norm_of_b(&t), &r);
        }
    }
}

/* A method whose residual grows leaves x where it began: at 0, or at the guess. */
static void begins(tulle_ctx *ctx, const char *where) {
    const int cases = is_slow(where) ? 2 : 200;
    seed = 3;
    for (int c = 0; c < cases; c++) {
        tiny t = {.n = 0};
        tulle_solve_report r;
        tulle_solve_options o = {.method = "bicgstab",
                                 .precond = c % 3 == 0 ? "none" : NULL,
                                 .solver = {.max_iterations = 1 + c % 4, .guess = c % 2 == 1}};
        fill(&t, 3 + c % 9, 20);
        for (int i = 0; i < t.n && o.solver.guess; i++) t.x[i] = ldexp(draw(), -10);
        const double start = residual_of(&t);
        must(solve(ctx, &t, TULLE_CSR, &o, &r));
        check_end(&t, start, &r);
        int64_t all = 0;
        for (int a = 0; a < r.attempts; a++) all += r.attempt[a].iterations;
        assert_true(all <= o.solver.max_iterations);
    }
}

/* The largest and least numbers: a method that meets Inf on its way is not the last. */
static void goes_on(tulle_ctx *ctx, const char *where) {
    const int cases = is_slow(where) ? 2 : 200;
    int followed = 0;
    seed = 11;
    for (int c = 0; c < cases; c++) {
        tiny t = {.n = 0};
        tulle_solve_report r;
        fill(&t, 3 + c % 9, 480);
        must(solve(ctx, &t, TULLE_CSR, NULL, &r));
        check_end(&t, norm_of_b(&t), &r);
        for (int a = 0; a + 1 < r.attempts; a++) {
            followed += r.attempt[a].made && r.attempt[a].outcome == TULLE_NOT_A_NUMBER;
        }
    }
    if (strncmp(where, "cpu", 3) == 0) assert_true(followed > 0); /* elsewhere roundings decide */
}

/* Choice, attempts and iterations are the same in all units, also where a row has only zeros, whose
 * boosted pivot is compared with no number of A. */
static void has_no_units(tulle_ctx *ctx, const char *where) {
    static const int powers[] = {0, 300, -500};
    const int cases = is_slow(where) ? 2 : 40;
    for (int c = 0; c < cases; c++) {
        tulle_solve_report first = {.attempts = 0}, r;
        for (int p = 0; p < 3; p++) {
            tiny t = {.n = 0};
            seed = 100 + (unsigned)c;
            fill(&t, 4 + c % 8, 1);
            for (int k = 0; k < t.count; k++) {
                const bool zero = t.rows[k] == 1 || (t.rows[k] + t.columns[k]) % 3 == 0;
                t.values[k] = zero ? 0 : ldexp(t.values[k], powers[p]);
            }
            for (int i = 0; i < t.n; i++) t.b[i] = ldexp(t.b[i], -powers[p] / 2);
            must(solve(ctx, &t, TULLE_CSR, NULL, &r));
            if (p == 0) first = r;
            assert_int_equal(r.attempts, first.attempts);
            assert_int_equal(r.solver.outcome, first.solver.outcome);
            assert_int_equal(r.solver.iterations, first.solver.iterations);
        }
    }
}

/* Entries of the same place, as assembly leaves them, are added before factors are made; what is
 * claimed is claimed of the entries as they were given. */
static void adds_up(tulle_ctx *ctx, const char *where) {
    static const tulle_format formats[] = {TULLE_COO, TULLE_CSR, TULLE_CSC};
    (void)where;
    seed = 5;
    for (int c = 0; c < 12; c++) {
        tiny t = {.n = MOST};
        tulle_solve_report r;
        for (int i = MOST - 1; i >= 0; i--) {
            for (int d = -1; d <= 1; d++) {
                const int j = i + d;
                if (j < 0 || j >= MOST) continue;
                const double part = draw();
                put(&t, i, j, (d == 0 ? 4 : -1) - part);
                put(&t, i, j, part);
            }
            t.b[i] = draw();
        }
        must(solve(ctx, &t, formats[c % 3], NULL, &r));
        assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
        assert_true(strcmp(r.precond, "ic:0") == 0 || strcmp(r.precond, "ilu:0") == 0 ||
                    strcmp(r.precond, "jacobi") == 0);
        assert_int_equal(r.attempts, 1);
        assert_int_equal(r.solved.nnz, 3 * MOST - 2);
        check_end(&t, norm_of_b(&t), &r);
    }
    /* 2^60, 1 and -2^60 in one place are 1 in the end, and 0 where they are rounded one by one. */
    tiny t = {.n = 2};
    tulle_solve_report r;
    put(&t, 0, 0, ldexp(1, 60));
    put(&t, 0, 0, 1);
    put(&t, 0, 0, -ldexp(1, 60));
    put(&t, 0, 1, 2);
    put(&t, 1, 0, 1);
    put(&t, 1, 1, 3);
    t.b[0] = 5;
    t.b[1] = 7;
    must(solve(ctx, &t, TULLE_COO, NULL, &r));
    check_end(&t, norm_of_b(&t), &r);
}

#define EACH(name)                                                                                 \
    static void test_##name(void **state) {                                                        \
        (void)state;                                                                               \
        on_each_place(name);                                                                       \
    }
EACH(claims)
EACH(begins)
EACH(goes_on)
EACH(has_no_units)
EACH(adds_up)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_claims), cmocka_unit_test(test_begins),
                                       cmocka_unit_test(test_goes_on),
                                       cmocka_unit_test(test_has_no_units),
                                       cmocka_unit_test(test_adds_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
