/* SPDX-License-Identifier: Apache-2.0 */
/* A sparse matrix that a command line names, and matrices in reports. */
#ifndef TOOL_OPERAND_H
#define TOOL_OPERAND_H

#include "tools/common/args.h"
#include "tools/common/input.h"
#include "tools/common/json.h"

/* A matrix of an operation, and its name on the command line. */
typedef struct tool_operand {
    const char *name;
    tulle_trans op;
    tulle_mat *matrix; /* matrix; owned */
    tulle_mat_info info;
    tool_source source;
} tool_operand;

tulle_status tool_operand_open(tulle_ctx *ctx, const tool_common *common, const char *name,
                               tool_operand *operand);
/* Fails with TULLE_SHAPE_MISMATCH where the operand is not square. */
tulle_status tool_operand_check_square(const tool_operand *operand);
void tool_operand_close(tool_operand *operand);

/* Return the numbers of rows and columns of op(A). */
int64_t tool_operand_rows(const tool_operand *operand);
int64_t tool_operand_cols(const tool_operand *operand);

/* Return " transposed" and "'" of an operand that is transposed, else "". */
const char *tool_operand_turned(const tool_operand *operand);
const char *tool_operand_mark(const tool_operand *operand);

/* Returns the bytes of pattern and values. */
int64_t tool_matrix_bytes(const tulle_mat_info *info);

/* Add a matrix, or an operand, to JSON as an object with the key; the first one returns it. */
cJSON *tool_matrix_add(cJSON *json, const char *key, const tulle_mat_info *info);
void tool_operand_add(cJSON *json, const char *key, const tool_operand *operand);

/* Adds the name and the source of an operand to JSON. */
void tool_operand_add_source(cJSON *json, const tool_operand *operand);

/* Patterns (tools/common/fields.h) for a matrix, "900 x 900, 4,380 entries, f64, index 32/32", and
 * for an operand, "NAME: 900 x ..., made in 1.2 ms", a line. key: "" or "KEY.", of an object. */
#define TOOL_MATRIX_TEXT(key)                                                                      \
    "{" key "rows:count} x {" key "cols:count}, {" key "nnz:count} entries, {" key                 \
    "_type}, index {" key "index}"
#define TOOL_OPERAND_TEXT(key)                                                                     \
    "<{" key "matrix}: " TOOL_MATRIX_TEXT(key) ", {" key "_how} in {" key "_seconds:s}\n>"

#endif
