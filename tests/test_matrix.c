/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices from arrays: what they hold, and their statistics against the naive ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "places.h"

static int64_t bin_of(int64_t length) {
    int64_t bin = 0;
    while (bin < 32 && length >> bin > 0) bin++;
    return bin;
}

static bool is_sorted(const entries *e) {
    for (int64_t k = 1; k < e->nnz; k++) {
        if (e->row[k] < e->row[k - 1]) return false;
        if (e->row[k] == e->row[k - 1] && e->col[k] < e->col[k - 1]) return false;
    }
    return true;
}

/* The statistics of entries, by their definitions. */
static tulle_mat_info naive_info(const entries *e) {
    tulle_mat_info info = {.rows = e->rows, .cols = e->cols, .nnz = e->nnz};
    int64_t *lengths = calloc((size_t)e->rows + 1, sizeof *lengths);
    assert_non_null(lengths);
    for (int64_t k = 0; k < e->nnz; k++) {
        lengths[e->row[k]]++;
        int64_t distance = llabs(e->col[k] - e->row[k]);
        if (distance > info.bandwidth) info.bandwidth = distance;
    }
    double mean = e->rows > 0 ? (double)e->nnz / (double)e->rows : 0, squares = 0;
    info.min_row = e->rows > 0 ? e->nnz : 0;
    for (int64_t i = 0; i < e->rows; i++) {
        if (lengths[i] < info.min_row) info.min_row = lengths[i];
        if (lengths[i] > info.max_row) info.max_row = lengths[i];
        if (lengths[i] == 0) info.empty_rows++;
        info.row_histogram[bin_of(lengths[i])]++;
        squares += ((double)lengths[i] - mean) * ((double)lengths[i] - mean);
    }
    free(lengths);
    info.mean_row = mean;
    info.sd_row = e->rows > 0 ? sqrt(squares / (double)e->rows) : 0;
    info.sorted = is_sorted(e);
    return info;
}

static void check_info(const tulle_mat *A, const entries *e, tulle_format format, tulle_index index,
                       tulle_type type, const char *name) {
    tulle_mat_info info, naive = naive_info(e);
    must(tulle_mat_describe(A, &info));
    bool same = info.rows == naive.rows && info.cols == naive.cols && info.nnz == naive.nnz &&
                info.sorted == naive.sorted && info.min_row == naive.min_row &&
                info.max_row == naive.max_row && info.empty_rows == naive.empty_rows &&
                info.mean_row == naive.mean_row && info.bandwidth == naive.bandwidth &&
                memcmp(info.row_histogram, naive.row_histogram, sizeof info.row_histogram) == 0;
    if (!same) fail_msg("%s: wrong statistics", name);
    /* Rounding of the difference of two numbers of the size of mean^2 + sd^2, then a root. */
    double scale = naive.mean_row * naive.mean_row + naive.sd_row * naive.sd_row;
    assert_true(fabs(info.sd_row * info.sd_row - naive.sd_row * naive.sd_row) <= 1e-14 * scale);
    assert_int_equal(info.format, format);
    assert_int_equal(info.index, index);
    assert_int_equal(info.type, type);
    int64_t rows_bytes = format == TULLE_CSR ? (info.rows + 1) * tulle_offset_size(index)
                                             : info.nnz * tulle_index_size(index);
    assert_int_equal(info.pattern_bytes, rows_bytes + info.nnz * tulle_index_size(index));
    assert_int_equal(info.value_bytes, info.nnz * tulle_type_size(type));
    assert_int_equal(info.plan_bytes, 0);
}

static void check_made(tulle_ctx *ctx, tulle_mat *A, const entries *e, tulle_format format,
                       tulle_index index, tulle_type type, const char *name) {
    check_info(A, e, format, index, type, name);
    assert_int_equal(tulle_mat_rows(A), e->rows);
    assert_int_equal(tulle_mat_cols(A), e->cols);
    assert_int_equal(tulle_mat_nnz(A), e->nnz);
    assert_int_equal(tulle_mat_type(A), type);
    assert_ptr_equal(tulle_mat_context(A), ctx);
    entries got = entries_read(ctx, A);
    entries_assert_same(&got, e, name);
    entries_free(&got);
    tulle_mat_arrays arrays;
    must(tulle_mat_view(A, &arrays));
    assert_true((arrays.offsets != NULL) == (format == TULLE_CSR));
    assert_true((arrays.rows != NULL) == (format == TULLE_COO && e->nnz > 0));
    assert_true((arrays.cols != NULL) == (e->nnz > 0));
    assert_true((arrays.values != NULL) == (e->nnz > 0));
    tulle_mat_destroy(A);
}

static void make_and_check(tulle_ctx *ctx, const zoo_matrix *m, tulle_index index,
                           tulle_type type) {
    entries e = entries_of_zoo(m);
    check_made(ctx, zoo_mat(ctx, m, index, type), &e, TULLE_CSR, index, type, m->name);
    tulle_mat *A = NULL;
    must(entries_to_coo(ctx, &e, index, type, &A));
    check_made(ctx, A, &e, TULLE_COO, index, type, m->name);
    for (int64_t k = 0; k < e.nnz / 2; k++) { /* backwards, so that rows fall */
        int64_t row = e.row[k];
        e.row[k] = e.row[e.nnz - 1 - k];
        e.row[e.nnz - 1 - k] = row;
    }
    for (int64_t k = 0; k < e.nnz; k++) e.col[k] = e.col[k] % (e.cols > 0 ? e.cols : 1);
    must(entries_to_coo(ctx, &e, index, type, &A));
    check_made(ctx, A, &e, TULLE_COO, index, type, m->name);
    entries_free(&e);
}

