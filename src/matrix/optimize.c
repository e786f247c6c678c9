/* SPDX-License-Identifier: Apache-2.0 */
/* Building plans. */
#include "matrix/plan.h"
#include "matrix/transposed.h"
#include "spmv/select.h"
#include "spmv/spec.h"
#include "tulle/advanced.h"
#include "tune/rule.h"

/* A plan to be built: for whom, and the kernel that was named (text NULL: the rule picks one). */
typedef struct plan_job {
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_trans op;
    const char *function, *text;
} plan_job;

/* Fills the specification: the kernel that was named, or the rule's. */
static tulle_status pick(const plan_job *job, const tulle__spmv_shape *shape,
                         tulle__spmv_spec *spec) {
    if (!job->text) {
        tulle__spmv_call call = tulle__one_vector(TULLE_N);
        unsigned need = tulle__spmv_need(&call, true);
        job->ctx->rule->pick(job->ctx->backend, shape, need, spec);
        if (spec->kernel) return TULLE_OK;
        return tulle__fail(TULLE_UNSUPPORTED, job->function, "A", -1,
                           "no kernel of the rule takes this format and these types");
    }
    TULLE__TRY(tulle__spmv_spec_parse(job->ctx->backend, job->function, job->text, spec));
    tulle__spmv_params_fill(shape, spec);
    if (tulle__spmv_eligible(spec, shape, TULLE__FORWARD)) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, job->function, "spec", -1,
                       "%s cannot take this format, type or shape", spec->kernel->name);
}

/* Prepared data, and room in the workspace, so that the first product takes no memory. Waits. */
static tulle_status prepare(tulle_ctx *ctx, const tulle__pattern *pattern,
                            const tulle__spmv_shape *shape, tulle__plan *plan) {
    const tulle__spmv_kernel *kernel = plan->spec.kernel;
    const int *params = plan->spec.params;
    size_t scratch = kernel->workspace ? kernel->workspace(shape, params) : 0;
    void *workspace = NULL;
    TULLE__TRY(tulle__workspace(ctx, scratch, &workspace));
    if (kernel->prepare) {
        plan->bytes = kernel->prepared_bytes(shape, params);
        TULLE__TRY(tulle__alloc(ctx, plan->bytes, &plan->prepared));
        tulle__spmv_task task = {.shape = *shape,
                                 .place = &ctx->place,
                                 .offsets = pattern->offsets.data,
                                 .cols_of = pattern->cols_of.data,
                                 .params = params,
                                 .workspace = workspace};
        TULLE__TRY(kernel->prepare(&task, plan->prepared));
    }
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

/* The plan for a product with the pattern, which is A's or its transpose. */
static tulle_status make_plan(const plan_job *job, const tulle__pattern *pattern,
                              tulle__plan **plan) {
    tulle_type type = job->A->type;
    tulle__spmv_call call = tulle__one_vector(TULLE_N);
    tulle__spmv_shape shape = tulle__spmv_shape_of(job->ctx, pattern, type, &call);
    tulle__spmv_spec spec;
    TULLE__TRY(pick(job, &shape, &spec));
    tulle__plan *made = tulle__host_alloc(job->ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    atomic_init(&made->users, 1);
    made->ctx = job->ctx;
    tulle__ctx_retain(job->ctx);
    made->op = job->op;
    made->type = type;
    made->spec = spec;
    made->on_transpose = job->op == TULLE_T;
    tulle_status status = prepare(job->ctx, pattern, &shape, made);
    if (status != TULLE_OK) {
        tulle__plan_release(made);
        return status;
    }
    *plan = made;
    return TULLE_OK;
}

/* All that is new appears at once, when its work is done. */
static void publish(const plan_job *job, const tulle__transposed_parts *parts, tulle__plan *plan) {
    tulle__pattern *pattern = job->A->pattern;
    pthread_mutex_lock(&pattern->lock);
    if (parts->transposed) tulle__transposed_keep(job->ctx, job->A, parts);
    if (plan) tulle__plan_put(pattern, plan);
    pthread_mutex_unlock(&pattern->lock);
}

static tulle_status build(const plan_job *job) {
    tulle__transposed_parts parts = {0};
    const tulle__pattern *pattern = job->A->pattern;
    if (job->op == TULLE_T) {
        TULLE__TRY(tulle__transposed_make(job->ctx, job->A, &parts));
        pattern = parts.transposed->pattern;
    }
    tulle__plan *plan = NULL;
    tulle_status status = make_plan(job, pattern, &plan);
    if (status == TULLE_OK) {
        publish(job, &parts, plan);
    } else {
        tulle__transposed_drop(job->ctx, &parts);
    }
    return status;
}

/* For a plan that another matrix of the pattern brought about: A's own values in its order. */
static tulle_status complete(const plan_job *job) {
    if (job->op == TULLE_N) return TULLE_OK;
    tulle__transposed_parts parts;
    TULLE__TRY(tulle__transposed_make(job->ctx, job->A, &parts));
    if (!parts.values) return TULLE_OK;
    tulle_status status = tulle_ctx_synchronize(job->ctx);
    if (status == TULLE_OK) {
        publish(job, &parts, NULL);
    } else {
        tulle__transposed_drop(job->ctx, &parts);
    }
    return status;
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
                           "plans are made for CSR matrices: convert this %s matrix first",
                           tulle_format_name(A->pattern->format));
    }
    return TULLE_OK;
}

tulle_status tulle_mat_plan(tulle_ctx *ctx, tulle_mat *A, tulle_trans op, const char *spec) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(check(ctx, A, op, __func__));
    plan_job job = {.ctx = ctx, .A = A, .op = op, .function = __func__, .text = spec};
    pthread_mutex_lock(&A->pattern->building);
    tulle_status status = build(&job);
    pthread_mutex_unlock(&A->pattern->building);
    return status;
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
    plan_job job = {.ctx = ctx, .A = A, .op = op, .function = __func__};
    pthread_mutex_lock(&A->pattern->building);
    tulle_status status = tulle__plan_there(A, op) ? complete(&job) : build(&job);
    pthread_mutex_unlock(&A->pattern->building);
    return status;
}

tulle_status tulle_mat_forget_plans(tulle_mat *A) {
    TULLE__NEED(A);
    tulle__plans_forget(A->pattern);
    return TULLE_OK;
}
