/* SPDX-License-Identifier: Apache-2.0 */
/* ILU(0) and triangular solves of many small systems, against their bounds in long double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "batches.h"
#include "places.h"

static const lie lies[] = {{TULLE_COLUMN_MAJOR, 0, 0},
                           {TULLE_ROW_MAJOR, 0, 0},
                           {TULLE_COLUMN_MAJOR, 5, 2},
                           {TULLE_ROW_MAJOR, 1, 0}};

/* A batch of matrices, and one of vectors, on a place. */
typedef struct {
    pattern p;
    columns values, b;
    tulle_uniform *P;
    placed A, F, B, X;
    tulle_type type;
    int64_t count;
} batch;

static batch make(tulle_ctx *ctx, int n, pattern_kind kind, int64_t count, int seed,
                  tulle_type type) {
    batch t = {.p = pattern_random(n, kind, (uint64_t)seed), .type = type, .count = count};
    t.values = batch_values(&t.p, count, false, (uint64_t)seed, type);
    t.b = columns_random(n, count, (uint64_t)seed + 1, type);
    t.P = pattern_make(ctx, &t.p);
    t.A = columns_place(ctx, &t.values, type, lies[seed % 4]);
    t.F = columns_place(ctx, &t.values, type, lies[(seed + 1) % 4]);
    t.B = columns_place(ctx, &t.b, type, lies[(seed / 2) % 4]);
    t.X = columns_place(ctx, &t.b, type, lies[(seed / 3) % 4]);
    return t;
}

static void give_up(batch *t) {
    placed_free(&t->A);
    placed_free(&t->F);
    placed_free(&t->B);
    placed_free(&t->X);
    columns_free(&t->values);
    columns_free(&t->b);
    tulle_uniform_destroy(t->P);
    pattern_free(&t->p);
}

static long double at(const batch *t, const columns *values, int64_t s, int i, int j) {
    const int e = pattern_find(&t->p, i, j);
    return e < 0 ? 0 : values->at[s * t->p.entries + e];
}

/* |A - L U| on the pattern. */
static void check_factors(const batch *t, const columns *f, int64_t s) {
    for (int i = 0; i < t->p.n; i++) {
        for (int e = t->p.offsets[i]; e < t->p.offsets[i + 1]; e++) {
            const int j = t->p.columns[e];
            long double sum = 0, size = 0;
            for (int k = 0; k <= i && k <= j; k++) {
                const long double l = k == i ? 1 : at(t, f, s, i, k);
                sum += l * at(t, f, s, k, j);
                size += fabsl(l * at(t, f, s, k, j));
            }
            const long double bound = gamma_of(i + 2, t->type) * size + i * least_of(t->type);
            assert_near(sum, t->values.at[s * t->p.entries + e], bound, "L U");
        }
    }
}

static void try_factors(tulle_ctx *ctx, int n, int64_t count, int most, int seed, tulle_type type) {
    batch t = make(ctx, n, (pattern_kind){.most = most}, count, seed, type);
    tulle_uniform_report *reports = calloc((size_t)count + 1, sizeof *reports);
    assert_non_null(reports);
    must(tulle_uniform_ilu(ctx, t.P, t.A.X, t.F.X, tulle_reports_to(reports)));
    columns f = placed_read(ctx, &t.F);
    for (int64_t s = 0; s < count; s++) {
        assert_int_equal(reports[s].outcome, TULLE_CONVERGED);
        assert_int_equal(reports[s].row, -1);
        check_factors(&t, &f, s);
    }
    must(tulle_uniform_ilu(ctx, t.P, t.A.X, t.A.X, (tulle_uniform_reports){0}));
    columns same = placed_read(ctx, &t.A);
    for (int64_t k = 0; k < t.p.entries * count; k++) assert_true(same.at[k] == f.at[k]);
    columns_free(&same);
    columns_free(&f);
    free(reports);
    give_up(&t);
}

