/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_sums against the definition: numbers that add without rounding, exactly; random ones,
 * within the bound; NaN and Inf, formats, repeatability, errors. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "small_matrices.h"

static const tulle_sum_kind kinds[] = {TULLE_SUM_VALUES, TULLE_SUM_SIZES, TULLE_SUM_LARGEST};
enum { KINDS = 3 };

/* Returns the sums of the entries' rows, or columns, in long double. */
static long double *sums_of(const entries *e, tulle_trans op, tulle_sum_kind kind) {
    const int64_t n = op == TULLE_N ? e->rows : e->cols;
    long double *y = calloc((size_t)n + 1, sizeof *y);
    assert_non_null(y);
    for (int64_t k = 0; k < e->nnz; k++) {
        long double *at = &y[op == TULLE_N ? e->row[k] : e->col[k]];
        const long double a = e->value[k], size = fabsl(a);
        if (kind == TULLE_SUM_VALUES) *at += a;
        if (kind == TULLE_SUM_SIZES) *at += size;
        if (kind == TULLE_SUM_LARGEST && (isnan(size) || size > *at)) *at = size;
    }
    return y;
}

static double *sums_by_call(tulle_ctx *ctx, const tulle_mat *A, tulle_trans op, tulle_sum_kind kind,
                            int64_t n) {
    double *before = calloc((size_t)n + 1, sizeof *before);
    assert_non_null(before);
    for (int64_t i = 0; i < n; i++) before[i] = NAN;
    tulle_vec *y = small_vector(ctx, before, n, tulle_mat_type(A));
    must(tulle_mat_sums(ctx, op, A, kind, y));
    double *got = small_vector_read(ctx, y, n, tulle_mat_type(A));
    tulle_vec_destroy(y);
    free(before);
    return got;
}

static void check_exact(tulle_ctx *ctx, const tulle_mat *A, const entries *e) {
    for (int i = 0; i < 2 * KINDS; i++) {
        const tulle_trans op = i < KINDS ? TULLE_N : TULLE_T;
        const int64_t n = op == TULLE_N ? e->rows : e->cols;
        long double *want = sums_of(e, op, kinds[i % KINDS]);
        double *got = sums_by_call(ctx, A, op, kinds[i % KINDS], n);
        for (int64_t k = 0; k < n; k++) assert_true(got[k] == (double)want[k]);
        free(got);
        free(want);
    }
}

static void sum_matrix(tulle_ctx *ctx, const small_matrix *m, uint64_t seed) {
    (void)seed;
    check_exact(ctx, m->A, &m->e);
}

static void random_matrices(tulle_ctx *ctx, const char *where) {
    each_small_matrix(ctx, where, places_seed(), sum_matrix);
}

static void test_random_matrices(void **state) {
    (void)state;
    on_each_place(random_matrices);
}

/* Checks numbers whose sums are rounded: the bound of the header, and the same bits again. */
static void check_bound(tulle_ctx *ctx, const entries *e, tulle_type type, tulle_trans op) {
    const int64_t n = op == TULLE_N ? e->rows : e->cols;
    const long double u = type == TULLE_F32 ? 0x1p-24L : 0x1p-53L;
    const long double least = type == TULLE_F32 ? FLT_TRUE_MIN : 0;
    const long double gamma = (long double)e->nnz * 0x1p-53L / (1 - (long double)e->nnz * 0x1p-53L);
    tulle_mat *A = entries_to_csr(ctx, e, TULLE_I32, type);
    entries stored = entries_read(ctx, A);
    long double *want = sums_of(&stored, op, TULLE_SUM_VALUES);
    long double *sizes = sums_of(&stored, op, TULLE_SUM_SIZES);
    double *got = sums_by_call(ctx, A, op, TULLE_SUM_VALUES, n);
    double *again = sums_by_call(ctx, A, op, TULLE_SUM_VALUES, n);
    for (int64_t i = 0; i < n; i++) {
        const long double bound = u * fabsl(want[i]) + 2 * gamma * sizes[i] + least / 2;
        assert_true(fabsl((long double)got[i] - want[i]) <= bound);
    }
    assert_memory_equal(got, again, (size_t)n * sizeof *got);
    free(again);
    free(got);
    free(sizes);
    free(want);
    entries_free(&stored);
    tulle_mat_destroy(A);
}

/* Long rows and short ones; values of very different sizes. */
static void rounded(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const int64_t shapes[][3] = {{20, 30, 900}, {50, 40, 300}};
    for (int i = 0; i < 2; i++) {
        entries e = entries_random(shapes[i][0], shapes[i][1], shapes[i][2], 11);
        for (int64_t k = 0; k < e.nnz; k++) e.value[k] = ldexp(e.value[k] / 3, (int)(k % 40));
        for (int way = 0; way < 4; way++) {
            check_bound(ctx, &e, way % 2 ? TULLE_F32 : TULLE_F64, way / 2 ? TULLE_T : TULLE_N);
        }
        entries_free(&e);
    }
}
ONCE_ON_EACH_PLACE(rounded)

