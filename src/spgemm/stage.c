/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/stage.h"

#include "core/stopwatch.h"
#include "format/stats.h"

tulle__spgemm_run tulle__spgemm_start(const char *function, tulle_ctx *ctx, tulle_type type,
                                      tulle_scalar alpha, const tulle_spgemm_options *options,
                                      int stages) {
    tulle__spgemm_run run = {
        .ctx = ctx,
        .function = function,
        .asked = {options->index_given, options->index},
        .D = options->D,
        .beta = options->beta,
        .mask = options->mask,
        .stages = stages,
        .what = "multiplying",
        .end = (double)stages * TULLE__SPGEMM_PHASES,
        .task = {.place = &ctx->place, .device = &ctx->info, .type = type, .alpha = alpha}};
    run.task.unsorted = options->unsorted && !options->D;
    return run;
}

static tulle_status around_last(const tulle__spgemm_run *run, tulle__draft *draft, tulle_mat **C) {
    return tulle__result_finish(draft, run->asked, !run->task.unsorted, C);
}

/* Makes a matrix of values alone, on a pattern that has the entries of the draft. */
static tulle_status around_pattern(tulle__draft *draft, tulle__pattern *pattern, tulle_mat **C) {
    const tulle__array values = {.data = draft->values, .ownership = TULLE_COPY};
    const tulle_status status = tulle__mat_around(draft->ctx, pattern, draft->type, &values, C);
    if (status == TULLE_OK) draft->values = NULL;
    tulle__draft_free(draft);
    return status;
}

/* The next product needs no other statistics of an operand than that its columns rise. */
static tulle_status assume_rising(tulle_ctx *ctx, const tulle__pattern_view *view,
                                  const void *known, tulle__stats *stats) {
    (void)ctx;
    (void)view;
    (void)known;
    *stats = tulle__stats_start();
    return TULLE_OK;
}

/* Makes a matrix of an operand's arrays. Nothing waits: only this call's stream has the matrix. */
static tulle_status around_operand(tulle__draft *draft, tulle_mat **C) {
    return tulle__draft_finish_by(draft, assume_rising, NULL, C);
}

/* Makes the matrix C of the arrays, which are then the matrix's or freed. */
static tulle_status around(const tulle__spgemm_run *run, bool last, tulle_mat **C) {
    const tulle__spgemm_task *task = &run->task;
    tulle__draft draft = {.ctx = run->ctx,
                          .rows = task->a.rows,
                          .cols = task->b.cols,
                          .nnz = task->c.nnz,
                          .format = TULLE_CSR,
                          .index = task->c.index,
                          .type = task->type,
                          .storage = {.stored = task->c.nnz},
                          .arrays = {.offsets = task->c.offsets, .cols_of = task->c.cols_of},
                          .values = task->c.values};
    if (!last) return around_operand(&draft, C);
    tulle__pattern *like = run->like;
    const bool is_like = like && like->nnz == draft.nnz && like->index == draft.index;
    return is_like ? around_pattern(&draft, like, C) : around_last(run, &draft, C);
}

static tulle_status make_arrays(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                tulle_index least) {
    tulle__spgemm_operands operands;
    tulle__spgemm_budget_begin(run);
    tulle__spgemm_begin_stage(run);
    TULLE__TRY(
        tulle__spgemm_bring(run->ctx, c->op_A, c->op_B, c->A, c->B, run->mask, least, &operands));
    tulle__spgemm_budget_brought(run);
    tulle_status status = tulle__spgemm_phase_ends(&run->task, TULLE__SPGEMM_OPERANDS);
    if (status == TULLE_OK) status = tulle__spgemm_run_on(run, &operands);
    tulle__spgemm_let_go(&operands);
    TULLE__TRY(status);
    run->multiplications += run->task.multiplications;
    tulle__spgemm_budget_bound_stage(run);
    return TULLE_OK;
}

tulle_status tulle__spgemm_stage(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                 tulle_index least, bool last, tulle_mat **C) {
    TULLE__TRY(make_arrays(run, c, least));
    TULLE__TRY(around(run, last, C));
    tulle_status status = tulle__spgemm_phase_ends(&run->task, TULLE__SPGEMM_FINISH);
    run->stage++;
    if (status == TULLE_OK) return TULLE_OK;
    tulle_mat_destroy(*C);
    *C = NULL;
    return status;
}

double tulle__spgemm_most(const tulle__spgemm_run *run) {
    return tulle__spgemm_most_of(&run->task, run->task.multiplications);
}

tulle__plus tulle__spgemm_sum_of(const tulle__spgemm_run *run, const tulle_mat *product) {
    const double most = tulle__spgemm_most(run);
    const int64_t counted = most < 9e18 ? (int64_t)most : INT64_MAX;
    return (tulle__plus){.function = run->function,
                         .A = product,
                         .B = run->D,
                         .beta = run->beta,
                         .asked = run->asked,
                         .least = tulle__result_index(run->task.index, run->asked, 0),
                         .index = tulle__result_index(run->task.index, run->asked, counted),
                         .most = most};
}

static tulle_status plus(tulle__spgemm_run *run, const tulle_mat *product, tulle_mat **C) {
    tulle__plus sum = tulle__spgemm_sum_of(run, product);
    tulle__spgemm_budget_begin(run);
    double start = tulle__seconds();
    TULLE__TRY(tulle__plus_make(run->ctx, &sum, C));
    run->add_ms = (tulle__seconds() - start) * 1e3;
    tulle__spgemm_budget_bound_sum(run, &sum);
    return TULLE_OK;
}

tulle_status tulle__spgemm_plus(tulle__spgemm_run *run, tulle_mat *product, tulle_mat **C) {
    if (!run->D) {
        *C = product;
        return TULLE_OK;
    }
    tulle_status status = plus(run, product, C);
    tulle_mat_destroy(product);
    return status;
}

static void fill_report(const tulle__spgemm_run *run, const tulle_mat *C,
                        tulle_spgemm_report *report) {
    const double *ms = run->phase_ms;
    *report = (tulle_spgemm_report){.kernel = run->spec.kernel->name,
                                    .products = run->multiplications,
                                    .nnz = C->pattern->nnz,
                                    .pieces = run->pieces,
                                    .operands_ms = ms[TULLE__SPGEMM_OPERANDS],
                                    .analysis_ms = ms[TULLE__SPGEMM_ANALYSIS],
                                    .count_ms = ms[TULLE__SPGEMM_COUNT],
                                    .allocate_ms = ms[TULLE__SPGEMM_ALLOCATE],
                                    .compute_ms = ms[TULLE__SPGEMM_COMPUTE],
                                    .finish_ms = ms[TULLE__SPGEMM_FINISH],
                                    .add_ms = run->add_ms};
    tulle__spgemm_budget_report(run, report);
    tulle__params_text(&run->spec, report->params, sizeof report->params);
}

tulle_status tulle__spgemm_call_by(tulle__spgemm_way *way, tulle__spgemm_run *run,
                                   const tulle__spgemm_call *c, tulle_spgemm_report *report,
                                   tulle_mat **C) {
    if (!report) return way(run, c, C);
    double ms[TULLE__SPGEMM_PHASES] = {0};
    tulle__spgemm_budget_open(run);
    double start = tulle__seconds();
    run->phase_ms = ms;
    run->since = start;
    tulle_status status = way(run, c, C);
    double total = (tulle__seconds() - start) * 1e3;
    tulle__spgemm_budget_close(run);
    TULLE__TRY(status);
    fill_report(run, *C, report);
    report->total_ms = total;
    return TULLE_OK;
}
