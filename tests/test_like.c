/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for the papers' matrices: rows, columns, entries, the longest row and symmetry exactly,
 * products and entries of the square within 20 %. Those with more than TOO_MANY entries are only
 * counted, unless TULLE_TEST_LONG is set; under sanitizers, where the same code on millions of rows
 * shows nothing new, they are left out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/papers/like/like.h"
#include "lab/papers/like/rows.h"
#include "places.h"
#include "tulle/tulle.h"

#ifdef TULLE__ADDRESS_SANITIZER
enum { TOO_MANY = 12000000, COUNTS = 0 };
#else
enum { TOO_MANY = 12000000, COUNTS = 1 };
#endif

static tulle_ctx *all_cores(void) {
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu", NULL, &ctx));
    return ctx;
}

static tulle_mat *make(tulle_ctx *ctx, const char *name, const char *option) {
    char spec[100];
    snprintf(spec, sizeof spec, "like:%s%s", name, option);
    tulle_mat *A = NULL;
    must(paper_like_generator.make(ctx, spec, 3, TULLE_F32, &A));
    return A;
}

static void check_counts(const paper_matrix *m, const tulle_mat_info *info) {
    if (info->rows != m->rows || info->cols != m->cols || info->nnz != m->nnz ||
        (m->max_row >= 0 && info->max_row != m->max_row)) {
        fail_msg("%s: %ld x %ld, %ld entries, longest row %ld", m->name, (long)info->rows,
                 (long)info->cols, (long)info->nnz, (long)info->max_row);
    }
    assert_true(info->sorted);
}

/* The counts by the row function alone. */
static void check_counted(const paper_matrix *m) {
    paper_like like;
    assert_true(paper_like_find(m->name, strlen(m->name), &like));
    int64_t nnz = 0, longest = 0;
#pragma omp parallel for reduction(+ : nnz) reduction(max : longest) schedule(dynamic, 1024)
    for (int64_t row = 0; row < like.args.rows; row++) {
        int64_t length = paper_row_count(&like.args, row);
        nnz += length;
        if (length > longest) longest = length;
    }
    tulle_mat_info info = {
        .rows = m->rows, .cols = m->cols, .nnz = nnz, .max_row = longest, .sorted = true};
    assert_int_equal(like.args.rows, like.transposed ? m->cols : m->rows);
    check_counts(m, &info);
}

static bool is_in_row(const int32_t *first, const int32_t *end, int32_t column) {
    while (first < end) {
        const int32_t *middle = first + (end - first) / 2;
        if (*middle == column) return true;
        if (*middle < column) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return false;
}

/* Every entry has a mirror with the same value. */
static void check_symmetric(const char *name, const tulle_mat *A, int64_t rows) {
    tulle_mat_arrays a;
    must(tulle_mat_view(A, &a));
    const int32_t *offsets = a.offsets, *columns = a.cols;
    const float *values = a.values;
    int64_t *next = calloc((size_t)rows, sizeof *next), wrong = 0;
    assert_non_null(next);
    for (int64_t i = 0; i < rows; i++) next[i] = offsets[i];
    for (int32_t i = 0; i < rows; i++) {
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
            int64_t mirror = next[columns[k]]++; /* rows come in order, and so do columns */
            bool there = mirror < offsets[columns[k] + 1] && columns[mirror] == i;
            wrong += !there || values[mirror] != values[k];
        }
    }
    free(next);
    if (wrong > 0) fail_msg("%s: %ld entries without a mirror", name, (long)wrong);
}

static int64_t square_entries(const int32_t *offsets, const int32_t *columns, int64_t rows) {
    int64_t entries = 0;
    int32_t count = (int32_t)rows;
#pragma omp parallel reduction(+ : entries)
    {
        int32_t *seen = calloc((size_t)rows, sizeof *seen);
#pragma omp for schedule(dynamic, 256)
        for (int32_t row = 0; row < count; row++) {
            for (int64_t k = offsets[row]; seen && k < offsets[row + 1]; k++) {
                for (int64_t j = offsets[columns[k]]; j < offsets[columns[k] + 1]; j++) {
                    entries += seen[columns[j]] != row + 1;
                    seen[columns[j]] = row + 1;
                }
            }
        }
        free(seen);
    }
    return entries;
}

