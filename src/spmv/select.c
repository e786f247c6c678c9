/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/select.h"

#include "matrix/plan.h"
#include "spmv/spec.h"
#include "tune/rule.h"

/* The layout of a block; a column without gaps is column-major. */
static tulle_layout layout_of(const tulle_dense *v) {
    return v->cols == 1 && v->ld == 1 ? TULLE_COLUMN_MAJOR : v->layout;
}

tulle__spmv_call tulle__blocks_call(tulle_trans op, const tulle_dense *X, const tulle_dense *Y) {
    return (tulle__spmv_call){
        .op = op, .vectors = X->cols, .x_layout = layout_of(X), .y_layout = layout_of(Y)};
}

bool tulle__spmv_by_columns(const tulle_ctx *ctx, const tulle__spmv_call *call) {
    return call->vectors > 1 && call->x_layout == TULLE_COLUMN_MAJOR &&
           call->y_layout == TULLE_COLUMN_MAJOR && !ctx->forced_blocks.kernel;
}

unsigned tulle__spmv_need(const tulle__spmv_call *call, bool repeatable) {
    unsigned blocks = tulle__spmv_is_block(call) ? TULLE__BLOCKS : 0u;
    if (call->op == TULLE_N) return blocks | TULLE__FORWARD | TULLE__REPEATABLE;
    return blocks | TULLE__TRANSPOSED | (repeatable ? TULLE__REPEATABLE_T : 0u);
}

bool tulle__spmv_eligible(const tulle__spmv_spec *spec, const tulle__spmv_shape *shape,
                          unsigned need) {
    const tulle__spmv_kernel *kernel = spec->kernel;
    return kernel->format == shape->format && (kernel->flags & (need | TULLE__BLOCKS)) == need &&
           (!shape->narrow || (kernel->flags & TULLE__F32_VALUES)) &&
           kernel->min_architecture <= shape->device->architecture &&
           kernel->run[shape->type][shape->index] &&
           (!kernel->eligible || kernel->eligible(shape, spec->params));
}

tulle__spmv_shape tulle__spmv_shape_of(const tulle_ctx *ctx, const tulle__pattern *pattern,
                                       tulle_type type, const tulle__spmv_call *call) {
    return (tulle__spmv_shape){.rows = pattern->rows,
                               .cols = pattern->cols,
                               .nnz = pattern->nnz,
                               .format = pattern->format,
                               .type = type,
                               .index = pattern->index,
                               .trans = call->op,
                               .vectors = call->vectors,
                               .x_layout = call->x_layout,
                               .y_layout = call->y_layout,
                               .stats = &pattern->stats,
                               .storage = &pattern->storage,
                               .device = &ctx->info};
}

static tulle_status found(tulle__spmv_selection *selection) {
    const tulle__spmv_kernel *kernel = selection->spec.kernel;
    selection->workspace = 0;
    if (kernel->workspace) {
        selection->workspace = kernel->workspace(&selection->shape, selection->spec.params);
    }
    return TULLE_OK;
}

/* Whether a plan for another number or layout of vectors serves the selection's; it does so with
 * the parameters that the kernel would take for these. */
static bool refit(const tulle__plan *plan, const tulle__spmv_call *call,
                  tulle__spmv_selection *selection) {
    const tulle__spmv_call *made_for = &plan->call;
    bool same = call->vectors == made_for->vectors && call->x_layout == made_for->x_layout &&
                call->y_layout == made_for->y_layout;
    if (same) return true;
    if (plan->spec.kernel->prepare) return false;
    tulle__spmv_params_fill(&selection->shape, &selection->spec);
    return tulle__spmv_eligible(&selection->spec, &selection->shape, TULLE__BLOCKS);
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
    made.shape = tulle__spmv_shape_of(ctx, made.pattern, A->type, &run);
    made.shape.narrow = plan->narrow;
    if (!refit(plan, call, &made)) {
        tulle__spmv_unselect(&made);
        return TULLE_UNSUPPORTED;
    }
    *selection = made;
    return found(selection);
}

static tulle_status select_planned(const tulle_ctx *ctx, const tulle_mat *A,
                                   const tulle__spmv_call *call, const tulle__spmv_spec *spec,
                                   tulle__spmv_selection *selection) {
    tulle__plan_wish wish = {.op = call->op,
                             .blocks = tulle__spmv_is_block(call),
                             .repeatable = ctx->repeatable,
                             .spec = spec};
    tulle__plan_found found = tulle__plan_find(A, &wish);
    return found.plan ? tulle__spmv_use_plan(ctx, A, call, &found, selection) : TULLE_UNSUPPORTED;
}

