/* SPDX-License-Identifier: Apache-2.0 */
/* Many small systems at once: products and solutions against long double, in all layouts; how each
 * system ends; that none has to do with another. */
#include <float.h>
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
                           {TULLE_COLUMN_MAJOR, 3, 1},
                           {TULLE_ROW_MAJOR, 2, 0}};
enum { LIES = sizeof lies / sizeof *lies };

/* One batch, on the host and on a place. */
typedef struct {
    pattern p;
    columns values, b;
    tulle_uniform *P;
    placed A, B, X;
    tulle_type type;
    int64_t count;
} batch;

static batch batch_place(tulle_ctx *ctx, pattern p, columns values, int64_t count, int seed,
                         tulle_type type) {
    batch t = {.p = p, .values = values, .type = type, .count = count};
    columns x = columns_random(p.n, count, (uint64_t)seed + 2, type);
    t.b = columns_random(p.n, count, (uint64_t)seed + 1, type);
    t.P = pattern_make(ctx, &p);
    t.A = columns_place(ctx, &values, type, lies[seed % LIES]);
    t.B = columns_place(ctx, &t.b, type, lies[(seed / LIES) % LIES]);
    t.X = columns_place(ctx, &x, type, lies[(seed / 3) % LIES]);
    columns_free(&x);
    return t;
}

static batch batch_make(tulle_ctx *ctx, int n, pattern_kind kind, int64_t count, int seed,
                        tulle_type type) {
    const pattern p = pattern_random(n, kind, (uint64_t)seed);
    return batch_place(ctx, p, batch_values(&p, count, kind.symmetric, (uint64_t)seed, type), count,
                       seed, type);
}

/* Other numbers of the matrices, or of b. */
static void place_values(tulle_ctx *ctx, batch *t) {
    const lie how = t->A.how;
    placed_free(&t->A);
    t->A = columns_place(ctx, &t->values, t->type, how);
}
static void place_b(tulle_ctx *ctx, batch *t) {
    const lie how = t->B.how;
    placed_free(&t->B);
    t->B = columns_place(ctx, &t->b, t->type, how);
}

static void batch_free(batch *t) {
    placed_free(&t->A);
    placed_free(&t->B);
    placed_free(&t->X);
    columns_free(&t->values);
    columns_free(&t->b);
    tulle_uniform_destroy(t->P);
    pattern_free(&t->p);
}

/* Products. */

static void check_product(const batch *t, const columns *x0, const columns *y0, const columns *y,
                          double alpha, double beta) {
    for (int64_t s = 0; s < t->count; s++) {
        for (int i = 0; i < t->p.n; i++) {
            const int64_t at = s * t->p.n + i;
            const int length = t->p.offsets[i + 1] - t->p.offsets[i];
            long double want = beta == 0 ? 0 : (long double)beta * y0->at[at], size = fabsl(want);
            for (int e = t->p.offsets[i]; e < t->p.offsets[i + 1]; e++) {
                const long double product = (long double)alpha *
                                            t->values.at[s * t->p.entries + e] *
                                            x0->at[s * t->p.n + t->p.columns[e]];
                want += product;
                size += fabsl(product);
            }
            const long double bound =
                gamma_of(length + 2, t->type) * size +
                (length + 2) * (1 + fabsl((long double)alpha)) * least_of(t->type);
            assert_near(y->at[at], want, bound, "y");
        }
    }
}

static void try_product(tulle_ctx *ctx, int n, int64_t count, int seed, tulle_type type) {
    static const double factors[][2] = {{1, 0}, {-0.5, 1}, {2, -0.25}, {0, 0.5}};
    const double alpha = factors[seed % 4][0], beta = factors[seed % 4][1];
    batch t =
        batch_make(ctx, n, (pattern_kind){.most = 9, .empty_rows = seed % 2}, count, seed, type);
    columns y0 = columns_random(n, count, 99, type);
    if (beta == 0 && n > 0 && count > 0) y0.at[0] = NAN;
    placed Y = columns_place(ctx, &y0, type, lies[(seed / 2) % LIES]);
    must(tulle_uniform_spmv(ctx, t.P, tulle_num(alpha), t.A.X, t.B.X, tulle_num(beta), Y.X));
    columns y = placed_read(ctx, &Y);
    check_product(&t, &t.b, &y0, &y, alpha, beta);
    placed_free(&Y);
    columns_free(&y0);
    columns_free(&y);
    batch_free(&t);
}

