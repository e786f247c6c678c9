/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/product.h"

#include "core/print.h"
#include "core/select.h"
#include "core/stopwatch.h"
#include "matrix/operand.h"
#include "spgemm/cap/cap.h"

static tulle__spgemm_run *run_of(tulle__spgemm_task *task) {
    return (tulle__spgemm_run *)task;
}

/* Tells progress when so many phases of the product are done. */
static tulle_status tell(tulle__spgemm_run *run, double phases) {
    const double share = phases / TULLE__SPGEMM_PHASES;
    const double at = run->from + (run->to - run->from) * share;
    const int64_t done = (int64_t)(at * TULLE__SPGEMM_STEPS);
    run->done = done > run->done ? done : run->done + 1;
    return tulle__progress(run->ctx, run->what, run->done,
                           (int64_t)run->stages * TULLE__SPGEMM_PHASES * TULLE__SPGEMM_STEPS);
}

tulle_status tulle__spgemm_phase_tells(tulle__spgemm_task *task, tulle__spgemm_phase phase,
                                       double part) {
    return tell(run_of(task), (double)phase + part);
}

tulle_status tulle__spgemm_phase_ends(tulle__spgemm_task *task, tulle__spgemm_phase phase) {
    tulle__spgemm_run *run = run_of(task);
    if (run->phase_ms) {
        TULLE__TRY(run->ctx->backend->stream_wait(run->ctx->place.device, run->ctx->place.stream));
        double now = tulle__seconds();
        run->phase_ms[phase] += (now - run->since) * 1e3;
        run->since = now;
    }
    if (phase == TULLE__SPGEMM_ANALYSIS && !run->split) tulle__spgemm_budget_analysed(run);
    if (run->only_forecast && phase == TULLE__SPGEMM_ANALYSIS) {
        run->foreseen = true;
        return TULLE_CANCELLED;
    }
    return tell(run, (double)phase + 1);
}

tulle_status tulle__spgemm_make_c(tulle__spgemm_task *task, int64_t nnz) {
    tulle__spgemm_run *run = run_of(task);
    run->counted = nnz;
    tulle__spgemm_budget_counted(run, nnz);
    tulle__draft draft = {.ctx = run->ctx,
                          .rows = task->a.rows,
                          .cols = task->b.cols,
                          .nnz = nnz,
                          .index = task->index,
                          .type = task->type};
    TULLE__TRY(tulle__result_make(run->function, run->asked, &draft));
    task->c = (tulle__spgemm_result){.nnz = nnz,
                                     .index = draft.index,
                                     .offsets = draft.arrays.offsets,
                                     .cols_of = draft.arrays.cols_of,
                                     .values = draft.values};
    return tulle__spgemm_phase_ends(task, TULLE__SPGEMM_ALLOCATE);
}

tulle__spgemm_operand tulle__spgemm_operand_of(const tulle_mat *A) {
    const tulle__pattern *p = A->pattern;
    return (tulle__spgemm_operand){.rows = p->rows,
                                   .cols = p->cols,
                                   .nnz = p->nnz,
                                   .offsets = p->offsets.data,
                                   .cols_of = p->cols_of.data,
                                   .values = A->values.data,
                                   .stats = &p->stats};
}

tulle_status tulle__spgemm_watch(const tulle__spgemm_run *run,
                                 const tulle__spgemm_operands *operands) {
    if (run->ctx->kind != TULLE_EMULATED) return TULLE_OK;
    TULLE__TRY(tulle__scalar_lend(run->ctx, run->task.alpha, run->task.type));
    TULLE__TRY(tulle__operand_watch(run->ctx, operands->a));
    if (operands->mask) TULLE__TRY(tulle__operand_watch(run->ctx, operands->mask));
    return tulle__operand_watch(run->ctx, operands->b);
}

void tulle__spgemm_unwatch(const tulle__spgemm_run *run) {
    if (run->ctx->kind != TULLE_EMULATED) return;
    tulle__operands_unwatch(run->ctx);
    tulle__scalar_give_back(run->ctx, run->task.alpha);
}

