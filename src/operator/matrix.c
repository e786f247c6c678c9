/* SPDX-License-Identifier: Apache-2.0 */
/* An operator of a matrix, or of a matrix that a tuner measures. */
#include "matrix/operand.h"
#include "operator/functions.h"
#include "operator/linop.h"
#include "spmv/select.h"
#include "tulle/spmm.h"
#include "tulle/spmv.h"
#include "tune/tuner.h"

typedef struct matrix_operator {
    tulle_linop head;
    tulle_mat *A;       /* matrix; owned */
    tulle_tuner *tuner; /* tuner; owned; or NULL */
} matrix_operator;

static tulle_mat *matrix_of(const tulle_linop *L) {
    return ((const matrix_operator *)L)->A;
}

static bool is_vector(const tulle_vec *X) {
    return X->cols == 1 && (X->layout == TULLE_COLUMN_MAJOR || X->ld == 1);
}

static tulle_status apply(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    const tulle_mat *A = matrix_of(L);
    return is_vector(X) && is_vector(Y) ? tulle_spmv(ctx, op, alpha, A, X, beta, Y)
                                        : tulle_spmm(ctx, op, alpha, A, X, beta, Y);
}

/* Updates the operator's state: its products may be captured once the tuner has stopped measuring,
 * or if there is no tuner. */
static tulle_status look_at_tuner(matrix_operator *own) {
    tulle_tuner_info info = {.settled = true};
    const tulle_status status = tulle_tuner_describe(own->tuner, TULLE_N, own->A, &info);
    if (status != TULLE_OK && status != TULLE_NOT_FOUND) return status;
    own->head.capturable = info.settled;
    return TULLE_OK;
}

static tulle_status apply_tuned(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                                const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    matrix_operator *own = (matrix_operator *)L;
    const bool tunes = op == TULLE_N && is_vector(X) && is_vector(Y) && !ctx->repeatable;
    if (!tunes) return apply(ctx, L, op, alpha, X, beta, Y);
    TULLE__TRY(tulle_tuner_spmv(own->tuner, op, alpha, own->A, X, beta, Y));
    return L->capturable ? TULLE_OK : look_at_tuner(own);
}

static tulle__rows_job job_of(const tulle_mat *csr) {
    return (tulle__rows_job){
        .csr = tulle__view_of(csr->pattern), .type = csr->type, .values = csr->values.data};
}

static tulle_status diagonal(tulle_ctx *ctx, tulle_linop *L, tulle_vec *d) {
    tulle_mat *csr = NULL;
    TULLE__TRY(
        tulle__operand_bring(ctx, TULLE_N, matrix_of(L), matrix_of(L)->pattern->index, &csr));
    tulle__rows_job job = job_of(csr);
    job.to = d->data;
    const tulle_status status = ctx->backend->op->diagonal(&ctx->place, &job);
    tulle_mat_destroy(csr);
    return status;
}

/* Computes a residual. For a format other than CSR a product in f64 is as good as the type; a
 * product in f32 is not, and then rows of A are brought into CSR. */
static tulle_status residual(tulle_ctx *ctx, tulle_linop *L, double alpha, const tulle_vec *b,
                             const tulle_vec *x, tulle_vec *r) {
    const tulle_mat *A = matrix_of(L);
    tulle_mat *csr = NULL;
    if (A->pattern->format != TULLE_CSR && A->type == TULLE_F64) return TULLE_UNSUPPORTED;
    TULLE__TRY(tulle__operand_bring(ctx, TULLE_N, A, A->pattern->index, &csr));
    tulle__rows_job job = job_of(csr);
    job.alpha = alpha;
    job.b = b->data;
    job.x = x->data;
    job.r = r->data;
    const tulle_status status = ctx->backend->op->residual(&ctx->place, &job);
    tulle_mat_destroy(csr);
    return status;
}

/* Returns a stamp of the kernel that tulle_spmv would run now, and of its arrays. */
static uint64_t stamp(tulle_ctx *ctx, const tulle_linop *L) {
    const tulle_mat *A = matrix_of(L);
    const tulle__spmv_call call = tulle__one_vector(TULLE_N);
    uint64_t all = tulle__stamp_join(A->pattern->serial, (uint64_t)(uintptr_t)A->values.data);
    for (tulle__stage stage = tulle__spmv_first_stage(ctx, &call);
         stage <= tulle__spmv_last_stage(ctx, &call); stage++) {
        tulle__spmv_selection s;
        if (tulle__spmv_select(ctx, A, &call, stage, &s) != TULLE_OK) continue;
        all = tulle__stamp_join(all, (uint64_t)(uintptr_t)s.spec.kernel);
        for (int p = 0; p < TULLE__MAX_PARAMS; p++) {
            all = tulle__stamp_join(all, (uint64_t)(int64_t)s.spec.params[p]);
        }
        all = tulle__stamp_join(all, s.pattern->serial);
        all = tulle__stamp_join(all, (uint64_t)(uintptr_t)s.values);
        all = tulle__stamp_join(all, s.plan ? (uint64_t)(uintptr_t)s.plan->prepared : 0);
        tulle__spmv_unselect(&s);
    }
    return all;
}

static void destroy(tulle_linop *L) {
    tulle_mat_destroy(matrix_of(L));
    tulle_tuner_destroy(((matrix_operator *)L)->tuner);
}

static const tulle__linop_kind kind = {.name = "matrix",
                                       .bytes = sizeof(matrix_operator),
                                       .apply = apply,
                                       .diagonal = diagonal,
                                       .residual = residual,
                                       .stamp = stamp,
                                       .destroy = destroy};

static const tulle__linop_kind tuned = {.name = "tuned matrix",
                                        .bytes = sizeof(matrix_operator),
                                        .apply = apply_tuned,
                                        .diagonal = diagonal,
                                        .residual = residual,
                                        .stamp = stamp,
                                        .destroy = destroy};

static tulle_status make(const char *function, tulle_ctx *ctx, const tulle__linop_kind *which,
                         tulle_tuner *tuner, tulle_mat *A, tulle_linop **L) {
    TULLE__TRY(tulle__check_space(function, ctx, A));
    TULLE__TRY(tulle__linop_make(ctx, which, A->type, A->pattern->rows, A->pattern->cols, L));
    matrix_operator *own = (matrix_operator *)*L;
    own->A = tulle_mat_retain(A);
    own->head.entries = A->pattern->nnz;
    own->tuner = tulle__tuner_retain(tuner);
    own->head.transposes = true;
    own->head.capturable = !tuner || ctx->repeatable;
    return TULLE_OK;
}

tulle_status tulle_linop_from_mat(tulle_ctx *ctx, tulle_mat *A, tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    return make(__func__, ctx, &kind, NULL, A, L);
}

tulle_status tulle_linop_tuned(tulle_ctx *ctx, tulle_tuner *tuner, tulle_mat *A, tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(tuner);
    TULLE__NEED(A);
    return make(__func__, ctx, &tuned, tuner, A, L);
}