static void factors(tulle_ctx *ctx, const char *where) {
    static const int sizes[] = {0, 1, 2, 7, 33, 64, 110, 257};
    for (int k = 0; k < 8; k++) {
        for (int type = TULLE_F32; type <= TULLE_F64; type++) {
            if (is_slow(where) && (k + type + turn_in_order(where, 2)) % 2) continue;
            const int64_t count = sizes[k] > 100 ? 2 : 1 + k % 4;
            try_factors(ctx, sizes[k], count, 7, k, (tulle_type)type);
            if (sizes[k] < 40) try_factors(ctx, sizes[k], count, 60, k + 1, (tulle_type)type);
        }
    }
    try_factors(ctx, 12, 0, 5, 1, TULLE_F64);
    if (!is_slow(where)) try_factors(ctx, 12, 1000, 5, 1, TULLE_F64);
}
static void test_factors(void **state) {
    (void)state;
    on_each_place(factors);
}

/* |b - T x| row by row, T a triangle of these numbers. */
static void check_triangle(const batch *t, const columns *values, const columns *b,
                           const columns *x, tulle_part part, bool unit) {
    for (int64_t s = 0; s < t->count; s++) {
        for (int i = 0; i < t->p.n; i++) {
            const long double from = b->at[s * t->p.n + i];
            const int length = t->p.offsets[i + 1] - t->p.offsets[i];
            long double sum = unit ? x->at[s * t->p.n + i] : 0, size = fabsl(sum) + fabsl(from);
            long double lost = (length + 2) / (long double)unit_of(t->type) + unit;
            for (int e = t->p.offsets[i]; e < t->p.offsets[i + 1]; e++) {
                const int j = t->p.columns[e];
                if (part == TULLE_LOWER ? j > i : j < i) continue;
                if (j == i && unit) continue;
                const long double product =
                    values->at[s * t->p.entries + e] * x->at[s * t->p.n + j];
                sum += product;
                size += fabsl(product);
                lost += fabsl(values->at[s * t->p.entries + e]);
            }
            const long double bound =
                gamma_of(length + 2, t->type) * size + least_of(t->type) * lost;
            assert_near(sum, from, bound, "T x");
        }
    }
}

static void try_triangles(tulle_ctx *ctx, int n, int64_t count, int seed, tulle_type type) {
    batch t = make(ctx, n, (pattern_kind){.most = 6}, count, seed, type);
    for (int part = 0; part < 2; part++) {
        for (int diag = 0; diag < 2; diag++) {
            must(tulle_uniform_trisolve(ctx, t.P, (tulle_part)part, (tulle_diag)diag, t.A.X, t.B.X,
                                        t.X.X));
            columns x = placed_read(ctx, &t.X);
            check_triangle(&t, &t.values, &t.b, &x, (tulle_part)part, diag == TULLE_UNIT);
            columns_free(&x);
        }
    }
    /* With factors: the bits of one triangle after the other, also in place. */
    must(tulle_uniform_ilu_solve(ctx, t.P, t.F.X, t.B.X, t.X.X));
    columns both = placed_read(ctx, &t.X);
    must(tulle_uniform_trisolve(ctx, t.P, TULLE_LOWER, TULLE_UNIT, t.F.X, t.B.X, t.B.X));
    must(tulle_uniform_trisolve(ctx, t.P, TULLE_UPPER, TULLE_NON_UNIT, t.F.X, t.B.X, t.B.X));
    columns after = placed_read(ctx, &t.B);
    for (int64_t k = 0; k < n * count; k++) assert_true(both.at[k] == after.at[k]);
    columns_free(&both);
    columns_free(&after);
    give_up(&t);
}