static void products(tulle_ctx *ctx, const char *where) {
    static const int sizes[] = {0, 1, 2, 31, 32, 33, 64, 100, 200, 1024};
    static const int counts[] = {0, 1, 2, 33, 1000};
    for (int k = 0; k < 10; k++) {
        for (int c = 0; c < 5; c++) {
            if (is_slow(where) && (int64_t)sizes[k] * counts[c] > 3300) continue;
            if (is_slow(where) && (k + c + turn_in_order(where, 2)) % 2) continue;
            for (int seed = 0; seed < 4; seed++) {
                const tulle_type type = (seed + c) % 2 ? TULLE_F32 : TULLE_F64;
                try_product(ctx, sizes[k], counts[c], 5 * seed + k + c, type);
            }
        }
    }
}
static void test_products(void **state) {
    (void)state;
    on_each_place(products);
}

/* Solutions. */

/* Beyond so many rows residuals are enough. */
enum { MOST_ELIMINATED = 65 };

/* Near the solution by elimination: |A^-1| is at most 1 for maximum norms, as every diagonal number
 * is larger than the rest of its row by 1. */
static void check_eliminated(const batch *t, const columns *x, int64_t s,
                             const batch_norms *norms) {
    const int n = t->p.n;
    long double *a = calloc((size_t)n * (size_t)n + 1, sizeof *a);
    long double *want = calloc((size_t)n + 1, sizeof *want);
    assert_non_null(a);
    assert_non_null(want);
    for (int i = 0; i < n; i++) {
        want[i] = t->b.at[s * n + i];
        for (int e = t->p.offsets[i]; e < t->p.offsets[i + 1]; e++) {
            a[t->p.columns[e] * n + i] = t->values.at[s * t->p.entries + e];
        }
    }
    assert_true(dense_solve(n, a, want));
    for (int i = 0; i < n; i++) {
        assert_near(x->at[s * n + i], want[i], norms->residual + 1e-15L * norms->x, "x");
    }
    free(a);
    free(want);
}

static void check_solution(const batch *t, const columns *x, int64_t s, double tolerance,
                           const tulle_uniform_report *report) {
    const batch_norms norms = batch_check(&t->p, &t->values, &t->b, x, s);
    /* the norm is rounded to f64, and the residual here is in long double: diagonals that dominate
     * have |A| |x| at most 3 |b| */
    const long double slack = 1e-15L * norms.residual + 1e-17L * norms.b;
    if (report->outcome != TULLE_CONVERGED) {
        fail_msg("system %lld: %s after %lld, norm %g", (long long)s,
                 tulle_outcome_text(report->outcome), (long long)report->iterations, report->norm);
    }
    assert_true(norms.residual <= tolerance * norms.b + slack);
    assert_near((long double)report->norm, norms.residual, slack, "norm");
    assert_int_equal(report->row, -1);
    if (t->p.n <= MOST_ELIMINATED) check_eliminated(t, x, s, &norms);
}

static void try_solution(tulle_ctx *ctx, int n, int64_t count, int seed,
                         tulle_uniform_options options, tulle_type type) {
    const bool symmetric = options.method == TULLE_CG;
    batch t =
        batch_make(ctx, n, (pattern_kind){.most = 6, .symmetric = symmetric}, count, seed, type);
    tulle_uniform_report *reports = calloc((size_t)count + 1, sizeof *reports);
    assert_non_null(reports);
    options.tolerance = type == TULLE_F32 ? 1e-5 : 1e-10;
    must(tulle_uniform_solve(ctx, t.P, &options, t.A.X, t.B.X, t.X.X, tulle_reports_to(reports)));
    columns x = placed_read(ctx, &t.X);
    for (int64_t s = 0; s < count; s++) {
        check_solution(&t, &x, s, options.tolerance, reports + s);
        if (n > 1) assert_true(reports[s].iterations > 0);
    }
    columns_free(&x);
    free(reports);
    batch_free(&t);
}

static const tulle_uniform_preconditioner preconditioners[] = {
    TULLE_UNIFORM_NONE, TULLE_UNIFORM_JACOBI, TULLE_UNIFORM_ILU};
enum { PRECONDITIONERS = sizeof preconditioners / sizeof *preconditioners };

