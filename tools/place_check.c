/* SPDX-License-Identifier: Apache-2.0 */
#include "place_check.h"

#include <stdio.h>

#include "product.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/timing.h"

static tulle_status multiply(tulle_ctx *ctx, tulle_type type, tulle_trans op, double *worst) {
    tool_product product = {
        .op = op, .check = true, .alpha = 2, .beta = -0.5, .x = "random", .y = "random", .seed = 1};
    tool_product_result result;
    tulle_mat *A = NULL;
    tulle_status status = tulle_generate(ctx, "p2d5:7,9", 1, type, &A);
    if (status == TULLE_OK) status = tool_run_product(ctx, A, &product, &result);
    if (status == TULLE_OK && !(result.error.units <= *worst)) *worst = result.error.units;
    tulle_mat_destroy(A);
    return status;
}

static tulle_status multiply_all(tulle_ctx *ctx, double *worst) {
    tulle_status status = TULLE_OK;
    for (int i = 0; i < 4 && status == TULLE_OK; i++) {
        status = multiply(ctx, i % 2 ? TULLE_F64 : TULLE_F32, i / 2 ? TULLE_T : TULLE_N, worst);
    }
    return status;
}

/* Calls of a product that takes about as long as those that people time. */
static tulle_status time_product(tulle_ctx *ctx, tool_timing *timing) {
    enum { CALLS = 50 };
    const tool_product product = {
        .op = TULLE_N, .alpha = 1, .x = "random", .y = "random", .seed = 1, .repeat = CALLS};
    tool_product_result result;
    tulle_mat *A = NULL;
    tulle_status status = tulle_generate(ctx, "p2d5:300", 1, TULLE_F64, &A);
    if (status == TULLE_OK) status = tool_run_product(ctx, A, &product, &result);
    if (status == TULLE_OK) {
        *timing = (tool_timing){
            .ms = result.ms, .q10 = result.ms_q10, .q90 = result.ms_q90, .samples = CALLS};
    }
    tulle_mat_destroy(A);
    return status;
}

tulle_status tool_check_place(const char *where, bool measure, tool_place_check *check) {
    *check = (tool_place_check){0};
    snprintf(check->where, sizeof check->where, "%s", where);
    tulle_ctx *ctx = NULL;
    tulle_status status = tool_open_place(where, &ctx);
    if (status == TULLE_OK) status = tulle_ctx_device(ctx, &check->device);
    if (status == TULLE_OK) status = multiply_all(ctx, &check->error);
    if (status == TULLE_OK && measure) status = tool_bandwidth(ctx, &check->copy_gbs);
    if (status == TULLE_OK && measure) status = time_product(ctx, &check->timing);
    tulle_ctx_destroy(ctx);
    check->works = status == TULLE_OK && check->error <= 1;
    if (status != TULLE_OK) {
        snprintf(check->problem, sizeof check->problem, "%s", tool_error_line());
    } else if (!check->works) {
        snprintf(check->problem, sizeof check->problem, "wrong results: %.3g times the error bound",
                 check->error);
    }
    return status == TULLE_CANCELLED || tool_interrupted() ? TULLE_CANCELLED : TULLE_OK;
}
