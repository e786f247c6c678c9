/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/vector_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/block.h"
#include "tools/common/csr.h"
#include "tools/common/error.h"
#include "tools/common/input.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"

static void spread(const tool_csr *A, int64_t columns, void *vectors) {
    size_t size = (size_t)tulle_type_size(A->type);
    memset(vectors, 0, (size_t)(A->rows * columns) * size);
    for (int64_t p = 0; p < A->heads; p++) {
        for (int64_t k = tool_csr_offset(A, p); k < tool_csr_offset(A, p + 1); k++) {
            int64_t at = tool_csr_row(A, p) + tool_csr_column(A, k) * A->rows;
            memcpy((char *)vectors + (size_t)at * size, (const char *)A->values + (size_t)k * size,
                   size);
        }
    }
}

static tulle_status check_shape(const char *path, const tulle_mat_info *info, int64_t n,
                                int64_t k) {
    if (info->cols == k && info->rows == n) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "%s: is %" PRId64 " x %" PRId64 ", but the %s must be %" PRId64
                       " x %" PRId64,
                       path, info->rows, info->cols, k == 1 ? "vector" : "multivector", n, k);
}

/* Takes the numbers of a matrix that was read, of rows and columns that are wanted, or of any where
 * *numbers is NULL, which then receives them. */
static tulle_status take(tulle_ctx *ctx, const char *path, const tulle_mat *A, int64_t *rows,
                         int64_t *columns, void **numbers) {
    tulle_mat_info info;
    tool_csr csr = {0};
    tulle_status status = tulle_mat_describe(A, &info);
    if (status == TULLE_OK && *numbers) status = check_shape(path, &info, *rows, *columns);
    if (status == TULLE_OK) status = tool_csr_open(ctx, A, &csr);
    if (status == TULLE_OK) {
        const size_t count = (size_t)(info.rows * info.cols);
        if (!*numbers) *numbers = tool_alloc(count + 1, (size_t)tulle_type_size(info.type));
        *rows = info.rows;
        *columns = info.cols;
        spread(&csr, info.cols, *numbers);
    }
    tool_csr_close(&csr);
    return status;
}

static tulle_status read(const char *path, tulle_type type, int64_t *rows, int64_t *columns,
                         void **numbers) {
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    tulle_file_info file;
    tulle_status status = tool_open_place("cpu", &ctx);
    if (status == TULLE_OK) status = tool_open_file(ctx, path, type, &A, &file);
    if (status == TULLE_OK) status = take(ctx, path, A, rows, columns, numbers);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    tool_progress_end();
    return status;
}

tulle_status tool_load_vectors(const char *path, tulle_type type, int64_t n, int64_t k,
                               void *vectors) {
    return read(path, type, &n, &k, &vectors);
}

tulle_status tool_load_array(const char *path, tulle_type type, int64_t *rows, int64_t *columns,
                             void **numbers) {
    *numbers = NULL;
    return read(path, type, rows, columns, numbers);
}

tulle_status tool_fill_block(tulle_ctx *ctx, const char *from, uint64_t seed, tulle_vec *block,
                             void *host) {
    tulle_vec_info info;
    tulle_status status = tulle_vec_describe(block, &info);
    if (status != TULLE_OK) return status;
    if (strcmp(from, "ones") == 0) {
        status = tulle_vec_fill(ctx, block, 1);
    } else if (strcmp(from, "random") == 0) {
        status = tulle_vec_random(ctx, block, seed);
    } else {
        status = tool_load_vectors(from, info.type, info.rows, info.cols, host);
        return status == TULLE_OK ? tool_block_write(ctx, block, host) : status;
    }
    return status == TULLE_OK ? tool_block_read(ctx, block, host) : status;
}

/* Holds the numbers that are to be written. */
typedef struct numbers {
    tulle_type type;
    int64_t rows, cols;
    const void *vectors;
} numbers;

/* Writes numbers with 9 or 17 digits, which give the same bits back in f32 and f64. */
static tulle_status write_numbers(FILE *file, const void *what) {
    const numbers *n = what;
    fprintf(file, "%%%%MatrixMarket matrix array real general\n%" PRId64 " %" PRId64 "\n", n->rows,
            n->cols);
    int64_t count = n->rows * n->cols;
    for (int64_t i = 0; i < count; i++) {
        if (i % 65536 == 0 && tool_progress(NULL, "writing", i, count)) return TULLE_CANCELLED;
        if (n->type == TULLE_F32) {
            fprintf(file, "%.9g\n", (double)((const float *)n->vectors)[i]);
        } else {
            fprintf(file, "%.17g\n", ((const double *)n->vectors)[i]);
        }
    }
    return TULLE_OK;
}

tulle_status tool_save_vectors(const char *path, tulle_type type, int64_t n, int64_t k,
                               const void *vectors) {
    const numbers all = {.type = type, .rows = n, .cols = k, .vectors = vectors};
    tulle_status status = tool_write_text(path, &tool_file_array, write_numbers, &all);
    tool_progress_end();
    return status;
}