static void solutions(tulle_ctx *ctx, const char *where) {
    static const int sizes[] = {0, 1, 2, 7, 32, 33, 65, 97, 160, 161, 257, 600};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int k = 0; k < SIZES; k++) {
        for (int method = TULLE_CG; method <= TULLE_GMRES; method++) {
            for (int p = 0; p < PRECONDITIONERS; p++) {
                for (int type = TULLE_F32; type <= TULLE_F64; type++) {
                    const int seed = k + method + p + type;
                    const int turns = sizes[k] > 100 ? 12 : 4;
                    if (is_slow(where) && (seed + turn_in_order(where, turns)) % turns) continue;
                    const tulle_uniform_options o = {.method = (tulle_method)method,
                                                     .preconditioner = preconditioners[p],
                                                     .restart = 3 + 9 * (seed % 3),
                                                     .guess = seed % 5 == 2};
                    const int64_t count = sizes[k] > 200 ? 2 : 5;
                    try_solution(ctx, sizes[k], count, seed, o, (tulle_type)type);
                }
            }
        }
    }
}
static void test_solutions(void **state) {
    (void)state;
    on_each_place(solutions);
}

static void many(tulle_ctx *ctx, const char *where) {
    const tulle_uniform_options o = {.method = TULLE_BICGSTAB,
                                     .preconditioner = TULLE_UNIFORM_JACOBI};
    const int64_t counts[] = {0, 1, is_slow(where) ? 40 : 1000};
    for (int c = 0; c < 3; c++) {
        for (int seed = 0; seed < 2; seed++) try_solution(ctx, 20, counts[c], seed, o, TULLE_F64);
    }
}
static void test_many(void **state) {
    (void)state;
    on_each_place(many);
}

/* Far from 1: squares of these numbers are none. */
static void ends(tulle_ctx *ctx, const char *where) {
    static const double factors[2][4] = {{0x1p-120, 0x1p100, 0x1p-140, 1},
                                         {0x1p-1000, 0x1p900, 0x1p-1040, 1}};
    (void)where;
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        for (int method = TULLE_CG; method <= TULLE_GMRES; method++) {
            batch t = batch_make(ctx, 25, (pattern_kind){.most = 5, .symmetric = true}, 4, method,
                                 (tulle_type)type);
            const tulle_uniform_options o = {.method = (tulle_method)method, .tolerance = 1e-4};
            tulle_uniform_report reports[4];
            for (int s = 0; s < 4; s++) {
                for (int i = 0; i < 25; i++) {
                    /* few bits, so that small ones have them too */
                    t.b.at[s * 25 + i] = (long double)factors[type - TULLE_F32][s] * (i % 5 - 2);
                }
            }
            place_b(ctx, &t);
            must(tulle_uniform_solve(ctx, t.P, &o, t.A.X, t.B.X, t.X.X, tulle_reports_to(reports)));
            columns x = placed_read(ctx, &t.X);
            for (int s = 0; s < 4; s++) {
                const batch_norms norms = batch_check(&t.p, &t.values, &t.b, &x, s);
                const bool below = s == 2; /* x has numbers below the smallest normal one */
                const long double lost = 25 * 25 * least_of((tulle_type)type);
                if (!below || reports[s].outcome != TULLE_STAGNATED) {
                    assert_int_equal(reports[s].outcome, TULLE_CONVERGED);
                    assert_true(norms.residual <= 1.001L * 1e-4L * norms.b);
                }
                assert_true(norms.residual <= 1.001L * 1e-4L * norms.b + lost);
            }
            columns_free(&x);
            batch_free(&t);
        }
    }
}
static void test_ends(void **state) {
    (void)state;
    on_each_place(ends);
}

/* How systems end that have no solution, or that a method is not for. */

enum { ZOO_N = 12 };

typedef struct {
    const char *what;
    tulle_method method;
    tulle_uniform_preconditioner preconditioner;
    void (*spoil)(batch *t, int64_t s);
    tulle_outcome outcome, or_else; /* rounding may decide which */
    int row;
} fate;

