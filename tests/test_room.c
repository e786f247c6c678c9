/* SPDX-License-Identifier: Apache-2.0 */
/* What does not fit in memory is refused from the sizes alone: before a row is made, before an
 * entry is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/available.h"
#include "core/context.h"
#include "core/stopwatch.h"
#include "io_help.h"
#include "places.h"
#include "tulle/add.h"
#include "tulle/factor.h"
#include "tulle/spgemm.h"

static int count_reports(void *user, const char *what, int64_t done, int64_t total) {
    (void)what;
    (void)done;
    (void)total;
    ++*(int *)user;
    return 0;
}

/* A context with a cap that counts what it reports. */
static tulle_ctx *capped(const char *where, size_t cap, int *reports) {
    const tulle_ctx_options options = {.memory_cap = cap};
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    *reports = 0;
    must(tulle_ctx_set_progress(ctx, count_reports, reports));
    return ctx;
}

static const char *const specs[] = {
    "p2d5:150,90",
    "p2d9:100,70",
    "p3d7:20,30,25",
    "p3d27:12,15,17",
    "fem3:9,8,7",
    "blocks:2,11",
    "fem:20000",
    "random:20000,500,7",
    "powerlaw:90000,6,99",
    "banded:9000,20",
    "banded:9000,40,30",
    "banded:200,300",
    "dense_rows:900,3,60",
    "rail:90,30000,10",
    "tile:p2d5:150,90:40",
    "interp3:29,20,33",
    "peaks:20000,3,50,9,0,0,0,4",
};

/* Nothing is turned away that fits exactly; what is a tenth too large does not even begin. */
static void expect_limit(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    const bool cpu = strncmp(where, "cpu", 3) == 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        if (is_slow(where) && i % 5) continue;
        int reports;
        tulle_mat *A = NULL;
        tulle_mat_info info;
        tulle_memory_usage usage;
        tulle_ctx *free_one = capped(where, 0, &reports);
        must(tulle_generate(free_one, specs[i], 1, TULLE_F64, &A));
        must(tulle_mat_describe(A, &info));
        must(tulle_ctx_memory(free_one, &usage));
        if (cpu) assert_true(reports > 0);
        tulle_mat_destroy(A);
        tulle_ctx_destroy(free_one);

        tulle_ctx *just = capped(where, usage.high, &reports);
        must(tulle_generate(just, specs[i], 1, TULLE_F64, &A));
        tulle_mat_destroy(A);
        tulle_ctx_destroy(just);

        const size_t bytes = (size_t)(info.pattern_bytes + info.value_bytes);
        tulle_ctx *less = capped(where, bytes - bytes / 10, &reports);
        const tulle_status status = tulle_generate(less, specs[i], 1, TULLE_F64, &A);
        const char *message = tulle_last_error()->message;
        if (status != TULLE_OUT_OF_MEMORY || !strstr(message, "the context's cap is"))
            fail_msg("%s at %s: %s: %s", specs[i], where, tulle_status_name(status), message);
        const bool tile = strncmp(specs[i], "tile", 4) == 0; /* one copy is there by then */
        if (!tile && reports > 0) fail_msg("%s at %s began", specs[i], where);
        assert_null(A);
        tulle_ctx_destroy(less);
    }
}

/* More entries than 32 bits count are no fault of the index type, which grows; the memory lacks. */
static void test_many_copies(void **state) {
    (void)state;
    int reports;
    tulle_mat *A = NULL;
    tulle_ctx *ctx = capped("cpu", 64 << 20, &reports);
    assert_int_equal(tulle_generate(ctx, "tile:random:200,200,200:70000", 1, TULLE_F64, &A),
                     TULLE_OUT_OF_MEMORY);
    assert_non_null(strstr(tulle_last_error()->message, "70000 copies of the matrix take 33"));
    assert_null(A);
    tulle_ctx_destroy(ctx);
}

static void test_generators(void **state) {
    (void)state;
    once_on_each_place(expect_limit);
}

