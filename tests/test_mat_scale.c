/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_scale against the definition, number by number; plans, borrowed arrays, errors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "small_matrices.h"
#include "tulle/advanced.h"

/* Factors of the type: thirds, or powers of two of both signs. */
static double *factors(int64_t n, bool powers, tulle_type type, uint64_t seed) {
    double *r = calloc((size_t)n + 1, sizeof *r);
    assert_non_null(r);
    for (int64_t i = 0; i < n; i++) {
        const int k = (int)(zoo_bits(&seed) % 15) - 7;
        r[i] = powers ? ldexp(k % 2 ? -1 : 1, k) : (k + 0.5) / 3;
        if (type == TULLE_F32) r[i] = (double)(float)r[i];
    }
    return r;
}

/* Returns the scaled value, in f64 and once rounded to f32. */
static double scaled(double r, double a, double c, tulle_type type) {
    const double value = r * a * c;
    return type == TULLE_F32 ? (double)(float)value : value;
}

static void expect(tulle_ctx *ctx, const tulle_mat *A, const entries *before, const double *r,
                   const double *c, tulle_type type) {
    entries after = entries_read(ctx, A);
    assert_int_equal(after.nnz, before->nnz);
    for (int64_t k = 0; k < after.nnz; k++) {
        const int64_t i = before->row[k], j = before->col[k];
        assert_int_equal(after.row[k], i);
        assert_int_equal(after.col[k], j);
        assert_same_number(after.value[k],
                           scaled(r ? r[i] : 1, before->value[k], c ? c[j] : 1, type));
    }
    entries_free(&after);
}

/* Scales by rows, columns, both, and neither, one after the other. */
static void scale_in_turn(tulle_ctx *ctx, const small_matrix *m, bool powers, uint64_t seed) {
    double *r = factors(m->e.rows, powers, m->type, seed);
    double *c = factors(m->e.cols, powers, m->type, seed + 1);
    tulle_vec *rows = small_vector(ctx, r, m->e.rows, m->type);
    tulle_vec *cols = small_vector(ctx, c, m->e.cols, m->type);
    for (int ways = 0; ways < 4; ways++) {
        const bool by_rows = ways & 1, by_cols = ways & 2;
        entries before = entries_read(ctx, m->A);
        must(tulle_mat_scale(ctx, m->A, by_rows ? rows : NULL, by_cols ? cols : NULL));
        expect(ctx, m->A, &before, by_rows ? r : NULL, by_cols ? c : NULL, m->type);
        entries_free(&before);
    }
    tulle_vec_destroy(cols);
    tulle_vec_destroy(rows);
    free(c);
    free(r);
}

static void scale_matrix(tulle_ctx *ctx, const small_matrix *m, uint64_t seed) {
    scale_in_turn(ctx, m, true, seed);
    scale_in_turn(ctx, m, false, seed);
}

static void random_matrices(tulle_ctx *ctx, const char *where) {
    each_small_matrix(ctx, where, places_seed(), scale_matrix);
}

static void test_random_matrices(void **state) {
    (void)state;
    on_each_place(random_matrices);
}

/* Entries, factors and products that are not finite, or beyond f32. */
static void ends(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const double a[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 1e30, 1e-30, 2};
    static const double r[] = {1, 0, 2, INFINITY, 3, 1e30, 1e-30, NAN};
    static const double c[] = {2, 1, -1, 5, -1, 1e-30, 1e30, 1};
    enum { N = sizeof a / sizeof *a };
    for (int narrow = 0; narrow < 2; narrow++) {
        const tulle_type type = narrow ? TULLE_F32 : TULLE_F64;
        entries e = entries_random(N, N, N, 1);
        for (int i = 0; i < N; i++) e.row[i] = e.col[i] = i, e.value[i] = a[i];
        tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, type);
        tulle_vec *rows = small_vector(ctx, r, N, type), *cols = small_vector(ctx, c, N, type);
        double *of_rows = small_vector_read(ctx, rows, N, type);
        double *of_cols = small_vector_read(ctx, cols, N, type);
        entries before = entries_read(ctx, A);
        must(tulle_mat_scale(ctx, A, rows, cols));
        expect(ctx, A, &before, of_rows, of_cols, type);
        entries_free(&before);
        free(of_cols);
        free(of_rows);
        tulle_vec_destroy(cols);
        tulle_vec_destroy(rows);
        tulle_mat_destroy(A);
        entries_free(&e);
    }
}
ONCE_ON_EACH_PLACE(ends)

/* Returns A^T x for x of ones, by the plan if there is one. */
static double *product(tulle_ctx *ctx, const tulle_mat *A, int64_t n) {
    double *ones = calloc((size_t)n, sizeof *ones);
    assert_non_null(ones);
    for (int64_t i = 0; i < n; i++) ones[i] = 1;
    tulle_vec *x = small_vector(ctx, ones, n, TULLE_F64),
              *y = small_vector(ctx, ones, n, TULLE_F64);
    must(tulle_spmv(ctx, TULLE_T, tulle_num(1), A, x, tulle_num(0), y));
    double *got = small_vector_read(ctx, y, n, TULLE_F64);
    tulle_vec_destroy(y);
    tulle_vec_destroy(x);
    free(ones);
    return got;
}

