/* SPDX-License-Identifier: Apache-2.0 */
/* Writing, and reading back: containers, the binary form, what is refused. */
#define _GNU_SOURCE
#include <archive.h>
#include <archive_entry.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io_help.h"
#include "places.h"
#include "zoo.h"

static tulle_mat *random_matrix(tulle_ctx *ctx, int64_t rows, int64_t cols, int64_t entries,
                                tulle_type type) {
    io_text text = io_random_text(rows, cols, entries, 0);
    tulle_mat *A;
    must(tulle_mat_load_memory(ctx, text.bytes, (int64_t)text.size, "text", type, &A, NULL));
    free(text.bytes);
    return A;
}

static void expect_same_after(tulle_ctx *ctx, const tulle_mat *A, const char *name,
                              const tulle_save_options *options, const char *container) {
    tulle_mat *B;
    tulle_mat_info about;
    tulle_file_info file;
    must(tulle_mat_describe(A, &about));
    must(tulle_mat_save(ctx, A, io_path(name), options));
    must(tulle_mat_load(ctx, io_path(name), about.type, &B, &file));
    assert_string_equal(file.container, container);
    assert_int_equal(file.expanded, about.nnz);
    if (!io_equal(ctx, A, B)) fail_msg("%s came back different", name);
    tulle_mat_destroy(B);
    unlink(io_path(name));
    assert_int_equal(io_folder_files(), 0);
}

static void round_trips(tulle_ctx *ctx, const char *where) {
    static const char *const names[] = {"a.mtx", "a.mtx.gz", "a.mtx.xz", "a.mtx.zst", "a.tulle"};
    static const char *const containers[] = {"plain", "gz", "xz", "zst", "binary"};
    const tulle_save_options binary = {.binary = true};
    const int64_t entries = is_slow(where) ? 100 : 50000;
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        tulle_mat *A = random_matrix(ctx, 300, 500, entries, (tulle_type)type);
        for (int i = 0; i < 5; i++) expect_same_after(ctx, A, names[i], NULL, containers[i]);
        expect_same_after(ctx, A, "a.bin.zst", &binary, "binary");
        tulle_mat_destroy(A);
    }
}

static void test_round_trips(void **state) {
    (void)state;
    on_each_place(round_trips);
}

static void test_zoo(void **state) {
    (void)state;
    for (int i = 0; i < zoo_count(); i++) {
        zoo_matrix m = zoo_make(i);
        for (int index = TULLE_I32; index <= TULLE_I64; index++) {
            tulle_mat *A = zoo_mat(io_cpu, &m, (tulle_index)index, TULLE_F64), *B;
            expect_same_after(io_cpu, A, "zoo.tulle", NULL, "binary");
            /* text sums duplicates, and forgets the index type */
            must(tulle_mat_save(io_cpu, A, io_path("zoo.mtx"), NULL));
            must(tulle_mat_load(io_cpu, io_path("zoo.mtx"), TULLE_F64, &B, NULL));
            unlink(io_path("zoo.mtx"));
            tulle_mat *coo, *summed;
            must(tulle_mat_convert(io_cpu, A, TULLE_COO, TULLE_I32, 0, &coo));
            must(tulle_mat_convert(io_cpu, coo, TULLE_CSR, TULLE_I32, TULLE_SUM_DUPLICATES,
                                   &summed));
            if (!io_equal(io_cpu, summed, B)) fail_msg("zoo matrix %s", m.name);
            tulle_mat_destroy(coo);
            tulle_mat_destroy(summed);
            tulle_mat_destroy(B);
            tulle_mat_destroy(A);
        }
        zoo_free(&m);
    }
}

/* The same text whatever the form and the number of threads. */
static void test_text(void **state) {
    (void)state;
    const char *text =
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4\n2 1 -0.5\n3 2 1e-7\n3 3 "
        "1e300\n";
    const char *wanted =
        "%%MatrixMarket matrix coordinate real symmetric\n% by hand\n% in two lines\n"
        "3 3 4\n1 1 4\n2 1 -0.5\n3 2 1e-7\n3 3 1e300\n";
    tulle_mat *A = io_load_text(io_cpu, text, TULLE_F64, NULL), *coo;
    must(tulle_mat_convert(io_cpu, A, TULLE_COO, TULLE_I64, 0, &coo));
    const tulle_mat *both[] = {A, coo};
    const tulle_save_options options = {.symmetric = true, .comment = "by hand\nin two lines\n"};
    for (int i = 0; i < 2; i++) {
        size_t size;
        must(tulle_mat_save(io_cpu, both[i], io_path("s.mtx"), &options));
        char *got = io_read_file(io_path("s.mtx"), &size);
        assert_string_equal(got, wanted);
        free(got);
    }
    unlink(io_path("s.mtx"));
    tulle_mat_destroy(coo);
    tulle_mat_destroy(A);
}

