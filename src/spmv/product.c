/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/product.h"

tulle_status tulle__run_selection(const tulle__operands *o,
                                  const tulle__spmv_selection *selection) {
    const tulle__spmv_spec *spec = &selection->spec;
    tulle__spmv_task task = {.shape = selection->shape,
                             .place = &o->ctx->place,
                             .offsets = selection->pattern->offsets.data,
                             .rows_of = selection->pattern->rows_of.data,
                             .cols_of = selection->pattern->cols_of.data,
                             .order = selection->pattern->order.data,
                             .lengths = selection->pattern->lengths.data,
                             .mask = selection->pattern->mask.data,
                             .codes = selection->pattern->codes.data,
                             .marks = selection->pattern->marks,
                             .values = selection->values,
                             .x = o->x->data,
                             .y = o->y->data,
                             .ldx = o->x->ld,
                             .ldy = o->y->ld,
                             .alpha = o->alpha,
                             .beta = o->beta,
                             .params = spec->params,
                             .prepared = selection->plan ? selection->plan->prepared : NULL};
    TULLE__TRY(tulle__workspace(o->ctx, selection->workspace, &task.workspace));
    return spec->kernel->run[task.shape.type][task.shape.index](&task);
}

tulle_status tulle__spmv_product(const tulle__operands *o, const tulle__spmv_call *call) {
    for (tulle__spmv_stage stage = tulle__spmv_first_stage(o->ctx, call);
         stage <= tulle__spmv_last_stage(o->ctx, call); stage++) {
        tulle__spmv_selection selection;
        if (tulle__spmv_select(o->ctx, o->A, call, stage, &selection) != TULLE_OK) continue;
        tulle_status status = tulle__run_selection(o, &selection);
        tulle__spmv_unselect(&selection);
        if (status != TULLE_UNSUPPORTED) return status;
    }
    return TULLE_UNSUPPORTED;
}
