/* SPDX-License-Identifier: Apache-2.0 */
/* Forecast of a call: the kernel makes its analysis and then stops. */
#include "core/options.h"
#include "spgemm/in_blocks.h"
#include "spgemm/renumbered.h"
#include "spgemm/stage.h"

/* Returns the largest number of entries that C may have: those of the product and those of D,
 * but at most one for each place. */
static int64_t most_with(const tulle__spgemm_run *run, int64_t d) {
    const double places = (double)run->task.a.rows * (double)run->task.b.cols;
    const double most = tulle__spgemm_most(run) + (double)d;
    return (int64_t)(most < places ? most : places);
}

/* Finds the bounds of the last product and its sum with D. */
static tulle_status bound_last(tulle__spgemm_run *run, int64_t *most) {
    tulle__spgemm_task *task = &run->task;
    int64_t d = 0;
    task->c.index = tulle__result_index(task->index, run->asked, most_with(run, 0));
    tulle__spgemm_budget_bound_stage(run);
    if (run->D) {
        tulle__plus sum = tulle__spgemm_sum_of(run, NULL);
        TULLE__TRY(tulle__plus_foresee(run->ctx, &sum, &d));
        tulle__spgemm_budget_foresee_sum(run, &sum);
    }
    *most = most_with(run, d);
    return TULLE_OK;
}

/* Looks at the product: the kernel stops when it has counted multiplications, or is refused memory
 * for that. */
static tulle_status look(tulle__spgemm_run *run, const tulle__spgemm_call *c, tulle_index least) {
    tulle__spgemm_operands operands;
    tulle__spgemm_budget_begin(run);
    tulle__spgemm_begin_stage(run);
    TULLE__TRY(
        tulle__spgemm_bring(run->ctx, c->op_A, c->op_B, c->A, c->B, run->mask, least, &operands));
    tulle__spgemm_budget_brought(run);
    tulle_status status = tulle__spgemm_phase_ends(&run->task, TULLE__SPGEMM_OPERANDS);
    run->only_forecast = true;
    if (status == TULLE_OK) status = tulle__spgemm_run_on(run, &operands);
    tulle__spgemm_let_go(&operands);
    if (!run->foreseen) return status;
    run->multiplications += run->task.multiplications;
    return TULLE_OK;
}

/* Forecasts a call of one product and the sum with D. */
static tulle_status of_product(tulle__spgemm_run *run, const tulle__spgemm_call *c, int64_t *most) {
    TULLE__TRY(look(run, c, tulle__asked_least(run->asked)));
    return bound_last(run, most);
}

/* Forecasts a triple product. The number of multiplications of its second stage is known only of an
 * A P that is there. */
static tulle_status of_triple(tulle__spgemm_run *run, const tulle__spgemm_call *c, int64_t *most) {
    const tulle_index least = tulle__asked_least(run->asked);
    tulle_mat *right = NULL;
    TULLE__TRY(tulle__spgemm_right(run, c, least, &right));
    const tulle__spgemm_call left = {
        .function = c->function, .op_A = TULLE_T, .op_B = TULLE_N, .A = c->B, .B = right};
    tulle__spgemm_watch_cap(run);
    tulle_status status = look(run, &left, least);
    if (tulle__spgemm_cap_refused(run, status)) tulle__spgemm_set_refused(run, true);
    tulle_mat_destroy(right);
    TULLE__TRY(status);
    return bound_last(run, most);
}

typedef tulle_status forecast_fn(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                 int64_t *most);

/* Forecasts a call by the function `of`. If the cap leaves too little memory for the analysis,
 * what the cap leaves is the bound. */
static tulle_status forecast(forecast_fn *of, tulle__spgemm_run *run, const tulle__spgemm_call *c,
                             tulle_spgemm_bounds *bounds) {
    int64_t most = -1;
    tulle__spgemm_budget_open(run);
    const tulle_status status = of(run, c, &most);
    tulle__spgemm_budget_close(run);
    if (status != TULLE_OK && !tulle__spgemm_is_refused(run)) return status;
    const bool known = status == TULLE_OK;
    *bounds = (tulle_spgemm_bounds){.kernel = run->spec.kernel->name,
                                    .products = known ? run->multiplications : -1,
                                    .nnz = most,
                                    .bytes = tulle__spgemm_budget_bound(run, known)};
    tulle__params_text(&run->spec, bounds->params, sizeof bounds->params);
    return TULLE_OK;
}

tulle_status tulle_spgemm_forecast_sized(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                         const tulle_mat *A, const tulle_mat *B,
                                         const tulle_spgemm_options *options, size_t options_size,
                                         tulle_spgemm_bounds *bounds) {
    TULLE__NEED(bounds);
    *bounds = (tulle_spgemm_bounds){.kernel = NULL};
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(B);
    tulle_spgemm_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    options = &own;
    const tulle__spgemm_call c = {.function = __func__, .op_A = op_A, .op_B = op_B, .A = A, .B = B};
    TULLE__TRY(tulle__spgemm_check(ctx, &c));
    TULLE__TRY(tulle__spgemm_check_options(__func__, ctx, options, A->type, tulle__op_rows(op_A, A),
                                           tulle__op_cols(op_B, B)));
    if (tulle__spgemm_has_blocks(&c, options))
        return tulle__spgemm_forecast_in_blocks(ctx, &c, options, bounds);
    tulle__spgemm_axes x;
    if (tulle__spgemm_find_axes(&c, options, &x))
        return tulle__spgemm_renumbered_forecast(ctx, &x, options, bounds);
    TULLE__TRY(tulle__spgemm_check_tables(ctx, &c, options));
    tulle__spgemm_run run = tulle__spgemm_start(__func__, ctx, A->type, tulle_num(1), options, 1);
    return forecast(of_product, &run, &c, bounds);
}

tulle_status tulle_spgemm_galerkin_forecast_sized(tulle_ctx *ctx, const tulle_mat *A,
                                                  const tulle_mat *P,
                                                  const tulle_spgemm_options *options,
                                                  size_t options_size,
                                                  tulle_spgemm_bounds *bounds) {
    TULLE__NEED(bounds);
    *bounds = (tulle_spgemm_bounds){.kernel = NULL};
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(P);
    tulle_spgemm_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    options = &own;
    const tulle__spgemm_call c = {
        .function = __func__, .op_A = TULLE_N, .op_B = TULLE_N, .A = A, .B = P};
    TULLE__TRY(tulle__spgemm_check_triple(__func__, ctx, A, P));
    TULLE__TRY(tulle__spgemm_check_unmasked(__func__, options));
    TULLE__TRY(tulle__spgemm_check_options(__func__, ctx, options, A->type, P->pattern->cols,
                                           P->pattern->cols));
    if (tulle__spgemm_has_triple_blocks(&c, options))
        return tulle__spgemm_forecast_triple_in_blocks(ctx, &c, options, bounds);
    tulle__spgemm_axes x;
    if (tulle__spgemm_triple_axes(&c, options, &x))
        return tulle__spgemm_renumbered_forecast(ctx, &x, options, bounds);
    TULLE__TRY(tulle__spgemm_check_triple_tables(__func__, ctx, A, P, options->D));
    tulle__spgemm_run run = tulle__spgemm_start(__func__, ctx, A->type, tulle_num(1), options, 2);
    return forecast(of_triple, &run, &c, bounds);
}