static void test_pattern(void **state) {
    (void)state;
    tulle_mat *A = random_matrix(io_cpu, 20, 20, 50, TULLE_F64), *B, *C;
    tulle_save_options options = {.pattern = true};
    must(tulle_mat_save(io_cpu, A, io_path("p.mtx"), &options));
    options.binary = true;
    must(tulle_mat_save(io_cpu, A, io_path("p.tulle"), &options));
    tulle_file_info text, binary;
    must(tulle_mat_load(io_cpu, io_path("p.mtx"), TULLE_F64, &B, &text));
    must(tulle_mat_load(io_cpu, io_path("p.tulle"), TULLE_F64, &C, &binary));
    assert_string_equal(text.field, "pattern");
    assert_string_equal(binary.field, "pattern");
    assert_true(io_equal(io_cpu, B, C));
    unlink(io_path("p.mtx"));
    unlink(io_path("p.tulle"));
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    tulle_mat_destroy(C);
}

/* f64 in the file, f32 wanted: rounded once, like a copy. */
static void test_other_type(void **state) {
    (void)state;
    tulle_mat *A = random_matrix(io_cpu, 30, 30, 100, TULLE_F64), *B, *C;
    must(tulle_mat_save(io_cpu, A, io_path("t.tulle"), NULL));
    must(tulle_mat_load(io_cpu, io_path("t.tulle"), TULLE_F32, &B, NULL));
    must(tulle_mat_copy(io_cpu, A, TULLE_F32, &C));
    assert_true(io_equal(io_cpu, B, C));
    unlink(io_path("t.tulle"));
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    tulle_mat_destroy(C);
}

static void expect_no_save(const tulle_mat *A, const char *path, const tulle_save_options *options,
                           tulle_status status, const char *part) {
    const tulle_status got = tulle_mat_save(io_cpu, A, path, options);
    if (got != status || !strstr(tulle_last_error()->message, part))
        fail_msg("%s: %s", tulle_status_name(got), tulle_last_error()->message);
    assert_int_equal(io_folder_files(), 0);
}

static void test_refused(void **state) {
    (void)state;
    const char *head = "%%MatrixMarket matrix coordinate real general\n";
    char text[256];
    snprintf(text, sizeof text, "%s2 2 2\n1 2 1\n2 1 2\n", head);
    tulle_mat *A = io_load_text(io_cpu, text, TULLE_F64, NULL);
    const tulle_save_options symmetric = {.symmetric = true},
                             half = {.symmetric = true, .pattern = true},
                             both = {.symmetric = true, .binary = true};
    expect_no_save(A, io_path("a.mtx"), &symmetric, TULLE_INVALID_ARGUMENT, "not symmetric");
    expect_no_save(A, io_path("a.mtx"), &both, TULLE_INVALID_ARGUMENT, "whole");
    expect_no_save(A, io_path("none/a.mtx"), NULL, TULLE_IO_ERROR, "No such");
    expect_no_save(A, io_path("."), NULL, TULLE_IO_ERROR, "directory");
    expect_no_save(NULL, io_path("a.mtx"), NULL, TULLE_INVALID_ARGUMENT, "A");
    expect_no_save(A, NULL, NULL, TULLE_INVALID_ARGUMENT, "path");
    must(tulle_mat_save(io_cpu, A, io_path("a.mtx"), &half));
    unlink(io_path("a.mtx"));
    const double values[2] = {1, NAN};
    must(tulle_mat_set_values(io_cpu, A, 2, values));
    expect_no_save(A, io_path("a.mtx"), NULL, TULLE_INVALID_ARGUMENT, "row 1");
    expect_same_after(io_cpu, A, "a.tulle", NULL, "binary");
    tulle_mat_destroy(A);
}

/* A file that must not grow is a full disk. */
static void test_disk_full(void **state) {
    (void)state;
    static const char *const names[] = {"f.mtx", "f.mtx.gz", "f.mtx.xz", "f.mtx.zst", "f.tulle"};
    tulle_mat *A = random_matrix(io_cpu, 1000, 1000, 30000, TULLE_F64);
    struct rlimit was, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    small = was;
    small.rlim_cur = 10000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    tulle_status got[5];
    int left[5];
    for (int i = 0; i < 5; i++) {
        got[i] = tulle_mat_save(io_cpu, A, io_path(names[i]), NULL);
        left[i] = io_folder_files();
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    signal(SIGXFSZ, handler);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(got[i], TULLE_IO_ERROR);
        assert_int_equal(left[i], 0);
    }
    tulle_mat_destroy(A);
}

