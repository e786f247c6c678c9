/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/plan/make.h"

#include "matrix/marks_of.h"
#include "spmv/rule/rule.h"
#include "spmv/select.h"

tulle__form_key tulle__plan_form(tulle_format format, tulle_trans op,
                                 const tulle_convert_options *options, tulle_trans *run_op) {
    tulle__form_key key = {.format = format, .options = *options};
    *run_op = op;
    if (op == TULLE_T && !tulle__has(format, TULLE__BOTH_WAYS)) {
        key.transposed = true;
        *run_op = TULLE_N;
    }
    return key;
}

static tulle_status cannot(const tulle__plan_request *request) {
    return tulle__fail(TULLE_UNSUPPORTED, request->function, "spec", -1,
                       "%s cannot take this format, type or shape", request->spec.kernel->name);
}

/* Flags without which the kernel is of no use, whatever the matrix. */
static unsigned need_of(const tulle__plan_request *request, tulle_trans run_op) {
    unsigned multivector = tulle__is_multivector(&request->call) ? TULLE__MULTIVECTOR : 0u;
    return multivector | (run_op == TULLE_N ? TULLE__FORWARD : TULLE__TRANSPOSED);
}

/* True when the kernel could take some matrix of the format, before one is made. */
static bool hopeful(const tulle__plan_request *request, const tulle_mat *A, tulle_trans run_op) {
    const tulle__kernel *kernel = request->spec.kernel;
    unsigned need = need_of(request, run_op);
    return !kernel || (tulle__spmv_of(kernel)->run[request->values][A->pattern->index] &&
                       (kernel->flags & (need | TULLE__MULTIVECTOR)) == need);
}

/* Chooses the kernel of a plan, the one that the request names or else the rule's choice, and fills
 * the kernel's parameters. */
static tulle_status pick(tulle_ctx *ctx, const tulle__plan_request *request,
                         const tulle__spmv_shape *shape, tulle__spec *spec) {
    *spec = request->spec;
    if (!spec->kernel) {
        tulle__spmv_call call = request->call;
        call.op = TULLE_N;
        tulle__rule_of(ctx)->pick(ctx->backend, shape, tulle__spmv_need(&call, true), spec);
        if (spec->kernel) return TULLE_OK;
        return tulle__fail(TULLE_UNSUPPORTED, request->function, "A", -1,
                           "no kernel of the rule takes this format and these types");
    }
    bool can = tulle__spmv_settle(spec, shape, need_of(request, shape->trans));
    return can ? TULLE_OK : cannot(request);
}

/* Makes prepared data, and room in the workspace, so that the first product takes no memory.
 * Waits, since kernels may read prepared data before earlier work has ended. */
static tulle_status prepare(tulle_ctx *ctx, const tulle__pattern *pattern,
                            const tulle__spmv_shape *shape, tulle__plan *plan) {
    const tulle__spmv_kernel *kernel = tulle__spmv_of(plan->spec.kernel);
    const int *params = plan->spec.params;
    void *workspace = NULL;
    TULLE__TRY(tulle__workspace(ctx, tulle__spmv_workspace(&plan->spec, shape), &workspace));
    if (kernel->prepare) {
        plan->bytes = kernel->prepared_bytes(shape, params);
        TULLE__TRY(tulle__alloc(ctx, plan->bytes, &plan->prepared));
#define A(number, member, field, item, words) .member = pattern->member.data,
        tulle__spmv_task task = {.shape = *shape,
                                 .place = &ctx->place,
                                 TULLE__EACH_ARRAY(A).marks = tulle__marks_of(pattern),
                                 .params = params,
                                 .workspace = workspace};
#undef A
        TULLE__TRY(kernel->prepare(&task, plan->prepared, &plan->prepared_count));
    }
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

/* Makes the form of A's pattern that the plan runs on, and the copy of A's values in that form. */
static tulle_status make_form(tulle_ctx *ctx, tulle_mat *A, const tulle__plan_request *request,
                              const tulle__form_key *key, tulle__plan *plan) {
    tulle_type type = tulle__stored_type(plan->values);
    bool itself = key->format == TULLE_CSR && !key->transposed;
    if (itself) return tulle__copies_make(ctx, A, NULL, type);
    return tulle__form_make(ctx, request->function, A, key, type, &plan->form);
}

static tulle_status build(tulle_ctx *ctx, tulle_mat *A, const tulle__plan_request *request,
                          const tulle__form_key *key, tulle__plan *plan) {
    TULLE__TRY(make_form(ctx, A, request, key, plan));
    const tulle__pattern *pattern = tulle__form_pattern(plan->form, A);
    tulle__spmv_call call = request->call;
    call.op = plan->run_op;
    tulle__spmv_shape shape = tulle__spmv_shape_of(ctx, pattern, request->values, &call);
    TULLE__TRY(pick(ctx, request, &shape, &plan->spec));
    return prepare(ctx, pattern, &shape, plan);
}

tulle_status tulle__plan_make(tulle_ctx *ctx, tulle_mat *A, const tulle__plan_request *request,
                              tulle__plan **plan) {
    tulle_trans run_op = TULLE_N;
    tulle_format format = request->spec.kernel ? request->spec.kernel->format : TULLE_CSR;
    tulle__form_key key = tulle__plan_form(format, request->call.op, &request->options, &run_op);
    if (!hopeful(request, A, run_op)) return cannot(request);
    tulle__plan *made = tulle__plan_new(ctx);
    if (!made) return TULLE_OUT_OF_MEMORY;
    made->call = request->call;
    made->values = request->values;
    made->run_op = run_op;
    tulle_status status = build(ctx, A, request, &key, made);
    if (status == TULLE_OK) {
        *plan = made;
    } else {
        tulle__plan_release(made);
    }
    return status;
}

tulle_status tulle__plan_complete(tulle_ctx *ctx, tulle_mat *A, const tulle__plan *plan) {
    return tulle__copies_make(ctx, A, plan->form, tulle__stored_type(plan->values));
}
