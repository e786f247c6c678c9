/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the fuzz targets of readers of matrices, for libFuzzer: what loads must be a valid
 * matrix, what does not must say why, and no memory may be left over. Without libFuzzer a target's
 * own main takes files and folders, such as tests/corpus. */
#ifndef TESTS_FUZZING_H
#define TESTS_FUZZING_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tulle/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Under sanitizers a row takes a hundred times as long as otherwise, and an input has ten seconds:
 * so a matrix may hold four million rows at most. */
enum { CAP = 1 << 24, SMALL = 1 << 12 };

static void need(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz: %s: %s\n", what, tulle_last_error()->message);
    abort();
}

static tulle_ctx *context(void) {
    static tulle_ctx *ctx;
    const tulle_ctx_options options = {.memory_cap = CAP};
    if (!ctx) need(tulle_ctx_create("cpu:1", &options, &ctx) == TULLE_OK, "no context");
    return ctx;
}

/* Columns in range and ascending: what tulle_mat_load promises of text. */
static void check_columns(const tulle_mat *A, const tulle_mat_info *info) {
    tulle_mat_arrays a;
    need(tulle_mat_view(A, &a) == TULLE_OK, "no view");
    if (info->index != TULLE_I32) return;
    const int32_t *offsets = a.offsets, *cols = a.cols;
    for (int64_t row = 0; row < info->rows; row++) {
        for (int32_t i = offsets[row]; i < offsets[row + 1]; i++) {
            need(cols[i] >= 0 && cols[i] < info->cols, "column out of range");
            need(i == offsets[row] || cols[i - 1] < cols[i], "columns do not ascend");
        }
    }
}

static void check_matrix(const tulle_mat *A, const tulle_file_info *file) {
    tulle_mat_info info;
    need(tulle_mat_describe(A, &info) == TULLE_OK, "no description");
    need(info.rows == file->rows && info.cols == file->cols && info.nnz == file->expanded,
         "the file's sizes and the matrix's differ");
    if (strcmp(file->container, "binary") != 0 && info.rows < SMALL) check_columns(A, &info);
}

/* Loads the bytes as a file of that name, in each type. */
static void fuzz_load(const void *bytes, size_t size, const char *name) {
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        tulle_mat *A = NULL;
        tulle_file_info file;
        const tulle_status status = tulle_mat_load_memory(context(), bytes, (int64_t)size, name,
                                                          (tulle_type)type, &A, &file);
        need(status >= 0 && (status == TULLE_OK) == (A != NULL), "wrong status");
        if (status != TULLE_OK) {
            need(tulle_last_error()->status == status, "no record of the failure");
            need(tulle_last_error()->message[0] != 0, "no message");
            need(!strchr(tulle_last_error()->message, '\n'), "more than one line");
        } else {
            check_matrix(A, &file);
        }
        tulle_mat_destroy(A);
    }
    tulle_memory_usage usage;
    need(tulle_ctx_memory(context(), &usage) == TULLE_OK && usage.in_use == usage.workspace,
         "memory is left over");
}

static int run_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    size_t size = 0, room = 1 << 16, got;
    uint8_t *bytes = malloc(room);
    while (bytes && (got = fread(bytes + size, 1, room - size, file)) > 0) {
        size += got;
        if (size == room) bytes = realloc(bytes, room *= 2);
    }
    fclose(file);
    if (!bytes) return 0;
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return 1;
}

static int run_folder(const char *path) {
    DIR *folder = opendir(path);
    int count = 0;
    for (struct dirent *file; folder && (file = readdir(folder));) {
        char inside[4096];
        if (file->d_name[0] == '.') continue;
        snprintf(inside, sizeof inside, "%s/%s", path, file->d_name);
        count += run_file(inside);
    }
    if (folder) closedir(folder);
    return folder ? count : run_file(path);
}

/* libFuzzer brings a main of its own, which wins over this one. */
int main(int argc, char **argv) __attribute__((weak));

int main(int argc, char **argv) {
    int count = 0;
    for (int i = 1; i < argc; i++) count += run_folder(argv[i]);
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 2;
}

#endif
