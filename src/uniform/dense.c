/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions for many small dense matrices. */
#include <inttypes.h>

#include "uniform/uniform.h"

/* The arguments of one call; X is NULL in a call that factorises. */
typedef struct call {
    const char *function;
    tulle_ctx *ctx;
    int64_t n;
    tulle_factor_kind kind;
    const tulle_vec *A, *B, *X;
    int32_t *pivots;
    tulle_uniform_reports reports;
} call;

static tulle_status check_values(const call *c) {
    const tulle__operand a = {"A", c->A};
    if (c->n < 0) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, c->function, "n", -1, "n is %" PRId64, c->n);
    }
    if (c->n > TULLE_UNIFORM_MOST_DENSE) {
        return tulle__fail(TULLE_TOO_LARGE, c->function, "n", -1,
                           "%" PRId64 " rows; a dense matrix of a batch has up to %d", c->n,
                           TULLE_UNIFORM_MOST_DENSE);
    }
    TULLE__TRY(tulle__operand_check(c->function, c->ctx, a, c->n * c->n, c->A->cols, c->A->type));
    return tulle__uniform_reports_check(c->function, c->reports, c->A->cols, a);
}

static tulle_status check_vectors(const call *c) {
    const tulle__operand b = {"B", c->B}, x = {"X", c->X};
    TULLE__TRY(tulle__operand_check(c->function, c->ctx, b, c->n, c->A->cols, c->A->type));
    TULLE__TRY(tulle__operand_check(c->function, c->ctx, x, c->n, c->A->cols, c->A->type));
    TULLE__TRY(tulle__operand_apart(c->function, x, b));
    if (!tulle__dense_overlap(c->X, c->A)) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, c->function, "X", -1, "X overlaps A");
}

/* Fails if the pivots overlap an operand or the reports. */
static tulle_status check_pivots(const call *c) {
    const int64_t count = c->n * c->A->cols, bytes = count * (int64_t)sizeof *c->pivots;
    const tulle_vec *const all[] = {c->A, c->B, c->X};
    if (c->kind == TULLE_CHOLESKY || count == 0) return TULLE_OK;
    if (!c->pivots) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, c->function, "pivots", -1, "pivots is NULL");
    }
    TULLE__TRY(tulle__check_aligned(c->function, "pivots", c->pivots, (int64_t)sizeof *c->pivots));
    bool overlaps = tulle__overlap(c->pivots, bytes, c->reports.address,
                                   c->A->cols * (int64_t)sizeof *c->reports.address);
    for (int i = 0; i < 3; i++) {
        if (!all[i]) continue;
        overlaps |=
            tulle__overlap(c->pivots, bytes, all[i]->data, (int64_t)tulle__dense_bytes(all[i]));
    }
    if (!overlaps) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, c->function, "pivots", -1, "pivots overlap another array");
}

static tulle_status compute(const call *c, const tulle__uniform_dense *job) {
    const bool lends = c->kind == TULLE_LU && c->n > 0;
    if (lends) {
        const size_t bytes = (size_t)(c->n * c->A->cols) * sizeof *c->pivots;
        TULLE__TRY(tulle__lend(c->ctx, c->pivots, bytes));
    }
    const tulle_status status = c->ctx->backend->uniform->uniform_dense(&c->ctx->place, job);
    if (lends) tulle__give_back(c->ctx, c->pivots);
    return status;
}

static tulle_status run(const call *c) {
    TULLE__TRY(check_values(c));
    if (c->X) TULLE__TRY(check_vectors(c));
    TULLE__TRY(check_pivots(c));
    if (c->A->cols == 0) return TULLE_OK;
    tulle__uniform_dense job = {.n = (int)c->n,
                                .kind = c->kind,
                                .type = c->A->type,
                                .count = c->A->cols,
                                .solves = c->X != NULL,
                                .a = tulle__strided_of(c->A),
                                .pivots = c->pivots};
    if (c->X) {
        job.b = tulle__strided_of(c->B);
        job.x = tulle__strided_of(c->X);
        return c->n > 0 ? compute(c, &job) : TULLE_OK;
    }
    tulle__uniform_reporting on_their_way = {.ctx = c->ctx, .to = c->reports, .count = c->A->cols};
    TULLE__TRY(tulle__uniform_reports_begin(&on_their_way, 0));
    job.reports = on_their_way.here;
    return tulle__uniform_reports_end(&on_their_way, compute(c, &job));
}

tulle_status tulle_uniform_lu(tulle_ctx *ctx, int64_t n, tulle_vec *A, int32_t *pivots,
                              tulle_uniform_reports reports) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    const call c = {.function = __func__,
                    .ctx = ctx,
                    .n = n,
                    .kind = TULLE_LU,
                    .A = A,
                    .pivots = pivots,
                    .reports = reports};
    return run(&c);
}

tulle_status tulle_uniform_lu_solve(tulle_ctx *ctx, int64_t n, const tulle_vec *A,
                                    const int32_t *pivots, const tulle_vec *B, tulle_vec *X) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(B);
    TULLE__NEED(X);
    const call c = {.function = __func__,
                    .ctx = ctx,
                    .n = n,
                    .kind = TULLE_LU,
                    .A = A,
                    .B = B,
                    .X = X,
                    .pivots = (int32_t *)pivots};
    return run(&c);
}

tulle_status tulle_uniform_cholesky(tulle_ctx *ctx, int64_t n, tulle_vec *A,
                                    tulle_uniform_reports reports) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    const call c = {.function = __func__,
                    .ctx = ctx,
                    .n = n,
                    .kind = TULLE_CHOLESKY,
                    .A = A,
                    .reports = reports};
    return run(&c);
}

tulle_status tulle_uniform_cholesky_solve(tulle_ctx *ctx, int64_t n, const tulle_vec *A,
                                          const tulle_vec *B, tulle_vec *X) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(B);
    TULLE__NEED(X);
    const call c = {
        .function = __func__, .ctx = ctx, .n = n, .kind = TULLE_CHOLESKY, .A = A, .B = B, .X = X};
    return run(&c);
}
