/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/plan_make.h"

#include "spmv/select.h"
#include "spmv/spec.h"
#include "tune/rule.h"

/* Formats in which A^T x gathers what it adds up, as A x does in CSR. */
static bool serves_transposed(tulle_format format) {
    return format == TULLE_DIA || format == TULLE_CSC;
}

tulle__form_key tulle__plan_form(tulle_format format, tulle_trans op,
                                 const tulle_convert_options *options, tulle_trans *run_op) {
    tulle__form_key key = {.format = format, .options = *options};
    *run_op = op;
    if (op == TULLE_T && !serves_transposed(format)) {
        key.transposed = true;
        *run_op = TULLE_N;
    }
    return key;
}

static tulle_status cannot(const tulle__plan_order *order) {
    return tulle__fail(TULLE_UNSUPPORTED, order->function, "spec", -1,
                       "%s cannot take this format, type or shape", order->spec.kernel->name);
}

/* Flags without which the kernel is no use, whatever the matrix. */
static unsigned need_of(const tulle__plan_order *order, tulle_trans run_op) {
    unsigned blocks = tulle__spmv_is_block(&order->call) ? TULLE__BLOCKS : 0u;
    return blocks | (run_op == TULLE_N ? TULLE__FORWARD : TULLE__TRANSPOSED);
}

/* Whether the kernel could take some matrix of the format, before one is made. */
static bool hopeful(const tulle__plan_order *order, const tulle_mat *A, tulle_trans run_op) {
    const tulle__spmv_kernel *kernel = order->spec.kernel;
    unsigned need = need_of(order, run_op);
    return !kernel || (kernel->run[A->type][A->pattern->index] &&
                       (kernel->flags & (need | TULLE__BLOCKS)) == need);
}

/* Settles the kernel, the rule's if none was named, and its parameters. */
static tulle_status pick(tulle_ctx *ctx, const tulle__plan_order *order,
                         const tulle__spmv_shape *shape, tulle__spmv_spec *spec) {
    *spec = order->spec;
    if (!spec->kernel) {
        tulle__spmv_call call = order->call;
        call.op = TULLE_N;
        ctx->rule->pick(ctx->backend, shape, tulle__spmv_need(&call, true), spec);
        if (spec->kernel) return TULLE_OK;
        return tulle__fail(TULLE_UNSUPPORTED, order->function, "A", -1,
                           "no kernel of the rule takes this format and these types");
    }
    tulle__spmv_params_fill(shape, spec);
    bool can = tulle__spmv_eligible(spec, shape, need_of(order, shape->trans));
    return can ? TULLE_OK : cannot(order);
}

/* Prepared data, and room in the workspace, so that the first product takes no memory. Waits, since
 * kernels may read prepared data before earlier work has ended. */
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
                                 .rows_of = pattern->rows_of.data,
                                 .cols_of = pattern->cols_of.data,
                                 .order = pattern->order.data,
                                 .lengths = pattern->lengths.data,
                                 .mask = pattern->mask.data,
                                 .codes = pattern->codes.data,
                                 .marks = pattern->marks,
                                 .params = params,
                                 .workspace = workspace};
        TULLE__TRY(kernel->prepare(&task, plan->prepared));
    }
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

/* A plan on its form, with nothing prepared yet. */
static tulle_status new_plan(tulle_ctx *ctx, const tulle_mat *A, const tulle__plan_order *order,
                             tulle__plan **plan) {
    tulle__plan *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    atomic_init(&made->users, 1);
    made->ctx = ctx;
    tulle__ctx_retain(ctx);
    made->call = order->call;
    made->type = A->type;
    made->narrow = order->narrow;
    *plan = made;
    return TULLE_OK;
}

/* The form, with A's values. */
static tulle_status make_form(tulle_ctx *ctx, tulle_mat *A, const tulle__plan_order *order,
                              const tulle__form_key *key, tulle__plan *plan) {
    tulle_type type = tulle__plan_type(plan);
    bool itself = key->format == TULLE_CSR && !key->transposed;
    if (itself) return tulle__copies_make(ctx, A, NULL, type);
    return tulle__form_make(ctx, order->function, A, key, type, &plan->form);
}

static tulle_status build(tulle_ctx *ctx, tulle_mat *A, const tulle__plan_order *order,
                          const tulle__form_key *key, tulle__plan *plan) {
    TULLE__TRY(make_form(ctx, A, order, key, plan));
    const tulle__pattern *pattern = tulle__form_pattern(plan->form, A);
    tulle__spmv_call call = order->call;
    call.op = plan->run_op;
    tulle__spmv_shape shape = tulle__spmv_shape_of(ctx, pattern, A->type, &call);
    shape.narrow = order->narrow;
    TULLE__TRY(pick(ctx, order, &shape, &plan->spec));
    return prepare(ctx, pattern, &shape, plan);
}

tulle_status tulle__plan_make(tulle_ctx *ctx, tulle_mat *A, const tulle__plan_order *order,
                              tulle__plan **plan) {
    tulle_trans run_op = TULLE_N;
    tulle_format format = order->spec.kernel ? order->spec.kernel->format : TULLE_CSR;
    tulle__form_key key = tulle__plan_form(format, order->call.op, &order->options, &run_op);
    if (!hopeful(order, A, run_op)) return cannot(order);
    tulle__plan *made = NULL;
    TULLE__TRY(new_plan(ctx, A, order, &made));
    made->run_op = run_op;
    tulle_status status = build(ctx, A, order, &key, made);
    if (status == TULLE_OK) {
        *plan = made;
    } else {
        tulle__plan_release(made);
    }
    return status;
}

tulle_status tulle__plan_complete(tulle_ctx *ctx, tulle_mat *A, const tulle__plan *plan) {
    return tulle__copies_make(ctx, A, plan->form, tulle__plan_type(plan));
}
