/* SPDX-License-Identifier: Apache-2.0 */
/* Choices of tulle_spmv and tulle_spmm in numbers, without a product. */
#include "spmv/choice.h"

#include "matrix/build.h"
#include "spmv/bytes.h"
#include "spmv/plan/plan.h"

tulle_status tulle__choice_find(const tulle_ctx *ctx, const tulle_mat *A,
                                const tulle__spmv_call *call, tulle__spmv_selection *selection) {
    for (tulle__stage stage = tulle__spmv_first_stage(ctx, call);
         stage <= tulle__spmv_last_stage(ctx, call); stage++) {
        tulle_status status = tulle__spmv_select(ctx, A, call, stage, selection);
        if (status != TULLE_UNSUPPORTED) return status;
    }
    return TULLE_UNSUPPORTED;
}

/* Finds the choice; returns TULLE_UNSUPPORTED, without a record, where no kernel takes the call. */
static tulle_status choose(const tulle_ctx *ctx, const tulle_mat *A, const tulle__spmv_call *call,
                           bool beta_zero, tulle_choice *choice) {
    static const char *const by[TULLE__STAGES] = {"forced", "plan", "rule", "reference"};
    tulle__spmv_shape shape = tulle__spmv_shape_now(ctx, A, call);
    tulle__spmv_selection selection;
    TULLE__TRY(tulle__choice_find(ctx, A, call, &selection));
    *choice = (tulle_choice){
        .kernel = selection.spec.kernel->name,
        .by = by[selection.by],
        .minimal_bytes = tulle__spmv_minimal_bytes(&shape, beta_zero),
        .kernel_bytes = tulle__spmv_bytes(&selection.spec, &selection.shape, beta_zero),
        .workspace_bytes = (int64_t)selection.workspace,
        .plan_bytes = selection.plan ? tulle__plan_bytes(A, selection.plan) : 0,
        .cost_bytes = tulle__spmv_cost(&selection.spec, &selection.shape)};
    tulle__params_text(&selection.spec, choice->params, sizeof choice->params);
    tulle__spmv_unselect(&selection);
    return TULLE_OK;
}

/* Finds the choice for a multivector column by column: as many products with one vector. */
static tulle_status choose_by_columns(const tulle_ctx *ctx, const tulle_mat *A,
                                      const tulle__spmv_call *call, bool beta_zero,
                                      tulle_choice *choice) {
    tulle__spmv_call one = tulle__one_vector(call->op);
    TULLE__TRY(choose(ctx, A, &one, beta_zero, choice));
    tulle__spmv_shape shape = tulle__spmv_shape_now(ctx, A, call);
    choice->minimal_bytes = tulle__spmv_minimal_bytes(&shape, beta_zero);
    choice->kernel_bytes =
        tulle__spmv_countable(&shape) ? choice->kernel_bytes * call->vectors : TULLE__UNCOUNTED;
    return TULLE_OK;
}

tulle_status tulle__choice_check(const char *function, const tulle_ctx *ctx, tulle_trans op,
                                 const tulle_mat *A) {
    if (op != TULLE_N && op != TULLE_T) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "op", -1, "op is TULLE_N or TULLE_T");
    }
    return tulle__check_space(function, ctx, A);
}

tulle_status tulle_spmv_describe(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, bool beta_zero,
                                 tulle_choice *choice) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(choice);
    TULLE__TRY(tulle__choice_check(__func__, ctx, op, A));
    tulle__spmv_call call = tulle__one_vector(op);
    tulle_status status = choose(ctx, A, &call, beta_zero, choice);
    return status == TULLE_UNSUPPORTED ? tulle__spmv_none(ctx, __func__, A, &call) : status;
}

tulle_status tulle_spmm_describe(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                                 const tulle_vec *X, const tulle_vec *Y, bool beta_zero,
                                 tulle_choice *choice) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(X);
    TULLE__NEED(Y);
    TULLE__NEED(choice);
    TULLE__TRY(tulle__choice_check(__func__, ctx, op, A));
    if (X->cols != Y->cols) return TULLE__BAD("Y", "X and Y have different numbers of columns");
    tulle__spmv_call call = tulle__multivector_call(op, X, Y);
    tulle_status status = choose(ctx, A, &call, beta_zero, choice);
    if (status == TULLE_UNSUPPORTED && tulle__spmv_by_columns(ctx, &call)) {
        status = choose_by_columns(ctx, A, &call, beta_zero, choice);
    }
    return status == TULLE_UNSUPPORTED ? tulle__spmv_none(ctx, __func__, A, &call) : status;
}
