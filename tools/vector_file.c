/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csr.h"
#include "error.h"
#include "output.h"
#include "progress.h"
#include "tulle/io.h"

static void spread(const tool_csr *A, void *vector) {
    size_t size = (size_t)tulle_type_size(A->type);
    memset(vector, 0, (size_t)A->rows * size);
    for (int64_t row = 0; row < A->rows; row++) {
        int64_t k = tool_csr_offset(A, row);
        if (k == tool_csr_offset(A, row + 1)) continue;
        memcpy((char *)vector + (size_t)row * size, (const char *)A->values + (size_t)k * size,
               size);
    }
}

static tulle_status check_shape(const char *path, const tulle_mat_info *info, int64_t n) {
    if (info->cols == 1 && info->rows == n) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "%s: is %" PRId64 " x %" PRId64 ", but the vector must be %" PRId64 " x 1",
                       path, info->rows, info->cols, n);
}

tulle_status tool_load_vector(const char *path, tulle_type type, int64_t n, void *vector) {
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    tulle_mat_info info;
    tool_csr csr = {0};
    tulle_status status = tool_open_place("cpu", &ctx);
    if (status == TULLE_OK) status = tulle_mat_load(ctx, path, type, &A, NULL);
    if (status == TULLE_OK) status = tulle_mat_describe(A, &info);
    if (status == TULLE_OK) status = check_shape(path, &info, n);
    if (status == TULLE_OK) status = tool_csr_open(ctx, A, &csr);
    if (status == TULLE_OK) spread(&csr, vector);
    tool_csr_close(&csr);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    tool_progress_end();
    return status;
}

/* 9 and 17 digits give the same bits back. */
static bool write_numbers(FILE *file, tulle_type type, int64_t n, const void *vector) {
    fprintf(file, "%%%%MatrixMarket matrix array real general\n%" PRId64 " 1\n", n);
    for (int64_t i = 0; i < n; i++) {
        if (i % 65536 == 0 && tool_progress(NULL, "writing", i, n)) return false;
        if (type == TULLE_F32) {
            fprintf(file, "%.9g\n", (double)((const float *)vector)[i]);
        } else {
            fprintf(file, "%.17g\n", ((const double *)vector)[i]);
        }
    }
    return true;
}

/* A new file beside the path, with the rights that any new file gets. */
static FILE *create_beside(const char *path, char *temporary, size_t room) {
    int length = snprintf(temporary, room, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= room) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    int descriptor = mkstemp(temporary);
    if (descriptor < 0) return NULL;
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(descriptor, 0666 & ~mask) == 0) {
        FILE *file = fdopen(descriptor, "w");
        if (file) return file;
    }
    close(descriptor);
    unlink(temporary);
    return NULL;
}

static tulle_status cannot_write(const char *path) {
    return tool_record(TULLE_IO_ERROR, "%s: cannot be written: %s", path, strerror(errno));
}

tulle_status tool_save_vector(const char *path, tulle_type type, int64_t n, const void *vector) {
    char temporary[4096];
    tulle_status status = tool_check_text_output(path);
    if (status != TULLE_OK) return status;
    FILE *file = create_beside(path, temporary, sizeof temporary);
    if (!file) return cannot_write(path);
    bool whole = write_numbers(file, type, n, vector);
    bool written = !ferror(file);
    written = fclose(file) == 0 && written;
    if (!whole) status = TULLE_CANCELLED;
    if (whole && (!written || rename(temporary, path) != 0)) status = cannot_write(path);
    if (status != TULLE_OK) unlink(temporary);
    tool_progress_end();
    return status;
}
