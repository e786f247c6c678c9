/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/call.h"

#include "matrix/result.h"

tulle_status tulle__spgemm_check(const tulle_ctx *ctx, const tulle__spgemm_call *c) {
    TULLE__TRY(tulle__check_pair(c->function, ctx, c->op_A, c->op_B, c->A, c->B));
    int64_t inner = tulle__op_cols(c->op_A, c->A), rows = tulle__op_rows(c->op_B, c->B);
    if (inner != rows) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, c->function, "B", -1,
                           "op(A) has %lld columns and op(B) %lld rows", (long long)inner,
                           (long long)rows);
    }
    TULLE__TRY(tulle__check_rows_fit(c->function, "A", ctx, c->op_A, c->A));
    return tulle__check_rows_fit(c->function, "B", ctx, c->op_B, c->B);
}

static tulle_status check_d(const char *function, const tulle_ctx *ctx, const tulle_mat *D,
                            tulle_type type, int64_t rows, int64_t cols) {
    const tulle__pattern *p = D->pattern;
    TULLE__TRY(tulle__check_space_of(function, "D", ctx, D));
    if (D->type != type) {
        return tulle__fail(TULLE_TYPE_MISMATCH, function, "D", -1,
                           "D has another value type than the product");
    }
    if (p->rows == rows && p->cols == cols) {
        return tulle__check_rows_fit(function, "D", ctx, TULLE_N, D);
    }
    return tulle__fail(TULLE_SHAPE_MISMATCH, function, "D", -1,
                       "D is %lld x %lld and the product %lld x %lld", (long long)p->rows,
                       (long long)p->cols, (long long)rows, (long long)cols);
}

tulle_status tulle__spgemm_check_options(const char *function, const tulle_ctx *ctx,
                                         const tulle_spgemm_options *options, tulle_type type,
                                         int64_t rows, int64_t cols) {
    const tulle__asked asked = {options->index_given, options->index};
    TULLE__TRY(tulle__asked_check(function, asked, rows, cols));
    if (!options->D) return TULLE_OK;
    TULLE__TRY(check_d(function, ctx, options->D, type, rows, cols));
    return tulle__check_aligned(function, "beta", options->beta.address, tulle_type_size(type));
}
