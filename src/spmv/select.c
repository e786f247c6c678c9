/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/select.h"

#include "spmv/answers.h"

#include "spmv/rule/rule.h"

/* The layout of a multivector; a column without gaps is column-major. */
static tulle_layout layout_of(const tulle_vec *v) {
    return v->cols == 1 && v->ld == 1 ? TULLE_COLUMN_MAJOR : v->layout;
}

tulle__spmv_call tulle__multivector_call(tulle_trans op, const tulle_vec *X, const tulle_vec *Y) {
    return (tulle__spmv_call){
        .op = op, .vectors = X->cols, .x_layout = layout_of(X), .y_layout = layout_of(Y)};
}

bool tulle__spmv_by_columns(const tulle_ctx *ctx, const tulle__spmv_call *call) {
    return call->vectors > 1 && call->x_layout == TULLE_COLUMN_MAJOR &&
           call->y_layout == TULLE_COLUMN_MAJOR && !ctx->forced[TULLE__OP_SPMM].kernel;
}

unsigned tulle__spmv_need(const tulle__spmv_call *call, bool repeatable) {
    unsigned multivector = tulle__is_multivector(call) ? TULLE__MULTIVECTOR : 0u;
    if (call->op == TULLE_N) return multivector | TULLE__FORWARD | TULLE__REPEATABLE;
    return multivector | TULLE__TRANSPOSED | (repeatable ? TULLE__REPEATABLE_T : 0u);
}

const tulle__kernels *tulle__spmv_kernels(const tulle__backend *backend, bool multivector) {
    return &backend->kernels[multivector ? TULLE__OP_SPMM : TULLE__OP_SPMV];
}

void tulle__spmv_fill(const tulle__spmv_shape *shape, tulle__spec *spec) {
    const tulle__spmv_kernel *kernel = tulle__spmv_of(spec->kernel);
    int own[TULLE__MAX_PARAMS] = {0};
    if (kernel->defaults) kernel->defaults(shape, own);
    tulle__spec_fill(spec, own);
}

static bool fits(const tulle__spmv_kernel *kernel, const tulle__spmv_shape *shape, unsigned need) {
    const tulle__kernel *head = &kernel->head;
    return head->format == shape->format && (head->flags & (need | TULLE__MULTIVECTOR)) == need &&
           kernel->run[shape->values][shape->index];
}

bool tulle__spmv_settle(tulle__spec *spec, const tulle__spmv_shape *shape, unsigned need) {
    const tulle__spmv_kernel *kernel = tulle__spmv_of(spec->kernel);
    if (!fits(kernel, shape, need)) return false;
    tulle__spmv_fill(shape, spec);
    return !kernel->eligible || kernel->eligible(shape, spec->params);
}

double tulle__spmv_cost(const tulle__spec *spec, const tulle__spmv_shape *shape) {
    return tulle__spmv_of(spec->kernel)->cost(shape, spec->params);
}

int64_t tulle__spmv_bytes(const tulle__spec *spec, const tulle__spmv_shape *shape, bool beta_zero) {
    return tulle__spmv_of(spec->kernel)->bytes(shape, spec->params, beta_zero);
}

size_t tulle__spmv_workspace(const tulle__spec *spec, const tulle__spmv_shape *shape) {
    const tulle__spmv_kernel *kernel = tulle__spmv_of(spec->kernel);
    return kernel->workspace ? kernel->workspace(shape, spec->params) : 0;
}

tulle__spmv_shape tulle__spmv_shape_of(const tulle_ctx *ctx, const tulle__pattern *pattern,
                                       tulle__values values, const tulle__spmv_call *call) {
    return (tulle__spmv_shape){.rows = pattern->rows,
                               .cols = pattern->cols,
                               .nnz = pattern->nnz,
                               .format = pattern->format,
                               .values = values,
                               .type = tulle__computed_type(values),
                               .index = pattern->index,
                               .trans = call->op,
                               .vectors = call->vectors,
                               .x_layout = call->x_layout,
                               .y_layout = call->y_layout,
                               .stats = &pattern->stats,
                               .storage = &pattern->storage,
                               .device = &ctx->info,
                               .repeatable = ctx->repeatable};
}

static tulle_status found(tulle__spmv_selection *selection) {
    selection->workspace = tulle__spmv_workspace(&selection->spec, &selection->shape);
    return TULLE_OK;
}

