/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of blocks in tulle's binary form: they come back in the same blocks, square or not, with
 * padding or without; headers that lie, and files that are cut off or damaged, are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "block_matrices.h"
#include "core/types.h"
#include "io/file/binary.h"
#include "io_help.h"
#include "places.h"

/* Fails unless both matrices have the same blocks and the same entries, bit by bit. */
static void expect_same_blocks(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B,
                               const char *name) {
    tulle_mat_info a, b;
    tulle_mat *rows_a = NULL, *rows_b = NULL;
    must(tulle_mat_describe(A, &a));
    must(tulle_mat_describe(B, &b));
    if (b.format != TULLE_BSR) fail_msg("%s came back in another format", name);
    assert_int_equal(b.storage.block, a.storage.block);
    assert_int_equal(b.storage.block_cols, a.storage.block_cols);
    assert_int_equal(b.storage.stored, a.storage.stored);
    assert_int_equal(b.storage.full, a.storage.full);
    must(tulle_mat_convert(ctx, A, TULLE_CSR, a.index, 0, &rows_a));
    must(tulle_mat_convert(ctx, B, TULLE_CSR, b.index, 0, &rows_b));
    if (!io_equal(ctx, rows_a, rows_b)) fail_msg("%s came back different", name);
    tulle_mat_destroy(rows_a);
    tulle_mat_destroy(rows_b);
}

static void expect_return(tulle_ctx *ctx, const tulle_mat *A, const char *name) {
    const tulle_save_options binary = {.binary = true};
    tulle_mat_info about;
    tulle_file_info file;
    tulle_mat *B = NULL;
    must(tulle_mat_describe(A, &about));
    must(tulle_mat_save(ctx, A, io_path(name), &binary));
    must(tulle_mat_load(ctx, io_path(name), about.type, &B, &file));
    unlink(io_path(name));
    assert_string_equal(file.container, "binary");
    assert_int_equal(file.stored, about.nnz);
    assert_int_equal(file.expanded, about.nnz);
    expect_same_blocks(ctx, A, B, name);
    tulle_mat_destroy(B);
}

