/* SPDX-License-Identifier: Apache-2.0 */
/* What tulle_spmv would do, in words and numbers. */
#include "matrix/plan.h"
#include "spmv/select.h"
#include "spmv/spec.h"
#include "tulle/advanced.h"

/* Each input read once, each output written once (and read, unless beta is 0). */
static int64_t minimal_bytes(const tulle_mat *A, tulle_trans op, bool beta_zero) {
    const tulle__pattern *p = A->pattern;
    int64_t value = tulle_type_size(A->type);
    int64_t index = tulle_index_size(p->index);
    int64_t rows =
        p->format == TULLE_CSR ? (p->rows + 1) * tulle_offset_size(p->index) : p->nnz * index;
    int64_t y = op == TULLE_N ? p->rows : p->cols;
    return rows + p->nnz * (index + value) + (p->rows + p->cols + (beta_zero ? 0 : y)) * value;
}

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
    for (tulle__spmv_stage stage = TULLE__BY_FORCE; stage < TULLE__STAGES; stage++) {
        tulle__spmv_selection selection;
        tulle_status status = tulle__spmv_select(ctx, A, op, stage, &selection);
        bool nothing_forced = stage != TULLE__BY_FORCE || !ctx->forced.kernel;
        if (status == TULLE_UNSUPPORTED && nothing_forced) continue;
        if (status != TULLE_OK) return status;
        const tulle__spmv_kernel *kernel = selection.spec.kernel;
        *choice = (tulle_choice){
            .kernel = kernel->name,
            .by = by[stage],
            .minimal_bytes = minimal_bytes(A, op, beta_zero),
            .kernel_bytes = kernel->bytes(&selection.shape, selection.spec.params, beta_zero),
            .workspace_bytes = (int64_t)selection.workspace,
            .plan_bytes = selection.plan ? (int64_t)selection.plan->bytes : 0};
        tulle__spmv_params_text(kernel, selection.spec.params, choice->params,
                                sizeof choice->params);
        tulle__spmv_unselect(&selection);
        return TULLE_OK;
    }
    return tulle__spmv_none(ctx, A, op);
}
