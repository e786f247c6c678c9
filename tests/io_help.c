/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "io_help.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "zoo.h"

static char folder[64];

void io_folder_make(void) {
    strcpy(folder, "/tmp/tulle-io-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static int each_file(int remove) {
    DIR *all = opendir(folder);
    assert_non_null(all);
    int count = 0;
    for (struct dirent *file; (file = readdir(all));) {
        if (file->d_name[0] == '.') continue;
        count++;
        if (remove) unlink(io_path(file->d_name));
    }
    closedir(all);
    return count;
}

void io_folder_remove(void) {
    each_file(1);
    rmdir(folder);
}

int io_folder_files(void) {
    return each_file(0);
}

const char *io_path(const char *name) {
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void io_write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

char *io_read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    bytes[*size] = 0;
    return bytes;
}

tulle_mat *io_load_text(tulle_ctx *ctx, const char *text, tulle_type type, tulle_file_info *info) {
    tulle_mat *A = NULL;
    tulle_status status =
        tulle_mat_load_memory(ctx, text, (int64_t)strlen(text), "text", type, &A, info);
    if (status != TULLE_OK) fail_msg("%s", tulle_last_error()->message);
    return A;
}

static void *array_of(int64_t bytes) {
    void *array = calloc(1, (size_t)bytes + 1);
    assert_non_null(array);
    return array;
}

int io_equal(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B) {
    tulle_mat_info a, b;
    assert_int_equal(tulle_mat_describe(A, &a), TULLE_OK);
    assert_int_equal(tulle_mat_describe(B, &b), TULLE_OK);
    if (a.rows != b.rows || a.cols != b.cols || a.nnz != b.nnz || a.type != b.type ||
        a.index != b.index)
        return 0;
    const int64_t size[3] = {(a.rows + 1) * tulle_offset_size(a.index),
                             a.nnz * tulle_index_size(a.index), a.nnz * tulle_type_size(a.type)};
    void *of_a[3], *of_b[3];
    int equal = 1;
    for (int i = 0; i < 3; i++) {
        of_a[i] = array_of(size[i]);
        of_b[i] = array_of(size[i]);
    }
    assert_int_equal(tulle_mat_read(ctx, A, of_a[0], NULL, of_a[1], of_a[2]), TULLE_OK);
    assert_int_equal(tulle_mat_read(ctx, B, of_b[0], NULL, of_b[1], of_b[2]), TULLE_OK);
    for (int i = 0; i < 3; i++) {
        equal = equal && !memcmp(of_a[i], of_b[i], (size_t)size[i]);
        free(of_a[i]);
        free(of_b[i]);
    }
    return equal;
}

void io_print(io_text *text, const char *format, ...) {
    enum { LINE = 256 };
    if (text->room - text->size < LINE) {
        text->room = 2 * text->room + LINE;
        text->bytes = realloc(text->bytes, text->room);
        assert_non_null(text->bytes);
    }
    va_list arguments;
    va_start(arguments, format);
    text->size += (size_t)vsnprintf(text->bytes + text->size, LINE, format, arguments);
    va_end(arguments);
}

io_text io_random_text(int64_t rows, int64_t cols, int64_t entries, int with_comments) {
    io_text text = {0};
    uint64_t state = 7;
    io_print(&text, "%%%%MatrixMarket matrix coordinate real general\n%lld %lld %lld\n",
             (long long)rows, (long long)cols, (long long)entries);
    for (int64_t i = 0; i < entries; i++) {
        const long long row = (long long)(zoo_bits(&state) % (uint64_t)rows) + 1;
        const long long col = (long long)(zoo_bits(&state) % (uint64_t)cols) + 1;
        io_print(&text, "%lld %lld %.*g\n", row, col, (int)(zoo_bits(&state) % 17) + 1,
                 zoo_number(&state));
        if (with_comments && zoo_bits(&state) % 1000 == 0) io_print(&text, "%% here\n\n");
    }
    return text;
}