static const int sizes[][2] = {{1, 1}, {3, 3}, {6, 3}, {2, 5}, {3, 16}, {16, 16}, {16, 1}, {7, 6}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void round_trips(tulle_ctx *ctx, const char *where) {
    const int step = is_slow(where) ? 4 : 1;
    for (int i = turn_in_order(where, step); i < SIZES * CELLS_KINDS; i += step) {
        const int *size = sizes[i % SIZES];
        const block_shape shape = {.rows = 9,
                                   .cols = 7,
                                   .tall = size[0],
                                   .wide = size[1],
                                   .kind = i / SIZES,
                                   .seed = 1 + (uint64_t)i};
        zoo_matrix m = block_matrix(&shape);
        for (int k = 0; k < 6; k++) {
            const tulle_type type = k % 2 ? TULLE_F32 : TULLE_F64;
            tulle_mat *A = block_mat(ctx, &m, &shape, (tulle_index)(k / 2), type);
            expect_return(ctx, A, "a.tulle");
            if (k == i % 6) expect_return(ctx, A, "a.tulle.zst");
            tulle_mat_destroy(A);
        }
        zoo_free(&m);
    }
}

static void test_round_trips(void **state) {
    (void)state;
    on_each_place(round_trips);
}

/* Matrices without entries, with rows at the edge that fill no block, and without rows. */
static void test_no_entries(void **state) {
    static const int64_t shapes[][2] = {{6, 9}, {7, 8}, {0, 4}, {5, 0}, {0, 0}};
    static const int32_t offsets[8];
    const tulle_convert_options blocks = {.block = 3};
    (void)state;
    for (int i = 0; i < 5; i++) {
        tulle_mat *A = NULL, *B = NULL;
        must(tulle_mat_create_csr(io_cpu, shapes[i][0], shapes[i][1], 0, TULLE_I32, offsets, NULL,
                                  TULLE_F64, NULL, NULL, &A));
        must(tulle_mat_convert_with(io_cpu, A, TULLE_BSR, TULLE_I32, &blocks, &B));
        expect_return(io_cpu, B, "none.tulle");
        tulle_mat_destroy(A);
        tulle_mat_destroy(B);
    }
}

/* A matrix with holes in its blocks, for tests of one file. */
static tulle_mat *holed(int tall, int wide, tulle_type type) {
    const block_shape shape = {
        .rows = 6, .cols = 5, .tall = tall, .wide = wide, .kind = CELLS_HOLES, .seed = 5};
    zoo_matrix m = block_matrix(&shape);
    tulle_mat *A = block_mat(io_cpu, &m, &shape, TULLE_I32, type);
    zoo_free(&m);
    return A;
}

/* Text holds rows, and a file without values has ones in the places of the entries. */
static void test_other_forms(void **state) {
    const tulle_save_options pattern = {.binary = true, .pattern = true};
    tulle_mat *A = holed(3, 4, TULLE_F64), *rows = NULL, *B = NULL, *C = NULL, *ones = NULL;
    tulle_mat_info info;
    tulle_file_info file;
    (void)state;
    must(tulle_mat_describe(A, &info));
    must(tulle_mat_convert(io_cpu, A, TULLE_CSR, TULLE_I32, 0, &rows));
    must(tulle_mat_save(io_cpu, A, io_path("a.mtx"), NULL));
    must(tulle_mat_load(io_cpu, io_path("a.mtx"), TULLE_F64, &B, NULL));
    assert_true(io_equal(io_cpu, rows, B));
    tulle_mat_destroy(B);
    must(tulle_mat_save(io_cpu, A, io_path("p.tulle"), &pattern));
    must(tulle_mat_load(io_cpu, io_path("p.tulle"), TULLE_F64, &B, &file));
    assert_string_equal(file.field, "pattern");
    double *values = malloc((size_t)info.nnz * sizeof *values);
    assert_non_null(values);
    for (int64_t k = 0; k < info.nnz; k++) values[k] = 1;
    must(tulle_mat_with_values(io_cpu, rows, TULLE_F64, info.nnz, values, &ones));
    must(tulle_mat_convert(io_cpu, B, TULLE_CSR, TULLE_I32, 0, &C));
    assert_true(io_equal(io_cpu, ones, C));
    free(values);
    unlink(io_path("a.mtx"));
    unlink(io_path("p.tulle"));
    tulle_mat *all[] = {A, B, C, rows, ones};
    for (int i = 0; i < 5; i++) tulle_mat_destroy(all[i]);
}

/* Files of CSR and DCSR matrices have no field of blocks: they are as they were before blocks. */
static void test_older_versions(void **state) {
    const uint64_t zeros[4] = {0};
    (void)state;
    for (int dcsr = 0; dcsr < 2; dcsr++) {
        size_t size = 0;
        tulle_mat *A = holed(2, 2, TULLE_F64), *B = NULL;
        must(tulle_mat_convert(io_cpu, A, dcsr ? TULLE_DCSR : TULLE_CSR, TULLE_I32, 0, &B));
        must(tulle_mat_save(io_cpu, B, io_path("o.tulle"), NULL));
        tulle__binary_header header;
        char *bytes = io_read_file(io_path("o.tulle"), &size);
        memcpy(&header, bytes, sizeof header);
        assert_int_equal(header.version, dcsr ? 3 : 2);
        assert_memory_equal(&header.blocks, zeros, sizeof zeros);
        free(bytes);
        unlink(io_path("o.tulle"));
        tulle_mat_destroy(A);
        tulle_mat_destroy(B);
    }
}

/* A file of two rows of blocks of 2 x 3, the first block with a hole, and space to lie in. */
typedef struct {
    tulle__binary_header header;
    int32_t offsets[16], cols[16];
    double values[16];
    uint32_t mask[16];
} small_file;

static small_file small(void) {
    return (small_file){.header = {.magic = TULLE__BINARY_MAGIC,
                                   .version = TULLE__BINARY_BSR,
                                   .type = (uint32_t)tulle__type_index(TULLE_F64),
                                   .rows = 4,
                                   .cols = 6,
                                   .nnz = 11,
                                   .blocks = 2,
                                   .block_rows = 2,
                                   .block_cols = 3},
                        .offsets = {0, 1, 2},
                        .cols = {1, 0},
                        .values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                        .mask = {0x3d, 0x3f}};
}

/* Computes all checksums, so that what is false is found by its sense. */
static void sign(small_file *f) {
    const void *const arrays[] = {f->offsets, f->cols, f->values, f->mask};
    const size_t bytes[] = {12, 8, 96, 8};
    for (int s = 0; s < 4; s++) {
        const uint64_t sum = tulle__checksum(arrays[s], bytes[s]);
        f->header.checksum[s] = tulle__checksum(&sum, sizeof sum);
    }
    f->header.header_checksum =
        tulle__checksum(&f->header, offsetof(tulle__binary_header, header_checksum));
}

/* The values take 96 of 128 bytes, and the mask 8 of 64: a true file has every byte. */
static tulle_status load_small(small_file *f, tulle_type type, tulle_mat **A) {
    sign(f);
    return tulle_mat_load_memory(io_cpu, f, sizeof *f, "lie", type, A, NULL);
}

static void expect_lie(small_file f, tulle_status status, const char *part) {
    sign(&f);
    io_expect_complaint(io_cpu, (io_file){&f, sizeof f, "lie"}, TULLE_F64, status, 0, part);
}

static void test_lies(void **state) {
    static const struct {
        uint32_t rows, cols;
        const char *part;
    } shapes[] = {{0, 3, "blocks of 0 x 3"},
                  {2, 0, "blocks of 2 x 0"},
                  {17, 3, "blocks of 17 x 3"},
                  {2, 17, "blocks of 2 x 17"},
                  {UINT32_MAX, 3, "blocks of 4294967295 x 3"}};
    static const struct {
        int64_t rows, cols, nnz, blocks;
        uint32_t index;
        tulle_status status;
        const char *part;
    } counts[] = {
        {4, 6, 13, 2, 0, TULLE_PARSE_ERROR, "13 entries in 2 blocks of 2 x 3"},
        {4, 6, 10, 2, 0, TULLE_PARSE_ERROR, "the mask has 11 entries, and the header 10"},
        {4, 6, 11, -1, 0, TULLE_PARSE_ERROR, "-1 blocks"},
        {4, 6, 11, INT64_MAX / 6 + 1, 2, TULLE_PARSE_ERROR, "a number that cannot be"},
        {4, 6, 11, INT64_MAX / 6, 2, TULLE_TOO_LARGE, "sizes in the header are too large"},
        {4, 6, 11, INT32_MAX / 6 + 1, 0, TULLE_PARSE_ERROR, "do not fit its index type"},
        {4, 6, 11, 1 << 20, 0, TULLE_PARSE_ERROR, "cut off"},
        {1 << 20, 6, 11, 2, 0, TULLE_PARSE_ERROR, "cut off"},
        {INT64_MAX, 6, 11, 2, 2, TULLE_TOO_LARGE, "sizes in the header are too large"},
        {4, 3, 11, 2, 0, TULLE_PARSE_ERROR, "out of range"},
    };
    small_file f = small();
    tulle_mat *A = NULL;
    tulle_mat_info info;
    (void)state;
    must(load_small(&f, TULLE_F64, &A));
    must(tulle_mat_describe(A, &info));
    assert_int_equal(info.format, TULLE_BSR);
    assert_int_equal(info.nnz, 11);
    tulle_mat_destroy(A);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        f = small();
        f.header.block_rows = shapes[i].rows;
        f.header.block_cols = shapes[i].cols;
        expect_lie(f, TULLE_PARSE_ERROR, shapes[i].part);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        f = small();
        f.header.rows = counts[i].rows;
        f.header.cols = counts[i].cols;
        f.header.nnz = counts[i].nnz;
        f.header.blocks = counts[i].blocks;
        f.header.index = counts[i].index;
        expect_lie(f, counts[i].status, counts[i].part);
    }
    f = small();
    f.header.version = TULLE__BINARY_BSR + 1;
    expect_lie(f, TULLE_UNSUPPORTED, "reads versions 2 to 4");
}

