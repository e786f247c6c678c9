/* SPDX-License-Identifier: Apache-2.0 */
/* What tulle_spmv would do, in words and numbers. */
#include "matrix/plan.h"
#include "spmv/bytes.h"
#include "spmv/select.h"
#include "spmv/spec.h"
#include "tulle/advanced.h"

tulle_status tulle_spmv_choice(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, bool beta_zero,
                               tulle_choice *choice) {
    static const char *const by[TULLE__STAGES] = {"forced", "plan", "rule", "reference"};
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(choice);
    if (op != TULLE_N && op != TULLE_T) return TULLE__BAD("op", "op is TULLE_N or TULLE_T");
    if (!tulle__same_space(ctx, A->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, __func__, "A", -1,
                           "A lives on another device than the context");
    }
    tulle__spmv_call call = tulle__one_vector(op);
    tulle__spmv_shape shape = tulle__spmv_shape_of(ctx, A->pattern, A->type, &call);
    for (tulle__spmv_stage stage = tulle__spmv_first_stage(ctx, &call);
         stage <= tulle__spmv_last_stage(ctx, &call); stage++) {
        tulle__spmv_selection selection;
        if (tulle__spmv_select(ctx, A, &call, stage, &selection) != TULLE_OK) continue;
        const tulle__spmv_kernel *kernel = selection.spec.kernel;
        *choice = (tulle_choice){
            .kernel = kernel->name,
            .by = by[stage],
            .minimal_bytes = tulle__spmv_minimal_bytes(&shape, beta_zero),
            .kernel_bytes = kernel->bytes(&selection.shape, selection.spec.params, beta_zero),
            .workspace_bytes = (int64_t)selection.workspace,
            .plan_bytes = selection.plan ? tulle__plan_bytes(A, selection.plan) : 0,
            .cost_bytes = kernel->cost(&selection.shape, selection.spec.params)};
        tulle__spmv_params_text(kernel, selection.spec.params, choice->params,
                                sizeof choice->params);
        tulle__spmv_unselect(&selection);
        return TULLE_OK;
    }
    return tulle__spmv_none(ctx, __func__, A, &call);
}
