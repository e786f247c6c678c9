/* SPDX-License-Identifier: Apache-2.0 */
/* Building plans. */
#include "matrix/plan.h"
#include "matrix/transposed.h"
#include "spmv/select.h"
#include "spmv/spec.h"
#include "tulle/advanced.h"
#include "tune/rule.h"

/* The kernel for the plan: the one that is named, or the rule's. */
static tulle_status pick(tulle_ctx *ctx, const tulle__spmv_shape *shape, const char *text,
                         tulle__spmv_spec *spec) {
    unsigned need = tulle__spmv_need(TULLE_N, true);
    if (!text) {
        ctx->rule->pick(ctx->backend, shape, need, spec);
        if (spec->kernel) return TULLE_OK;
        return tulle__fail(TULLE_UNSUPPORTED, "tulle_mat_optimize", "A", -1,
                           "no kernel of the rule takes this format and these types");
    }
    TULLE__TRY(tulle__spmv_spec_parse(ctx->backend, text, spec));
    tulle__spmv_params_fill(shape, spec);
    if (tulle__spmv_eligible(spec, shape, TULLE__FORWARD)) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, "tulle_mat_plan", "spec", -1,
                       "%s cannot take this format, type or shape", spec->kernel->name);
}

static tulle_status prepare(tulle_ctx *ctx, const tulle__pattern *pattern,
                            const tulle__spmv_shape *shape, tulle__plan *plan) {
    const tulle__spmv_kernel *kernel = plan->spec.kernel;
    if (!kernel->prepare) return TULLE_OK;
    size_t bytes = kernel->prepared_bytes(shape, plan->spec.params);
    TULLE__TRY(tulle__alloc(pattern->ctx, bytes, &plan->prepared));
    plan->bytes += bytes;
    tulle__spmv_task task = {.shape = *shape,
                             .place = &ctx->place,
                             .offsets = pattern->offsets.data,
                             .cols_of = pattern->cols_of.data,
                             .params = plan->spec.params};
    TULLE__TRY(kernel->prepare(&task, plan->prepared));
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

static tulle_status make_plan(tulle_ctx *ctx, tulle_mat *A, tulle_trans op, const char *text) {
    const tulle__pattern *pattern = A->pattern;
    if (op == TULLE_T) {
        TULLE__TRY(tulle__transposed_make(ctx, A));
        pattern = A->pattern->transposed->pattern;
    }
    tulle__spmv_shape shape = tulle__spmv_shape_of(ctx, pattern, A->type, TULLE_N);
    tulle__spmv_spec spec;
    TULLE__TRY(pick(ctx, &shape, text, &spec));
    tulle__plan *plan = tulle__host_alloc(A->pattern->ctx, sizeof *plan);
    if (!plan) return TULLE_OUT_OF_MEMORY;
    atomic_init(&plan->users, 1);
    plan->op = op;
    plan->type = A->type;
    plan->spec = spec;
    plan->on_transpose = op == TULLE_T;
    if (plan->on_transpose) plan->bytes = (size_t)tulle__transposed_bytes(A->pattern);
    tulle_status status = prepare(ctx, pattern, &shape, plan);
    if (status != TULLE_OK) {
        tulle__plan_release(A->pattern->ctx, plan);
        return status;
    }
    tulle__plan_put(A->pattern, plan);
    return TULLE_OK;
}

static tulle_status check(const tulle_ctx *ctx, const tulle_mat *A, tulle_trans op,
                          const char *function) {
    if (op != TULLE_N && op != TULLE_T) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "op", -1, "op is TULLE_N or TULLE_T");
    }
    if (!tulle__same_space(ctx, A->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, function, "A", -1,
                           "A lives on another device than the context");
    }
    if (A->pattern->format != TULLE_CSR) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                           "plans are made for CSR matrices: convert this COO matrix first");
    }
    return TULLE_OK;
}

tulle_status tulle_mat_plan(tulle_ctx *ctx, tulle_mat *A, tulle_trans op, const char *spec) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(check(ctx, A, op, __func__));
    return make_plan(ctx, A, op, spec);
}

tulle_status tulle_mat_optimize(tulle_ctx *ctx, tulle_mat *A, tulle_trans op,
                                int64_t expected_calls) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    if (expected_calls < 1) {
        return TULLE__BAD("expected_calls", "expected_calls is %lld; it must be at least 1",
                          (long long)expected_calls);
    }
    TULLE__TRY(check(ctx, A, op, __func__));
    tulle__plan *plan = tulle__plan_find(A, op, NULL);
    if (!plan) return make_plan(ctx, A, op, NULL);
    tulle__plan_release(A->pattern->ctx, plan);
    return TULLE_OK;
}

tulle_status tulle_mat_forget_plans(tulle_mat *A) {
    TULLE__NEED(A);
    tulle__plans_forget(A->pattern);
    return TULLE_OK;
}
