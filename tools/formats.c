/* SPDX-License-Identifier: Apache-2.0 */
#include "formats.h"

#include <math.h>
#include <stdio.h>

#include "names.h"
#include "src/matrix/counts.h"

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

static void add_narrowest(tool_formats *list, const tulle_mat_info *matrix, tulle_format format,
                          const tulle_storage *storage) {
    add(list, matrix, format, narrowest(matrix, storage->stored), storage);
}

/* COO has no offsets: its number of entries never widens it. */
static void add_coo(tool_formats *list, const tulle_mat_info *matrix,
                    const tulle_storage *storage) {
    add(list, matrix, TULLE_COO, matrix->nnz <= INT32_MAX ? TULLE_I32 : TULLE_I64_I32, storage);
    add(list, matrix, TULLE_COO, TULLE_I64, storage);
}

tool_formats tool_list_formats(const tulle_mat_info *matrix, const tool_storages *storages) {
    tool_formats list = {0};
    add_coo(&list, matrix, &storages->of[TULLE_COO]);
    for (int index = TULLE_I32; index <= TULLE_I64; index++) {
        add(&list, matrix, TULLE_CSR, (tulle_index)index, &storages->of[TULLE_CSR]);
    }
    for (int f = TULLE_CSC; f < TULLE_BSR; f++) {
        if (f == TULLE_DIA && !storages->diagonals_known) continue;
        add_narrowest(&list, matrix, (tulle_format)f, &storages->of[f]);
    }
    for (int i = 0; i < TOOL_BLOCK_SIZES; i++) {
        add_narrowest(&list, matrix, TULLE_BSR, &storages->bsr[i]);
    }
    add_narrowest(&list, matrix, TULLE_PACKED, &storages->of[TULLE_PACKED]);
    return list;
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

double tool_format_bytes(const tool_format *format, const tulle_mat_info *matrix, tulle_type type) {
    if (!format->fits) return NAN;
    tulle_mat_lengths n =
        tulle__counts(format->format, matrix->rows, matrix->cols, &format->storage);
    return (double)tulle__structure_bytes(&n, format->index) +
           (double)n.values * (double)tulle_type_size(type);
}

double tool_format_column_bytes(const tool_format *format, const tulle_mat_info *matrix) {
    tulle_mat_lengths n =
        tulle__counts(format->format, matrix->rows, matrix->cols, &format->storage);
    tulle_mat_lengths columns = {.cols = n.cols, .mask = n.mask, .codes = n.codes};
    double bytes = (double)tulle__structure_bytes(&columns, format->index);
    return matrix->nnz ? bytes / (double)matrix->nnz : 0;
}

double tool_format_fill(const tool_format *format, const tulle_mat_info *matrix) {
    return matrix->nnz ? (double)format->storage.stored / (double)matrix->nnz : 1;
}