/* Fits a plan for another number or layout of vectors to the selection's; returns true when it
 * serves, with the parameters that the kernel would take for these. */
static bool refit(const tulle__plan *plan, const tulle__spmv_call *call,
                  tulle__spmv_selection *selection) {
    const tulle__spmv_call *made_for = &plan->call;
    bool same = call->vectors == made_for->vectors && call->x_layout == made_for->x_layout &&
                call->y_layout == made_for->y_layout;
    if (same) return true;
    if (tulle__spmv_of(plan->spec.kernel)->prepare) return false;
    return tulle__spmv_settle(&selection->spec, &selection->shape, TULLE__MULTIVECTOR);
}

tulle_status tulle__spmv_use_plan(const tulle_ctx *ctx, const tulle_mat *A,
                                  const tulle__spmv_call *call, const tulle__plan_found *plan_found,
                                  tulle__spmv_selection *selection) {
    const tulle__plan *plan = plan_found->plan;
    tulle__spmv_call run = *call;
    run.op = plan->run_op;
    tulle__spmv_selection made = {.by = selection->by, .values = A->values.data};
    made.plan = plan_found->plan;
    made.copy = plan_found->copy;
    made.spec = plan->spec;
    made.pattern = tulle__form_pattern(plan->form, A);
    if (made.copy) made.values = made.copy->data;
    made.shape = tulle__spmv_shape_of(ctx, made.pattern, plan->values, &run);
    if (!refit(plan, call, &made)) {
        tulle__spmv_unselect(&made);
        return TULLE_UNSUPPORTED;
    }
    *selection = made;
    return found(selection);
}

static tulle_status select_planned(const tulle_ctx *ctx, const tulle_mat *A,
                                   const tulle__spmv_call *call, const tulle__spec *spec,
                                   tulle__spmv_selection *selection) {
    tulle__plan_wish wish = {.op = call->op,
                             .multivector = tulle__is_multivector(call),
                             .repeatable = ctx->repeatable,
                             .spec = spec};
    tulle__plan_found found = tulle__plan_find(A, &wish);
    return found.plan ? tulle__spmv_use_plan(ctx, A, call, &found, selection) : TULLE_UNSUPPORTED;
}

static tulle_status select_forced(const tulle_ctx *ctx, const tulle_mat *A,
                                  const tulle__spmv_call *call, tulle__spmv_selection *selection) {
    const tulle__spec *forced = tulle__spmv_forced(ctx, call);
    if (!forced->kernel) return TULLE_UNSUPPORTED;
    if (select_planned(ctx, A, call, forced, selection) == TULLE_OK) return TULLE_OK;

    selection->spec = *forced;
    unsigned need = tulle__spmv_need(call, ctx->repeatable);
    if (!ctx->repeatable) need &= ~(unsigned)TULLE__REPEATABLE;
    if (selection->spec.kernel->flags & TULLE__NEEDS_PLAN) return TULLE_UNSUPPORTED;
    bool can = tulle__spmv_settle(&selection->spec, &selection->shape, need);
    return can ? found(selection) : TULLE_UNSUPPORTED;
}

/* Flags that a kernel needs. Formats such as CSC have no A x that repeats: then any kernel will
 * do, unless the context insists. */
static unsigned need_at_least(const tulle_ctx *ctx, const tulle__spmv_call *call) {
    unsigned need = tulle__spmv_need(call, ctx->repeatable);
    return ctx->repeatable ? need : need & ~(unsigned)TULLE__REPEATABLE;
}

static void ask_rule(const tulle_ctx *ctx, const tulle__spmv_call *call,
                     const tulle__spmv_shape *shape, tulle__answer *answer) {
    const tulle__rule *rule = tulle__rule_of(ctx);
    unsigned need = tulle__spmv_need(call, ctx->repeatable);
    *answer = (tulle__answer){0};
    rule->pick(ctx->backend, shape, need, &answer->spec);
    if (!answer->spec.kernel) {
        rule->pick(ctx->backend, shape, need_at_least(ctx, call), &answer->spec);
    }
    if (answer->spec.kernel) answer->workspace = tulle__spmv_workspace(&answer->spec, shape);
}

