/* SPDX-License-Identifier: Apache-2.0 */
/* No bit of a compressed file can change and the matrix with it: every checksum is compared, that
 * of each member of a gzip file too, and of what stands behind the matrix in an archive. */
#define _GNU_SOURCE
#include <archive.h>
#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io_help.h"
#include "places.h"
#include "zoo.h"

/* Digits that anything may become other digits of, so that damage is seldom a fault of the text. */
static tulle_mat *dense_digits(void) {
    io_text text = {0};
    uint64_t random = 5;
    io_print(&text, "%%%%MatrixMarket matrix array real general\n30 30\n");
    for (int i = 0; i < 900; i++)
        io_print(&text, "%llu\n", 1 + (unsigned long long)(zoo_bits(&random) % 1000000000u));
    tulle_mat *A = io_load_text(io_cpu, text.bytes, TULLE_F64, NULL);
    free(text.bytes);
    return A;
}

/* A file in memory. */
typedef struct packed {
    char *bytes;
    size_t size;
} packed;

static packed take(const char *path) {
    packed file;
    file.bytes = io_read_file(path, &file.size);
    unlink(path);
    return file;
}

static packed pack(const tulle_mat *A, const char *name) {
    const tulle_save_options options = {.binary = strstr(name, ".tulle") != NULL};
    must(tulle_mat_save(io_cpu, A, io_path(name), &options));
    return take(io_path(name));
}

static tulle_status load(const packed *file, tulle_mat **A) {
    return tulle_mat_load_memory(io_cpu, file->bytes, (int64_t)file->size, "f", TULLE_F64, A, NULL);
}

/* A tar archive with the matrix, and something behind it that is no part of it. */
static packed pack_tar(const tulle_mat *A, int (*filter)(struct archive *)) {
    static const char *const names[] = {"m/m.mtx", "m/m_note.txt"};
    packed text = pack(A, "m.mtx");
    struct archive *archive = archive_write_new();
    filter(archive);
    archive_write_set_format_ustar(archive);
    assert_int_equal(archive_write_open_filename(archive, io_path("t")), ARCHIVE_OK);
    for (int i = 0; i < 2; i++) {
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, names[i]);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_size(entry, (la_int64_t)text.size);
        assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
        assert_int_equal(archive_write_data(archive, text.bytes, text.size), text.size);
        archive_entry_free(entry);
    }
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
    free(text.bytes);
    return take(io_path("t"));
}

