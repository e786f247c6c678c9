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

#include "counting.h"
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

tulle_ctx *io_cpu;

int io_start(void **state) {
    (void)state;
    io_folder_make();
    return tulle_ctx_create("cpu:2", NULL, &io_cpu);
}

int io_end(void **state) {
    (void)state;
    tulle_ctx_destroy(io_cpu);
    io_folder_remove();
    return 0;
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

tulle_status io_load(tulle_ctx *ctx, io_file file, tulle_type type, tulle_mat **A,
                     tulle_file_info *info) {
    return tulle_mat_load_memory(ctx, file.bytes, (int64_t)file.size, file.name, type, A, info);
}

void io_expect(tulle_ctx *ctx, io_file file, const char *text, tulle_type type) {
    tulle_mat *A, *B = io_load_text(ctx, text, type, NULL);
    if (io_load(ctx, file, type, &A, NULL) != TULLE_OK)
        fail_msg("%s: for\n%s", tulle_last_error()->message, text);
    if (!io_equal(ctx, A, B)) fail_msg("not the matrix of\n%s", text);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
}

void io_expect_complaint(tulle_ctx *ctx, io_file file, tulle_type type, tulle_status status,
                         int64_t line, const char *part) {
    tulle_mat *A;
    tulle_memory_usage usage;
    char begin[64];
    const tulle_status got = io_load(ctx, file, type, &A, NULL);
    const char *message = tulle_last_error()->message;
    if (line > 0) {
        snprintf(begin, sizeof begin, "%s:%lld: ", file.name, (long long)line);
    } else {
        snprintf(begin, sizeof begin, "%s: ", file.name);
    }
    assert_null(A);
    if (got != status || !strstr(message, part) || strncmp(message, begin, strlen(begin)) ||
        strchr(message, '\n'))
        fail_msg("%s, '%s'; wanted %s, '%s%s'", tulle_status_name(got), message,
                 tulle_status_name(status), begin, part);
    assert_int_equal(tulle_ctx_memory(ctx, &usage), TULLE_OK);
    assert_int_equal(usage.in_use, usage.workspace);
}

void io_expect_little_memory(io_file file, tulle_status status, size_t most) {
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_memory_usage usage;
    assert_int_equal(tulle_ctx_create("cpu:1", NULL, &ctx), TULLE_OK);
    assert_int_equal(io_load(ctx, file, TULLE_F64, &A, NULL), status);
    tulle_mat_destroy(A);
    assert_int_equal(tulle_ctx_memory(ctx, &usage), TULLE_OK);
    assert_int_equal(usage.in_use, 0);
    assert_true(usage.high < most);
    tulle_ctx_destroy(ctx);
}

static bool survives(io_file file, int64_t n) {
    counting count = {.fail_at = 0};
    const tulle_allocator allocator = counting_allocator(&count);
    const tulle_ctx_options options = {.host = &allocator};
    tulle_ctx *ctx;
    tulle_mat *A = NULL;
    assert_int_equal(tulle_ctx_create("cpu:1", &options, &ctx), TULLE_OK);
    count.fail_at = count.requests + n;
    const tulle_status status = io_load(ctx, file, TULLE_F64, &A, NULL);
    if (status != TULLE_OK && status != TULLE_OUT_OF_MEMORY)
        fail_msg("request %lld: %s", (long long)n, tulle_last_error()->message);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    assert_int_equal(count.live, 0);
    return status == TULLE_OK;
}

void io_expect_survival(io_file file, int64_t least) {
    int64_t n = 1;
    while (!survives(file, n)) n++;
    assert_true(n > least);
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
