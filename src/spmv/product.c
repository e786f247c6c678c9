/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/product.h"

#include "matrix/marks_of.h"

tulle_status tulle__run_selection(const tulle__operands *o,
                                  const tulle__spmv_selection *selection) {
    const tulle__spec *spec = &selection->spec;
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
                             .prepared = selection->plan ? selection->plan->prepared : NULL};
#undef A
    TULLE__TRY(tulle__workspace(o->ctx, selection->workspace, &task.workspace));
    return tulle__spmv_of(spec->kernel)->run[task.shape.values][task.shape.index](&task);
}

tulle_status tulle__spmv_product(const tulle__operands *o, const tulle__spmv_call *call) {
    for (tulle__spmv_stage stage = tulle__spmv_first_stage(o->ctx, call);
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
