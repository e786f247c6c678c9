/* SPDX-License-Identifier: Apache-2.0 */
#include "operand.h"

#include <inttypes.h>
#include <stdio.h>

#include "tools/common/error.h"
#include "tools/common/names.h"

tulle_status tool_operand_open(tulle_ctx *ctx, const tool_common *common, const char *name,
                               tool_operand *operand) {
    operand->name = name;
    tulle_status status =
        tool_open_matrix(ctx, name, (tulle_type)common->type, (uint64_t)common->seed,
                         &operand->matrix, &operand->source);
    return status == TULLE_OK ? tulle_mat_describe(operand->matrix, &operand->info) : status;
}

tulle_status tool_operand_check_square(const tool_operand *operand) {
    const tulle_mat_info *info = &operand->info;
    if (info->rows == info->cols) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH, "%s is %" PRId64 " x %" PRId64 ", not square",
                       operand->name, info->rows, info->cols);
}

void tool_operand_close(tool_operand *operand) {
    tulle_mat_destroy(operand->matrix);
    operand->matrix = NULL;
}

int64_t tool_operand_rows(const tool_operand *operand) {
    return operand->op == TULLE_N ? operand->info.rows : operand->info.cols;
}

int64_t tool_operand_cols(const tool_operand *operand) {
    return operand->op == TULLE_N ? operand->info.cols : operand->info.rows;
}

const char *tool_operand_turned(const tool_operand *operand) {
    return operand->op == TULLE_T ? " transposed" : "";
}

const char *tool_operand_mark(const tool_operand *operand) {
    return operand->op == TULLE_T ? "'" : "";
}

int64_t tool_matrix_bytes(const tulle_mat_info *info) {
    return info->pattern_bytes + info->value_bytes;
}

cJSON *tool_matrix_add(cJSON *json, const char *key, const tulle_mat_info *info) {
    cJSON *item = tool_json_child(json, key);
    tool_json_int(item, "rows", info->rows);
    tool_json_int(item, "cols", info->cols);
    tool_json_int(item, "nnz", info->nnz);
    tool_json_text(item, "_type", tool_type_name(info->type));
    tool_json_text(item, "format", tool_format_name(info->format));
    tool_json_text(item, "index", tool_index_name(info->index));
    tool_json_int(item, "bytes", tool_matrix_bytes(info));
    return item;
}

void tool_operand_add_source(cJSON *json, const tool_operand *operand) {
    tool_json_text(json, "matrix", operand->name);
    tool_json_text(json, "source", operand->source.kind);
    tool_json_text(json, "_how", operand->source.has_file ? "read" : "made");
    tool_json_real(json, "_seconds", operand->source.seconds);
}

void tool_operand_add(cJSON *json, const char *key, const tool_operand *operand) {
    cJSON *item = tool_matrix_add(json, key, &operand->info);
    tool_operand_add_source(item, operand);
    tool_json_bool(item, "trans", operand->op == TULLE_T);
    tool_json_text(item, "_mark", tool_operand_mark(operand));
}
