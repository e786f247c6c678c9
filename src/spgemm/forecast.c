/* SPDX-License-Identifier: Apache-2.0 */
/* What a product may take, from its kernel's own analysis, which then goes no further. */
#include <stdio.h>

#include "spgemm/stage.h"

/* Entries that C has at most: one for each product, or for each place. */
static int64_t most_entries(const tulle__spgemm_task *task) {
    const double places = (double)task->a.rows * (double)task->b.cols;
    return (double)task->products < places ? task->products : (int64_t)places;
}

static void fill_bounds(tulle__spgemm_run *run, size_t kept, tulle_spgemm_bounds *bounds) {
    tulle__spgemm_task *task = &run->task;
    int64_t most = -1;
    if (run->foreseen) {
        most = most_entries(task);
        task->c.index = tulle__result_index(task->index, run->asked, most);
    } else {
        task->products = -1;
        task->bound_bytes = INT64_MAX;
    }
    tulle__spgemm_bound_stage(run, kept);
    *bounds = (tulle_spgemm_bounds){.kernel = run->spec.kernel->name,
                                    .products = task->products,
                                    .nnz = most,
                                    .bytes = tulle__spgemm_within_cap(run, run->bound)};
    tulle__params_text(&run->spec, bounds->params, sizeof bounds->params);
}

static tulle_status look(tulle__spgemm_run *run, const tulle__spgemm_operands *operands) {
    TULLE__TRY(tulle__spgemm_phase_ends(&run->task, TULLE__SPGEMM_OPERANDS));
    const tulle_status status = tulle__spgemm_product(run, operands);
    return run->foreseen || run->refused ? TULLE_OK : status;
}

static tulle_status forecast(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                             tulle_spgemm_bounds *bounds) {
    tulle__spgemm_operands operands;
    TULLE__TRY(tulle__spgemm_bring(run->ctx, c->op_A, c->op_B, c->A, c->B,
                                   tulle__asked_least(run->asked), &operands));
    const tulle_memory_usage usage = tulle__pool_usage(&run->ctx->pool);
    run->operands = usage.in_use;
    run->high = usage.high;
    run->to = TULLE__SPGEMM_PHASES;
    const tulle_status status = look(run, &operands);
    if (status == TULLE_OK) fill_bounds(run, usage.pooled, bounds);
    tulle__spgemm_let_go(&operands);
    return status;
}

tulle_status tulle_spgemm_forecast(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                   const tulle_mat *A, const tulle_mat *B,
                                   const tulle_spgemm_options *options,
                                   tulle_spgemm_bounds *bounds) {
    static const tulle_spgemm_options defaults = {0};
    TULLE__NEED(bounds);
    *bounds = (tulle_spgemm_bounds){.kernel = NULL};
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(B);
    if (!options) options = &defaults;
    if (options->D) {
        return tulle__fail(TULLE_UNSUPPORTED, __func__, "options", -1,
                           "D is added when the product has been made, and no forecast has it");
    }
    const tulle__spgemm_call c = {.function = __func__, .op_A = op_A, .op_B = op_B, .A = A, .B = B};
    TULLE__TRY(tulle__spgemm_check(ctx, &c));
    TULLE__TRY(tulle__spgemm_check_options(__func__, ctx, options, A->type, tulle__op_rows(op_A, A),
                                           tulle__op_cols(op_B, B)));
    tulle__spgemm_run run = tulle__spgemm_start(__func__, ctx, A->type, tulle_num(1), options, 1);
    const tulle_memory_usage before = tulle__pool_usage(&ctx->pool);
    tulle__pool_reset_high(&ctx->pool);
    run.before = before.in_use;
    run.kept = before.pooled;
    run.only_forecast = true;
    const tulle_status status = forecast(&run, &c, bounds);
    tulle__pool_raise_high(&ctx->pool, before.high);
    return status;
}