static void check_near(const char *name, const char *what, int64_t got, int64_t wanted) {
    double off = (double)(got - wanted) / (double)wanted;
    print_message("%s: %s %ld, %+.1f %%\n", name, what, (long)got, 100 * off);
    if (fabs(off) > 0.2) fail_msg("%s: %s should be near %ld", name, what, (long)wanted);
}

static void check_square(const paper_matrix *m, const tulle_mat *A) {
    tulle_mat_arrays a;
    must(tulle_mat_view(A, &a));
    const int32_t *offsets = a.offsets, *columns = a.cols;
    int64_t products = 0;
    for (int64_t k = 0; k < m->nnz; k++) products += offsets[columns[k] + 1] - offsets[columns[k]];
    check_near(m->name, "products", products, m->products);
    check_near(m->name, "square", square_entries(offsets, columns, m->rows), m->square_nnz);
}

/* The lower triangle: so many entries, each in the whole matrix, none above the diagonal. */
static void check_stored(tulle_ctx *ctx, const paper_matrix *m, const tulle_mat *whole) {
    tulle_mat *half = make(ctx, m->name, ",stored");
    tulle_mat_info info;
    tulle_mat_arrays a, b;
    must(tulle_mat_describe(half, &info));
    must(tulle_mat_view(whole, &a));
    must(tulle_mat_view(half, &b));
    if (m->nnz_stored >= 0 && info.nnz != m->nnz_stored) {
        fail_msg("%s,stored: %ld entries", m->name, (long)info.nnz);
    }
    const int32_t *offsets = b.offsets, *columns = b.cols, *all = a.offsets;
    const int32_t *all_columns = a.cols;
    int64_t diagonal = 0, wrong = 0;
    for (int32_t i = 0; i < m->rows; i++) {
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
            diagonal += columns[k] == i;
            wrong += m->symmetric && columns[k] > i;
            wrong += !is_in_row(all_columns + all[i], all_columns + all[i + 1], columns[k]);
        }
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(info.nnz, m->symmetric ? (m->nnz + diagonal) / 2 : m->nnz);
    tulle_mat_destroy(half);
}

static void check_made(const paper_matrix *m) {
    tulle_ctx *ctx = all_cores();
    tulle_mat *A = make(ctx, m->name, "");
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    check_counts(m, &info);
    if (m->symmetric) check_symmetric(m->name, A, m->rows);
    if (m->products >= 0) check_square(m, A);
    check_stored(ctx, m, A);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}

static void test_all(void **state) {
    (void)state;
    assert_true(paper_matrix_count > 20);
    for (int i = 0; i < paper_matrix_count; i++) {
        const paper_matrix *m = &paper_matrices[i];
        if (m->nnz <= TOO_MANY || getenv("TULLE_TEST_LONG")) {
            check_made(m);
        } else if (COUNTS) {
            check_counted(m);
        }
    }
}

/* What the papers tell exactly. */
static void test_exact(void **state) {
    (void)state;
    static const char *const exact[] = {"mc2depi", "conf5_4-8x8-05"};
    tulle_ctx *ctx = all_cores();
    for (int e = 0; e < 2; e++) {
        paper_like like;
        assert_true(paper_like_find(exact[e], strlen(exact[e]), &like));
        const paper_matrix *m = like.matrix;
        tulle_mat *A = make(ctx, m->name, "");
        tulle_mat_arrays a;
        must(tulle_mat_view(A, &a));
        const int32_t *offsets = a.offsets, *columns = a.cols;
        int64_t products = 0;
        for (int64_t k = 0; k < m->nnz; k++) {
            products += offsets[columns[k] + 1] - offsets[columns[k]];
        }
        assert_int_equal(products, m->products);
        assert_int_equal(square_entries(offsets, columns, m->rows), m->square_nnz);
        tulle_mat_destroy(A);
    }
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