/* Arrays whose checksums are right, and which are no matrix. */
static void test_false_arrays(void **state) {
    small_file f = small();
    (void)state;
    f.cols[0] = 2;
    expect_lie(f, TULLE_PARSE_ERROR, "out of range");
    f = small();
    f.cols[1] = -1;
    expect_lie(f, TULLE_PARSE_ERROR, "out of range");
    f = small();
    f.offsets[1] = 2;
    expect_lie(f, TULLE_PARSE_ERROR, "ascend");
    f = small();
    f.offsets[1] = 3;
    expect_lie(f, TULLE_PARSE_ERROR, "offset");
    f = small();
    f.offsets[2] = 1;
    expect_lie(f, TULLE_PARSE_ERROR, "offset");
    f = small();
    f.mask[1] = 0x7f;
    expect_lie(f, TULLE_PARSE_ERROR, "mask");
}

/* A number that is too large for f32 is named by its place; that of padding does not matter. */
static void test_narrowing(void **state) {
    tulle_mat *A = NULL;
    small_file f = small();
    (void)state;
    f.values[1] = 1e300; /* the hole */
    must(load_small(&f, TULLE_F32, &A));
    tulle_mat_destroy(A);
    f.values[5] = 1e300; /* cell (1, 2) of block column 1 */
    sign(&f);
    io_expect_complaint(io_cpu, (io_file){&f, sizeof f, "big"}, TULLE_F32, TULLE_PARSE_ERROR, 0,
                        "row 2, column 6");
}

