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

#include "core/stopwatch.h"
#include "io_help.h"
#include "places.h"
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
    "p2d5:150,90",         "p2d9:100,70",      "p3d7:20,30,25",       "p3d27:12,15,17",
    "fem3:9,8,7",          "blocks:2,11",      "fem:20000",           "random:20000,500,7",
    "powerlaw:90000,6,99", "banded:9000,20",   "banded:9000,40,30",   "banded:200,300",
    "dense_rows:900,3,60", "rail:90,30000,10", "tile:p2d5:150,90:40", "interp3:29,20,33",
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
    expect_product((size_t)1 << 30, LARGE, TULLE_OUT_OF_MEMORY,
                   "4000000000000: the context's cap must be at least 64.0 TB (");
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
    };
    return cmocka_run_group_tests_name("room", tests, start, end);
}