void tulle__spgemm_begin_stage(tulle__spgemm_run *run) {
    const double width = (run->end - run->begin) / run->stages;
    run->from = run->begin + width * run->stage;
    run->to = run->from + width;
}

void tulle__spgemm_free_c(tulle__spgemm_run *run) {
    tulle__free(run->ctx, run->task.c.values);
    tulle__free(run->ctx, run->task.c.cols_of);
    tulle__free(run->ctx, run->task.c.offsets);
    run->task.c = (tulle__spgemm_result){.nnz = 0};
}

void tulle__spgemm_take(tulle__spgemm_task *task, const tulle__spgemm_operands *operands) {
    task->a = tulle__spgemm_operand_of(operands->a);
    task->b = tulle__spgemm_operand_of(operands->b);
    task->mask_low = 0;
    task->mask = (tulle__spgemm_operand){.offsets = NULL};
    if (operands->mask) task->mask = tulle__spgemm_operand_of(operands->mask);
    task->index = operands->b->pattern->index;
}

/* Fails a product whose kernel takes no pieces; the last error says how many bytes were missing. */
static tulle_status fail_without_pieces(const tulle__spgemm_run *run) {
    char why[160];
    tulle__print(why, sizeof why, "%s", tulle_last_error()->message);
    return tulle__fail(TULLE_OUT_OF_MEMORY, run->function, NULL, -1,
                       "%s; %s makes all rows at once with these parameters, fewer with others",
                       why, run->spec.kernel->name);
}

/* Makes the product at once, or in pieces, if it is the context's cap that does not let it and
 * the kernel may be given pieces. */
static tulle_status compute(tulle__spgemm_run *run) {
    tulle__spgemm_task *task = &run->task;
    tulle__spgemm_watch_cap(run);
    tulle_status status =
        tulle__spgemm_of(run->spec.kernel)->run[tulle__values_of(task->type)][task->index](task);
    const bool refused = tulle__spgemm_cap_refused(run, status);
    tulle__spgemm_set_refused(run, refused && !task->no_pieces);
    if (refused && task->no_pieces && !run->only_forecast) return fail_without_pieces(run);
    if (!tulle__spgemm_is_refused(run) || run->only_forecast || run->no_pieces) {
        run->pieces++;
        return status;
    }
    tulle__spgemm_free_c(run);
    task->lengths = NULL;
    task->ways = NULL;
    return tulle__spgemm_in_pieces(run);
}

/* Forgets what a kernel that did not take the product has left. */
static void begin(tulle__spgemm_run *run) {
    tulle__spgemm_task *task = &run->task;
    task->make_c = tulle__spgemm_make_c;
    task->ends = tulle__spgemm_phase_ends;
    task->tells = tulle__spgemm_phase_tells;
    run->counted = -1;
    tulle__spgemm_budget_prepare(run);
}

/* Returns, where no kernel takes the product, the status of the kernel that was tried last, if
 * one was. */
tulle_status tulle__spgemm_run_kernel(tulle__spgemm_run *run) {
    tulle_status status = TULLE_UNSUPPORTED;
    for (int i = 0; status == TULLE_UNSUPPORTED; i++) {
        begin(run);
        TULLE__TRY(tulle__spgemm_select(run->function, run, i, &run->spec));
        if (!run->spec.kernel) return i > 0 ? status : tulle__select_none(run->function);
        run->task.params = run->spec.params;
        status = compute(run);
        if (status != TULLE_OK) tulle__spgemm_free_c(run);
    }
    return status;
}

tulle_status tulle__spgemm_run_on(tulle__spgemm_run *run, const tulle__spgemm_operands *operands) {
    tulle__spgemm_take(&run->task, operands);
    tulle_status status = tulle__spgemm_watch(run, operands);
    if (status == TULLE_OK) status = tulle__spgemm_run_kernel(run);
    tulle__spgemm_unwatch(run);
    return status;
}
