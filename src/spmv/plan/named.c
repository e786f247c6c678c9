/* SPDX-License-Identifier: Apache-2.0 */
/* Plans that the caller asks for by name. */
#include "spmv/plan/make.h"
#include "spmv/select.h"
#include "tulle/advanced.h"

tulle_status tulle__plan_check(const char *function, const tulle_ctx *ctx, const tulle_mat *A,
                               tulle_trans op) {
    if (op != TULLE_N && op != TULLE_T) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "op", -1, "op is TULLE_N or TULLE_T");
    }
    if (!tulle__same_space(ctx, A->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, function, "A", -1,
                           "A lives on another device than the context");
    }
    if (A->pattern->format != TULLE_CSR) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                           "plans are made for CSR matrices: convert this %s matrix first",
                           tulle_format_name(A->pattern->format));
    }
    return TULLE_OK;
}

tulle_status tulle_mat_plan(tulle_ctx *ctx, tulle_trans op, tulle_mat *A, const char *spec) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__TRY(tulle__plan_check(__func__, ctx, A, op));
    tulle__plan_request request = {
        .function = __func__, .call = tulle__one_vector(op), .values = tulle__values_of(A->type)};
    if (spec) {
        TULLE__TRY(
            tulle__spec_parse_of(ctx->backend, __func__, TULLE__OP_SPMV, spec, &request.spec));
    }
    tulle__plan *plan = NULL;
    pthread_mutex_lock(&A->pattern->building);
    tulle_status status = tulle__plan_make(ctx, A, &request, &plan);
    if (status == TULLE_OK) tulle__plan_put(A->pattern, plan);
    tulle__copies_prune(A, NULL);
    pthread_mutex_unlock(&A->pattern->building);
    return status;
}

tulle_status tulle_mat_forget_plans(tulle_mat *A) {
    TULLE__NEED(A);
    pthread_mutex_lock(&A->pattern->building);
    tulle__plans_forget(A->pattern);
    tulle__copies_prune(A, NULL);
    pthread_mutex_unlock(&A->pattern->building);
    return TULLE_OK;
}
