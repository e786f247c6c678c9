/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are cut off, damaged or lie, and memory that runs out on the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/types.h"
#include "counting.h"
#include "io/file/binary.h"
#include "io_help.h"
#include "places.h"

static tulle_mat *random_matrix(tulle_ctx *ctx, int64_t rows, int64_t cols, int64_t entries,
                                tulle_type type) {
    io_text text = io_random_text(rows, cols, entries, 0);
    tulle_mat *A;
    must(tulle_mat_load_memory(ctx, text.bytes, (int64_t)text.size, "text", type, &A, NULL));
    free(text.bytes);
    return A;
}

static void test_cut_off(void **state) {
    (void)state;
    static const char *const names[] = {"c.mtx.gz", "c.mtx.xz", "c.mtx.zst", "c.tulle",
                                        "c.tulle.gz"};
    const tulle_save_options binary = {.binary = true};
    tulle_mat *A = random_matrix(io_cpu, 50, 50, 300, TULLE_F64), *B;
    for (int i = 0; i < 5; i++) {
        size_t size;
        must(tulle_mat_save(io_cpu, A, io_path(names[i]), i >= 3 ? &binary : NULL));
        char *bytes = io_read_file(io_path(names[i]), &size);
        unlink(io_path(names[i]));
        for (size_t cut = 0; cut < size; cut += 1 + cut / 16) {
            const tulle_status status =
                tulle_mat_load_memory(io_cpu, bytes, (int64_t)cut, "cut", TULLE_F64, &B, NULL);
            if (status != TULLE_IO_ERROR && status != TULLE_PARSE_ERROR)
                fail_msg("%s cut to %zu: %s", names[i], cut, tulle_status_name(status));
            assert_null(B);
        }
        free(bytes);
    }
    tulle_mat_destroy(A);
}

/* Any byte that changes is noticed, but for the zeros between the arrays. */
static void test_damage(void **state) {
    (void)state;
    tulle_mat *A = random_matrix(io_cpu, 20, 20, 70, TULLE_F64), *B;
    size_t size;
    must(tulle_mat_save(io_cpu, A, io_path("d.tulle"), NULL));
    char *bytes = io_read_file(io_path("d.tulle"), &size);
    unlink(io_path("d.tulle"));
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x10;
        const tulle_status status =
            tulle_mat_load_memory(io_cpu, bytes, (int64_t)size, "d", TULLE_F64, &B, NULL);
        const bool padding = status == TULLE_OK && bytes[i] == 0x10 && io_equal(io_cpu, A, B);
        if (status != TULLE_PARSE_ERROR && !padding)
            fail_msg("byte %zu: %s", i, tulle_status_name(status));
        tulle_mat_destroy(B);
        bytes[i] ^= 0x10;
    }
    free(bytes);
    tulle_mat_destroy(A);
}

/* A header that is whole but lies, over arrays whose checksums are right. */
static void test_binary_lies(void **state) {
    (void)state;
    enum { NOW = TULLE__BINARY_CSR };
    struct {
        tulle__binary_header header;
        int32_t offsets[16], cols[16];
        double values[8];
    } file = {.header = {.magic = TULLE__BINARY_MAGIC,
                         .type = (uint32_t)tulle__type_index(TULLE_F64),
                         .rows = 2,
                         .cols = 2,
                         .nnz = 2},
              .offsets = {0, 1, 2},
              .cols = {0, 1},
              .values = {1, 2}};
    const struct {
        int64_t rows, cols, nnz;
        int32_t offset, col;
        uint32_t version, index;
        tulle_status status;
    } cases[] = {{2, 2, 2, 1, 1, NOW, 0, TULLE_OK},
                 {2, 2, 2, 3, 1, NOW, 0, TULLE_PARSE_ERROR},
                 {2, 2, 2, -1, 1, NOW, 0, TULLE_PARSE_ERROR},
                 {2, 2, 2, 1, 2, NOW, 0, TULLE_PARSE_ERROR},
                 {2, 2, 2, 1, -1, NOW, 0, TULLE_PARSE_ERROR},
                 {2, 2, 2, 1, 1, TULLE__BINARY_BSR + 1, 0, TULLE_UNSUPPORTED},
                 {2, 2, 2, 1, 1, NOW - 1, 0, TULLE_UNSUPPORTED},
                 {2, 2, 2, 1, 1, NOW, 3, TULLE_PARSE_ERROR},
                 {-1, 2, 2, 1, 1, NOW, 0, TULLE_PARSE_ERROR},
                 {2, 2, 1 << 30, 1, 1, NOW, 0, TULLE_PARSE_ERROR},
                 {1 << 30, 2, 2, 1, 1, NOW, 0, TULLE_PARSE_ERROR},
                 {INT64_MAX, 2, 2, 1, 1, NOW, 2, TULLE_TOO_LARGE},
                 {INT64_MAX / 16, 2, INT64_MAX / 16, 1, 1, NOW, 2, TULLE_TOO_LARGE},
                 {(int64_t)1 << 50, 2, 2, 1, 1, NOW, 2, TULLE_PARSE_ERROR}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        file.header.rows = cases[i].rows;
        file.header.cols = cases[i].cols;
        file.header.nnz = cases[i].nnz;
        file.header.version = cases[i].version;
        file.header.index = cases[i].index;
        file.offsets[1] = cases[i].offset;
        file.cols[1] = cases[i].col;
        const void *arrays[] = {file.offsets, file.cols, file.values};
        const size_t sizes[] = {12, 8, 16};
        for (int s = 0; s < 3; s++) {
            const uint64_t sum = tulle__checksum(arrays[s], sizes[s]);
            file.header.checksum[s] = tulle__checksum(&sum, sizeof sum);
        }
        file.header.header_checksum =
            tulle__checksum(&file.header, offsetof(tulle__binary_header, header_checksum));
        tulle_mat *A;
        const tulle_status status =
            tulle_mat_load_memory(io_cpu, &file, sizeof file, "lie", TULLE_F64, &A, NULL);
        if (status != cases[i].status)
            fail_msg("case %zu: %s: %s", i, tulle_status_name(status), tulle_last_error()->message);
        tulle_mat_destroy(A);
    }
}