/* What is no regular file is written to, not replaced. */
static void test_device(void **state) {
    (void)state;
    struct stat before, after;
    tulle_mat *A = random_matrix(io_cpu, 10, 10, 20, TULLE_F64);
    assert_int_equal(stat("/dev/null", &before), 0);
    must(tulle_mat_save(io_cpu, A, "/dev/null", NULL));
    assert_int_equal(stat("/dev/null", &after), 0);
    assert_true(S_ISCHR(after.st_mode) && before.st_ino == after.st_ino);
    tulle_mat_destroy(A);
}

/* A pipe by the name of its descriptor, a link whose text is no path, gets the file, too. */
static void test_pipe(void **state) {
    (void)state;
    static const char banner[] = "%%MatrixMarket matrix coordinate";
    char name[64], text[sizeof banner] = "";
    int ends[2];
    tulle_mat *A = random_matrix(io_cpu, 10, 10, 20, TULLE_F64);
    assert_int_equal(pipe(ends), 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", ends[1]);
    must(tulle_mat_save(io_cpu, A, name, NULL));
    close(ends[1]);
    assert_int_equal(read(ends[0], text, sizeof text - 1), sizeof text - 1);
    assert_string_equal(text, banner);
    close(ends[0]);
    tulle_mat_destroy(A);
}

static void add_member(struct archive *archive, const char *path, const char *text) {
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, path);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, (la_int64_t)strlen(text));
    assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(archive, text, strlen(text)), strlen(text));
    archive_entry_free(entry);
}

/* SuiteSparse's archives, and others. members: path, text, path, text, ..., NULL. */
static tulle_status load_archive(const char *const *members, tulle_mat **A) {
    struct archive *archive = archive_write_new();
    archive_write_add_filter_gzip(archive);
    archive_write_set_format_ustar(archive);
    assert_int_equal(archive_write_open_filename(archive, io_path("a.tar.gz")), ARCHIVE_OK);
    for (; *members; members += 2) add_member(archive, members[0], members[1]);
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
    tulle_file_info file;
    const tulle_status status = tulle_mat_load(io_cpu, io_path("a.tar.gz"), TULLE_F64, A, &file);
    if (status == TULLE_OK) assert_string_equal(file.container, "tar.gz");
    unlink(io_path("a.tar.gz"));
    return status;
}

static void test_archives(void **state) {
    (void)state;
    const char *right = "%%MatrixMarket matrix coordinate real general\n3 7 1\n1 1 1\n";
    const char *wrong = "%%MatrixMarket matrix array real general\n2 1\n1\n1\n";
    const char *const good[][9] = {
        {"A/A.mtx", right, NULL},
        {"A/A_b.mtx", wrong, "A/A.mtx", right, "A/A_coord.mtx", wrong, NULL},
        {"dir/A/other.mtx", wrong, "dir/A/A.mtx", right, NULL},
        {"A/read.me", "hello", "A/other.mtx", right, "A/A_x.mtx", wrong, NULL},
        {"alone.mtx", right, NULL},
    };
    const char *const bad[][5] = {{"A/read.me", "hello", NULL},
                                  {"A/a.mtx", right, "A/b.mtx", right, NULL},
                                  {"A/A_b.mtx", wrong, NULL}};
    tulle_mat *A;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        tulle_mat_info about;
        must(load_archive(good[i], &A));
        must(tulle_mat_describe(A, &about));
        assert_int_equal(about.cols, 7);
        tulle_mat_destroy(A);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(load_archive(bad[i], &A), TULLE_PARSE_ERROR);
    }
}

static int stop_writing(void *user, const char *what, int64_t done, int64_t total) {
    (void)user;
    (void)done;
    (void)total;
    return !strcmp(what, "writing");
}

static void test_cancelled(void **state) {
    (void)state;
    tulle_mat *A = random_matrix(io_cpu, 50, 50, 300, TULLE_F64);
    must(tulle_ctx_set_progress(io_cpu, stop_writing, NULL));
    const tulle_status text = tulle_mat_save(io_cpu, A, io_path("a.mtx"), NULL);
    const tulle_status binary = tulle_mat_save(io_cpu, A, io_path("a.tulle"), NULL);
    must(tulle_ctx_set_progress(io_cpu, NULL, NULL));
    assert_int_equal(text, TULLE_CANCELLED);
    assert_int_equal(binary, TULLE_CANCELLED);
    assert_int_equal(io_folder_files(), 0);
    tulle_mat_destroy(A);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_zoo),
        cmocka_unit_test(test_text),        cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_other_type),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_disk_full),   cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_device),      cmocka_unit_test(test_archives),
        cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests_name("writing", tests, io_start, io_end);
}
