/* SPDX-License-Identifier: Apache-2.0 */
/* Reading: what files mean, to the bit, for any number of threads. tests/corpus holds files that
 * are good-* or bad-*. */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io_help.h"
#include "places.h"

#define BANNER "%%MatrixMarket matrix "

/* A text and the dense matrix that it means, row by row; nnz entries are stored. */
typedef struct {
    const char *text;
    int rows, cols, nnz;
    double dense[9];
} meaning;

static const meaning meanings[] = {
    {BANNER "coordinate real general\n2 3 3\n1 1 1.5\n2 3 -2e-3\n1 2 .5\n",
     2,
     3,
     3,
     {1.5, .5, 0, 0, 0, -2e-3}},
    {BANNER "coordinate pattern general\n2 2 2\n1 2\n2 1\n", 2, 2, 2, {0, 1, 1, 0}},
    {BANNER "coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n", 2, 2, 3, {1, 1, 1, 0}},
    {BANNER "coordinate integer symmetric\n3 3 3\n1 1 4\n2 1 -1\n3 2 7\n",
     3,
     3,
     5,
     {4, -1, 0, -1, 0, 7, 0, 7, 0}},
    {BANNER "coordinate real symmetric\n2 2 2\n1 2 3\n2 2 1\n", 2, 2, 3, {0, 3, 3, 1}},
    {BANNER "coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 1 -0.25\n",
     3,
     3,
     4,
     {0, -5, .25, 5, 0, 0, -.25, 0, 0}},
    {BANNER "array real general\n2 3\n1\n0\n-3\n4.5\n0.0\n6\n", 2, 3, 4, {1, -3, 0, 0, 4.5, 6}},
    {BANNER "array integer symmetric\n3 3\n1\n2\n0\n4\n5\n6\n",
     3,
     3,
     7,
     {1, 2, 0, 2, 4, 5, 0, 5, 6}},
    {BANNER "array real skew-symmetric\n3 3\n1\n2\n3\n", 3, 3, 6, {0, -1, -2, 1, 0, -3, 2, 3, 0}},
    {BANNER "coordinate real general\n2 2 4\n1 1 1\n2 1 1\n1 1 2\n1 1 -4\n",
     2,
     2,
     2,
     {-1, 0, 1, 0}},
    {BANNER "coordinate real general\n2 2 2\n1 1 0\n2 1 -0.0\n", 2, 2, 2, {0, 0, -0.0, 0}},
    {"%%matrixmarket  MATRIX\tCoordinate DOUBLE General  \r\n%\r\n\r\n  2\t2   2 \r\n\r\n % a\r\n"
     " 1  1\t1.0D+00  \r\n\t2 2 2.0\r\n\r\n%the end",
     2,
     2,
     2,
     {1, 0, 0, 2}},
    {"\xef\xbb\xbf \t" BANNER "coordinate real general\n1 2 1\n1 2 -1.5\n", 1, 2, 1, {0, -1.5}},
    {"\r\n\n  \n" BANNER "array real general\n1 1\n3\n", 1, 1, 1, {3}},
    {BANNER "coordinate unsigned-integer general\n1 2 2\n1 1 7\n1 2 -0\n", 1, 2, 2, {7, -0.0}},
    {BANNER "array real general\n4 1\n1.5-001\n-0.25+002\n+.5D+03\n2.E+000\n",
     4,
     1,
     4,
     {.15, -25, 500, 2}},
    {BANNER "coordinate real general\n0 0 0\n", 0, 0, 0, {0}},
    {BANNER "coordinate real general\n3 2 0\n", 3, 2, 0, {0}},
    {BANNER "array real general\n0 2\n", 0, 2, 0, {0}},
};

