/* SPDX-License-Identifier: Apache-2.0 */
/* Recording: operands are checked here, once, so that running has nothing to refuse. */
#include "batch/record/record.h"
#include "matrix/operand.h"
#include "vector/operands.h"

typedef struct shape {
    int64_t rows, cols;
} shape;

static tulle_status check_operand(const tulle__request *r, const char *name, int which, shape s) {
    const tulle__operand operand = {name, r->record.operand[which]};
    return tulle__operand_check(r->function, r->batch->ctx, operand, s.rows, s.cols,
                                r->record.operand[TULLE_BATCH_X]->type);
}

static tulle_status check_width(const tulle__request *r, const char *name, int64_t k) {
    if (k >= 1 && k <= TULLE__MULTI_MOST) return TULLE_OK;
    return tulle__fail(TULLE_SHAPE_MISMATCH, r->function, name, -1,
                       "%s has %lld columns; a task takes 1 to %d", name, (long long)k,
                       (int)TULLE__MULTI_MOST);
}

static tulle_status check_apart(const tulle__request *r, const char *name, int which) {
    const tulle_vec *Y = r->record.operand[TULLE_BATCH_Y], *X = r->record.operand[which];
    if (!X || !tulle__dense_overlap(Y, X)) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, r->function, r->y_name, -1, "%s overlaps %s", r->y_name,
                       name);
}

static tulle_status check_multivectors(const tulle__request *r) {
    const tulle_vec *X = r->record.operand[TULLE_BATCH_X], *A = r->record.operand[TULLE_BATCH_A];
    const bool dot = r->record.kind == TULLE__TASK_DOT;
    const shape of_a = {dot ? X->rows : X->cols, A->cols};
    const shape of_y = {dot ? X->cols : X->rows, A->cols};
    TULLE__TRY(check_operand(r, "X", TULLE_BATCH_X, (shape){X->rows, X->cols}));
    TULLE__TRY(check_operand(r, r->a_name, TULLE_BATCH_A, of_a));
    TULLE__TRY(check_operand(r, r->y_name, TULLE_BATCH_Y, of_y));
    TULLE__TRY(check_width(r, "X", X->cols));
    TULLE__TRY(check_width(r, r->a_name, A->cols));
    TULLE__TRY(check_apart(r, "X", TULLE_BATCH_X));
    return check_apart(r, r->a_name, TULLE_BATCH_A);
}

static tulle_status check_matrix(const tulle__request *r) {
    const tulle_mat *A = r->record.A;
    const tulle__pattern *pattern = A->pattern;
    if (!tulle__same_space(r->batch->ctx, A->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, r->function, "A", -1,
                           "A lives on %s, the context on %s", A->ctx->info.name,
                           r->batch->ctx->info.name);
    }
    if (pattern->format != TULLE_CSR && pattern->format != TULLE_BSR) {
        return tulle__fail(TULLE_UNSUPPORTED, r->function, "A", -1,
                           "A is in %s; a task takes csr or bsr: see tulle_mat_convert",
                           tulle_format_name(pattern->format));
    }
    if (A->type == r->record.operand[TULLE_BATCH_X]->type) return TULLE_OK;
    return tulle__fail(TULLE_TYPE_MISMATCH, r->function, "A", -1,
                       "A has another type than the other operands");
}

static tulle_status check_product(const tulle__request *r) {
    const tulle_vec *X = r->record.operand[TULLE_BATCH_X];
    const tulle__pattern *p = r->record.A->pattern;
    const bool turned = r->record.op == TULLE_T;
    TULLE__TRY(tulle__check_op(r->function, "op", r->record.op));
    TULLE__TRY(check_matrix(r));
    TULLE__TRY(check_operand(r, "X", TULLE_BATCH_X, (shape){turned ? p->rows : p->cols, X->cols}));
    TULLE__TRY(check_operand(r, "Y", TULLE_BATCH_Y, (shape){turned ? p->cols : p->rows, X->cols}));
    TULLE__TRY(tulle__batch_check_columns(r, "X", X, 1));
    const char *part = tulle__dense_overlaps_matrix(r->record.operand[TULLE_BATCH_Y], r->record.A);
    if (part) {
        return tulle__fail(TULLE_ALIASED, r->function, "Y", -1, "Y overlaps %s", part);
    }
    return check_apart(r, "X", TULLE_BATCH_X);
}

static tulle__request request_of(const char *function, tulle_batch *batch,
                                 const tulle__recorded *record) {
    const bool dot = record->kind == TULLE__TASK_DOT, solve = record->kind == TULLE__TASK_SOLVE;
    const bool sums = dot || tulle__task_is_norm(record->kind);
    return (tulle__request){.function = function,
                            .batch = batch,
                            .record = *record,
                            .a_name = dot ? "Z" : "A",
                            .y_name = sums    ? "R"
                                      : solve ? "X"
                                              : "Y"};
}

tulle_status tulle__batch_check(const char *function, tulle_batch *batch,
                                const tulle__recorded *record) {
    const tulle__request r = request_of(function, batch, record);
    switch (record->kind) {
        case TULLE__TASK_FACTOR:
        case TULLE__TASK_SOLVE:
            return tulle__batch_check_factors(&r);
        case TULLE__TASK_SPMM:
            return check_product(&r);
        case TULLE__TASK_AXPY:
        case TULLE__TASK_DOT:
            return check_multivectors(&r);
        default:
            return tulle__batch_check_vectors(&r);
    }
}

tulle_status tulle__batch_record(const char *function, tulle_batch *batch,
                                 const tulle__recorded *record, int *task) {
    TULLE__TRY(tulle__batch_check(function, batch, record));
    TULLE__TRY(tulle__batch_more(batch->ctx, (void **)&batch->recorded, batch->count, &batch->room,
                                 sizeof *batch->recorded));
    tulle__recorded_retain(record);
    batch->recorded[batch->count] = *record;
    if (task) *task = batch->count;
    batch->count++;
    batch->scheduled = false;
    return TULLE_OK;
}

tulle_status tulle_batch_axpy(tulle_batch *batch, double alpha, const tulle_vec *X,
                              const tulle_vec *A, double beta, tulle_vec *Y, int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(X);
    TULLE__NEED(A);
    TULLE__NEED(Y);
    const tulle__recorded record = {
        .kind = TULLE__TASK_AXPY, .alpha = alpha, .beta = beta, .operand = {X, A, Y}};
    return tulle__batch_record(__func__, batch, &record, task);
}

tulle_status tulle_batch_dot(tulle_batch *batch, double alpha, const tulle_vec *X,
                             const tulle_vec *Z, double beta, tulle_vec *R, int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(X);
    TULLE__NEED(Z);
    TULLE__NEED(R);
    const tulle__recorded record = {
        .kind = TULLE__TASK_DOT, .alpha = alpha, .beta = beta, .operand = {X, Z, R}};
    return tulle__batch_record(__func__, batch, &record, task);
}

tulle_status tulle_batch_spmm(tulle_batch *batch, tulle_trans op, double alpha, const tulle_mat *A,
                              const tulle_vec *X, double beta, tulle_vec *Y, int *task) {
    TULLE__NEED(batch);
    TULLE__NEED(A);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    const tulle__recorded record = {.kind = TULLE__TASK_SPMM,
                                    .alpha = alpha,
                                    .beta = beta,
                                    .operand = {X, NULL, Y},
                                    .A = A,
                                    .op = op};
    return tulle__batch_record(__func__, batch, &record, task);
}
