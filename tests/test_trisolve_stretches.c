/* SPDX-License-Identifier: Apache-2.0 */
/* Rows cut into stretches for threads of a CPU: each row once, after all that it waits for; the
 * bits of one thread, of solutions and of factors; none where rows wait for one another in a chain.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "counting.h"
#include "entries.h"
#include "matrix/build.h"
#include "places.h"
#include "trisolve/kept.h"
#include "tulle/advanced.h"
#include "tulle/factor.h"
#include "tulle/generate.h"

/* Grids, nodes of three unknowns, and parts that wait for nothing of each other. */
static const char *const matrices[] = {"p2d5:1500,60", "p3d7:24", "fem3:14", "tile:p2d5:40:8"};
enum { MATRICES = sizeof matrices / sizeof *matrices, TIMES = 20 };

static tulle_ctx *context(const char *where) {
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, NULL, &ctx));
    return ctx;
}

static tulle_mat *generate(tulle_ctx *ctx, const char *spec, tulle_type type) {
    tulle_mat *A = NULL;
    must(tulle_generate(ctx, spec, 1, type, &A));
    return A;
}

static const tulle__schedule *schedule_of(tulle_ctx *ctx, const tulle_mat *A, tulle_part part) {
    const tulle__schedule *s = NULL;
    double ms = 0;
    must(tulle__schedule_timed(ctx, A, part, TULLE_N, &s, &ms));
    return s;
}

/* The number in the order of solving of a row, and the other way round. */
static int64_t nth(const tulle__schedule *s, tulle_part part, int64_t i) {
    return part == TULLE_LOWER ? i : s->rows - 1 - i;
}

/* position[t]: of the stretch of the t-th row. */
static void check_order(const entries *A, const tulle__schedule *s, tulle_part part,
                        const int64_t *position) {
    for (int64_t k = 0; k < A->nnz; k++) {
        const int64_t t = nth(s, part, A->row[k]), other = nth(s, part, A->col[k]);
        if (other >= t || position[other] == position[t]) continue;
        if (position[other] >= s->stretches[position[t]].after) {
            fail_msg("row %lld does not wait for column %lld", (long long)A->row[k],
                     (long long)A->col[k]);
        }
    }
}

static void check_stretches(tulle_ctx *ctx, const tulle_mat *M, tulle_part part) {
    const tulle__schedule *s = schedule_of(ctx, M, part);
    entries A = entries_read(ctx, M);
    int64_t *position = malloc((size_t)s->rows * sizeof *position), rows = 0;
    assert_non_null(position);
    assert_true(s->stretches && s->stretch_count > 1);
    for (int64_t t = 0; t < s->rows; t++) position[t] = -1;
    for (int64_t p = 0; p < s->stretch_count; p++) {
        const tulle__row_stretch *stretch = &s->stretches[p];
        assert_true(stretch->after >= 0 && stretch->after <= p);
        for (int64_t t = stretch->begin; t < stretch->end; t++, rows++) {
            assert_int_equal(position[t], -1);
            position[t] = p;
        }
    }
    assert_int_equal(rows, s->rows);
    check_order(&A, s, part, position);
    free(position);
    entries_free(&A);
}

static void test_cut(void **state) {
    (void)state;
    for (int i = 0; i < 2 * MATRICES; i++) {
        tulle_ctx *ctx = context(i % 3 ? "cpu:2" : "cpu:5");
        tulle_mat *A = generate(ctx, matrices[i / 2], TULLE_F64);
        check_stretches(ctx, A, i % 2 ? TULLE_UPPER : TULLE_LOWER);
        tulle_mat_destroy(A);
        tulle_ctx_destroy(ctx);
    }
}

static void *solve(tulle_ctx *ctx, const char *kernel, const tulle_mat *A, tulle_part part,
                   tulle_type type, int64_t n, int64_t vectors) {
    tulle_vec *b = NULL, *x = NULL;
    double *numbers = calloc((size_t)(n * vectors), sizeof *numbers);
    assert_non_null(numbers);
    for (int64_t i = 0; i < n * vectors; i++) numbers[i] = (double)(1 + i * 7 % 13);
    void *typed = values_as(numbers, n * vectors, type);
    must(tulle_ctx_force_kernel(ctx, kernel));
    must(tulle_vec_create_columns(ctx, type, n, vectors, TULLE_COLUMN_MAJOR, 0, &b));
    must(tulle_vec_create_columns(ctx, type, n, vectors, TULLE_COLUMN_MAJOR, 0, &x));
    must(tulle_vec_write(ctx, b, typed, 0));
    must(tulle_trisolve(ctx, part, TULLE_NON_UNIT, TULLE_N, tulle_num(0.5), A, b, x));
    must(tulle_vec_read(ctx, x, typed, 0));
    tulle_vec_destroy(x);
    tulle_vec_destroy(b);
    free(numbers);
    return typed;
}

/* f32, f64, and f32 values under f64 numbers. */
static const tulle_type types[3][2] = {
    {TULLE_F32, TULLE_F32}, {TULLE_F64, TULLE_F64}, {TULLE_F32, TULLE_F64}};