/* No machine has so much; all of them say so at once. */
static void test_at_once(void **state) {
    (void)state;
    static const char *const large[][2] = {
        {"blocks:64,300", "\"blocks:64,300\" takes 35.6 TB, and this machine has "},
        {"random:2147483647,2147483647,4000", "takes 103 TB"},
        {"powerlaw:2000000000,9999,20000", "takes "},
        {"banded:2000000000,9999", "takes "},
        {"dense_rows:2000000000,2,9999", "takes "},
        {"rail:100000,2000000000,9999", "takes "},
        {"rmat:30,4096", "takes 141 TB"},
        {"tile:random:2000,2000,2000:150000", "150000 copies of the matrix take 7.2 TB"},
    };
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu", NULL, &ctx));
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        tulle_mat *A = NULL;
        const double start = tulle__seconds();
        const tulle_status status = tulle_generate(ctx, large[i][0], 1, TULLE_F64, &A);
        const char *message = tulle_last_error()->message;
        if (status != TULLE_TOO_LARGE || !strstr(message, large[i][1]) ||
            !strstr(message, "of memory available"))
            fail_msg("%s: %s: %s", large[i][0], tulle_status_name(status), message);
        assert_true(tulle__seconds() - start < 2);
        assert_null(A);
    }
    tulle_ctx_destroy(ctx);
}

/* A row of n ones, whose outer product with itself has n^2 entries. */
static tulle_mat *row_of_ones(tulle_ctx *ctx, int64_t n) {
    int64_t *numbers = malloc((size_t)n * sizeof *numbers), offsets[] = {0, n};
    double *ones = malloc((size_t)n * sizeof *ones);
    tulle_mat *row = NULL;
    assert_true(numbers && ones);
    for (int64_t j = 0; j < n; j++) {
        numbers[j] = j;
        ones[j] = 1;
    }
    must(tulle_mat_create_csr(ctx, 1, n, n, TULLE_I64, offsets, numbers, TULLE_F64, ones, NULL,
                              &row));
    free(ones);
    free(numbers);
    return row;
}

static void expect_product(size_t cap, int64_t n, tulle_status wanted, const char *part) {
    const double start = tulle__seconds();
    int reports;
    tulle_ctx *ctx = capped("cpu:2", cap, &reports);
    tulle_mat *row = row_of_ones(ctx, n), *C = NULL;
    tulle_memory_usage before, after;
    must(tulle_ctx_memory(ctx, &before));
    const tulle_status status =
        tulle_spgemm(ctx, TULLE_T, TULLE_N, tulle_num(1), row, row, NULL, NULL, &C);
    const char *message = tulle_last_error()->message;
    if (status != wanted || (part && !strstr(message, part)))
        fail_msg("%s: %s", tulle_status_name(status), message);
    if (status != TULLE_OK) {
        assert_null(C);
        assert_string_equal(tulle_last_error()->function, "tulle_spgemm");
    }
    tulle_mat_destroy(C);
    must(tulle_ctx_memory(ctx, &after));
    assert_int_equal(after.in_use, before.in_use);
    tulle_mat_destroy(row);
    tulle_ctx_destroy(ctx);
    assert_true(tulle__seconds() - start < 30);
}

/* C is as large as its entries, which are counted: no bound refuses what fits. */
static void test_products(void **state) {
    (void)state;
    enum { LARGE = 2000000 };
    expect_product(0, LARGE, TULLE_OUT_OF_MEMORY,
                   "C has 4000000000000 entries, which take 64.0 TB, and this machine has ");
    expect_product(
        (size_t)1 << 30, LARGE, TULLE_OUT_OF_MEMORY,
        "4000000000000: the context's cap of 1.1 GB (1073741824 bytes) is too small, and a "
        "cap of 64.1TB (");
    expect_product(0, 2500, TULLE_OK, NULL);
}

#define BANNER "%%MatrixMarket matrix coordinate real "

static void expect_refused(const char *path, tulle_status wanted, const char *part) {
    int reports;
    tulle_mat *A = NULL;
    tulle_ctx *ctx = capped("cpu:2", (size_t)5 << 20, &reports);
    const tulle_status status = tulle_mat_load(ctx, path, TULLE_F64, &A, NULL);
    const char *message = tulle_last_error()->message;
    if (status != wanted || !strstr(message, part) || strncmp(message, path, strlen(path)))
        fail_msg("%s: %s", tulle_status_name(status), message);
    assert_null(A);
    assert_int_equal(reports, 0);
    tulle_ctx_destroy(ctx);
}

/* A file says how many entries it has. What promises more than it can hold is read, and is short.
 */