static long double *diagonal_of(batch *t, int64_t s, int row) {
    return t->values.at + s * t->p.entries + pattern_find(&t->p, row, row);
}
static void zero_b(batch *t, int64_t s) {
    memset(t->b.at + s * ZOO_N, 0, ZOO_N * sizeof *t->b.at);
}
static void nan_in_b(batch *t, int64_t s) {
    t->b.at[s * ZOO_N + 4] = NAN;
}
static void infinity_in_b(batch *t, int64_t s) {
    t->b.at[s * ZOO_N + 5] = INFINITY;
}
static void nan_in_a(batch *t, int64_t s) {
    *diagonal_of(t, s, 3) = NAN;
}
static void zero_on_diagonal(batch *t, int64_t s) {
    *diagonal_of(t, s, 7) = 0;
    *diagonal_of(t, s, 9) = 0;
}
static void negative(batch *t, int64_t s) {
    for (int e = 0; e < t->p.entries; e++) t->values.at[s * t->p.entries + e] *= -1;
}
/* A row of zeros where b is not 0. */
static void singular(batch *t, int64_t s) {
    for (int e = t->p.offsets[2]; e < t->p.offsets[3]; e++) {
        t->values.at[s * t->p.entries + e] = 0;
    }
}

static void zero_matrix(batch *t, int64_t s) {
    memset(t->values.at + s * t->p.entries, 0, (size_t)t->p.entries * sizeof *t->values.at);
}

/* Numbers whose squares are beyond the ends of the type. */
static void scale(const batch *t, long double *numbers, int64_t count, int sign) {
    for (int64_t k = 0; k < count; k++) {
        numbers[k] = ldexpl(numbers[k], sign * (t->type == TULLE_F32 ? 100 : 700));
    }
}
static void huge(batch *t, int64_t s) {
    scale(t, t->values.at + s * t->p.entries, t->p.entries, 1);
}
static void tiny(batch *t, int64_t s) {
    scale(t, t->values.at + s * t->p.entries, t->p.entries, -1);
}
/* Solutions that are beyond the ends of the type themselves. */
static void too_large(batch *t, int64_t s) {
    tiny(t, s);
    scale(t, t->b.at + s * ZOO_N, ZOO_N, 1);
}
static void too_small(batch *t, int64_t s) {
    huge(t, s);
    scale(t, t->b.at + s * ZOO_N, ZOO_N, -1);
}

static void nothing_to_do(batch *t, int64_t s) {
    zero_b(t, s);
    *diagonal_of(t, s, 3) = 0;
}

static void nan_and_nothing_to_do(batch *t, int64_t s) {
    zero_b(t, s);
    *diagonal_of(t, s, 3) = NAN;
}

static bool has_no_b(const batch *t, int64_t s) {
    for (int i = 0; i < ZOO_N; i++) {
        if (t->b.at[s * ZOO_N + i] != 0) return false;
    }
    return true;
}

