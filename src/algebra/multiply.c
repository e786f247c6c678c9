/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_multiply: the product of two matrices entry by entry. */
#include "algebra/picked.h"
#include "matrix/operand.h"
#include "tulle/algebra.h"

/* The operands in CSR with ascending columns and one index type. */
typedef struct operands {
    tulle_mat *a, *b; /* owned */
} operands;

static tulle_status check(const char *function, const tulle_ctx *ctx, const tulle_mat *A,
                          const tulle_mat *B) {
    const tulle__pattern *a = A->pattern, *b = B->pattern;
    TULLE__TRY(tulle__check_pair(function, ctx, TULLE_N, TULLE_N, A, B));
    if (a->rows != b->rows || a->cols != b->cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "B", -1,
                           "A is %lld x %lld and B %lld x %lld", (long long)a->rows,
                           (long long)a->cols, (long long)b->rows, (long long)b->cols);
    }
    TULLE__TRY(tulle__check_rows_fit(function, "A", ctx, TULLE_N, A));
    return tulle__check_rows_fit(function, "B", ctx, TULLE_N, B);
}

static tulle_status bring(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B, operands *o) {
    const tulle_index index = tulle__wider(A->pattern->index, B->pattern->index);
    TULLE__TRY(tulle__operand_bring(ctx, TULLE_N, A, index, &o->a));
    TULLE__TRY(tulle__operand_raise(ctx, &o->a));
    if (A == B) {
        o->b = tulle_mat_retain(o->a);
        return TULLE_OK;
    }
    TULLE__TRY(tulle__operand_bring(ctx, TULLE_N, B, index, &o->b));
    return tulle__operand_raise(ctx, &o->b);
}

/* Multiplies the entries of the smaller operand, each of which may have to be looked for in the
 * larger one. */
static tulle_status multiply(const char *function, tulle_ctx *ctx, const operands *o,
                             tulle_mat **C) {
    const bool a_first = o->a->pattern->nnz <= o->b->pattern->nnz;
    const tulle_mat *small = a_first ? o->a : o->b, *large = a_first ? o->b : o->a;
    const tulle__pattern_view a = tulle__view_of(small->pattern),
                              b = tulle__view_of(large->pattern);
    const tulle__pick pick = {.a = &a,
                              .type = small->type,
                              .values = small->values.data,
                              .b = &b,
                              .b_values = large->values.data};
    return tulle__picked_make(function, ctx, &pick, true, C);
}

tulle_status tulle_mat_multiply(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B,
                                tulle_mat **C) {
    TULLE__NEED(C);
    *C = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(B);
    TULLE__TRY(check(__func__, ctx, A, B));
    operands o = {NULL, NULL};
    tulle_status status = bring(ctx, A, B, &o);
    if (status == TULLE_OK) status = multiply(__func__, ctx, &o, C);
    tulle_mat_destroy(o.a);
    tulle_mat_destroy(o.b);
    return status;
}