static void triangles(tulle_ctx *ctx, const char *where) {
    static const int sizes[] = {0, 1, 2, 30, 65, 257};
    for (int k = 0; k < 6; k++) {
        for (int type = TULLE_F32; type <= TULLE_F64; type++) {
            if (is_slow(where) && (k + type + turn_in_order(where, 2)) % 2) continue;
            try_triangles(ctx, sizes[k], sizes[k] > 100 ? 2 : 3, k, (tulle_type)type);
        }
    }
}
static void test_triangles(void **state) {
    (void)state;
    on_each_place(triangles);
}

/* Pivots that will not do are told apart by system; a pattern that lacks a diagonal has none. */
static void pivots(tulle_ctx *ctx, const char *where) {
    (void)where;
    enum { N = 15, COUNT = 4 };
    static const long double spoilt[] = {0, NAN, INFINITY};
    batch t = make(ctx, N, (pattern_kind){.most = 4}, COUNT, 2, TULLE_F64);
    tulle_uniform_report reports[COUNT];
    must(tulle_uniform_ilu(ctx, t.P, t.A.X, t.F.X, tulle_reports_to(reports)));
    columns good = placed_read(ctx, &t.F);
    for (int s = 0; s < 3; s++) {
        /* row 0 waits for none */
        t.values.at[s * t.p.entries + pattern_find(&t.p, 0, 0)] = spoilt[s];
    }
    placed_free(&t.A);
    t.A = columns_place(ctx, &t.values, TULLE_F64, lies[1]);
    must(tulle_uniform_ilu(ctx, t.P, t.A.X, t.F.X, tulle_reports_to(reports)));
    columns f = placed_read(ctx, &t.F);
    for (int s = 0; s < 3; s++) {
        assert_int_equal(reports[s].outcome, TULLE_BROKE_DOWN);
        assert_int_equal(reports[s].row, 0);
    }
    assert_int_equal(reports[3].outcome, TULLE_CONVERGED);
    for (int e = 0; e < t.p.entries; e++) {
        assert_true(f.at[3 * t.p.entries + e] == good.at[3 * t.p.entries + e]);
    }
    columns_free(&f);
    columns_free(&good);
    give_up(&t);

    batch lacks = make(ctx, N, (pattern_kind){.most = 4, .empty_rows = true}, 1, 3, TULLE_F32);
    must(tulle_uniform_ilu(ctx, lacks.P, lacks.A.X, lacks.F.X, tulle_reports_to(reports)));
    assert_int_equal(reports[0].outcome, TULLE_BROKE_DOWN);
    assert_int_equal(reports[0].row, 3);
    must(tulle_uniform_trisolve(ctx, lacks.P, TULLE_LOWER, TULLE_NON_UNIT, lacks.A.X, lacks.B.X,
                                lacks.X.X));
    columns x = placed_read(ctx, &lacks.X);
    assert_true(isinf(x.at[3]));
    columns_free(&x);
    give_up(&lacks);
}
static void test_pivots(void **state) {
    (void)state;
    on_each_place(pivots);
}

static void arguments(tulle_ctx *ctx, const char *where) {
    (void)where;
    batch t = make(ctx, 8, (pattern_kind){.most = 3}, 2, 1, TULLE_F64);
    const tulle_uniform_reports none = {0};
    assert_int_equal(tulle_uniform_ilu(ctx, t.P, t.A.X, t.B.X, none), TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_uniform_ilu(ctx, NULL, t.A.X, t.F.X, none), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_uniform_ilu_solve(ctx, t.P, t.B.X, t.B.X, t.X.X), TULLE_SHAPE_MISMATCH);
    assert_int_equal(
        tulle_uniform_trisolve(ctx, t.P, (tulle_part)2, TULLE_UNIT, t.A.X, t.B.X, t.X.X),
        TULLE_INVALID_ARGUMENT);
    assert_int_equal(
        tulle_uniform_trisolve(ctx, t.P, TULLE_LOWER, (tulle_diag)2, t.A.X, t.B.X, t.X.X),
        TULLE_INVALID_ARGUMENT);
    give_up(&t);
}
ONCE_ON_EACH_PLACE(arguments)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_pivots),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