/* Flips bits all over the file, those at its end one by one; none may load another matrix. */
static void expect_flips_noticed(packed file, const tulle_mat *A, const char *what) {
    int refused = 0;
    const size_t bits = 8 * file.size, last = bits - 8 * 40, step = last / 500 + 1;
    for (size_t bit = 0; bit < bits; bit += bit < last ? step : 1) {
        tulle_mat *B = NULL;
        file.bytes[bit / 8] ^= (char)(1 << bit % 8);
        const tulle_status status = load(&file, &B);
        if (status == TULLE_OK && !io_equal(io_cpu, A, B)) fail_msg("%s: bit %zu", what, bit);
        if (status != TULLE_OK && strncmp(tulle_last_error()->message, "f:", 2))
            fail_msg("%s: no file in: %s", what, tulle_last_error()->message);
        refused += status != TULLE_OK;
        tulle_mat_destroy(B);
        file.bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    assert_true(refused > 400);
    free(file.bytes);
}

static void test_flipped_bits(void **state) {
    (void)state;
    static const char *const names[] = {"a.mtx.gz",   "a.mtx.xz",   "a.mtx.zst",
                                        "a.tulle.gz", "a.tulle.xz", "a.tulle.zst"};
    tulle_mat *A = dense_digits();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_flips_noticed(pack(A, names[i]), A, names[i]);
    expect_flips_noticed(pack_tar(A, archive_write_add_filter_gzip), A, "tar.gz");
    expect_flips_noticed(pack_tar(A, archive_write_add_filter_xz), A, "tar.xz");
    tulle_mat_destroy(A);
}

static void expect_refused(const packed *file, const char *part) {
    tulle_mat *B = NULL;
    const tulle_status status = load(file, &B);
    const char *message = tulle_last_error()->message;
    if (status != TULLE_IO_ERROR || !strstr(message, part))
        fail_msg("%s: %s; wanted: %s", tulle_status_name(status), message, part);
    assert_null(B);
}

/* The trailer of a gzip file alone, and of a .tar.gz whose matrix was read long before. */
static void test_gzip_trailer(void **state) {
    (void)state;
    tulle_mat *A = dense_digits();
    packed files[] = {pack(A, "a.mtx.gz"), pack(A, "a.tulle.gz"),
                      pack_tar(A, archive_write_add_filter_gzip)};
    for (int i = 0; i < 3; i++) {
        files[i].bytes[files[i].size - 8] ^= 1;
        expect_refused(&files[i], "f: damaged gzip: its checksum does not match");
        files[i].bytes[files[i].size - 8] ^= 1;
        files[i].bytes[files[i].size - 1] ^= 1;
        expect_refused(&files[i], "f: damaged gzip: its length does not match");
        files[i].bytes[files[i].size - 1] ^= 1;
        for (files[i].size--; files[i].size > 0 && files[i].size % 16; files[i].size--)
            expect_refused(&files[i],
                           "f: damaged gzip: the file ends in the middle of its compressed data");
        free(files[i].bytes);
    }
    tulle_mat_destroy(A);
}

/* A file so small that its first bytes do not unpack to anything once it is cut off, wherever that
 * is behind the bytes that show how the file is compressed. */
static void test_tiny_files_cut_off(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t least;
        const char *part;
    } kinds[] = {
        {"a.mtx.gz", 2, "f: damaged gzip: the file ends in the middle of its compressed data"},
        {"a.mtx.zst", 4, "f: damaged zstd: the file ends in the middle of its compressed data"},
        {"a.mtx.xz", 6, "f: the compressed data are damaged or cut off"},
    };
    tulle_mat *A = io_load_text(
        io_cpu, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 7\n", TULLE_F64, NULL);
    for (int i = 0; i < 3; i++) {
        packed file = pack(A, kinds[i].name);
        for (file.size--; file.size >= kinds[i].least; file.size--)
            expect_refused(&file, kinds[i].part);
        free(file.bytes);
    }
    packed empty = {"\x1f\x8b\x8\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0", 20};
    tulle_mat *B = NULL;
    assert_int_equal(load(&empty, &B), TULLE_PARSE_ERROR);
    assert_non_null(strstr(tulle_last_error()->message, "f: is empty"));
    tulle_mat_destroy(A);
}

/* A fault of the text is the container's where that is damaged. */
static void test_damage_before_faults(void **state) {
    (void)state;
    io_text text = io_random_text(100, 100, 5000, 0);
    tulle_mat *A = io_load_text(io_cpu, text.bytes, TULLE_F64, NULL);
    free(text.bytes);
    packed file = pack(A, "a.mtx.gz");
    int damaged = 0;
    for (size_t at = 200; at < file.size - 10; at += 97) {
        tulle_mat *B;
        file.bytes[at] ^= 4;
        assert_int_equal(load(&file, &B), TULLE_IO_ERROR);
        damaged += strstr(tulle_last_error()->message, "f: damaged gzip") != NULL;
        file.bytes[at] ^= 4;
    }
    assert_true(damaged > 50);
    free(file.bytes);
    tulle_mat_destroy(A);
}

/* `first` bytes in one file, the rest of the text in another, each packed as the name says. */
static packed pack_halves(const tulle_mat *A, const char *name, size_t *half) {
    packed text = pack(A, "a.mtx"), both = {0};
    const size_t sizes[] = {text.size / 2, text.size - text.size / 2};
    for (int i = 0; i < 2; i++) {
        char command[1200];
        io_write_file(io_path("half"), text.bytes + (i ? sizes[0] : 0), sizes[i]);
        snprintf(command, sizeof command, "%s -c <%s >%s", name, io_path("half"), io_path("p"));
        assert_int_equal(system(command), 0);
        packed part = take(io_path("p"));
        both.bytes = realloc(both.bytes, both.size + part.size + 64);
        assert_non_null(both.bytes);
        memcpy(both.bytes + both.size, part.bytes, part.size);
        both.size += part.size;
        free(part.bytes);
        if (i == 0) *half = both.size;
    }
    unlink(io_path("half"));
    free(text.bytes);
    return both;
}

/* Several members or frames are one text, each with its checksum; garbage behind them is an error.
 */
static void test_one_after_the_other(void **state) {
    (void)state;
    static const char *const packers[] = {"gzip", "xz"};
    tulle_mat *A = dense_digits(), *B;
    for (int i = 0; i < 2; i++) {
        size_t half;
        packed file = pack_halves(A, packers[i], &half);
        must(load(&file, &B));
        assert_true(io_equal(io_cpu, A, B));
        tulle_mat_destroy(B);
        file.bytes[half - (i ? 30 : 7)] ^= 1; /* of the first one's checksums */
        expect_refused(&file, i ? "damaged" : "its checksum does not match");
        file.bytes[half - (i ? 30 : 7)] ^= 1;
        memset(file.bytes + file.size, 0, 12); /* padding */
        file.size += 12;
        must(load(&file, &B));
        tulle_mat_destroy(B);
        memcpy(file.bytes + file.size - 12, "garbage here", 12);
        expect_refused(&file, i ? "damaged" : "surplus bytes behind");
        free(file.bytes);
    }
    tulle_mat_destroy(A);
}

/* What stands behind the arrays of a binary file is no part of it. */
static void test_surplus_behind_binary(void **state) {
    (void)state;
    tulle_mat *A = dense_digits(), *B;
    packed file = pack(A, "a.tulle");
    file.bytes = realloc(file.bytes, file.size + 1);
    assert_non_null(file.bytes);
    file.bytes[file.size++] = 0;
    assert_int_equal(load(&file, &B), TULLE_PARSE_ERROR);
    assert_non_null(strstr(tulle_last_error()->message, "surplus bytes"));
    free(file.bytes);
    tulle_mat_destroy(A);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flipped_bits),          cmocka_unit_test(test_gzip_trailer),
        cmocka_unit_test(test_damage_before_faults),  cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_surplus_behind_binary), cmocka_unit_test(test_tiny_files_cut_off),
    };
    return cmocka_run_group_tests_name("checksums", tests, io_start, io_end);
}
