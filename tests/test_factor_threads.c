/* SPDX-License-Identifier: Apache-2.0 */
/* Factors and solutions with them have the same bits on a CPU whoever computes them: one thread,
 * row by row, or any number that share levels, with vectors of AVX2 or
 * without; row by row is the definition's kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
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
    tulle_vec *b = NULL, *x = NULL;
    double *numbers = calloc((size_t)n, sizeof *numbers);
    assert_non_null(numbers);
    for (int64_t i = 0; i < n; i++) numbers[i] = (double)(1 + i * 7 % 13);
    must(tulle_vec_create(ctx, TULLE_F64, n, &b));
    must(tulle_vec_create(ctx, TULLE_F64, n, &x));
    must(tulle_vec_write(ctx, b, numbers, 0));
    must(tulle_factor_solve_part(ctx, k % 2 ? TULLE_UPPER : TULLE_LOWER, k / 2 ? TULLE_T : TULLE_N,
                                 tulle_num(0.5), F, b, x));
    must(tulle_vec_read(ctx, x, numbers, 0));
    tulle_vec_destroy(x);
    tulle_vec_destroy(b);
    return numbers;
}

/* In blocks of a size above 1. */
static tulle_mat *generate(tulle_ctx *ctx, const char *spec, int block) {
    const tulle_convert_options in_blocks = {.block = block, .fill = 256};
    tulle_mat *A = NULL, *B = NULL;
    must(tulle_generate(ctx, spec, 1, TULLE_F64, &A));
    if (block == 1) return A;
    must(tulle_mat_convert_with(ctx, A, TULLE_BSR, TULLE_I32, &in_blocks, &B));
    tulle_mat_destroy(A);
    return B;
}

/* kernels: of factors and of solutions; NULL: as is chosen. */
static results compute(const char *where, const char *spec, int block,
                       const tulle_factor_options *o, const char *const kernels[2]) {
    tulle_ctx *ctx = NULL;
    tulle_mat *L = NULL, *U = NULL;
    tulle_factor *F = NULL;
    tulle_factor_info info;
    results r = {.n = 0};
    must(tulle_ctx_create(where, NULL, &ctx));
    for (int k = 0; k < 2; k++) {
        if (kernels[k]) must(tulle_ctx_force_kernel(ctx, kernels[k]));
    }
    tulle_mat *A = generate(ctx, spec, block);
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

enum { OTHERS = 3 };

static void test_threads(void **state) {
    static const char *const defined[2] = {"factor_rows", "trisolve_rows"};
    static const char *const others[OTHERS][2] = {{NULL, NULL},
                                                  {"factor_rows", "trisolve_levels"},
                                                  {"factor_rows:bits=0", "trisolve_rows:bits=0"}};
    (void)state;
    for (int i = 0; i < MATRICES * OPTIONS; i++) {
        const tulle_factor_options *o = &options[i % OPTIONS];
        const char *matrix = matrices[i / OPTIONS];
        if (o->kind == TULLE_CHOLESKY && strncmp(matrix, "random", 6) == 0)
            continue; /* no pivots */
        const results by_definition = compute(places[0], matrix, 1, o, defined);
        for (int k = 0; k < OTHERS * PLACES; k++) {
            const results other = compute(places[k / OTHERS], matrix, 1, o, others[k % OTHERS]);
            assert_same(&by_definition, &other, matrix);
            free_results(&other);
        }
        free_results(&by_definition);
    }
}

/* Blocks of all sizes, with vectors and without; full ones, and ones with padding. */
static void test_blocks(void **state) {
    static const char *const plain[2] = {"factor_rows:bits=0", "trisolve_rows:bits=0"};
    static const char *const chosen[2] = {NULL, NULL};
    (void)state;
    for (int block = 2; block <= 16; block++) {
        for (int i = 0; i < 4; i++) {
            const tulle_factor_options o = {
                .single = i % 2 != 0, .inverted = i / 2 != 0, .tiny = 1e-2, .boost = true};
            char full[32];
            snprintf(full, sizeof full, "blocks:%d,4", block);
            const char *matrix = block % 2 == i / 2 ? full : "p3d7:9";
            const results one = compute(places[0], matrix, block, &o, plain);
            const results other = compute(places[1 + i % 3], matrix, block, &o, chosen);
            assert_same(&one, &other, matrix);
            free_results(&other);
            free_results(&one);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