static void expect_dense(tulle_ctx *ctx, const meaning *m, tulle_type type) {
    tulle_file_info file;
    tulle_mat *A = io_load_text(ctx, m->text, type, &file);
    tulle_mat_info info;
    assert_int_equal(tulle_mat_describe(A, &info), TULLE_OK);
    if (info.rows != m->rows || info.cols != m->cols || info.nnz != m->nnz || !info.sorted)
        fail_msg("wrong shape for: %s", m->text);
    assert_int_equal(file.expanded, m->nnz);
    int32_t offsets[10], cols[9];
    double values[9];
    float singles[9];
    assert_int_equal(
        tulle_mat_read(ctx, A, offsets, NULL, cols, type == TULLE_F32 ? (void *)singles : values),
        TULLE_OK);
    double dense[9] = {0};
    for (int row = 0; row < m->rows; row++) {
        for (int i = offsets[row]; i < offsets[row + 1]; i++)
            dense[row * m->cols + cols[i]] = type == TULLE_F32 ? (double)singles[i] : values[i];
    }
    for (int i = 0; i < m->rows * m->cols; i++) {
        const double wanted = type == TULLE_F32 ? (double)(float)m->dense[i] : m->dense[i];
        if (dense[i] != wanted || signbit(dense[i]) != signbit(wanted))
            fail_msg("entry %d is %g, not %g, for: %s", i, dense[i], wanted, m->text);
    }
    tulle_mat_destroy(A);
}

static void check_meanings(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        expect_dense(ctx, &meanings[i], TULLE_F64);
        expect_dense(ctx, &meanings[i], TULLE_F32);
    }
}

static void test_meanings(void **state) {
    (void)state;
    on_each_place(check_meanings);
}

/* 1e-46 and less are nearer to 0 than to the least float, 1.4e-45; what is written as 0 is 0. */
static void test_vanished(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t in_f32, first_f32, in_f64, first_f64;
    } cases[] = {
        {BANNER "array real general\n4 1\n1\n0.0e-300\n-0\n1e-45\n", 0, 0, 0, 0},
        {BANNER "array real general\n% a\n3 1\n2\n%\n1e-310\n-1d-46\n", 2, 6, 0, 0},
        {BANNER "array real general\n2 1\n0.0-301\n1.5-101\n", 1, 4, 0, 0},
        {BANNER "coordinate real general\n2 2 3\n1 1 1e-400\n1 2 0\n2 2 .01e-350\n", 2, 3, 2, 3},
        {BANNER "coordinate real symmetric\n2 2 1\n2 1 1e-320\n", 1, 3, 0, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (tulle_type type = TULLE_F32; type <= TULLE_F64; type++) {
            const bool narrow = type == TULLE_F32;
            tulle_file_info info;
            tulle_mat_destroy(io_load_text(io_cpu, cases[c].text, type, &info));
            assert_int_equal(info.vanished, narrow ? cases[c].in_f32 : cases[c].in_f64);
            assert_int_equal(info.vanished_line, narrow ? cases[c].first_f32 : cases[c].first_f64);
        }
    }
}

/* Integers that are no numbers of the type; those that are, however large, are not counted, nor
 * what a file of other fields has. */
static void test_rounded(void **state) {
    (void)state;
#define INTEGERS BANNER "array integer general\n"
    static const struct {
        const char *text;
        int64_t in_f32, first_f32, in_f64, first_f64;
    } cases[] = {
        {INTEGERS "3 1\n16777217\n-9007199254740992\n9007199254740993\n", 2, 3, 1, 5},
        {INTEGERS "% a\n2 1\n%\n-9123456789012345679\n18446744073709551616\n", 1, 5, 1, 5},
        {INTEGERS "1 1\n36893488147419103233\n", 1, 3, 1, 3},
        {INTEGERS "2 1\n9007199254740994\n-1152921504606846976\n", 1, 3, 0, 0},
        {INTEGERS "2 1\n+0036893488147419103232\n00000000000000000000000003\n", 0, 0, 0, 0},
        {BANNER "array real general\n1 1\n9007199254740993\n", 0, 0, 0, 0},
        {BANNER "array unsigned-integer general\n1 1\n18446744073709551615\n", 1, 3, 1, 3},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (tulle_type type = TULLE_F32; type <= TULLE_F64; type++) {
            const bool narrow = type == TULLE_F32;
            tulle_file_info info;
            tulle_mat_destroy(io_load_text(io_cpu, cases[c].text, type, &info));
            assert_int_equal(info.rounded, narrow ? cases[c].in_f32 : cases[c].in_f64);
            assert_int_equal(info.rounded_line, narrow ? cases[c].first_f32 : cases[c].first_f64);
            assert_int_equal(info.vanished, 0);
        }
    }
}

