/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of matrices of every format, with many rows, and hypersparse, and bad arguments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dense_facts.h"
#include "places.h"

/* Every format, and entries in no order of which some are repeated. */
static void formats(tulle_ctx *ctx, const char *where) {
    (void)where;
    const dense d = dense_random(&dense_kinds[2], TULLE_F64, 7);
    const tulle_facts want = dense_facts(&d, TULLE_F64);
    entries e = dense_entries(&d);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        tulle_mat *B = NULL;
        must(tulle_mat_convert(ctx, A, (tulle_format)f, TULLE_I32, 0, &B));
        facts_check_mat(ctx, B, &want);
        tulle_mat_destroy(B);
    }
    tulle_mat_destroy(A);
    for (int64_t i = 0; i < e.nnz / 2; i++) { /* from the end to the begin, halves of each twice */
        const int64_t j = e.nnz - 1 - i, row = e.row[i], col = e.col[i];
        const double value = e.value[i];
        e.row[i] = e.row[j], e.col[i] = e.col[j], e.value[i] = e.value[j];
        e.row[j] = row, e.col[j] = col, e.value[j] = value;
    }
    entries twice = entries_copy(&e);
    twice.row = realloc(twice.row, 2 * (size_t)e.nnz * sizeof(int64_t));
    twice.col = realloc(twice.col, 2 * (size_t)e.nnz * sizeof(int64_t));
    twice.value = realloc(twice.value, 2 * (size_t)e.nnz * sizeof(double));
    for (int64_t i = 0; i < e.nnz; i++) {
        twice.row[e.nnz + i] = e.row[i];
        twice.col[e.nnz + i] = e.col[i];
        twice.value[e.nnz + i] = twice.value[i] = e.value[i] / 2;
    }
    twice.nnz = 2 * e.nnz;
    A = entries_to_csr(ctx, &twice, TULLE_I64, TULLE_F64);
    facts_check_mat(ctx, A, &want);
    tulle_mat_destroy(A);
    must(entries_to_coo(ctx, &twice, TULLE_I32, TULLE_F64, &A));
    facts_check_mat(ctx, A, &want);
    tulle_mat_destroy(A);
    entries_free(&twice);
    entries_free(&e);
}

static void test_formats(void **state) {
    (void)state;
    on_each_place(formats);
}

static void add(entries *e, int64_t row, int64_t col) {
    e->row[e->nnz] = row;
    e->col[e->nnz] = col;
    e->value[e->nnz++] = row == col ? 2 : -1;
}

/* Three diagonals, and a row and a column in the middle that are full. */
static entries crossed(int64_t n) {
    const int64_t middle = n / 2;
    entries e = {.rows = n,
                 .cols = n,
                 .row = calloc((size_t)(5 * n), sizeof(int64_t)),
                 .col = calloc((size_t)(5 * n), sizeof(int64_t)),
                 .value = calloc((size_t)(5 * n), sizeof(double))};
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = i == middle || i == 0 ? 0 : i - 1;
        const int64_t last = i == middle || i + 1 == n ? n - 1 : i + 1;
        if (middle < first) add(&e, i, middle);
        for (int64_t j = first; j <= last; j++) add(&e, i, j);
        if (middle > last) add(&e, i, middle);
    }
    return e;
}

/* So many rows that several threads and blocks of threads count. */
static void many_rows(tulle_ctx *ctx, const char *where) {
    const int64_t n = is_slow(where) ? 400 : 30000;
    entries e = crossed(n);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    tulle_facts f;
    must(tulle_mat_facts(ctx, A, &f));
    assert_int_equal(f.diagonal, n);
    assert_int_equal(f.off_diagonal, 2 * (n - 1) + 2 * (n - 3));
    assert_int_equal(f.mirrored, f.off_diagonal);
    assert_int_equal(f.equal, f.off_diagonal);
    assert_int_equal(f.not_dominant, n - 5 + 1);
    assert_int_equal(f.empty_diagonal, -1);
    assert_true(f.symmetric && f.block == 0 && f.smallest == 1 && f.largest == 2);
    tulle_mat_destroy(A);
    e.value[e.nnz - 5] = (double)NAN;
    A = entries_to_csr(ctx, &e, TULLE_I64, TULLE_F32);
    must(tulle_mat_facts(ctx, A, &f));
    assert_int_equal(f.not_finite, 1);
    assert_int_equal(f.bad_row, e.row[e.nnz - 5]);
    assert_int_equal(f.bad_column, e.col[e.nnz - 5]);
    tulle_mat_destroy(A);
    entries_free(&e);
}

static void test_many_rows(void **state) {
    (void)state;
    once_on_each_place(many_rows);
}

/* A hypersparse matrix has the facts of the small one, at other places. */
static int64_t far(int64_t i) {
    return i < 3 ? i : (i + 1) * (INT64_C(1) << 40);
}

static void hypersparse(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int k = 0; k < 6; k++) {
        dense d = dense_random(&dense_kinds[k], TULLE_F64, 5);
        const bool odd = k % 2 != 0;
        if (odd) dense_put(&d, 9, 3, (double)NAN);
        for (int i = 0; i < 3; i++) dense_put(&d, i, i, 1);
        tulle_facts want = dense_facts(&d, TULLE_F64);
        entries e = dense_entries(&d);
        for (int64_t i = 0; i < e.nnz; i++) {
            e.row[i] = far(e.row[i]);
            e.col[i] = far(e.col[i]);
        }
        e.rows = INT64_C(1) << 50;
        e.cols = d.rows == d.cols ? e.rows : e.rows - 1;
        want.empty_diagonal = 3;
        want.block = 0;
        want.block_filled = 0;
        want.symmetric = want.symmetric && d.rows == d.cols;
        if (odd) want.bad_row = far(9);
        if (odd) want.bad_column = far(3);
        tulle_ctx *cpu = NULL;
        tulle_mat *coo = NULL, *dcsr = NULL, *A = NULL;
        must(tulle_ctx_create("cpu:1", NULL, &cpu));
        must(entries_to_coo(cpu, &e, TULLE_I64, TULLE_F64, &coo));
        facts_check_mat(cpu, coo, &want);
        must(tulle_mat_convert(cpu, coo, TULLE_DCSR, TULLE_I64, 0, &dcsr));
        must(tulle_mat_copy(ctx, dcsr, TULLE_F64, &A));
        facts_check_mat(ctx, A, &want);
        tulle_mat_destroy(A);
        tulle_mat_destroy(dcsr);
        tulle_mat_destroy(coo);
        tulle_ctx_destroy(cpu);
        entries_free(&e);
    }
}

static void test_hypersparse(void **state) {
    (void)state;
    once_on_each_place(hypersparse);
}

static void bad_arguments(tulle_ctx *ctx, const char *where) {
    const dense d = dense_random(&dense_kinds[0], TULLE_F64, 1);
    entries e = dense_entries(&d);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    tulle_facts f;
    assert_int_equal(tulle_mat_facts(NULL, A, &f), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_facts(ctx, NULL, &f), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_facts(ctx, A, NULL), TULLE_INVALID_ARGUMENT);
    tulle_ctx *other = place_elsewhere(where);
    if (other) assert_int_equal(tulle_mat_facts(other, A, &f), TULLE_SPACE_MISMATCH);
    tulle_ctx_destroy(other);
    tulle_mat_destroy(A);
    entries_free(&e);
}

ONCE_ON_EACH_PLACE(bad_arguments)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_hypersparse),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
