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
    return TULLE_OK;
}

static tulle_status check_d(const char *function, const tulle_ctx *ctx, const tulle_mat *D,
                            tulle_type type, int64_t rows, int64_t cols) {
    const tulle__pattern *p = D->pattern;
    TULLE__TRY(tulle__check_space_of(function, "D", ctx, D));
    if (D->type != type) {
        return tulle__fail(TULLE_TYPE_MISMATCH, function, "D", -1,
                           "D has another value type than the product");
    }
    if (p->rows == rows && p->cols == cols) return TULLE_OK;
    return tulle__fail(TULLE_SHAPE_MISMATCH, function, "D", -1,
                       "D is %lld x %lld and the product %lld x %lld", (long long)p->rows,
                       (long long)p->cols, (long long)rows, (long long)cols);
}

/* The mask's values are not looked at, so that their type may be any. */
static tulle_status check_mask(const char *function, const tulle_ctx *ctx, const tulle_mat *mask,
                               int64_t rows, int64_t cols) {
    const tulle__pattern *p = mask->pattern;
    TULLE__TRY(tulle__check_space_of(function, "mask", ctx, mask));
    if (p->rows == rows && p->cols == cols) return TULLE_OK;
    return tulle__fail(TULLE_SHAPE_MISMATCH, function, "mask", -1,
                       "the mask is %lld x %lld and the product %lld x %lld", (long long)p->rows,
                       (long long)p->cols, (long long)rows, (long long)cols);
}

tulle_status tulle__spgemm_check_unmasked(const char *function,
                                          const tulle_spgemm_options *options) {
    if (!options->mask) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "mask", -1,
                       "a triple product takes no mask: tulle_spgemm does, for the second of two "
                       "products");
}

tulle_status tulle__spgemm_check_options(const char *function, const tulle_ctx *ctx,
                                         const tulle_spgemm_options *options, tulle_type type,
                                         int64_t rows, int64_t cols) {
    const tulle__asked asked = {options->index_given, options->index};
    TULLE__TRY(tulle__asked_check(function, asked, rows, cols));
    if (options->mask) TULLE__TRY(check_mask(function, ctx, options->mask, rows, cols));
    if (!options->D) return TULLE_OK;
    TULLE__TRY(check_d(function, ctx, options->D, type, rows, cols));
    return tulle__check_aligned(function, "beta", options->beta.address, tulle_type_size(type));
}
