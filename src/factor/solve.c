/* SPDX-License-Identifier: Apache-2.0 */
/* Solves with factors: two triangles, and rows that are moved and scaled before and after. */
#include "factor/functions.h"
#include "factor/object.h"
#include "matrix/operand.h"
#include "trisolve/triangle.h"
#include "vector/operands.h"

typedef struct solving {
    const char *function;
    tulle_ctx *ctx;
    tulle_factor *F;
    tulle_trans op;
    tulle_scalar alpha;
    const tulle_vec *B;
    tulle_vec *X;
} solving;

tulle_status tulle__factor_solve_check(const char *function, const tulle_ctx *ctx,
                                       const tulle_factor *F, tulle_trans op, const tulle_vec *B,
                                       const tulle_vec *X) {
    if (!tulle__same_space(ctx, F->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, function, "F", -1,
                           "F lives in other memory than the context's");
    }
    TULLE__TRY(tulle__check_op(function, "op", op));
    const tulle__operand b = {"B", B}, x = {"X", X};
    TULLE__TRY(tulle__operand_check(function, ctx, b, F->symbolic->n, B->cols, B->type));
    TULLE__TRY(tulle__operand_check(function, ctx, x, F->symbolic->n, B->cols, B->type));
    TULLE__TRY(tulle__operand_apart(function, x, b));
    if (F->LU->type == B->type || F->LU->type == TULLE_F32) return TULLE_OK;
    return tulle__fail(TULLE_TYPE_MISMATCH, function, "B", -1,
                       "factors in f64 take f64 alone, and B is f32");
}

static tulle_status check(const solving *c) {
    const tulle__operand x = {"X", c->X};
    TULLE__TRY(tulle__factor_solve_check(c->function, c->ctx, c->F, c->op, c->B, c->X));
    return tulle__address_check(c->function, "alpha", c->alpha.address, 1, c->B->type, x);
}

tulle__triangle tulle__factor_triangle(const tulle_factor *F, tulle_part part, tulle_trans *op) {
    const bool lu = F->symbolic->kind == TULLE_LU;
    if (!lu && part == TULLE_UPPER) {
        part = TULLE_LOWER;
        *op = *op == TULLE_N ? TULLE_T : TULLE_N;
    }
    tulle__diagonal diagonal = TULLE__DIAGONAL_TRIANGLE;
    if (lu && part == TULLE_LOWER) {
        diagonal = TULLE__DIAGONAL_UNIT;
    } else if (F->symbolic->block > 1) {
        diagonal = F->options.inverted ? TULLE__DIAGONAL_INVERTED : TULLE__DIAGONAL_FACTORISED;
    }
    return (tulle__triangle){F->LU, part, diagonal, F->pivots};
}

/* Computes X := alpha op(L or U)^-1 B. */
static tulle_status solve_part(const solving *c, tulle_part part, tulle_trans op,
                               tulle_scalar alpha, const tulle_vec *B, tulle_vec *X) {
    const tulle__triangle T = tulle__factor_triangle(c->F, part, &op);
    return tulle__triangle_solve(c->function, c->ctx, &T, op, alpha, B, X);
}

static tulle_status solve_both(const solving *c, const tulle_vec *B, tulle_vec *X) {
    const tulle_part first = c->op == TULLE_N ? TULLE_LOWER : TULLE_UPPER;
    const tulle_part second = c->op == TULLE_N ? TULLE_UPPER : TULLE_LOWER;
    TULLE__TRY(solve_part(c, first, c->op, c->alpha, B, X));
    return solve_part(c, second, c->op, tulle_num(1), X, X);
}

static tulle__move_end end_of(const tulle_vec *X) {
    const bool columns = X->layout == TULLE_COLUMN_MAJOR;
    return (tulle__move_end){X->data, columns ? 1 : X->ld, columns ? X->ld : 1};
}

tulle__move tulle__factor_move(const tulle_factor *F, tulle_trans op, bool back) {
    const bool by_row = back == (op == TULLE_T);
    return (tulle__move){.rows = F->symbolic->n,
                         .order = F->symbolic->order,
                         .scale = by_row ? F->row_scale : F->col_scale,
                         .scale_type = F->a_type,
                         .back = back};
}

