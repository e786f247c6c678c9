/* SPDX-License-Identifier: Apache-2.0 */
/* Many small dense matrices: L U with row exchanges, L L^T, and solves with them, against their
 * bounds in long double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "batches.h"
#include "core/context.h"
#include "places.h"

static const lie lies[] = {{TULLE_COLUMN_MAJOR, 0, 0},
                           {TULLE_ROW_MAJOR, 0, 0},
                           {TULLE_COLUMN_MAJOR, 3, 1},
                           {TULLE_ROW_MAJOR, 2, 0}};
enum { MOST = TULLE_UNIFORM_MOST_DENSE };

/* Matrices and right sides, on the host and on a place. */
typedef struct {
    int n;
    int64_t count;
    tulle_type type;
    columns a, b;
    placed A, B, X;
    tulle_vec *room; /* of the pivots */
    int32_t *pivots; /* there */
} batch;

static batch make(tulle_ctx *ctx, int n, int64_t count, bool positive, int seed, tulle_type type) {
    batch t = {.n = n, .count = count, .type = type};
    tulle_vec_info info;
    t.a = columns_random((int64_t)n * n, count, (uint64_t)seed, type);
    for (int64_t s = 0; positive && s < count; s++) {
        long double *a = t.a.at + s * n * n;
        for (int j = 0; j < n; j++) a[j * n + j] = n; /* more than the rest of the row */
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < j; i++) a[j * n + i] = a[i * n + j];
        }
    }
    t.b = columns_random(n, count, (uint64_t)seed + 1, type);
    t.A = columns_place(ctx, &t.a, type, lies[seed % 4]);
    t.B = columns_place(ctx, &t.b, type, lies[(seed / 2) % 4]);
    t.X = columns_place(ctx, &t.b, type, lies[(seed / 3) % 4]);
    must(tulle_vec_create_columns(ctx, TULLE_F32, n, count, TULLE_COLUMN_MAJOR, 0, &t.room));
    must(tulle_vec_describe(t.room, &info));
    t.pivots = info.data;
    return t;
}

static void give_up(batch *t) {
    placed_free(&t->A);
    placed_free(&t->B);
    placed_free(&t->X);
    columns_free(&t->a);
    columns_free(&t->b);
    tulle_vec_destroy(t->room);
}

static int32_t *read_pivots(tulle_ctx *ctx, const batch *t) {
    int32_t *pivots = calloc((size_t)(t->n * t->count) + 1, sizeof *pivots);
    assert_non_null(pivots);
    must(tulle_vec_read(ctx, t->room, pivots, 0));
    return pivots;
}

/* Rows in the order that the exchanges lead to. */
static void order_of(int n, const int32_t *pivots, int order[MOST]) {
    for (int i = 0; i < n; i++) order[i] = i;
    for (int k = 0; k < n; k++) {
        assert_in_range(pivots[k], k, n - 1);
        const int other = order[k];
        order[k] = order[pivots[k]];
        order[pivots[k]] = other;
    }
}

/* |P A - L U|, and that rows below are no longer than their pivots. */
static void check_lu(const batch *t, const columns *f, int64_t s, const int order[MOST]) {
    const int n = t->n;
    const long double *lu = f->at + s * n * n, *a = t->a.at + s * n * n;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            long double sum = 0, size = 0;
            for (int k = 0; k <= i && k <= j; k++) {
                const long double product = (k == i ? 1 : lu[k * n + i]) * lu[j * n + k];
                sum += product;
                size += fabsl(product);
            }
            const long double pivot = i > j ? fabsl(lu[j * n + j]) : 0;
            const long double bound =
                gamma_of(n + 2, t->type) * size + (n + pivot) * least_of(t->type);
            assert_near(sum, a[j * n + order[i]], bound, "L U");
            if (i > j) assert_true(fabsl(lu[j * n + i]) <= 1);
        }
    }
}

/* |A - L L^T| in the lower triangle; the other one is as it was. */
static void check_cholesky(const batch *t, const columns *f, int64_t s) {
    const int n = t->n;
    const long double *l = f->at + s * n * n, *a = t->a.at + s * n * n;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < j; i++) assert_true(l[j * n + i] == a[j * n + i]);
        for (int i = j; i < n; i++) {
            long double sum = 0, size = 0;
            for (int k = 0; k <= j; k++) {
                sum += l[k * n + i] * l[k * n + j];
                size += fabsl(l[k * n + i] * l[k * n + j]);
            }
            const long double pivot = i > j ? l[j * n + j] : 0;
            const long double bound =
                gamma_of(n + 3, t->type) * size + (n + pivot) * least_of(t->type);
            assert_near(sum, a[j * n + i], bound, "L L^T");
        }
    }
}