static tulle_status select_forced(const tulle_ctx *ctx, const tulle_mat *A,
                                  const tulle__spmv_call *call, tulle__spmv_selection *selection) {
    const tulle__spmv_spec *forced = tulle__spmv_forced(ctx, call);
    if (!forced->kernel) return TULLE_UNSUPPORTED;
    if (select_planned(ctx, A, call, forced, selection) == TULLE_OK) return TULLE_OK;

    selection->spec = *forced;
    tulle__spmv_params_fill(&selection->shape, &selection->spec);
    unsigned need = tulle__spmv_need(call, ctx->repeatable);
    if (!ctx->repeatable) need &= ~(unsigned)TULLE__REPEATABLE;
    if (selection->spec.kernel->flags & TULLE__NEEDS_PLAN) return TULLE_UNSUPPORTED;
    bool can = tulle__spmv_eligible(&selection->spec, &selection->shape, need);
    return can ? found(selection) : TULLE_UNSUPPORTED;
}

/* Formats such as CSC have no A x that repeats: then any will do, unless the context insists. */
static unsigned need_at_least(const tulle_ctx *ctx, const tulle__spmv_call *call) {
    unsigned need = tulle__spmv_need(call, ctx->repeatable);
    return ctx->repeatable ? need : need & ~(unsigned)TULLE__REPEATABLE;
}

static tulle_status select_by_rule(const tulle_ctx *ctx, const tulle__spmv_call *call,
                                   tulle__spmv_selection *selection) {
    const tulle__spmv_kernel **kernel = &selection->spec.kernel;
    unsigned need = tulle__spmv_need(call, ctx->repeatable);
    ctx->rule->pick(ctx->backend, &selection->shape, need, &selection->spec);
    if (!*kernel) {
        need = need_at_least(ctx, call);
        ctx->rule->pick(ctx->backend, &selection->shape, need, &selection->spec);
    }
    return *kernel ? found(selection) : TULLE_UNSUPPORTED;
}

static tulle_status select_reference(const tulle_ctx *ctx, const tulle__spmv_call *call,
                                     tulle__spmv_selection *selection) {
    unsigned need = need_at_least(ctx, call) | TULLE__REFERENCE;
    for (int i = 0; i < ctx->backend->spmv_count; i++) {
        selection->spec = (tulle__spmv_spec){.kernel = ctx->backend->spmv[i]};
        tulle__spmv_params_fill(&selection->shape, &selection->spec);
        if (tulle__spmv_eligible(&selection->spec, &selection->shape, need)) {
            return found(selection);
        }
    }
    return TULLE_UNSUPPORTED;
}

tulle_status tulle__spmv_select(const tulle_ctx *ctx, const tulle_mat *A,
                                const tulle__spmv_call *call, tulle__spmv_stage stage,
                                tulle__spmv_selection *selection) {
    *selection =
        (tulle__spmv_selection){.by = stage,
                                .shape = tulle__spmv_shape_of(ctx, A->pattern, A->type, call),
                                .pattern = A->pattern,
                                .values = A->values.data};
    switch (stage) {
        case TULLE__BY_FORCE:
            return select_forced(ctx, A, call, selection);
        case TULLE__BY_PLAN:
            return select_planned(ctx, A, call, NULL, selection);
        case TULLE__BY_RULE:
            return select_by_rule(ctx, call, selection);
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
    const tulle__spmv_kernel *kernel = tulle__spmv_forced(ctx, call)->kernel;
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
    if (A->pattern->format != TULLE_CSR && tulle__spmv_is_block(call) &&
        !tulle__spmv_by_columns(ctx, call)) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                           "no kernel here multiplies row-major blocks of vectors by a matrix in "
                           "format %s: convert it to CSR, or make X and Y column-major",
                           tulle_format_name(A->pattern->format));
    }
    if (A->pattern->format != TULLE_CSR) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                           "no kernel here computes this %s%s product of a matrix in format %s: "
                           "convert it to CSR first",
                           ctx->repeatable ? "repeatable " : "",
                           op == TULLE_T ? "transposed" : "plain",
                           tulle_format_name(A->pattern->format));
    }
    if (op == TULLE_T && ctx->repeatable) {
        return tulle__fail(TULLE_NEEDS_PLAN, function, "A", -1,
                           "a repeatable transposed product needs a plan here: call "
                           "tulle_mat_optimize(ctx, A, TULLE_T, calls) first");
    }
    return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                       "no kernel takes this combination of types");
}
