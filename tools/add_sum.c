/* SPDX-License-Identifier: Apache-2.0 */
#include "add_sum.h"

#include <inttypes.h>
#include <stdio.h>

#include "tools/common/error.h"
#include "tools/common/few.h"
#include "tools/common/verify_rows.h"

static tulle_status check_shapes(const tool_add *p) {
    const tool_operand *A = &p->sparse.A, *B = &p->sparse.B;
    int64_t rows = tool_operand_rows(A), cols = tool_operand_cols(A);
    int64_t b_rows = tool_operand_rows(B), b_cols = tool_operand_cols(B);
    if (rows == b_rows && cols == b_cols) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "A%s (%s) is %" PRId64 " x %" PRId64 ", but B%s (%s) is %" PRId64
                       " x %" PRId64 ": --transpose-a and --transpose-b turn them",
                       tool_operand_turned(A), A->name, rows, cols, tool_operand_turned(B), B->name,
                       b_rows, b_cols);
}

static tulle_status check_room(const tool_add *p) {
    const int64_t cols = tool_operand_cols(&p->sparse.A);
    char what[64];
    snprintf(what, sizeof what, "a sum with %" PRId64 " columns", cols);
    const int64_t few = tool_few_of(cols, tool_sparse_entries(&p->sparse));
    return tool_sparse_check_room(&p->sparse, tool_verify_rows_bytes(few), what);
}

tulle_status tool_run_add(tulle_ctx *ctx, tool_add *p, tulle_add_report *report,
                          tool_sparse_result *result) {
    tool_sparse *s = &p->sparse;
    p->options.op_a = s->A.op;
    p->options.op_b = s->B.op;
    p->options.call.index_given = s->index_given;
    p->options.call.index = s->index;
    s->operation = &trial_operation_add;
    s->options = &p->options;
    s->result = 'C';
    tulle_status status = check_shapes(p);
    if (status == TULLE_OK) {
        status = tool_sparse_check_index(s, tool_operand_rows(&s->A), tool_operand_cols(&s->A));
    }
    if (status == TULLE_OK) status = check_room(p);
    return status == TULLE_OK ? tool_sparse_run(ctx, s, report, result) : status;
}