static const fate fates[] = {
    {"b is 0, A has NaN", TULLE_CG, TULLE_UNIFORM_NONE, nan_and_nothing_to_do, TULLE_CONVERGED,
     TULLE_CONVERGED, -1},
    {"b is 0, A has NaN", TULLE_BICGSTAB, TULLE_UNIFORM_ILU, nan_and_nothing_to_do, TULLE_CONVERGED,
     TULLE_CONVERGED, -1},
    {"b is 0, a diagonal number too", TULLE_CG, TULLE_UNIFORM_JACOBI, nothing_to_do,
     TULLE_CONVERGED, TULLE_CONVERGED, -1},
    {"b is 0", TULLE_CG, TULLE_UNIFORM_NONE, zero_b, TULLE_CONVERGED, TULLE_CONVERGED, -1},
    {"b is 0", TULLE_BICGSTAB, TULLE_UNIFORM_JACOBI, zero_b, TULLE_CONVERGED, TULLE_CONVERGED, -1},
    {"b is 0", TULLE_GMRES, TULLE_UNIFORM_NONE, zero_b, TULLE_CONVERGED, TULLE_CONVERGED, -1},
    {"NaN in b", TULLE_CG, TULLE_UNIFORM_NONE, nan_in_b, TULLE_NOT_A_NUMBER, TULLE_NOT_A_NUMBER,
     -1},
    {"NaN in b", TULLE_BICGSTAB, TULLE_UNIFORM_NONE, nan_in_b, TULLE_NOT_A_NUMBER,
     TULLE_NOT_A_NUMBER, -1},
    {"NaN in b", TULLE_GMRES, TULLE_UNIFORM_JACOBI, nan_in_b, TULLE_NOT_A_NUMBER,
     TULLE_NOT_A_NUMBER, -1},
    {"Inf in b", TULLE_BICGSTAB, TULLE_UNIFORM_NONE, infinity_in_b, TULLE_NOT_A_NUMBER,
     TULLE_NOT_A_NUMBER, -1},
    {"NaN in A", TULLE_CG, TULLE_UNIFORM_NONE, nan_in_a, TULLE_NOT_A_NUMBER, TULLE_NOT_A_NUMBER,
     -1},
    {"NaN in A", TULLE_BICGSTAB, TULLE_UNIFORM_NONE, nan_in_a, TULLE_NOT_A_NUMBER,
     TULLE_NOT_A_NUMBER, -1},
    {"NaN in A", TULLE_GMRES, TULLE_UNIFORM_NONE, nan_in_a, TULLE_NOT_A_NUMBER, TULLE_NOT_A_NUMBER,
     -1},
    {"NaN in A", TULLE_CG, TULLE_UNIFORM_JACOBI, nan_in_a, TULLE_BROKE_DOWN, TULLE_BROKE_DOWN, 3},
    {"0 on the diagonal", TULLE_CG, TULLE_UNIFORM_JACOBI, zero_on_diagonal, TULLE_BROKE_DOWN,
     TULLE_BROKE_DOWN, 7},
    {"0 on the diagonal", TULLE_GMRES, TULLE_UNIFORM_JACOBI, zero_on_diagonal, TULLE_BROKE_DOWN,
     TULLE_BROKE_DOWN, 7},
    {"singular", TULLE_BICGSTAB, TULLE_UNIFORM_ILU, singular, TULLE_BROKE_DOWN, TULLE_BROKE_DOWN,
     2},
    {"negative definite", TULLE_BICGSTAB, TULLE_UNIFORM_ILU, negative, TULLE_CONVERGED,
     TULLE_CONVERGED, -1},
    {"negative definite", TULLE_CG, TULLE_UNIFORM_NONE, negative, TULLE_INDEFINITE,
     TULLE_INDEFINITE, -1},
    {"negative definite", TULLE_CG, TULLE_UNIFORM_JACOBI, negative, TULLE_INDEFINITE,
     TULLE_INDEFINITE, -1},
    {"negative definite", TULLE_BICGSTAB, TULLE_UNIFORM_JACOBI, negative, TULLE_CONVERGED,
     TULLE_CONVERGED, -1},
    {"negative definite", TULLE_GMRES, TULLE_UNIFORM_NONE, negative, TULLE_CONVERGED,
     TULLE_CONVERGED, -1},
    {"singular", TULLE_GMRES, TULLE_UNIFORM_NONE, singular, TULLE_BROKE_DOWN, TULLE_STAGNATED, -1},
    {"nothing but zeros", TULLE_CG, TULLE_UNIFORM_NONE, zero_matrix, TULLE_INDEFINITE,
     TULLE_INDEFINITE, -1},
    {"nothing but zeros", TULLE_BICGSTAB, TULLE_UNIFORM_NONE, zero_matrix, TULLE_BROKE_DOWN,
     TULLE_BROKE_DOWN, -1},
    {"nothing but zeros", TULLE_GMRES, TULLE_UNIFORM_NONE, zero_matrix, TULLE_BROKE_DOWN,
     TULLE_BROKE_DOWN, -1},
    {"huge numbers", TULLE_CG, TULLE_UNIFORM_NONE, huge, TULLE_CONVERGED, TULLE_CONVERGED, -1},
    {"huge numbers", TULLE_BICGSTAB, TULLE_UNIFORM_NONE, huge, TULLE_CONVERGED, TULLE_CONVERGED,
     -1},
    {"huge numbers", TULLE_GMRES, TULLE_UNIFORM_NONE, huge, TULLE_CONVERGED, TULLE_CONVERGED, -1},
    {"tiny numbers", TULLE_CG, TULLE_UNIFORM_NONE, tiny, TULLE_CONVERGED, TULLE_CONVERGED, -1},
    {"tiny numbers", TULLE_BICGSTAB, TULLE_UNIFORM_NONE, tiny, TULLE_CONVERGED, TULLE_CONVERGED,
     -1},
    {"tiny numbers", TULLE_GMRES, TULLE_UNIFORM_NONE, tiny, TULLE_CONVERGED, TULLE_CONVERGED, -1},
    {"x is too large", TULLE_CG, TULLE_UNIFORM_JACOBI, too_large, TULLE_NOT_A_NUMBER,
     TULLE_NOT_A_NUMBER, -1},
    {"x is too large", TULLE_BICGSTAB, TULLE_UNIFORM_ILU, too_large, TULLE_NOT_A_NUMBER,
     TULLE_NOT_A_NUMBER, -1},
    {"x is too large", TULLE_GMRES, TULLE_UNIFORM_NONE, too_large, TULLE_NOT_A_NUMBER,
     TULLE_NOT_A_NUMBER, -1},
    {"x is too small", TULLE_CG, TULLE_UNIFORM_JACOBI, too_small, TULLE_STAGNATED, TULLE_STAGNATED,
     -1},
    {"x is too small", TULLE_BICGSTAB, TULLE_UNIFORM_ILU, too_small, TULLE_STAGNATED,
     TULLE_STAGNATED, -1},
    {"x is too small", TULLE_GMRES, TULLE_UNIFORM_NONE, too_small, TULLE_STAGNATED, TULLE_STAGNATED,
     -1},
};
enum { FATES = sizeof fates / sizeof *fates };