static tulle_status select_by_rule(const tulle_ctx *ctx, const tulle_mat *A,
                                   const tulle__spmv_call *call, tulle__spmv_selection *selection) {
    tulle__question question = {.backend = ctx->backend,
                                .rule = tulle__rule_of(ctx),
                                .call = *call,
                                .values = selection->shape.values,
                                .repeatable = ctx->repeatable};
    tulle__answer answer;
    if (!tulle__answer_find(A->pattern, &question, &answer)) {
        ask_rule(ctx, call, &selection->shape, &answer);
        TULLE__TRY(tulle__answer_keep((tulle_ctx *)ctx, A->pattern, &question, &answer));
    }
    selection->spec = answer.spec;
    selection->workspace = answer.workspace;
    return answer.spec.kernel ? TULLE_OK : TULLE_UNSUPPORTED;
}

static tulle_status select_reference(const tulle_ctx *ctx, const tulle__spmv_call *call,
                                     tulle__spmv_selection *selection) {
    unsigned need = need_at_least(ctx, call) | TULLE__REFERENCE;
    const tulle__kernels *kernels = tulle__spmv_kernels(ctx->backend, tulle__is_multivector(call));
    for (int i = 0; i < kernels->count; i++) {
        selection->spec = (tulle__spec){.kernel = kernels->item[i]};
        if (tulle__spmv_settle(&selection->spec, &selection->shape, need)) return found(selection);
    }
    return TULLE_UNSUPPORTED;
}

tulle_status tulle__spmv_select(const tulle_ctx *ctx, const tulle_mat *A,
                                const tulle__spmv_call *call, tulle__stage stage,
                                tulle__spmv_selection *selection) {
    *selection = (tulle__spmv_selection){.by = stage,
                                         .shape = tulle__spmv_shape_now(ctx, A, call),
                                         .pattern = A->pattern,
                                         .values = A->values.data};
    switch (stage) {
        case TULLE__BY_FORCE:
            return select_forced(ctx, A, call, selection);
        case TULLE__BY_PLAN:
            return select_planned(ctx, A, call, NULL, selection);
        case TULLE__BY_RULE:
            return select_by_rule(ctx, A, call, selection);
        default:
            return select_reference(ctx, call, selection);
    }
}

void tulle__spmv_unselect(tulle__spmv_selection *selection) {
    tulle__plan_lose(&(tulle__plan_found){selection->plan, selection->copy});
    selection->plan = NULL;
    selection->copy = NULL;
}

static tulle_status forced_cannot(const tulle_ctx *ctx, const char *function,
                                  const tulle__spmv_call *call) {
    const tulle__kernel *kernel = tulle__spmv_forced(ctx, call)->kernel;
    if (kernel->flags & TULLE__NEEDS_PLAN) {
        return tulle__fail(TULLE_NEEDS_PLAN, function, "A", -1,
                           "the forced kernel %s runs with a plan only: call tulle_mat_plan first",
                           kernel->name);
    }
    return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                       "the forced kernel %s cannot take this %s product, format, type or shape "
                       "here%s",
                       kernel->name, call->op == TULLE_T ? "transposed" : "forward",
                       ctx->repeatable ? " repeatably" : "");
}

tulle_status tulle__spmv_none(const tulle_ctx *ctx, const char *function, const tulle_mat *A,
                              const tulle__spmv_call *call) {
    tulle_trans op = call->op;
    if (tulle__spmv_forced(ctx, call)->kernel) return forced_cannot(ctx, function, call);
    const tulle_format format = A->pattern->format;
    const bool has_kernels = format == TULLE_CSR || format == TULLE_BSR;
    if (!has_kernels && tulle__is_multivector(call) && !tulle__spmv_by_columns(ctx, call)) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                           "no kernel here multiplies row-major multivectors by a matrix in "
                           "format %s: convert it to CSR, or make X and Y column-major",
                           tulle_format_name(format));
    }
    if (format != TULLE_CSR) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                           "no kernel here computes this %s%s product of a matrix in format %s: "
                           "convert it to CSR first",
                           ctx->repeatable ? "repeatable " : "",
                           op == TULLE_T ? "transposed" : "plain", tulle_format_name(format));
    }
    if (op == TULLE_T && ctx->repeatable) {
        return tulle__fail(TULLE_NEEDS_PLAN, function, "A", -1,
                           "a repeatable transposed product needs a plan here: call "
                           "tulle_mat_optimize(ctx, TULLE_T, A, calls) first");
    }
    return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                       "no kernel takes this combination of types");
}