/* Threads meet in another way each time. */
static void check_solutions(tulle_ctx *ctx, const tulle_mat *A, tulle_part part, tulle_type type) {
    static const char *const kernels[] = {"trisolve_rows", "trisolve_rows:gather=0"};
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    for (int64_t vectors = 1; vectors <= 3; vectors += 2) {
        const size_t bytes = (size_t)(info.rows * vectors * tulle_type_size(type));
        void *one =
            solve(ctx, "trisolve_rows:gather=0,threads=0", A, part, type, info.rows, vectors);
        for (int time = 0; time < TIMES; time++) {
            void *all = solve(ctx, kernels[time % 2], A, part, type, info.rows, vectors);
            assert_memory_equal(all, one, bytes);
            free(all);
        }
        free(one);
    }
}

static void test_solutions(void **state) {
    (void)state;
    for (int i = 0; i < 2 * MATRICES; i++) {
        tulle_ctx *ctx = context(i % 2 ? "cpu:2" : "cpu:5");
        tulle_mat *A = generate(ctx, matrices[i / 2], types[i % 3][0]), *B = NULL;
        const tulle_index indices[] = {TULLE_I32, TULLE_I64_I32, TULLE_I64};
        must(tulle_mat_convert(ctx, A, TULLE_CSR, indices[i / 2 % 3], 0, &B));
        check_solutions(ctx, B, i % 2 ? TULLE_UPPER : TULLE_LOWER, types[i % 3][1]);
        tulle_mat_destroy(B);
        tulle_mat_destroy(A);
        tulle_ctx_destroy(ctx);
    }
}

static entries lower_factor(const char *where, const char *kernel, const char *spec) {
    const bool any = strcmp(kernel, "factor_rows") == 0; /* also what factor_spread does not take */
    const tulle_factor_options o = {.tiny = 1e-2, .boost = true, .modified = any ? 0.9 : 0};
    tulle_ctx *ctx = context(where);
    tulle_factor *F = NULL;
    tulle_mat *A = generate(ctx, spec, TULLE_F64), *L = NULL;
    must(tulle_ctx_force_kernel(ctx, kernel));
    must(tulle_factor_create(ctx, A, &o, &F));
    must(tulle_factor_export(ctx, F, &L, NULL));
    entries e = entries_read(ctx, L);
    tulle_mat_destroy(L);
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    return e;
}

static void test_factors(void **state) {
    static const char *const kernels[] = {"factor_spread", "factor_rows"};
    (void)state;
    for (int i = 0; i < 2 * MATRICES; i++) {
        const char *spec = matrices[i / 2];
        entries one = lower_factor("cpu:1", kernels[i % 2], spec);
        for (int time = 0; time < 3; time++) {
            entries all = lower_factor(time % 2 ? "cpu:2" : "cpu:5", kernels[i % 2], spec);
            entries_assert_same(&one, &all, spec);
            entries_free(&all);
        }
        entries_free(&one);
    }
}

/* Row i waits for row i - 1; one thread; rows too few. */
static void test_none(void **state) {
    static const char *const cases[][2] = {
        {"cpu:2", "p2d5:1,40000"}, {"cpu:1", "p3d7:24"}, {"cpu:2", "p2d5:6"}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        tulle_ctx *ctx = context(cases[i][0]);
        tulle_mat *A = generate(ctx, cases[i][1], TULLE_F64);
        assert_null(schedule_of(ctx, A, TULLE_LOWER)->stretches);
        check_solutions(ctx, A, TULLE_LOWER, TULLE_F64);
        tulle_mat_destroy(A);
        tulle_ctx_destroy(ctx);
    }
}

/* The schedule of a context whose n-th allocation from here on fails; whether it gets that far. */
static bool without_memory(int64_t n, int *without) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    const tulle_ctx_options options = {.host = &allocator};
    tulle_ctx *ctx = NULL;
    const tulle__schedule *s = NULL;
    double ms = 0;
    must(tulle_ctx_create("cpu:2", &options, &ctx));
    tulle_mat *A = generate(ctx, matrices[1], TULLE_F64);
    must(tulle_ctx_trim(ctx));
    c.fail_at = c.requests + n;
    tulle_status status = tulle__schedule_timed(ctx, A, TULLE_LOWER, TULLE_N, &s, &ms);
    const bool fails = c.requests >= c.fail_at;
    c.fail_at = 0;
    assert_true(status == TULLE_OK || (fails && status == TULLE_OUT_OF_MEMORY));
    if (status == TULLE_OK && fails) {
        assert_null(s->stretches);
        check_solutions(ctx, A, TULLE_LOWER, TULLE_F64);
        (*without)++;
    }
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return fails;
}

/* Where there is none for the stretches, one thread solves. */
static void test_no_memory(void **state) {
    int without = 0;
    (void)state;
    for (int64_t n = 1; without_memory(n, &without); n++) continue;
    assert_int_equal(without, 2); /* their scratch, and they themselves */
}

/* A pattern's stretches serve contexts of other numbers of threads. */
static void test_other_threads(void **state) {
    static const char *const places[] = {"cpu:1", "cpu:2", "cpu:4", "cpu:9"};
    (void)state;
    for (int first = 0; first < 4; first++) {
        tulle_ctx *one = context(places[first]);
        tulle_mat *A = generate(one, matrices[1], TULLE_F64);
        check_solutions(one, A, TULLE_UPPER, TULLE_F64);
        for (int k = 0; k < 4; k++) {
            tulle_ctx *other = context(places[k]);
            check_solutions(other, A, TULLE_UPPER, TULLE_F64);
            tulle_ctx_destroy(other);
        }
        tulle_mat_destroy(A);
        tulle_ctx_destroy(one);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut),       cmocka_unit_test(test_solutions),
        cmocka_unit_test(test_factors),   cmocka_unit_test(test_none),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_other_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