static columns solve_batch(tulle_ctx *ctx, batch *t, const tulle_uniform_options *o,
                           tulle_uniform_report *reports) {
    must(tulle_uniform_solve(ctx, t->P, o, t->A.X, t->B.X, t->X.X, tulle_reports_to(reports)));
    return placed_read(ctx, &t->X);
}

static void assert_same_bits(const columns *x, const columns *y, int64_t first_x, int64_t first_y,
                             int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        const double a = (double)x->at[first_x + k], b = (double)y->at[first_y + k];
        assert_memory_equal(&a, &b, sizeof a);
    }
}

/* One system in the middle fails, and the others have the bits that they have without it. */
static void try_fate(tulle_ctx *ctx, const fate *f, int seed, tulle_type type) {
    enum { COUNT = 5, AT = 2 };
    const tulle_uniform_options o = {.method = f->method, .preconditioner = f->preconditioner};
    tulle_uniform_report good[COUNT], reports[COUNT];
    batch t =
        batch_make(ctx, ZOO_N, (pattern_kind){.most = 4, .symmetric = true}, COUNT, seed, type);
    columns want = solve_batch(ctx, &t, &o, good);
    f->spoil(&t, AT);
    place_values(ctx, &t);
    place_b(ctx, &t);
    columns got = solve_batch(ctx, &t, &o, reports);
    const tulle_outcome outcome = reports[AT].outcome;
    if ((outcome != f->outcome && outcome != f->or_else) || reports[AT].row != f->row) {
        fail_msg("%s, %s: %s, row %d", f->what, tulle_method_name(f->method),
                 tulle_outcome_text(outcome), reports[AT].row);
    }
    for (int s = 0; s < COUNT; s++) {
        if (s == AT) continue;
        assert_int_equal(reports[s].outcome, TULLE_CONVERGED);
        assert_memory_equal(reports + s, good + s, sizeof *reports);
        assert_same_bits(&got, &want, s * ZOO_N, s * ZOO_N, ZOO_N);
    }
    const bool no_b = has_no_b(&t, AT);
    if (outcome == TULLE_CONVERGED && !no_b) {
        const batch_norms norms = batch_check(&t.p, &t.values, &t.b, &got, AT);
        assert_true(norms.residual <= (type == TULLE_F32 ? 1.01e-5L : 1.01e-8L) * norms.b);
    }
    if (no_b) {
        for (int i = 0; i < ZOO_N; i++) assert_true(got.at[AT * ZOO_N + i] == 0);
        assert_true(reports[AT].norm == 0 && reports[AT].iterations == 0);
    }
    columns_free(&want);
    columns_free(&got);
    batch_free(&t);
}

static void outcomes(tulle_ctx *ctx, const char *where) {
    for (int k = 0; k < FATES; k++) {
        for (int type = TULLE_F32; type <= TULLE_F64; type++) {
            if (is_slow(where) && (k + type + turn_in_order(where, 2)) % 2) continue;
            try_fate(ctx, fates + k, k, (tulle_type)type);
        }
    }
}
static void test_outcomes(void **state) {
    (void)state;
    on_each_place(outcomes);
}

