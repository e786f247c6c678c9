/* SPDX-License-Identifier: Apache-2.0 */
/* Other operands for tasks that are recorded. They are put in place first and checked when all are
 * there, since only then do they have to fit together; where they do not, all are taken back. */
#include "batch/record/record.h"
#include "core/print.h"
#include "factor/object.h"

static tulle_status check_task(const char *function, const tulle_batch *batch, int task) {
    if (task >= 0 && task < batch->count) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "task", -1, "task is %d; %d are recorded",
                       task, batch->count);
}

static tulle_status lacks(const char *function, const char *argument, const char *what) {
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, argument, -1, "the task has no %s", what);
}

/* X: NULL where it stays. */
static tulle_status put_operand(const char *function, const char *name, const tulle_vec *X,
                                const tulle_vec **to) {
    const tulle_vec *old = *to;
    if (!X) return TULLE_OK;
    if (!old) return lacks(function, name, name);
    if (X->rows != old->rows || X->cols != old->cols || X->layout != old->layout) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, name, -1,
                           "%s has another shape or layout than what it replaces", name);
    }
    *to = X;
    return TULLE_OK;
}

static tulle_status put_matrix(const char *function, const char *name, const tulle_mat *A,
                               const tulle_mat **to) {
    if (!A) return TULLE_OK;
    if (!*to) return lacks(function, name, "matrix");
    if (A->pattern->serial != (*to)->pattern->serial) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, name, -1,
                           "%s has another pattern than the matrix that it replaces: share it by "
                           "tulle_mat_with_values",
                           name);
    }
    *to = A;
    return TULLE_OK;
}

static tulle_status put_factor(const char *function, tulle_factor *F, tulle_factor **to) {
    if (!F) return TULLE_OK;
    if (!*to) return lacks(function, "F", "factors");
    if (F->symbolic != (*to)->symbolic) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "F", -1,
                           "F has another analysis than the factors that it replaces: share it by "
                           "tulle_factor_create_like");
    }
    *to = F;
    return TULLE_OK;
}

static tulle_status put_scalar(const char *function, const char *name, const double *scalar,
                               bool has, double *to) {
    if (!scalar) return TULLE_OK;
    if (!has) return lacks(function, name, name);
    *to = *scalar;
    return TULLE_OK;
}

static tulle_status put(const char *function, const tulle_batch_replacement *by,
                        tulle__recorded *r) {
    const bool has_beta = tulle__task_has_beta(r->kind);
    const bool has_alpha = tulle__task_has_alpha(r->kind);
    TULLE__TRY(put_operand(function, "X", by->X, r->operand + TULLE_BATCH_X));
    TULLE__TRY(put_operand(function, "A", by->A, r->operand + TULLE_BATCH_A));
    TULLE__TRY(put_operand(function, "Y", by->Y, r->operand + TULLE_BATCH_Y));
    TULLE__TRY(put_matrix(function, "matrix", by->matrix, &r->A));
    TULLE__TRY(put_factor(function, by->F, &r->F));
    TULLE__TRY(put_scalar(function, "alpha", by->alpha, has_alpha, &r->alpha));
    return put_scalar(function, "beta", by->beta, has_beta, &r->beta);
}

/* The failure again, with the task that it is of. */
static tulle_status name_task(const char *function, tulle_status status, int task) {
    enum { ARGUMENT = 64, MESSAGE = 1024 };
    char argument[ARGUMENT], message[MESSAGE];
    const tulle_error *error = tulle_last_error();
    tulle__print(argument, sizeof argument, "%s", error->argument);
    tulle__print(message, sizeof message, "%s", error->message);
    return tulle__fail(status, function, argument, error->row, "task %d: %s", task, message);
}

/* Releases the matrix and the factors that a task had before a replacement. The memory of another
 * context is given out again without regard to the order of this context's work, which therefore
 * has to end first. */
static void release_old(const tulle_batch *batch, int task, const tulle__recorded *old) {
    const tulle_ctx *ctx = batch->ctx;
    const tulle__recorded *now = batch->recorded + task;
    const bool foreign =
        (old->A != now->A && old->A->ctx != ctx) || (old->F != now->F && old->F->ctx != ctx);
    if (foreign) ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
    tulle__recorded_release(old);
}