/* A plan that runs on a transposed copy has the new values. */
static void plans(tulle_ctx *ctx, const char *where) {
    (void)where;
    enum { N = 50 };
    entries e = small_entries(N, N, 300, false, 5);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    must(tulle_mat_plan(ctx, TULLE_T, A, NULL));
    double *before = product(ctx, A, N), *r = factors(N, true, TULLE_F64, 6);
    for (int i = 0; i < N; i++) r[i] = 4;
    tulle_vec *four = small_vector(ctx, r, N, TULLE_F64);
    must(tulle_mat_scale(ctx, A, four, NULL));
    double *after = product(ctx, A, N);
    for (int i = 0; i < N; i++) assert_true(after[i] == 4 * before[i]);
    free(after);
    free(before);
    free(r);
    tulle_vec_destroy(four);
    tulle_mat_destroy(A);
    entries_free(&e);
}

/* Borrowed values are not written; the second scaling writes A's own array. */
static void borrowed(tulle_ctx *ctx, const char *where) {
    if (strncmp(where, "cuda", 4) == 0) return; /* arrays of the host are not the context's */
    const int32_t offsets[] = {0, 1, 3}, cols[] = {1, 0, 2};
    double values[] = {1, 2, 3};
    const double c[] = {2, 4, 8};
    const tulle_mat_options options = {.ownership = TULLE_BORROW};
    tulle_mat *A = NULL;
    must(tulle_mat_create_csr(ctx, 2, 3, 3, TULLE_I32, offsets, cols, TULLE_F64, values, &options,
                              &A));
    tulle_vec *by = small_vector(ctx, c, 3, TULLE_F64);
    must(tulle_mat_scale(ctx, A, NULL, by));
    must(tulle_mat_scale(ctx, A, NULL, by));
    entries after = entries_read(ctx, A);
    assert_true(values[0] == 1 && values[1] == 2 && values[2] == 3);
    assert_true(after.value[0] == 16 && after.value[1] == 8 && after.value[2] == 192);
    entries_free(&after);
    tulle_vec_destroy(by);
    tulle_mat_destroy(A);
}
ONCE_ON_EACH_PLACE(borrowed)

static void assert_fails(tulle_status got, tulle_status want, const char *argument) {
    assert_int_equal(got, want);
    assert_string_equal(tulle_last_error()->function, "tulle_mat_scale");
    assert_string_equal(tulle_last_error()->argument, argument);
}

static void errors(tulle_ctx *ctx, const char *where) {
    (void)where;
    entries e = small_entries(4, 6, 9, true, 3);
    const double numbers[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64), *coo = NULL;
    tulle_vec *four = small_vector(ctx, numbers, 4, TULLE_F64), *apart = NULL, *own = NULL;
    tulle_vec *six = small_vector(ctx, numbers, 6, TULLE_F64);
    tulle_vec *narrow = small_vector(ctx, numbers, 4, TULLE_F32);
    tulle_mat_arrays view;
    must(tulle_mat_convert(ctx, A, TULLE_COO, TULLE_I32, 0, &coo));
    must(tulle_mat_view(A, &view));
    must(tulle_vec_wrap(ctx, TULLE_F64, 4, 1, TULLE_COLUMN_MAJOR, 4, (void *)view.values, &own));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 4, 1, TULLE_ROW_MAJOR, 3, &apart));
    assert_fails(tulle_mat_scale(NULL, A, four, six), TULLE_INVALID_ARGUMENT, "ctx");
    assert_fails(tulle_mat_scale(ctx, NULL, four, six), TULLE_INVALID_ARGUMENT, "A");
    assert_fails(tulle_mat_scale(ctx, A, six, six), TULLE_SHAPE_MISMATCH, "row_scale");
    assert_fails(tulle_mat_scale(ctx, A, four, four), TULLE_SHAPE_MISMATCH, "col_scale");
    assert_fails(tulle_mat_scale(ctx, A, narrow, six), TULLE_TYPE_MISMATCH, "row_scale");
    assert_fails(tulle_mat_scale(ctx, A, apart, NULL), TULLE_INVALID_ARGUMENT, "row_scale");
    assert_fails(tulle_mat_scale(ctx, A, own, NULL), TULLE_ALIASED, "row_scale");
    assert_fails(tulle_mat_scale(ctx, coo, four, six), TULLE_UNSUPPORTED, "A");
    entries after = entries_read(ctx, A), sorted = small_by_rows(&e);
    entries_assert_same(&after, &sorted, "after errors");
    entries_free(&sorted);
    entries_free(&after);
    tulle_vec_destroy(apart);
    tulle_vec_destroy(own);
    tulle_vec_destroy(narrow);
    tulle_vec_destroy(six);
    tulle_vec_destroy(four);
    tulle_mat_destroy(coo);
    tulle_mat_destroy(A);
    entries_free(&e);
}
ONCE_ON_EACH_PLACE(errors)
ONCE_ON_EACH_PLACE(plans)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_matrices), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_plans),           cmocka_unit_test(test_borrowed),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
