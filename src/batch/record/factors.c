/* SPDX-License-Identifier: Apache-2.0 */
/* Recording tasks on factors and on triangles of matrices. */
#include "batch/record/record.h"
#include "factor/object.h"

static tulle_status check_solve(const tulle__request *r) {
    const tulle_factor *F = r->record.F;
    const tulle_vec *B = r->record.operand[TULLE_BATCH_X], *X = r->record.operand[TULLE_BATCH_Y];
    TULLE__TRY(tulle__factor_solve_check(r->function, r->batch->ctx, F, r->record.op, B, X));
    return tulle__batch_check_columns(r, "B", B, 0);
}

/* The pattern is analysed here, so that running has nothing to refuse. */
static tulle_status check_triangle(const tulle__request *r) {
    const tulle__recorded *t = &r->record;
    const tulle_part part = t->parts == 1 << TULLE_LOWER ? TULLE_LOWER : TULLE_UPPER;
    const tulle_diag diag = t->diagonal == TULLE__DIAGONAL_TRIANGLE ? TULLE_NON_UNIT : TULLE_UNIT;
    const tulle_vec *B = t->operand[TULLE_BATCH_X], *X = t->operand[TULLE_BATCH_Y];
    const tulle__triangle T = {.A = t->A, .part = part, .diagonal = t->diagonal};
    const tulle__schedule *schedule = NULL;
    TULLE__TRY(tulle__trisolve_check(r->function, r->batch->ctx, part, diag, t->op, t->A, B, X));
    TULLE__TRY(tulle__batch_check_columns(r, "B", B, 0));
    return tulle__triangle_ready(r->function, r->batch->ctx, &T, t->op, &schedule);
}

tulle_status tulle__batch_check_factors(const tulle__request *r) {
    const tulle__recorded *t = &r->record;
    if (t->kind == TULLE__TASK_SOLVE) return t->F ? check_solve(r) : check_triangle(r);
    return tulle__factor_check(r->function, r->batch->ctx, t->F, t->A);
}

tulle_status tulle_batch_factor(tulle_batch *batch, tulle_factor *F, const tulle_mat *A,
                                int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(F);
    TULLE__NEED(A);
    const tulle__recorded record = {.kind = TULLE__TASK_FACTOR, .A = A, .F = F};
    return tulle__batch_record(__func__, batch, &record, task);
}

tulle_status tulle_batch_solve(tulle_batch *batch, tulle_trans op, double alpha, tulle_factor *F,
                               const tulle_vec *B, tulle_vec *X, int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(F);
    TULLE__NEED(B);
    TULLE__NEED(X);
    const tulle__recorded record = {.kind = TULLE__TASK_SOLVE,
                                    .alpha = alpha,
                                    .operand = {B, NULL, X},
                                    .F = F,
                                    .op = op,
                                    .parts = 1 << TULLE_LOWER | 1 << TULLE_UPPER};
    return tulle__batch_record(__func__, batch, &record, task);
}

tulle_status tulle_batch_solve_part(tulle_batch *batch, tulle_part part, tulle_trans op,
                                    double alpha, tulle_factor *F, const tulle_vec *B, tulle_vec *X,
                                    int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(F);
    TULLE__NEED(B);
    TULLE__NEED(X);
    if (part != TULLE_LOWER && part != TULLE_UPPER) {
        return TULLE__BAD("part", "part is TULLE_LOWER or TULLE_UPPER");
    }
    const tulle__recorded record = {.kind = TULLE__TASK_SOLVE,
                                    .alpha = alpha,
                                    .operand = {B, NULL, X},
                                    .F = F,
                                    .op = op,
                                    .parts = 1 << part};
    return tulle__batch_record(__func__, batch, &record, task);
}

tulle_status tulle_batch_trisolve(tulle_batch *batch, tulle_part part, tulle_diag diag,
                                  tulle_trans op, double alpha, const tulle_mat *A,
                                  const tulle_vec *B, tulle_vec *X, int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(A);
    TULLE__NEED(B);
    TULLE__NEED(X);
    TULLE__TRY(tulle__trisolve_check(__func__, batch->ctx, part, diag, op, A, B, X));
    const tulle__recorded record = {.kind = TULLE__TASK_SOLVE,
                                    .alpha = alpha,
                                    .operand = {B, NULL, X},
                                    .A = A,
                                    .op = op,
                                    .parts = 1 << part,
                                    .diagonal = tulle__diagonal_of(diag)};
    return tulle__batch_record(__func__, batch, &record, task);
}
