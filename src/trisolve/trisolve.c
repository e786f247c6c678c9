/* SPDX-License-Identifier: Apache-2.0 */
#include "tulle/trisolve.h"

#include "matrix/operand.h"
#include "trisolve/convert.h"
#include "trisolve/kept.h"
#include "trisolve/triangle.h"
#include "vector/operands.h"

static tulle_status check_part(const char *function, tulle_part part) {
    if (part == TULLE_LOWER || part == TULLE_UPPER) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "part", -1,
                       "part is TULLE_LOWER or TULLE_UPPER");
}

static tulle_status check_matrix(const char *function, const tulle_ctx *ctx, tulle_part part,
                                 tulle_trans op, const tulle_mat *A) {
    TULLE__TRY(check_part(function, part));
    TULLE__TRY(tulle__check_op(function, "op", op));
    TULLE__TRY(tulle__check_space(function, ctx, A));
    return tulle__triangle_check(function, A);
}

/* Returns the type for a computation: f32 values of A serve f64 numbers. */
static tulle_type type_for(const tulle_mat *A, const tulle_vec *B) {
    return A->type == TULLE_F32 ? B->type : A->type;
}

static tulle_status check_numbers(const char *function, const tulle_ctx *ctx, const tulle_mat *A,
                                  const tulle_vec *B, const tulle_vec *X) {
    const int64_t n = A->pattern->rows;
    const tulle_type type = type_for(A, B);
    const tulle__operand b = {"B", B}, x = {"X", X};
    TULLE__TRY(tulle__operand_check(function, ctx, b, n, B->cols, type));
    TULLE__TRY(tulle__operand_check(function, ctx, x, n, B->cols, type));
    TULLE__TRY(tulle__operand_apart(function, x, b));
    const char *part_of_A = tulle__dense_overlaps_matrix(X, A);
    if (!part_of_A) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, function, "X", -1, "X overlaps %s", part_of_A);
}

tulle_status tulle__trisolve_check(const char *function, const tulle_ctx *ctx, tulle_part part,
                                   tulle_diag diag, tulle_trans op, const tulle_mat *A,
                                   const tulle_vec *B, const tulle_vec *X) {
    if (diag != TULLE_NON_UNIT && diag != TULLE_UNIT) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "diag", -1,
                           "diag is TULLE_NON_UNIT or TULLE_UNIT");
    }
    TULLE__TRY(check_matrix(function, ctx, part, op, A));
    return check_numbers(function, ctx, A, B, X);
}

tulle_status tulle_trisolve(tulle_ctx *ctx, tulle_part part, tulle_diag diag, tulle_trans op,
                            tulle_scalar alpha, const tulle_mat *A, const tulle_vec *B,
                            tulle_vec *X) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(B);
    TULLE__NEED(X);
    TULLE__TRY(tulle__trisolve_check(__func__, ctx, part, diag, op, A, B, X));
    TULLE__TRY(tulle__address_check(__func__, "alpha", alpha.address, 1, X->type,
                                    (tulle__operand){"X", X}));
    const tulle__triangle T = {.A = A, .part = part, .diagonal = tulle__diagonal_of(diag)};
    return tulle__triangle_solve(__func__, ctx, &T, op, alpha, B, X);
}

tulle_status tulle__trisolve_convert(tulle_ctx *ctx, tulle_part part, tulle_diag diag,
                                     tulle_trans op, const tulle_mat *A, const tulle_vec *B,
                                     tulle_vec *X, bool *converts) {
    TULLE__TRY(tulle__trisolve_check(__func__, ctx, part, diag, op, A, B, X));
    const tulle__triangle T = {.A = A, .part = part, .diagonal = tulle__diagonal_of(diag)};
    return tulle__triangle_convert(__func__, ctx, &T, op, B, X, converts);
}

tulle_status tulle_trisolve_analyse(tulle_ctx *ctx, tulle_part part, tulle_trans op,
                                    const tulle_mat *A, tulle_trisolve_info *info) {
    const tulle__schedule *s = NULL;
    double ms = 0;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(check_matrix(__func__, ctx, part, op, A));
    TULLE__TRY(tulle__schedule_timed(ctx, A, part, op, &s, &ms));
    if (!info) return TULLE_OK;
    *info = (tulle_trisolve_info){.rows = s->rows,
                                  .entries = s->entries,
                                  .levels = s->levels,
                                  .widest = s->widest,
                                  .longest = s->longest,
                                  .bytes = s->bytes,
                                  .ms = ms};
    return TULLE_OK;
}
