/* SPDX-License-Identifier: Apache-2.0 */
#include "place_check.h"

#include <stdio.h>

#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/timing.h"
#include "trial.h"
#include "trials/spmv.h"

/* Runs a trial of a product of a model matrix with one vector. */
static tulle_status try(tulle_ctx *ctx, const char *spec, tulle_type type, tool_trial *trial) {
    trial->operation = &trial_operation_spmv;
    trial->given.block = trial_one_vector;
    trial->A.name = spec;
    tulle_status status = tulle_generate(ctx, spec, 1, type, &trial->A.matrix);
    if (status == TULLE_OK) status = tool_trial_run_on(ctx, 1, trial);
    tool_operand_close(&trial->A);
    return status;
}

static tulle_status multiply(tulle_ctx *ctx, tulle_type type, tulle_trans op, double *worst) {
    trial_spmv_options options = trial_spmv_plain;
    options.alpha = 2;
    options.beta = -0.5;
    tool_trial trial = {.given = {.options = &options, .trans = op, .check = true}};
    const tulle_status status = try(ctx, "p2d5:7,9", type, &trial);
    if (status == TULLE_OK && !(trial.units <= *worst)) *worst = trial.units;
    return status;
}

static tulle_status multiply_all(tulle_ctx *ctx, double *worst) {
    tulle_status status = TULLE_OK;
    for (int i = 0; i < 4 && status == TULLE_OK; i++) {
        status = multiply(ctx, i % 2 ? TULLE_F64 : TULLE_F32, i / 2 ? TULLE_T : TULLE_N, worst);
    }
    return status;
}

/* Times calls of a product that takes about as long as the products that people time. */
static tulle_status time_product(tulle_ctx *ctx, tool_timing *timing) {
    enum { CALLS = 50 };
    tool_trial trial = {.repeat = CALLS};
    const tulle_status status = try(ctx, "p2d5:300", TULLE_F64, &trial);
    if (status == TULLE_OK) *timing = trial.timing;
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
