/* SPDX-License-Identifier: Apache-2.0 */
/* Factors and solutions with them have the same bits on a CPU whoever computes them: one thread,
 * row by row, or any number that share levels; row by row is the definition's kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/factor.h"
#include "tulle/generate.h"

/* Of levels wide enough to be shared, and thin ones between; rows without a diagonal entry. */
static const char *const matrices[] = {"p3d7:24", "fem3:5", "random:4000,4000,6", "p2d:7"};
static const char *const places[] = {"cpu:1", "cpu:2", "cpu:4", "cpu:7"};
enum { MATRICES = 4, PLACES = 4, SOLUTIONS = 4 };

/* Pivots that are too small are made larger, so that all factors are numbers. */
static const tulle_factor_options options[] = {
    {.tiny = 1e-2, .boost = true},
    {.tiny = 1e-2, .boost = true, .single = true, .shift = 0.5},
    {.kind = TULLE_CHOLESKY, .tiny = 1e-2, .boost = true}};
enum { OPTIONS = 3 };

typedef struct {
    entries L, U; /* U: of L U */
    double *x[SOLUTIONS];
    int64_t n;
} results;

static void free_results(const results *r) {
    entries L = r->L, U = r->U;
    entries_free(&L);
    if (U.row) entries_free(&U);
    for (int k = 0; k < SOLUTIONS; k++) free(r->x[k]);
}

static entries numbers_of(tulle_ctx *ctx, tulle_mat *A) {
    entries e = entries_read(ctx, A);
    tulle_mat_destroy(A);
    return e;
}

static double *solve(tulle_ctx *ctx, tulle_factor *F, int k, int64_t n) {
    tulle_dense *b = NULL, *x = NULL;
    double *numbers = calloc((size_t)n, sizeof *numbers);
    assert_non_null(numbers);
    for (int64_t i = 0; i < n; i++) numbers[i] = (double)(1 + i * 7 % 13);
    must(tulle_vec_create(ctx, TULLE_F64, n, &b));
    must(tulle_vec_create(ctx, TULLE_F64, n, &x));
    must(tulle_dense_write(ctx, b, numbers, 0));
    must(tulle_factor_solve_part(ctx, F, k % 2 ? TULLE_UPPER : TULLE_LOWER,
                                 k / 2 ? TULLE_T : TULLE_N, tulle_num(0.5), b, x));
    must(tulle_dense_read(ctx, x, numbers, 0));
    tulle_dense_destroy(x);
    tulle_dense_destroy(b);
    return numbers;
}

/* kernels: of factors and of solutions; NULL: as is chosen. */
static results compute(const char *where, const char *spec, const tulle_factor_options *o,
                       const char *const kernels[2]) {
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL, *L = NULL, *U = NULL;
    tulle_factor *F = NULL;
    tulle_factor_info info;
    results r = {.n = 0};
    must(tulle_ctx_create(where, NULL, &ctx));
    for (int k = 0; k < 2; k++) {
        if (kernels[k]) must(tulle_ctx_force_kernel(ctx, kernels[k]));
    }
    must(tulle_generate(ctx, spec, 1, TULLE_F64, &A));
    must(tulle_factor_create(ctx, A, o, &F));
    must(tulle_factor_describe(F, &info));
    r.n = info.rows;
    must(tulle_factor_export(ctx, F, &L, o->kind == TULLE_LU ? &U : NULL));
    r.L = numbers_of(ctx, L);
    if (U) r.U = numbers_of(ctx, U);
    for (int k = 0; k < SOLUTIONS; k++) r.x[k] = solve(ctx, F, k, r.n);
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    return r;
}

static void assert_same(const results *a, const results *b, const char *what) {
    entries_assert_same(&a->L, &b->L, what);
    if (a->U.row) entries_assert_same(&a->U, &b->U, what);
    for (int k = 0; k < SOLUTIONS; k++) {
        assert_memory_equal(a->x[k], b->x[k], (size_t)a->n * sizeof *a->x[k]);
    }
}

static void test_threads(void **state) {
    static const char *const defined[2] = {"factor_rows", "trisolve_rows"};
    static const char *const others[][2] = {{NULL, NULL}, {"factor_rows", "trisolve_levels"}};
    (void)state;
    for (int i = 0; i < MATRICES * OPTIONS; i++) {
        const tulle_factor_options *o = &options[i % OPTIONS];
        const char *matrix = matrices[i / OPTIONS];
        if (o->kind == TULLE_CHOLESKY && strncmp(matrix, "random", 6) == 0)
            continue; /* no pivots */
        const results by_definition = compute(places[0], matrix, o, defined);
        for (int k = 0; k < 2 * PLACES; k++) {
            const results other = compute(places[k / 2], matrix, o, others[k % 2]);
            assert_same(&by_definition, &other, matrix);
            free_results(&other);
        }
        free_results(&by_definition);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