/* Iterations run out; rows that have no entries. */
static void limits(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int method = TULLE_CG; method <= TULLE_GMRES; method++) {
        const tulle_uniform_options o = {
            .method = (tulle_method)method, .max_iterations = 2, .tolerance = 1e-12};
        batch t =
            batch_make(ctx, 40, (pattern_kind){.most = 6, .symmetric = true}, 3, method, TULLE_F64);
        tulle_uniform_report reports[3];
        columns x = solve_batch(ctx, &t, &o, reports);
        for (int s = 0; s < 3; s++) {
            const batch_norms norms = batch_check(&t.p, &t.values, &t.b, &x, s);
            assert_int_equal(reports[s].outcome, TULLE_MOST_ITERATIONS);
            assert_int_equal(reports[s].iterations, 2);
            assert_true(norms.residual < norms.b);
            assert_near((long double)reports[s].norm, norms.residual, 1e-10L * norms.b, "norm");
        }
        columns_free(&x);
        batch_free(&t);
    }
    const tulle_uniform_options o = {.method = TULLE_GMRES, .preconditioner = TULLE_UNIFORM_JACOBI};
    batch t = batch_make(ctx, 20, (pattern_kind){.most = 4, .empty_rows = true}, 2, 3, TULLE_F64);
    tulle_uniform_report reports[2];
    columns x = solve_batch(ctx, &t, &o, reports);
    for (int s = 0; s < 2; s++) {
        assert_int_equal(reports[s].outcome, TULLE_BROKE_DOWN);
        assert_int_equal(reports[s].row, 3);
        assert_int_equal(reports[s].iterations, 0);
    }
    columns_free(&x);
    batch_free(&t);
}
static void test_limits(void **state) {
    (void)state;
    on_each_place(limits);
}

/* A system has the bits that it has alone, in any layout. */
static void try_alone(tulle_ctx *ctx, int n, int64_t count, int seed) {
    const tulle_type type = seed % 2 ? TULLE_F32 : TULLE_F64;
    const tulle_uniform_options o = {.method = (tulle_method)(seed % 3),
                                     .preconditioner = preconditioners[seed % PRECONDITIONERS],
                                     .restart = 1 + seed % 7};
    const pattern_kind kind = {.most = 2 + seed % 6, .symmetric = o.method == TULLE_CG};
    batch all = batch_make(ctx, n, kind, count, seed, type);
    tulle_uniform_report *reports = calloc((size_t)count, sizeof *reports), report;
    assert_non_null(reports);
    columns together = solve_batch(ctx, &all, &o, reports);
    placed Y = columns_place(ctx, &together, type, lies[seed % LIES]);
    must(tulle_uniform_spmv(ctx, all.P, tulle_num(1), all.A.X, all.X.X, tulle_num(0.5), Y.X));
    columns y = placed_read(ctx, &Y);
    for (int64_t s = 0; s < count; s++) {
        pattern p = pattern_random(n, kind, (uint64_t)seed);
        columns values = columns_random(p.entries, 1, 1, type);
        memcpy(values.at, all.values.at + s * p.entries, (size_t)p.entries * sizeof *values.at);
        batch one = batch_place(ctx, p, values, 1, seed + 1, type);
        memcpy(one.b.at, all.b.at + s * n, (size_t)n * sizeof *one.b.at);
        place_b(ctx, &one);
        columns x = solve_batch(ctx, &one, &o, &report);
        assert_memory_equal(&report, reports + s, sizeof report);
        assert_same_bits(&x, &together, 0, s * n, n);
        placed Z = columns_place(ctx, &x, type, lies[(seed + 1) % LIES]);
        must(tulle_uniform_spmv(ctx, one.P, tulle_num(1), one.A.X, one.X.X, tulle_num(0.5), Z.X));
        columns z = placed_read(ctx, &Z);
        assert_same_bits(&z, &y, 0, s * n, n);
        columns_free(&z);
        columns_free(&x);
        placed_free(&Z);
        batch_free(&one);
    }
    columns_free(&y);
    columns_free(&together);
    placed_free(&Y);
    free(reports);
    batch_free(&all);
}

static void alone(tulle_ctx *ctx, const char *where) {
    if (strcmp(where, "cpu:2") == 0) return; /* all threads of the machine are enough */
    const int batches = is_slow(where) ? 12 : 1000;
    const int first = is_slow(where) ? turn_in_order(where, 1000) : 0;
    for (int k = first; k < first + batches; k++) {
        try_alone(ctx, 1 + k * 7 % 40, 1 + k % 3, k);
    }
}
static void test_alone(void **state) {
    (void)state;
    on_each_place(alone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products), cmocka_unit_test(test_solutions),
        cmocka_unit_test(test_many),     cmocka_unit_test(test_ends),
        cmocka_unit_test(test_outcomes), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