/* |P b - L U x| or |b - L L^T x|: each triangle is solved as its bound says. */
static void check_solve(const batch *t, const columns *f, const columns *x, int64_t s,
                        const int *order) {
    const int n = t->n;
    const long double *lu = f->at + s * n * n, *of_x = x->at + s * n;
    long double u[MOST], size_u[MOST], sum_u[MOST];
    for (int i = 0; i < n; i++) {
        u[i] = size_u[i] = sum_u[i] = 0;
        for (int j = i; j < n; j++) {
            const long double factor = order ? lu[j * n + i] : lu[i * n + j];
            u[i] += factor * of_x[j];
            size_u[i] += fabsl(factor * of_x[j]);
            sum_u[i] += fabsl(factor);
        }
    }
    for (int i = 0; i < n; i++) {
        long double sum = 0, size = 0, lost = 1 / (long double)unit_of(t->type);
        for (int j = 0; j <= i; j++) {
            const long double factor = order && i == j ? 1 : lu[j * n + i];
            sum += factor * u[j];
            size += fabsl(factor) * size_u[j];
            lost += fabsl(factor) * (1 + sum_u[j]);
        }
        const long double bound =
            3 * gamma_of(n + 2, t->type) * size + 3 * (n + 2) * least_of(t->type) * lost;
        assert_near(sum, t->b.at[s * n + (order ? order[i] : i)], bound, "L U x");
    }
}

static void try_lu(tulle_ctx *ctx, int n, int64_t count, int seed, tulle_type type) {
    batch t = make(ctx, n, count, false, seed, type);
    tulle_uniform_report *reports = calloc((size_t)count + 1, sizeof *reports);
    assert_non_null(reports);
    must(tulle_uniform_lu(ctx, n, t.A.X, t.pivots, tulle_reports_to(reports)));
    must(tulle_uniform_lu_solve(ctx, n, t.A.X, t.pivots, t.B.X, t.X.X));
    must(tulle_uniform_lu_solve(ctx, n, t.A.X, t.pivots, t.B.X, t.B.X));
    columns f = placed_read(ctx, &t.A), x = placed_read(ctx, &t.X), again = placed_read(ctx, &t.B);
    int32_t *pivots = read_pivots(ctx, &t);
    for (int64_t s = 0; s < count; s++) {
        int order[MOST];
        order_of(n, pivots + s * n, order);
        check_lu(&t, &f, s, order);
        check_solve(&t, &f, &x, s, order);
        assert_int_equal(reports[s].outcome, TULLE_CONVERGED);
        assert_int_equal(reports[s].row, -1);
    }
    for (int64_t k = 0; k < n * count; k++) assert_true(again.at[k] == x.at[k]);
    free(pivots);
    free(reports);
    columns_free(&f);
    columns_free(&x);
    columns_free(&again);
    give_up(&t);
}

static void try_cholesky(tulle_ctx *ctx, int n, int64_t count, int seed, tulle_type type) {
    batch t = make(ctx, n, count, true, seed, type);
    tulle_uniform_report *reports = calloc((size_t)count + 1, sizeof *reports);
    assert_non_null(reports);
    must(tulle_uniform_cholesky(ctx, n, t.A.X, tulle_reports_to(reports)));
    must(tulle_uniform_cholesky_solve(ctx, n, t.A.X, t.B.X, t.X.X));
    columns f = placed_read(ctx, &t.A), x = placed_read(ctx, &t.X);
    for (int64_t s = 0; s < count; s++) {
        check_cholesky(&t, &f, s);
        check_solve(&t, &f, &x, s, NULL);
        assert_int_equal(reports[s].outcome, TULLE_CONVERGED);
    }
    free(reports);
    columns_free(&f);
    columns_free(&x);
    give_up(&t);
}

static void sizes(tulle_ctx *ctx, const char *where) {
    for (int n = 0; n <= MOST; n++) {
        for (int type = TULLE_F32; type <= TULLE_F64; type++) {
            if (is_slow(where) && (n + type + turn_in_order(where, 3)) % 3) continue;
            try_lu(ctx, n, 1 + (n + type) % 6, n, (tulle_type)type);
            try_cholesky(ctx, n, 1 + n % 5, n, (tulle_type)type);
        }
    }
    try_lu(ctx, 5, 0, 1, TULLE_F64);
    try_cholesky(ctx, 5, 0, 1, TULLE_F64);
    if (is_slow(where)) return;
    try_lu(ctx, 11, 1000, 1, TULLE_F64);
    try_cholesky(ctx, 7, 1000, 2, TULLE_F32);
}
static void test_sizes(void **state) {
    (void)state;
    on_each_place(sizes);
}