static void test_files(void **state) {
    (void)state;
    static const char *const names[] = {"r.mtx", "r.mtx.gz", "r.mtx.xz", "r.tulle", "r.tulle.zst"};
    tulle_ctx *cpu = NULL;
    tulle_mat *A = NULL;
    must(tulle_ctx_create("cpu:2", NULL, &cpu));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const bool text = strstr(names[i], "mtx") != NULL;
        must(tulle_generate(cpu, text ? "p3d7:30" : "p3d7:42", 1, TULLE_F64, &A));
        const tulle_save_options options = {.binary = !text};
        must(tulle_mat_save(cpu, A, io_path(names[i]), &options));
        expect_refused(io_path(names[i]), TULLE_OUT_OF_MEMORY,
                       text ? ":2: to read 183600 entries takes " : ": the arrays take 6.4 MB");
        tulle_mat_destroy(A);
    }
    tulle_ctx_destroy(cpu);

    static const char lie[] = BANNER "general\n9 9 90000000000000\n1 1 1\n";
    io_write_file(io_path("lie.mtx"), lie, sizeof lie - 1);
    expect_refused(io_path("lie.mtx"), TULLE_PARSE_ERROR,
                   "the file ends after 1 of 90000000000000");
}

static int note_place(void *user, const char *what, int64_t done, int64_t total) {
    (void)what;
    (void)total;
    *(int64_t *)user = done;
    return 0;
}

/* Blank lines without end are no file, plain or packed; the limit speaks long before they end. */
static void test_blank_lines(void **state) {
    (void)state;
    enum { LINES = 200 << 20 };
    static const char head[] = BANNER "general\n9 9 1\n";
    char *text = malloc(sizeof head + LINES);
    assert_non_null(text);
    memcpy(text, head, sizeof head - 1);
    memset(text + sizeof head - 1, '\n', LINES);
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    int64_t place = 0;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    must(tulle_ctx_set_progress(ctx, note_place, &place));
    assert_int_equal(tulle_mat_load_memory(ctx, text, (int64_t)sizeof head + LINES - 1, "t",
                                           TULLE_F64, &A, NULL),
                     TULLE_PARSE_ERROR);
    assert_non_null(
        strstr(tulle_last_error()->message, "more than 64 MiB of comments and blank lines"));
    assert_true(place > 0 && place < LINES / 2); /* by then it had stopped */
    tulle_ctx_destroy(ctx);
    free(text);
}

/* What a context was promised is no longer there, though nobody has touched it: the next large
 * array is refused at once, and so is what would fill one. */
static void test_promises(void **state) {
    (void)state;
    enum { COLS = 100000000 }; /* 400 MB of 32-bit offsets */
    /* Memory that the process holds counts as touched by its contexts (core/available.c), and under
     * a sanitizer the process holds what earlier tests have freed: one block may leave more. */
    enum { BLOCKS = 3 };
    static const int32_t offsets[] = {0, 1, 2, 3}, columns[] = {0, 7, COLS - 1};
    static const double values[] = {1, 2, 3};
    const double start = tulle__seconds();
    const tulle_scalar one = tulle_num(1);
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL, *B = NULL;
    tulle_memory_usage before, after;
    void *most[BLOCKS] = {NULL}, *more = NULL;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    must(tulle_mat_create_csr(ctx, 3, COLS, 3, TULLE_I32, offsets, columns, TULLE_F64, values, NULL,
                              &A));
    const int64_t available = tulle__cpu_available();
    int64_t left = available;
    for (int i = 0; i < BLOCKS && left > 300 << 20; i++) {
        must(tulle__alloc(ctx, (size_t)(left - (200 << 20)), &most[i]));
        left = tulle__cpu_available();
    }
    if (left > 300 << 20) fail_msg("%lld bytes are left", (long long)left);
    must(tulle_ctx_memory(ctx, &before));
    assert_int_equal(tulle__alloc(ctx, (size_t)available / 2, &more), TULLE_OUT_OF_MEMORY);
    assert_non_null(strstr(tulle_last_error()->message, "and this machine has "));
    assert_null(more);
    assert_int_equal(tulle_mat_transpose(ctx, A, &B), TULLE_OUT_OF_MEMORY);
    assert_int_equal(tulle_spgemm(ctx, TULLE_T, TULLE_N, one, A, A, NULL, NULL, &B),
                     TULLE_TOO_LARGE);
    assert_non_null(strstr(tulle_last_error()->message,
                           "tables of all rows, of operands and of C (100000000 rows), take "));
    assert_int_equal(tulle_add(ctx, TULLE_T, TULLE_T, one, A, one, A, NULL, NULL, &B),
                     TULLE_TOO_LARGE);
    assert_int_equal(tulle_spgemm_galerkin(ctx, one, A, A, NULL, NULL, &B), TULLE_SHAPE_MISMATCH);
    assert_null(B);
    must(tulle_ctx_memory(ctx, &after));
    assert_int_equal(after.in_use, before.in_use);
    for (int i = 0; i < BLOCKS; i++) tulle__free(ctx, most[i]);
    assert_true(tulle__cpu_available() > available / 2);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
#ifndef TULLE__ADDRESS_SANITIZER /* which marks all of the memory that is promised */
    assert_true(tulle__seconds() - start < 2);
#else
    (void)start;
#endif
}