static void test_any_number_of_threads(void **state) {
    (void)state;
    static const char *const wheres[] = {"cpu:2", "cpu:3", "cpu:7"};
    io_text text = io_random_text(300, 400, 150000, 1); /* with many duplicates */
    tulle_ctx *one;
    tulle_mat *A, *B;
    assert_int_equal(tulle_ctx_create("cpu:1", NULL, &one), TULLE_OK);
    assert_int_equal(
        tulle_mat_load_memory(one, text.bytes, (int64_t)text.size, "t", TULLE_F64, &A, NULL),
        TULLE_OK);
    for (int w = 0; w < 3; w++) {
        tulle_ctx *ctx;
        assert_int_equal(tulle_ctx_create(wheres[w], NULL, &ctx), TULLE_OK);
        assert_int_equal(
            tulle_mat_load_memory(ctx, text.bytes, (int64_t)text.size, "t", TULLE_F64, &B, NULL),
            TULLE_OK);
        assert_true(io_equal(one, A, B));
        tulle_mat_destroy(B);
        tulle_ctx_destroy(ctx);
    }
    tulle_mat_destroy(A);
    tulle_ctx_destroy(one);
    free(text.bytes);
}

static void expect_of_corpus(const char *path, tulle_type type, int is_good) {
    tulle_mat *A;
    const tulle_status status = tulle_mat_load(io_cpu, path, type, &A, NULL);
    if ((status == TULLE_OK) != is_good || status < 0 || (A != NULL) != is_good)
        fail_msg("%s: %s", path, tulle_status_name(status));
    tulle_mat_destroy(A);
}

static void test_corpus(void **state) {
    (void)state;
    const char *folder = getenv("TULLE_TEST_CORPUS");
    if (!folder) {
        say_skipped("the corpus: TULLE_TEST_CORPUS does not name it");
        skip();
    }
    char path[1024];
    DIR *corpus = opendir(folder);
    assert_non_null(corpus);
    int good = 0, bad = 0;
    for (struct dirent *file; (file = readdir(corpus));) {
        const int is_good = !strncmp(file->d_name, "good-", 5);
        if (!is_good && strncmp(file->d_name, "bad-", 4)) continue;
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        for (int type = TULLE_F32; type <= TULLE_F64; type++)
            expect_of_corpus(path, (tulle_type)type, is_good);
        good += is_good;
        bad += !is_good;
    }
    closedir(corpus);
    assert_true(good > 20 && bad > 50);
}

/* Real matrices, where there are some: each loads, or is complex. */
static void test_real_matrices(void **state) {
    (void)state;
    const char *folder = getenv("TULLE_MATRICES");
    DIR *all = folder ? opendir(folder) : NULL;
    if (!all) {
        say_skipped("real matrices: TULLE_MATRICES names no folder of them");
        skip();
    }
    for (struct dirent *file; (file = readdir(all));) {
        if (!strstr(file->d_name, ".mtx")) continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        tulle_mat *A;
        const tulle_status status = tulle_mat_load(io_cpu, path, TULLE_F64, &A, NULL);
        if (status != TULLE_OK && status != TULLE_UNSUPPORTED)
            fail_msg("%s: %s", path, tulle_last_error()->message);
        tulle_mat_destroy(A);
    }
    closedir(all);
}

static int stop_at_once(void *user, const char *what, int64_t done, int64_t total) {
    (void)what;
    (void)done;
    (void)total;
    ++*(int *)user;
    return 1;
}

static void test_cancelled(void **state) {
    (void)state;
    io_text text = io_random_text(100, 100, 20000, 0);
    int calls = 0;
    tulle_mat *A;
    assert_int_equal(tulle_ctx_set_progress(io_cpu, stop_at_once, &calls), TULLE_OK);
    assert_int_equal(
        tulle_mat_load_memory(io_cpu, text.bytes, (int64_t)text.size, "t", TULLE_F64, &A, NULL),
        TULLE_CANCELLED);
    assert_int_equal(tulle_ctx_set_progress(io_cpu, NULL, NULL), TULLE_OK);
    assert_null(A);
    assert_int_equal(calls, 1);
    free(text.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meanings),  cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_corpus),    cmocka_unit_test(test_real_matrices),
        cmocka_unit_test(test_cancelled), cmocka_unit_test(test_vanished),
        cmocka_unit_test(test_rounded),
    };
    return cmocka_run_group_tests_name("reading", tests, io_start, io_end);
}