static tulle_status replace_one(const char *function, tulle_batch *batch, int task,
                                const tulle__recorded *now) {
    const tulle__recorded old = batch->recorded[task];
    tulle__recorded_retain(now);
    batch->recorded[task] = *now;
    tulle_status status = tulle__batch_check(function, batch, &batch->recorded[task]);
    if (status == TULLE_OK) {
        status = tulle__batch_renew(batch, task);
        if (status != TULLE_OK) status = name_task(function, status, task);
    }
    if (status == TULLE_OK) {
        release_old(batch, task, &old);
    } else {
        batch->recorded[task] = old;
        tulle__recorded_release(now);
    }
    return status;
}

tulle_status tulle_batch_replace(tulle_batch *batch, int task, tulle_batch_operand operand,
                                 tulle_vec *X) {
    TULLE__NEED(batch);
    TULLE__NEED(X);
    TULLE__TRY(check_task(__func__, batch, task));
    const bool known = (int)operand >= TULLE_BATCH_X && (int)operand <= TULLE_BATCH_Y;
    tulle__recorded now = batch->recorded[task];
    if (!known || !now.operand[operand]) {
        return TULLE__BAD("operand", "task %d has no operand %d", task, (int)operand);
    }
    TULLE__TRY(put_operand(__func__, "X", X, now.operand + operand));
    return replace_one(__func__, batch, task, &now);
}

tulle_status tulle_batch_replace_matrix(tulle_batch *batch, int task, const tulle_mat *A) {
    TULLE__NEED(batch);
    TULLE__NEED(A);
    TULLE__TRY(check_task(__func__, batch, task));
    tulle__recorded now = batch->recorded[task];
    if (!now.A) return TULLE__BAD("task", "task %d has no matrix", task);
    TULLE__TRY(put_matrix(__func__, "A", A, &now.A));
    return replace_one(__func__, batch, task, &now);
}

/* old: of each replacement, the task as it was before it. */
static tulle_status replace_all(const char *function, tulle_batch *batch, int count,
                                const tulle_batch_replacement *by, tulle__recorded *old) {
    tulle_status status = TULLE_OK;
    int there = 0, checked = 0, renewed = 0;
    while (there < count && status == TULLE_OK) {
        tulle__recorded *r = batch->recorded + by[there].task;
        old[there] = *r;
        status = put(function, by + there, r);
        tulle__recorded_retain(r);
        if (status != TULLE_OK) status = name_task(function, status, by[there].task);
        there++;
    }
    while (checked < count && status == TULLE_OK) {
        const int task = by[checked++].task;
        status = tulle__batch_check(function, batch, &batch->recorded[task]);
        if (status != TULLE_OK) status = name_task(function, status, task);
    }
    while (renewed < count && status == TULLE_OK) {
        const int task = by[renewed++].task;
        status = tulle__batch_renew(batch, task);
        if (status != TULLE_OK) status = name_task(function, status, task);
    }
    if (status != TULLE_OK && renewed > 1) batch->scheduled = false; /* it has new tasks */
    while (there > 0 && status != TULLE_OK) {
        there--;
        tulle__recorded_release(batch->recorded + by[there].task);
        batch->recorded[by[there].task] = old[there];
    }
    for (int i = 0; i < there; i++) release_old(batch, by[i].task, old + i);
    return status;
}

tulle_status tulle_batch_replace_several(tulle_batch *batch, int count,
                                         const tulle_batch_replacement *replacements) {
    TULLE__NEED(batch);
    if (count < 0) return TULLE__BAD("count", "count is %d", count);
    if (count == 0) return TULLE_OK;
    TULLE__NEED(replacements);
    for (int i = 0; i < count; i++) TULLE__TRY(check_task(__func__, batch, replacements[i].task));
    tulle__recorded *old = tulle__host_alloc(batch->ctx, (size_t)count * sizeof *old);
    if (!old) return TULLE_OUT_OF_MEMORY;
    const tulle_status status = replace_all(__func__, batch, count, replacements, old);
    tulle__host_free(batch->ctx, old);
    return status;
}
