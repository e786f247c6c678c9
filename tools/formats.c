/* SPDX-License-Identifier: Apache-2.0 */
#include "formats.h"

#include <math.h>
#include <stdio.h>

#include "matrix/matrix.h"
#include "tools/common/names.h"
#include "tools/common/progress.h"

static bool holds(tulle_index index, const tulle_mat_info *matrix, int64_t stored) {
    if (stored == INT64_MAX) return false;
    if (index == TULLE_I64) return true;
    if (matrix->rows > INT32_MAX || matrix->cols > INT32_MAX) return false;
    return index == TULLE_I64_I32 || stored <= INT32_MAX;
}

static tulle_index narrowest(const tulle_mat_info *matrix, int64_t stored) {
    if (holds(TULLE_I32, matrix, stored)) return TULLE_I32;
    return holds(TULLE_I64_I32, matrix, stored) ? TULLE_I64_I32 : TULLE_I64;
}

static void add(tool_formats *list, const tulle_mat_info *matrix, tulle_format format,
                tulle_index index, const tulle_storage *storage) {
    list->item[list->count++] =
        (tool_format){.format = format,
                      .index = index,
                      .narrowest = index == narrowest(matrix, storage->stored),
                      .fits = holds(index, matrix, storage->stored),
                      .storage = *storage};
}

/* Adds COO. COO has no offsets, so the number of entries needs no wider index type. */
static void add_coo(tool_formats *list, const tulle_mat_info *matrix,
                    const tulle_storage *storage) {
    add(list, matrix, TULLE_COO, matrix->nnz <= INT32_MAX ? TULLE_I32 : TULLE_I64_I32, storage);
    add(list, matrix, TULLE_COO, TULLE_I64, storage);
}

static void add_storage(tool_formats *list, const tulle_mat_info *matrix, tulle_format format,
                        const tulle_storage *storage) {
    if (format == TULLE_COO) {
        add_coo(list, matrix, storage);
    } else if (format == TULLE_CSR) {
        for (int index = TULLE_I32; index <= TULLE_I64; index++) {
            add(list, matrix, format, (tulle_index)index, storage);
        }
    } else {
        add(list, matrix, format, narrowest(matrix, storage->stored), storage);
    }
}

tulle_status tool_list_formats(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat_info *matrix,
                               tool_formats *list) {
    static const int64_t sizes[TOOL_BLOCK_SIZES] = {2, 3, 4, 8};
    *list = (tool_formats){0};
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        bool blocks = tulle__format_of((tulle_format)f)->options & TULLE__HAS_BLOCK;
        for (int i = 0; i < (blocks ? TOOL_BLOCK_SIZES : 1); i++) {
            tulle_convert_options options = {.block = blocks ? sizes[i] : 0};
            tulle_storage storage;
            tulle_status status = tulle__mat_forecast(ctx, A, (tulle_format)f, &options, &storage);
            if (status == TULLE_UNSUPPORTED) continue;
            if (status != TULLE_OK && status != TULLE_TOO_LARGE) return status;
            add_storage(list, matrix, (tulle_format)f, &storage);
        }
        if (tool_progress(NULL, "forecasting formats", f + 1, TULLE_FORMAT_COUNT)) {
            return TULLE_CANCELLED;
        }
    }
    tool_progress_end();
    return TULLE_OK;
}

const char *tool_format_label(const tool_format *format, char label[TOOL_FORMAT_LABEL]) {
    const char *name = tool_format_name(format->format);
    int block = (int)format->storage.block;
    if (block > 0) {
        snprintf(label, TOOL_FORMAT_LABEL, "%s %d", name, block);
    } else {
        snprintf(label, TOOL_FORMAT_LABEL, "%s", name);
    }
    return label;
}

const char *tool_format_bits(const tool_format *format) {
    if (format->format != TULLE_COO) return tool_index_name(format->index);
    return format->index == TULLE_I64 ? "64" : "32";
}

/* Returns the bytes of all arrays but the values, in f64: a matrix of 10^18 rows has formats whose
 * arrays together pass 64 bits, though each of the arrays does not. */
static double structure_bytes(const tulle_mat_lengths *n, tulle_index index) {
#define A(number, member, field, item, words) +(double)n->field *(double)(item)
    return 0 TULLE__EACH_ARRAY(A);
#undef A
}

double tool_format_bytes(const tool_format *format, const tulle_mat_info *matrix, tulle_type type) {
    if (!format->fits) return NAN;
    tulle_mat_lengths n =
        tulle__counts(format->format, matrix->rows, matrix->cols, &format->storage);
    return structure_bytes(&n, format->index) + (double)n.values * (double)tulle_type_size(type);
}

double tool_format_column_bytes(const tool_format *format, const tulle_mat_info *matrix) {
    tulle_mat_lengths n =
        tulle__counts(format->format, matrix->rows, matrix->cols, &format->storage);
    tulle_mat_lengths columns = {.cols = n.cols, .mask = n.mask, .codes = n.codes};
    double bytes = structure_bytes(&columns, format->index);
    return matrix->nnz ? bytes / (double)matrix->nnz : 0;
}

double tool_format_fill(const tool_format *format, const tulle_mat_info *matrix) {
    return matrix->nnz ? (double)format->storage.stored / (double)matrix->nnz : 1;
}
