/* SPDX-License-Identifier: Apache-2.0 */
#include "add_sum.h"

#include <inttypes.h>
#include <stdio.h>

#include "tools/common/error.h"
#include "tools/common/few.h"
#include "tools/common/verify_add.h"

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

static tulle_status compute(tulle_ctx *ctx, const tool_sparse *s, void *report, tulle_mat **C) {
    const tool_add *p = (const tool_add *)s;
    const tulle_status status = tulle_add(ctx, s->A.op, s->B.op, tulle_num(p->alpha), s->A.matrix,
                                          tulle_num(p->beta), s->B.matrix, &p->options, report, C);
    return tool_sparse_index_advice(status, p->options.index_given, p->options.index);
}

static tulle_status verify(const tool_sparse *s, const tool_csr *A, const tool_csr *B,
                           const tool_csr *C, tool_entry_error *error) {
    const tool_add *p = (const tool_add *)s;
    const tool_add_claim claim = {.A = A,
                                  .B = B,
                                  .C = C,
                                  .op_A = s->A.op,
                                  .op_B = s->B.op,
                                  .alpha = p->alpha,
                                  .beta = p->beta};
    return tool_verify_add(&claim, error);
}

static const tool_sparse_operation sum = {.result = 'C', .compute = compute, .verify = verify};

tulle_status tool_run_add(tulle_ctx *ctx, tool_add *p, tulle_add_report *report,
                          tool_sparse_result *result) {
    p->sparse.operation = &sum;
    tulle_status status = check_shapes(p);
    if (status == TULLE_OK) {
        status = tool_sparse_check_index(p->options.index_given, p->options.index,
                                         tool_operand_rows(&p->sparse.A),
                                         tool_operand_cols(&p->sparse.A));
    }
    if (status == TULLE_OK) status = check_room(p);
    return status == TULLE_OK ? tool_sparse_run(ctx, &p->sparse, report, result) : status;
}