/* An arrow: the first row, the first column and the diagonal are full, and so is all of the first
 * row's fill. */
static tulle_mat *arrow(tulle_ctx *ctx, int64_t n) {
    int64_t *offsets = malloc((size_t)(n + 1) * sizeof *offsets), nnz = 0;
    int64_t *columns = malloc((size_t)(3 * n) * sizeof *columns);
    double *values = malloc((size_t)(3 * n) * sizeof *values);
    tulle_mat *A = NULL;
    assert_true(offsets && columns && values);
    for (int64_t i = 0; i < n; i++) {
        offsets[i] = nnz;
        if (i > 0) columns[nnz++] = 0;
        for (int64_t j = i; j < (i > 0 ? i + 1 : n); j++) columns[nnz++] = j;
    }
    offsets[n] = nnz;
    for (int64_t e = 0; e < nnz; e++) values[e] = 1;
    for (int64_t i = 0; i < n; i++) values[i > 0 ? offsets[i + 1] - 1 : 0] = (double)(2 * n);
    must(tulle_mat_create_csr(ctx, n, n, nnz, TULLE_I64, offsets, columns, TULLE_F64, values, NULL,
                              &A));
    free(offsets);
    free(columns);
    free(values);
    return A;
}

static void refuse_fill(tulle_ctx *ctx, const tulle_mat *A, tulle_factor_kind kind, int fill,
                        const char *part) {
    const tulle_factor_options options = {.kind = kind, .fill = fill};
    const double start = tulle__seconds();
    tulle_factor *F = NULL;
    const tulle_status status = tulle_factor_create(ctx, A, &options, &F);
    const char *message = tulle_last_error()->message;
    if (status != TULLE_OUT_OF_MEMORY || !strstr(message, part))
        fail_msg("%s: %s", tulle_status_name(status), message);
    assert_string_equal(tulle_last_error()->function, "tulle_factor_create");
    assert_null(F);
    assert_true(tulle__seconds() - start < 2);
}

/* Fill is counted before it is made, from below where that takes less than making it. */
static void test_fill(void **state) {
    (void)state;
    enum { LARGE = 1000000, SMALL = 700 };
    int reports;
    tulle_ctx *ctx = capped("cpu:2", 0, &reports);
    tulle_mat *A = arrow(ctx, LARGE);
    refuse_fill(ctx, A, TULLE_LU, 1, "the factors have at least 1000000000000 entries with their ");
    refuse_fill(ctx, A, TULLE_LU, TULLE_FILL_ALL, "at least 1000000000000 entries");
    refuse_fill(ctx, A, TULLE_CHOLESKY, 2, "at least 1000000000000 entries");
    refuse_fill(ctx, A, TULLE_CHOLESKY, TULLE_FILL_ALL, "this machine has ");
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);

    ctx = capped("cpu:2", 4 << 20, &reports);
    A = arrow(ctx, SMALL);
    refuse_fill(ctx, A, TULLE_LU, 1,
                "the factors have at least 490000 entries with their fill, "
                "which take 11.8 MB, and the context's cap is 4.2 MB, of which ");
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}

static int start(void **state) {
    (void)state;
    io_folder_make();
    return 0;
}

static int end(void **state) {
    (void)state;
    io_folder_remove();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generators),  cmocka_unit_test(test_many_copies),
        cmocka_unit_test(test_at_once),     cmocka_unit_test(test_files),
        cmocka_unit_test(test_blank_lines), cmocka_unit_test(test_products),
        cmocka_unit_test(test_promises),    cmocka_unit_test(test_fill),
    };
    return cmocka_run_group_tests_name("room", tests, start, end);
}