static tulle_status move(const solving *c, const tulle_vec *natural, const tulle_vec *ordered,
                         bool back) {
    tulle__move m = tulle__factor_move(c->F, c->op, back);
    m.type = c->X->type;
    m.cols = c->X->cols;
    m.natural = end_of(natural);
    m.ordered = end_of(ordered);
    return c->ctx->backend->factor->move_rows(&c->ctx->place, &m);
}

static tulle_status make_room(const solving *c, size_t bytes) {
    tulle_factor *F = c->F;
    if (bytes <= F->moved_bytes) return TULLE_OK;
    void *larger;
    TULLE__TRY(tulle__alloc(F->ctx, bytes, &larger));
    tulle__free(F->ctx, F->moved);
    F->moved = larger;
    F->moved_bytes = bytes;
    return TULLE_OK;
}

static tulle_status solve_moved(const solving *c) {
    const tulle_factor *F = c->F;
    size_t bytes;
    TULLE__TRY(tulle__size(c->X->rows * c->X->cols, tulle_type_size(c->X->type), 0, &bytes));
    TULLE__TRY(make_room(c, bytes));
    tulle_vec W = {.ctx = c->ctx,
                   .rows = c->X->rows,
                   .cols = c->X->cols,
                   .ld = c->X->cols,
                   .type = c->X->type,
                   .layout = TULLE_ROW_MAJOR,
                   .data = F->moved};
    TULLE__TRY(move(c, c->B, &W, false));
    TULLE__TRY(solve_both(c, &W, &W));
    return move(c, c->X, &W, true);
}

static bool is_empty(const solving *c) {
    return c->X->rows == 0 || c->X->cols == 0;
}

tulle_status tulle_factor_solve(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha, tulle_factor *F,
                                const tulle_vec *B, tulle_vec *X) {
    TULLE__NEED(ctx);
    TULLE__NEED(F);
    TULLE__NEED(B);
    TULLE__NEED(X);
    const solving c = {__func__, ctx, F, op, alpha, B, X};
    TULLE__TRY(check(&c));
    if (is_empty(&c)) return TULLE_OK;
    bool moved = F->symbolic->order || F->row_scale || F->col_scale;
    TULLE__TRY(tulle__scalar_lend(ctx, alpha, X->type));
    tulle_status status = moved ? solve_moved(&c) : solve_both(&c, B, X);
    tulle__scalar_give_back(ctx, alpha);
    return status;
}

tulle_status tulle_factor_solve_part(tulle_ctx *ctx, tulle_part part, tulle_trans op,
                                     tulle_scalar alpha, tulle_factor *F, const tulle_vec *B,
                                     tulle_vec *X) {
    TULLE__NEED(ctx);
    TULLE__NEED(F);
    TULLE__NEED(B);
    TULLE__NEED(X);
    if (part != TULLE_LOWER && part != TULLE_UPPER) {
        return TULLE__BAD("part", "part is TULLE_LOWER or TULLE_UPPER");
    }
    const solving c = {__func__, ctx, F, op, alpha, B, X};
    TULLE__TRY(check(&c));
    if (is_empty(&c)) return TULLE_OK;
    TULLE__TRY(tulle__scalar_lend(ctx, alpha, X->type));
    tulle_status status = solve_part(&c, part, op, alpha, B, X);
    tulle__scalar_give_back(ctx, alpha);
    return status;
}

static tulle_status analyse_part(const char *function, tulle_ctx *ctx, const tulle_factor *F,
                                 tulle_part part, tulle_trans op) {
    const tulle__triangle T = tulle__factor_triangle(F, part, &op);
    const tulle__schedule *schedule;
    return tulle__schedule_of(function, ctx, T.A, T.part, op, &schedule);
}

tulle_status tulle_factor_analyse(tulle_ctx *ctx, tulle_trans op, tulle_factor *F) {
    TULLE__NEED(ctx);
    TULLE__NEED(F);
    if (!tulle__same_space(ctx, F->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, __func__, "F", -1,
                           "F lives in other memory than the context's");
    }
    TULLE__TRY(tulle__check_op(__func__, "op", op));
    TULLE__TRY(analyse_part(__func__, ctx, F, TULLE_LOWER, op));
    return analyse_part(__func__, ctx, F, TULLE_UPPER, op);
}
