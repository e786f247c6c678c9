/* SPDX-License-Identifier: Apache-2.0 */
/* The birth and death of matrix objects. */
#include "matrix/build.h"
#include "matrix/copies.h"
#include "matrix/derived.h"
#include "matrix/functions.h"

tulle_status tulle__mat_around(tulle_ctx *ctx, tulle__pattern *pattern, tulle_type type,
                               const tulle__array *values, tulle_mat **A) {
    tulle_mat *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    atomic_init(&made->owners, 1);
    made->ctx = ctx;
    made->pattern = pattern;
    made->type = type;
    made->values = *values;
    tulle__ctx_retain(ctx);
    tulle__pattern_retain(pattern);
    *A = made;
    return TULLE_OK;
}

/* Gives the arrays of a pattern that nobody else knows yet back to who offered them. */
static void give_up(tulle__pattern *pattern) {
    for (int k = 0; k < TULLE__ARRAYS; k++) pattern->arrays[k].data = NULL;
    tulle__pattern_release(pattern);
}

tulle_status tulle__mat_make(tulle_ctx *ctx, const tulle__pattern_view *view, tulle_type type,
                             const tulle__array *way, const tulle__array *values,
                             const tulle__stats *stats, tulle_mat **A) {
    tulle__pattern *pattern;
    TULLE__TRY(tulle__pattern_make(ctx, view, way, stats, &pattern));
    tulle_status status = tulle__mat_around(ctx, pattern, type, values, A);
    if (status != TULLE_OK) {
        give_up(pattern);
        return status;
    }
    tulle__pattern_release(pattern);
    return TULLE_OK;
}

tulle_status tulle__mat_adopt(tulle_ctx *ctx, const tulle__pattern_view *view, tulle_type type,
                              void *values, const tulle__stats *stats, tulle_mat **A) {
    tulle__stats computed;
    if (!stats) {
        TULLE__TRY(ctx->backend->matrix->check_pattern(&ctx->place, view, &computed));
        TULLE__TRY(tulle__check_stats(NULL, ctx, view, &computed, 0));
        stats = &computed;
    }
    tulle__array own = {.data = values, .ownership = TULLE_COPY};
    return tulle__mat_make(ctx, view, type, &own, &own, stats, A);
}

tulle_status tulle__draft_finish(tulle__draft *draft, const tulle__stats *stats, tulle_mat **A) {
    tulle__pattern_view view = tulle__draft_view(draft);
    tulle_status status = tulle__mat_adopt(draft->ctx, &view, draft->type, draft->values, stats, A);
    if (status != TULLE_OK) tulle__draft_free(draft);
    return status;
}

static tulle_status with_found(tulle__draft *draft, tulle__find_stats *find, const void *known,
                               tulle__pattern *pattern, tulle_mat **A) {
    const tulle__pattern_view view = tulle__draft_view(draft);
    const tulle__array own = {.data = draft->values, .ownership = TULLE_COPY};
    TULLE__TRY(find(draft->ctx, &view, known, &pattern->stats));
    return tulle__mat_around(draft->ctx, pattern, draft->type, &own, A);
}

tulle_status tulle__draft_finish_by(tulle__draft *draft, tulle__find_stats *find, const void *known,
                                    tulle_mat **A) {
    const tulle__pattern_view view = tulle__draft_view(draft);
    const tulle__array own = {.ownership = TULLE_COPY};
    tulle__pattern *pattern = NULL;
    tulle_status status = tulle__pattern_make(draft->ctx, &view, &own, NULL, &pattern);
    if (status == TULLE_OK) status = with_found(draft, find, known, pattern, A);
    if (status != TULLE_OK && pattern) give_up(pattern);
    if (status != TULLE_OK) tulle__draft_free(draft);
    if (status == TULLE_OK) tulle__pattern_release(pattern);
    return status;
}

tulle_mat *tulle_mat_retain(tulle_mat *A) {
    if (A) atomic_fetch_add(&A->owners, 1);
    return A;
}

/* True when work in flight must end before arrays go back to their owner, or to the pool of
 * another context: the context's own pool gives them out again in stream order only. */
static bool must_wait(const tulle_mat *A) {
    return A->pattern->ctx != A->ctx || A->values.ownership == TULLE_TAKE ||
           A->pattern->cols_of.ownership == TULLE_TAKE || tulle__derived_elsewhere(A);
}

void tulle_mat_destroy(tulle_mat *A) {
    if (!A || atomic_fetch_sub(&A->owners, 1) > 1) return;
    tulle_ctx *ctx = A->ctx;
    if (must_wait(A)) {
        ctx->backend->stream_wait(ctx->place.device, tulle__pool_stream(&ctx->pool));
    }
    tulle__copies_release(A);
    tulle__pattern_release(A->pattern);
    tulle__array_release(ctx, &A->values);
    tulle__host_free(ctx, A);
    tulle__ctx_release(ctx);
}