/* The same of the rows that have entries. */
static void test_binary_lies_of_rows(void **state) {
    (void)state;
    struct {
        tulle__binary_header header;
        int32_t offsets[16], cols[16];
        double values[8];
        int32_t order[16];
    } file = {.header = {.magic = TULLE__BINARY_MAGIC,
                         .version = TULLE__BINARY_DCSR,
                         .type = (uint32_t)tulle__type_index(TULLE_F64),
                         .rows = 5,
                         .cols = 2,
                         .nnz = 2},
              .cols = {0, 1},
              .values = {1, 2}};
    const struct {
        int64_t heads;
        int32_t offset, order[2];
        tulle_status status;
    } cases[] = {{2, 1, {1, 4}, TULLE_OK},           {2, 1, {4, 1}, TULLE_PARSE_ERROR},
                 {2, 1, {1, 1}, TULLE_PARSE_ERROR},  {2, 1, {1, 5}, TULLE_PARSE_ERROR},
                 {2, 1, {-1, 4}, TULLE_PARSE_ERROR}, {2, 2, {1, 4}, TULLE_PARSE_ERROR},
                 {2, 3, {1, 4}, TULLE_PARSE_ERROR},  {3, 1, {1, 4}, TULLE_PARSE_ERROR},
                 {-1, 1, {1, 4}, TULLE_PARSE_ERROR}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t heads = cases[i].heads;
        file.header.heads = heads;
        memcpy(file.offsets, (int32_t[]){0, cases[i].offset, 2}, 12);
        memcpy(file.order, cases[i].order, sizeof cases[i].order);
        const void *arrays[] = {file.offsets, file.cols, file.values, file.order};
        const size_t sizes[] = {12, 8, 16, 8};
        for (int s = 0; s < 4; s++) {
            const uint64_t sum = tulle__checksum(arrays[s], sizes[s]);
            file.header.checksum[s] = tulle__checksum(&sum, sizeof sum);
        }
        file.header.header_checksum =
            tulle__checksum(&file.header, offsetof(tulle__binary_header, header_checksum));
        tulle_mat *A;
        const tulle_status status =
            tulle_mat_load_memory(io_cpu, &file, sizeof file, "lie", TULLE_F64, &A, NULL);
        if (status != cases[i].status)
            fail_msg("case %zu: %s: %s", i, tulle_status_name(status), tulle_last_error()->message);
        if (heads > file.header.nnz)
            assert_non_null(strstr(tulle_last_error()->message, "the header of the binary file"));
        tulle_mat_destroy(A);
    }
}

/* Loads and saves with the n-th request for memory failing; whether it came that far. */
static bool survives(int64_t n, const char *text, const char *name) {
    counting count = {.fail_at = 0};
    const tulle_allocator allocator = counting_allocator(&count);
    const tulle_ctx_options options = {.host = &allocator};
    tulle_ctx *ctx;
    tulle_mat *A = NULL;
    must(tulle_ctx_create("cpu:1", &options, &ctx));
    count.fail_at = count.requests + n;
    tulle_status status =
        tulle_mat_load_memory(ctx, text, (int64_t)strlen(text), "t", TULLE_F64, &A, NULL);
    if (status == TULLE_OK) status = tulle_mat_save(ctx, A, io_path(name), NULL);
    assert_int_equal(io_folder_files(), status == TULLE_OK);
    if (status != TULLE_OK && status != TULLE_OUT_OF_MEMORY)
        fail_msg("request %lld: %s", (long long)n, tulle_last_error()->message);
    unlink(io_path(name));
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    assert_int_equal(count.live, 0);
    return status == TULLE_OK;
}

static void test_out_of_memory(void **state) {
    (void)state;
    const char *text =
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n\n2 1 2\n2 1 2\n";
    int64_t n = 1;
    while (!survives(n, text, "a.mtx")) n++;
    assert_true(n > 10);
    for (n = 1; !survives(n, text, "a.tulle");) n++;
    assert_true(n > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_off),       cmocka_unit_test(test_damage),
        cmocka_unit_test(test_binary_lies),   cmocka_unit_test(test_binary_lies_of_rows),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("broken files", tests, io_start, io_end);
}