static void zoo_statistics(tulle_ctx *ctx, const char *where) {
    for (int i = 0; i < zoo_count(); i++) {
        zoo_matrix m = zoo_make(i);
        for (int index = 0; index < (is_slow(where) && i > 8 ? 1 : 3); index++) {
            make_and_check(ctx, &m, (tulle_index)index, i % 2 ? TULLE_F32 : TULLE_F64);
        }
        zoo_free(&m);
    }
    for (int i = 0; i < (is_slow(where) ? 1 : zoo_large_count()); i++) {
        zoo_matrix m = zoo_make_large(i);
        make_and_check(ctx, &m, TULLE_I64_I32, TULLE_F64);
        zoo_free(&m);
    }
}

/* Row lengths of 0, 1, 2, 3, 4, ... land in the right bins on both sides of every power of two. */
static void histogram(tulle_ctx *ctx, const char *where) {
    (void)where;
    enum { ROWS = 70 };
    int32_t offsets[ROWS + 1] = {0}, columns[ROWS * ROWS / 2] = {0};
    float values[ROWS * ROWS / 2] = {0};
    for (int i = 0; i < ROWS; i++) offsets[i + 1] = offsets[i] + i;
    tulle_mat *A = NULL;
    must(tulle_mat_create_csr(ctx, ROWS, 1, offsets[ROWS], TULLE_I32, offsets, columns, TULLE_F32,
                              values, NULL, &A));
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    static const int64_t want[] = {1, 1, 2, 4, 8, 16, 32, 6, 0};
    for (size_t b = 0; b < sizeof want / sizeof *want; b++) {
        assert_int_equal(info.row_histogram[b], want[b]);
    }
    assert_int_equal(info.bandwidth, ROWS - 1);
    assert_true(info.sorted);
    tulle_mat_destroy(A);
}

static void base_one(tulle_ctx *ctx, const char *where) {
    (void)where;
    zoo_matrix m = zoo_make(8);
    entries e = entries_of_zoo(&m);
    static const tulle_mat_options fortran = {.base = 1};
    for (int i = 0; i < 3; i++) {
        tulle_index index = (tulle_index)i;
        void *offsets = widths(m.offsets, m.rows + 1, tulle_offset_size(index), 1);
        void *rows = widths(e.row, e.nnz, tulle_index_size(index), 1);
        void *cols = widths(e.col, e.nnz, tulle_index_size(index), 1);
        tulle_mat *A = NULL;
        must(tulle_mat_create_csr(ctx, m.rows, m.cols, m.nnz, index, offsets, cols, TULLE_F64,
                                  m.values, &fortran, &A));
        check_made(ctx, A, &e, TULLE_CSR, index, TULLE_F64, "base 1");
        must(tulle_mat_create_coo(ctx, m.rows, m.cols, m.nnz, index, rows, cols, TULLE_F64,
                                  m.values, &fortran, &A));
        check_made(ctx, A, &e, TULLE_COO, index, TULLE_F64, "base 1");
        free(offsets);
        free(rows);
        free(cols);
    }
    entries_free(&e);
    zoo_free(&m);
}

/* Few entries in more rows than any table could hold. */
static void test_very_many_rows(void **state) {
    (void)state;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    entries e = entries_random((int64_t)1 << 50, 1000, 400, 7);
    tulle_mat *A = NULL, *B = NULL;
    must(entries_to_coo(ctx, &e, TULLE_I64, TULLE_F64, &A));
    entries_sort(&e);
    int64_t longest = 1, filled = 0;
    for (int64_t k = 0, run = 0; k < e.nnz; k++) {
        run = k > 0 && e.row[k] == e.row[k - 1] ? run + 1 : 1;
        if (run == 1) filled++;
        if (run > longest) longest = run;
    }
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    assert_false(info.sorted);
    assert_int_equal(info.max_row, longest);
    assert_int_equal(info.min_row, 0);
    assert_int_equal(info.empty_rows, e.rows - filled);
    assert_int_equal(info.row_histogram[0], e.rows - filled);
    assert_int_equal(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, 0, &B), TULLE_TOO_LARGE);
    assert_null(B);
    assert_non_null(strstr(tulle_last_error()->message, "PB"));
    must(tulle_mat_convert(ctx, A, TULLE_COO, TULLE_I64, 0, &B));
    tulle_mat_destroy(B);
    assert_int_equal(tulle_mat_convert(ctx, A, TULLE_COO, TULLE_I64, TULLE_SUM_DUPLICATES, &B),
                     TULLE_TOO_LARGE);
    assert_int_equal(tulle_mat_convert(ctx, A, TULLE_COO, TULLE_I32, 0, &B), TULLE_TOO_LARGE);
    must(tulle_mat_transpose(ctx, A, &B));
    entries got = entries_read(ctx, B);
    entries_transpose(&e);
    entries_sort(&e);
    entries_assert_same(&got, &e, "transposed");
    entries_free(&got);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
    entries_free(&e);
    tulle_ctx_destroy(ctx);
}

static void test_statistics(void **state) {
    (void)state;
    on_each_place(zoo_statistics);
}
static void test_histogram(void **state) {
    (void)state;
    on_each_place(histogram);
}
static void test_base_one(void **state) {
    (void)state;
    on_each_place(base_one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_base_one),
        cmocka_unit_test(test_very_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