/* A cancellation that f32 would lose, NaN before and behind other entries, Inf, and zeros. */
static void ends(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const double a[][3] = {
        {NAN, 2, 3},          {2, 3, NAN},        {1, NAN, 5},
        {INFINITY, 1, 2},     {-INFINITY, 1, 2},  {INFINITY, -INFINITY, 0},
        {0x1p30, 1, -0x1p30}, {-0.0, -0.0, -0.0}, {INFINITY, NAN, 1}};
    enum { N = sizeof a / sizeof *a };
    for (int i = 0; i < 2 * KINDS; i++) {
        const tulle_type type = i < KINDS ? TULLE_F32 : TULLE_F64;
        entries e = entries_random(N, 3, 3 * N, 1);
        for (int k = 0; k < 3 * N; k++) {
            e.row[k] = k / 3, e.col[k] = k % 3;
            e.value[k] = a[k / 3][k % 3];
        }
        tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, type);
        long double *want = sums_of(&e, TULLE_N, kinds[i % KINDS]);
        double *got = sums_by_call(ctx, A, TULLE_N, kinds[i % KINDS], N);
        for (int k = 0; k < N; k++) {
            const double due = type == TULLE_F32 ? (double)(float)want[k] : (double)want[k];
            assert_true(isnan(due) ? isnan(got[k]) : got[k] == due);
        }
        free(got);
        free(want);
        tulle_mat_destroy(A);
        entries_free(&e);
    }
}
ONCE_ON_EACH_PLACE(ends)

static void formats(tulle_ctx *ctx, const char *where) {
    (void)where;
    entries e = small_entries(30, 40, 200, true, 9);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        tulle_mat *B = NULL;
        must(tulle_mat_convert(ctx, A, (tulle_format)f, TULLE_I32, 0, &B));
        check_exact(ctx, B, &e);
        tulle_mat_destroy(B);
    }
    tulle_mat_destroy(A);
    entries_free(&e);
}
ONCE_ON_EACH_PLACE(formats)

static void assert_fails(tulle_status got, tulle_status want, const char *argument) {
    assert_int_equal(got, want);
    assert_string_equal(tulle_last_error()->function, "tulle_mat_sums");
    assert_string_equal(tulle_last_error()->argument, argument);
}

static void errors(tulle_ctx *ctx, const char *where) {
    (void)where;
    entries e = small_entries(4, 6, 9, true, 3);
    const double numbers[6] = {1, 2, 3, 4, 5, 6};
    const tulle_sum_kind kind = TULLE_SUM_VALUES;
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    tulle_vec *four = small_vector(ctx, numbers, 4, TULLE_F64), *apart = NULL, *own = NULL;
    tulle_vec *narrow = small_vector(ctx, numbers, 4, TULLE_F32);
    tulle_mat_arrays view;
    must(tulle_mat_view(A, &view));
    must(tulle_vec_wrap(ctx, TULLE_F64, 4, 1, TULLE_COLUMN_MAJOR, 4, (void *)view.values, &own));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 4, 1, TULLE_ROW_MAJOR, 3, &apart));
    assert_fails(tulle_mat_sums(NULL, TULLE_N, A, kind, four), TULLE_INVALID_ARGUMENT, "ctx");
    assert_fails(tulle_mat_sums(ctx, TULLE_N, NULL, kind, four), TULLE_INVALID_ARGUMENT, "A");
    assert_fails(tulle_mat_sums(ctx, TULLE_N, A, kind, NULL), TULLE_INVALID_ARGUMENT, "y");
    assert_fails(tulle_mat_sums(ctx, (tulle_trans)7, A, kind, four), TULLE_INVALID_ARGUMENT, "op");
    assert_fails(tulle_mat_sums(ctx, TULLE_N, A, (tulle_sum_kind)7, four), TULLE_INVALID_ARGUMENT,
                 "kind");
    assert_fails(tulle_mat_sums(ctx, TULLE_T, A, kind, four), TULLE_SHAPE_MISMATCH, "y");
    assert_fails(tulle_mat_sums(ctx, TULLE_N, A, kind, narrow), TULLE_TYPE_MISMATCH, "y");
    assert_fails(tulle_mat_sums(ctx, TULLE_N, A, kind, apart), TULLE_INVALID_ARGUMENT, "y");
    assert_fails(tulle_mat_sums(ctx, TULLE_N, A, kind, own), TULLE_ALIASED, "y");
    tulle_vec_destroy(apart);
    tulle_vec_destroy(own);
    tulle_vec_destroy(narrow);
    tulle_vec_destroy(four);
    tulle_mat_destroy(A);
    entries_free(&e);
}
ONCE_ON_EACH_PLACE(errors)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_matrices),
        cmocka_unit_test(test_rounded),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
