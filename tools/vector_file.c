/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* What is to be written. */
typedef struct numbers {
    tulle_type type;
    int64_t count;
    const void *vector;
} numbers;

/* 9 and 17 digits give the same bits back. */
static tulle_status write_numbers(FILE *file, const void *what) {
    const numbers *n = what;
    fprintf(file, "%%%%MatrixMarket matrix array real general\n%" PRId64 " 1\n", n->count);
    for (int64_t i = 0; i < n->count; i++) {
        if (i % 65536 == 0 && tool_progress(NULL, "writing", i, n->count)) return TULLE_CANCELLED;
        if (n->type == TULLE_F32) {
            fprintf(file, "%.9g\n", (double)((const float *)n->vector)[i]);
        } else {
            fprintf(file, "%.17g\n", ((const double *)n->vector)[i]);
        }
    }
    return TULLE_OK;
}

tulle_status tool_save_vector(const char *path, tulle_type type, int64_t n, const void *vector) {
    const numbers all = {.type = type, .count = n, .vector = vector};
    tulle_status status = tool_write_text(path, write_numbers, &all);
    tool_progress_end();
    return status;
}
