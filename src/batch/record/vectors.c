/* SPDX-License-Identifier: Apache-2.0 */
/* Recording tasks on numbers by themselves, and on columns by themselves. */
#include "batch/record/record.h"
#include "vector/operands.h"

static tulle_status check_result(const tulle__request *r, int64_t rows, tulle_type type) {
    const tulle_vec *X = r->record.operand[TULLE_BATCH_X];
    const tulle__operand y = {r->y_name, r->record.operand[TULLE_BATCH_Y]};
    return tulle__operand_check(r->function, r->batch->ctx, y, rows, X->cols, type);
}

tulle_status tulle__batch_check_vectors(const tulle__request *r) {
    const tulle__operand x = {"X", r->record.operand[TULLE_BATCH_X]};
    const tulle__operand y = {r->y_name, r->record.operand[TULLE_BATCH_Y]};
    const bool norm = tulle__task_is_norm(r->record.kind);
    const tulle_type type = r->record.kind == TULLE__TASK_COPY ? y.X->type : x.X->type;
    TULLE__TRY(
        tulle__operand_check(r->function, r->batch->ctx, x, x.X->rows, x.X->cols, x.X->type));
    TULLE__TRY(tulle__batch_check_columns(r, "X", x.X, 1));
    TULLE__TRY(check_result(r, norm ? 1 : x.X->rows, type));
    if (!norm) return tulle__operand_apart(r->function, y, x);
    if (!tulle__dense_overlap(y.X, x.X)) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, r->function, r->y_name, -1, "%s overlaps X", r->y_name);
}

static tulle_status record(const char *function, tulle_batch *batch, tulle__task_kind kind,
                           double alpha, const tulle_vec *X, tulle_vec *Y, int *task) {
    const tulle__recorded r = {.kind = kind, .alpha = alpha, .operand = {X, NULL, Y}};
    return tulle__batch_record(function, batch, &r, task);
}

tulle_status tulle_batch_scale(tulle_batch *batch, double alpha, const tulle_vec *X, tulle_vec *Y,
                               int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    return record(__func__, batch, TULLE__TASK_SCALE, alpha, X, Y, task);
}

tulle_status tulle_batch_copy(tulle_batch *batch, const tulle_vec *X, tulle_vec *Y, int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    return record(__func__, batch, TULLE__TASK_COPY, 1, X, Y, task);
}

tulle_status tulle_batch_norm2(tulle_batch *batch, const tulle_vec *X, tulle_vec *R, int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(X);
    TULLE__NEED(R);
    return record(__func__, batch, TULLE__TASK_NORM2, 1, X, R, task);
}

tulle_status tulle_batch_norm_max(tulle_batch *batch, const tulle_vec *X, tulle_vec *R, int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(X);
    TULLE__NEED(R);
    return record(__func__, batch, TULLE__TASK_NORM_MAX, 1, X, R, task);
}