/* One matrix among others is singular, has NaN or Inf, or is not positive: they keep their bits. */
static void fates(tulle_ctx *ctx, const char *where) {
    enum { N = 9, COUNT = 6, AT = 3 };
    (void)where;
    for (int fate = 0; fate < 6; fate++) {
        const bool positive = fate == 3 || fate == 5;
        batch t = make(ctx, N, COUNT, positive, 5 + fate, TULLE_F64);
        tulle_uniform_report reports[COUNT];
        long double *spoilt = t.a.at + AT * N * N;
        batch good = make(ctx, N, COUNT, positive, 5 + fate, TULLE_F64);
        if (fate == 0) memset(spoilt, 0, N * N * sizeof *spoilt);
        if (fate == 1) memset(spoilt + 2 * N, 0, N * sizeof *spoilt); /* a column */
        if (fate == 2) spoilt[4 * N + 6] = NAN;
        if (fate == 3) spoilt[2 * N + 2] = -1;
        if (fate == 4) spoilt[6] = INFINITY;
        if (fate == 5) spoilt[2 * N + 2] = INFINITY;
        placed_free(&t.A);
        t.A = columns_place(ctx, &t.a, TULLE_F64, lies[fate % 4]);
        if (positive) {
            must(tulle_uniform_cholesky(ctx, N, good.A.X, (tulle_uniform_reports){0}));
            must(tulle_uniform_cholesky(ctx, N, t.A.X, tulle_reports_to(reports)));
        } else {
            must(tulle_uniform_lu(ctx, N, good.A.X, good.pivots, (tulle_uniform_reports){0}));
            must(tulle_uniform_lu(ctx, N, t.A.X, t.pivots, tulle_reports_to(reports)));
        }
        columns f = placed_read(ctx, &t.A), want = placed_read(ctx, &good.A);
        for (int s = 0; s < COUNT; s++) {
            if (s == AT) continue;
            assert_int_equal(reports[s].outcome, TULLE_CONVERGED);
            for (int k = 0; k < N * N; k++) {
                assert_true(f.at[s * N * N + k] == want.at[s * N * N + k]);
            }
        }
        const int row[] = {0, 2, 4, 2, 0, 2};
        assert_int_equal(reports[AT].outcome, positive ? TULLE_INDEFINITE : TULLE_BROKE_DOWN);
        assert_int_equal(reports[AT].row, row[fate]);
        columns_free(&f);
        columns_free(&want);
        give_up(&t);
        give_up(&good);
    }
}
static void test_fates(void **state) {
    (void)state;
    on_each_place(fates);
}

static void arguments(tulle_ctx *ctx, const char *where) {
    (void)where;
    const tulle_uniform_reports none = {0};
    batch t = make(ctx, 4, 2, true, 1, TULLE_F64);
    tulle_vec_info of_a;
    must(tulle_vec_describe(t.A.X, &of_a));
    assert_int_equal(tulle_uniform_lu(ctx, -1, t.A.X, t.pivots, none), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_uniform_lu(ctx, 33, t.A.X, t.pivots, none), TULLE_TOO_LARGE);
    assert_int_equal(tulle_uniform_lu(ctx, 5, t.A.X, t.pivots, none), TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_uniform_lu(ctx, 4, t.A.X, NULL, none), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_uniform_lu(ctx, 4, t.A.X, of_a.data, none), TULLE_ALIASED);
    assert_int_equal(tulle_uniform_lu(NULL, 4, t.A.X, t.pivots, none), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_uniform_cholesky(ctx, 4, t.A.X, tulle_reports_at(of_a.data)),
                     TULLE_ALIASED);
    assert_int_equal(tulle_uniform_cholesky_solve(ctx, 4, t.A.X, t.A.X, t.X.X),
                     TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_uniform_lu_solve(ctx, 4, t.A.X, NULL, t.B.X, t.X.X),
                     TULLE_INVALID_ARGUMENT);
    give_up(&t);
}
ONCE_ON_EACH_PLACE(arguments)

/* Captured, and nothing allocated after a first call. */
static void captured(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (ctx->kind == TULLE_CPU) return;
    const tulle__place *place = &ctx->place;
    batch t = make(ctx, 6, 3, true, 0, TULLE_F64);
    placed F = columns_place(ctx, &t.a, TULLE_F64, lies[0]);
    void *graph = NULL;
    must(tulle_uniform_cholesky(ctx, 6, F.X, (tulle_uniform_reports){0}));
    must(tulle_uniform_cholesky_solve(ctx, 6, F.X, t.B.X, t.X.X));
    columns want = placed_read(ctx, &t.X);
    must(ctx->backend->capture_begin(place));
    must(tulle_vec_copy(ctx, t.A.X, F.X));
    must(tulle_uniform_cholesky(ctx, 6, F.X, (tulle_uniform_reports){0}));
    must(tulle_uniform_cholesky_solve(ctx, 6, F.X, t.B.X, t.X.X));
    must(ctx->backend->capture_end(place, &graph));
    must(tulle_vec_fill(ctx, t.X.X, 7));
    must(ctx->backend->graph_launch(place, graph));
    columns got = placed_read(ctx, &t.X);
    for (int k = 0; k < 18; k++) assert_true(got.at[k] == want.at[k]);
    must(ctx->backend->graph_destroy(place->device, graph));
    columns_free(&want);
    columns_free(&got);
    placed_free(&F);
    give_up(&t);
}
ONCE_ON_EACH_PLACE(captured)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_fates),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_captured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
