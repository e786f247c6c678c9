/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/product.h"

#include "format/draft.h"
#include "matrix/block_lines_of.h"
#include "matrix/marks_of.h"
#include "spmv/shares.h"

static tulle_status watch_input(tulle_ctx *ctx, const void *data, size_t bytes) {
    return ctx->backend->watch(ctx->place.device, (void *)data, bytes, TULLE__WATCH_INPUT);
}

/* Tells the emulator the memory that the caller lends for the call, and that the call only
 * reads. */
static tulle_status watch(const tulle__operands *o, const tulle__spmv_selection *selection) {
    tulle_ctx *ctx = o->ctx;
    const tulle__pattern *pattern = selection->pattern;
    size_t number = (size_t)tulle_type_size(o->x->type);
    tulle_mat_lengths n =
        tulle__counts(pattern->format, pattern->rows, pattern->cols, &pattern->storage);
    if (o->alpha.address) TULLE__TRY(tulle__lend(ctx, o->alpha.address, number));
    if (o->beta.address) TULLE__TRY(tulle__lend(ctx, o->beta.address, number));
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        size_t bytes =
            tulle__bytes(tulle__array_count(&n, k), tulle__array_item(pattern->index, k));
        TULLE__TRY(watch_input(ctx, pattern->arrays[k].data, bytes));
    }
    return tulle__dense_watch(ctx, o->x);
}

static void unwatch(const tulle__operands *o) {
    tulle_ctx *ctx = o->ctx;
    ctx->backend->watch(ctx->place.device, NULL, 0, TULLE__WATCH_NO_INPUTS);
    if (o->alpha.address) tulle__give_back(ctx, o->alpha.address);
    if (o->beta.address) tulle__give_back(ctx, o->beta.address);
}

static tulle_status run(const tulle__operands *o, const tulle__spmv_selection *selection,
                        const tulle__spmv_task *task) {
    const tulle__spmv_kernel *kernel = tulle__spmv_of(selection->spec.kernel);
    bool watched = o->ctx->kind == TULLE_EMULATED;
    tulle_status status = watched ? watch(o, selection) : TULLE_OK;
    if (status == TULLE_OK) status = kernel->run[task->shape.values][task->shape.index](task);
    if (watched) unwatch(o);
    return status;
}

tulle_status tulle__run_selection(const tulle__operands *o,
                                  const tulle__spmv_selection *selection) {
    const tulle__spec *spec = &selection->spec;
    const tulle__plan *plan = selection->plan;
#define A(number, member, field, item, words) .member = selection->pattern->member.data,
    tulle__spmv_task task = {.shape = selection->shape,
                             .place = &o->ctx->place,
                             TULLE__EACH_ARRAY(A).marks = tulle__marks_of(selection->pattern),
                             .values = selection->values,
                             .x = o->x->data,
                             .y = o->y->data,
                             .ldx = o->x->ld,
                             .ldy = o->y->ld,
                             .alpha = o->alpha,
                             .beta = o->beta,
                             .params = spec->params,
                             .prepared = plan ? plan->prepared : NULL,
                             .prepared_count = plan ? plan->prepared_count : 0};
#undef A
    const tulle__spmv_kernel *kernel = tulle__spmv_of(spec->kernel);
    if (kernel->wants_lines && kernel->wants_lines(&task.shape, task.params)) {
        TULLE__TRY(tulle__block_lines_of(o->ctx, (tulle__pattern *)selection->pattern,
                                         task.shape.trans, &task.lines));
    }
    tulle__shared_work work;
    if (kernel->shared_work && kernel->shared_work(&task, &work)) {
        task.shares = tulle__column_shares_of(o->ctx, (tulle__pattern *)selection->pattern, &work);
    }
    TULLE__TRY(tulle__workspace(o->ctx, selection->workspace, &task.workspace));
    return run(o, selection, &task);
}

tulle_status tulle__spmv_product(const tulle__operands *o, const tulle__spmv_call *call) {
    for (tulle__stage stage = tulle__spmv_first_stage(o->ctx, call);
         stage <= tulle__spmv_last_stage(o->ctx, call); stage++) {
        tulle__spmv_selection selection;
        tulle_status status = tulle__spmv_select(o->ctx, o->A, call, stage, &selection);
        if (status == TULLE_UNSUPPORTED) continue;
        TULLE__TRY(status);
        status = tulle__run_selection(o, &selection);
        tulle__spmv_unselect(&selection);
        if (status != TULLE_UNSUPPORTED) return status;
    }
    return TULLE_UNSUPPORTED;
}