static char *bytes_of(const tulle_mat *A, size_t *size) {
    must(tulle_mat_save(io_cpu, A, io_path("d.tulle"), NULL));
    char *bytes = io_read_file(io_path("d.tulle"), size);
    unlink(io_path("d.tulle"));
    return bytes;
}

/* Any byte that changes is noticed, but for the zeros between the arrays; the mask is named. */
static void test_damage(void **state) {
    tulle_mat *A = holed(2, 3, TULLE_F64), *B = NULL;
    size_t size = 0;
    int masks = 0;
    (void)state;
    char *bytes = bytes_of(A, &size);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x10;
        const tulle_status status =
            tulle_mat_load_memory(io_cpu, bytes, (int64_t)size, "d", TULLE_F64, &B, NULL);
        masks += status && strstr(tulle_last_error()->message, "the checksum of its mask");
        if (status == TULLE_OK) expect_same_blocks(io_cpu, A, B, "d");
        const bool padding = status == TULLE_OK && bytes[i] == 0x10;
        if (status != TULLE_PARSE_ERROR && !padding)
            fail_msg("byte %zu: %s", i, tulle_status_name(status));
        tulle_mat_destroy(B);
        bytes[i] ^= 0x10;
    }
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    assert_int_equal(masks, 4 * info.storage.stored / 6);
    for (size_t cut = 0; cut < size; cut += 1 + cut / 32) {
        const tulle_status status =
            tulle_mat_load_memory(io_cpu, bytes, (int64_t)cut, "cut", TULLE_F64, &B, NULL);
        if (status != TULLE_PARSE_ERROR) fail_msg("cut to %zu: %s", cut, tulle_status_name(status));
    }
    io_expect_survival((io_file){bytes, size, "d"}, 5);
    free(bytes);
    tulle_mat_destroy(A);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_no_entries),
        cmocka_unit_test(test_other_forms), cmocka_unit_test(test_older_versions),
        cmocka_unit_test(test_lies),        cmocka_unit_test(test_false_arrays),
        cmocka_unit_test(test_narrowing),   cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests_name("files of blocks", tests, io_start, io_end);
}
