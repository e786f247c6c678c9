/* SPDX-License-Identifier: Apache-2.0 */
/* Recording tasks on factors. */
#include "batch/record.h"
#include "factor/object.h"

static tulle_status check_factor(const tulle__request *r) {
    TULLE__TRY(tulle__factor_check(r->function, r->batch->ctx, r->record.F, r->record.A));
    if (r->record.F->symbolic->kind == TULLE_LU) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, r->function, "F", -1,
                       "a task computes L U alone, and F is L L^T: see tulle_factor_update");
}

static tulle_status check_solve(const tulle__request *r) {
    const tulle_factor *F = r->record.F;
    const tulle_dense *B = r->record.operand[TULLE_BATCH_X], *X = r->record.operand[TULLE_BATCH_Y];
    TULLE__TRY(tulle__factor_solve_check(r->function, r->batch->ctx, F, r->record.op, B, X));
    if (B->cols > INT32_MAX) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, r->function, "B", -1, "B has %lld columns",
                           (long long)B->cols);
    }
    if (F->LU->type == B->type) return TULLE_OK;
    return tulle__fail(TULLE_TYPE_MISMATCH, r->function, "B", -1,
                       "a task takes B of the factors' own type");
}

tulle_status tulle__batch_check_factors(const tulle__request *r) {
    return r->record.kind == TULLE__TASK_FACTOR ? check_factor(r) : check_solve(r);
}

tulle_status tulle_batch_factor(tulle_batch *batch, tulle_factor *F, const tulle_mat *A,
                                int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(F);
    TULLE__NEED(A);
    const tulle__request r = {.function = __func__,
                              .batch = batch,
                              .record = {.kind = TULLE__TASK_FACTOR, .A = A, .F = F},
                              .task = task};
    return tulle__batch_record(&r);
}

static tulle_status record_solve(const char *function, tulle_batch *batch,
                                 const tulle__recorded *record, int *task) {
    const tulle__request r = {
        .function = function, .batch = batch, .record = *record, .y_name = "X", .task = task};
    return tulle__batch_record(&r);
}

tulle_status tulle_batch_solve(tulle_batch *batch, tulle_factor *F, tulle_trans op, double alpha,
                               const tulle_dense *B, tulle_dense *X, int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(F);
    TULLE__NEED(B);
    TULLE__NEED(X);
    return record_solve(__func__, batch,
                        &(tulle__recorded){.kind = TULLE__TASK_SOLVE,
                                           .alpha = alpha,
                                           .operand = {B, NULL, X},
                                           .F = F,
                                           .op = op,
                                           .parts = 1 << TULLE_LOWER | 1 << TULLE_UPPER},
                        task);
}

tulle_status tulle_batch_solve_part(tulle_batch *batch, tulle_factor *F, tulle_part part,
                                    tulle_trans op, double alpha, const tulle_dense *B,
                                    tulle_dense *X, int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(F);
    TULLE__NEED(B);
    TULLE__NEED(X);
    if (part != TULLE_LOWER && part != TULLE_UPPER) {
        return TULLE__BAD("part", "part is TULLE_LOWER or TULLE_UPPER");
    }
    return record_solve(__func__, batch,
                        &(tulle__recorded){.kind = TULLE__TASK_SOLVE,
                                           .alpha = alpha,
                                           .operand = {B, NULL, X},
                                           .F = F,
                                           .op = op,
                                           .parts = 1 << part},
                        task);
}
