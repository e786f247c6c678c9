/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/product.h"

#include "core/stopwatch.h"

static tulle__spgemm_run *run_of(tulle__spgemm_task *task) {
    return (tulle__spgemm_run *)task;
}

tulle_status tulle__spgemm_phase_ends(tulle__spgemm_task *task, tulle__spgemm_phase phase) {
    tulle__spgemm_run *run = run_of(task);
    if (run->phase_ms) {
        TULLE__TRY(run->ctx->backend->stream_wait(run->ctx->place.device, run->ctx->place.stream));
        double now = tulle__seconds();
        run->phase_ms[phase] += (now - run->since) * 1e3;
        run->since = now;
    }
    return tulle__progress(run->ctx, "multiplying", (int64_t)phase + 1, TULLE__SPGEMM_PHASES);
}

/* 32-bit offsets where they can count the entries, unless others were asked for. */
static tulle_index index_for(const tulle__spgemm_run *run, int64_t nnz) {
    if (run->task.index == TULLE_I64) return TULLE_I64;
    if (run->options->index_given) return run->options->index;
    return nnz <= INT32_MAX ? run->task.index : TULLE_I64_I32;
}

static tulle_status check_asked(const tulle__spgemm_run *run, int64_t nnz) {
    if (!run->options->index_given || nnz <= INT32_MAX ||
        tulle_offset_size(run->options->index) == 8) {
        return TULLE_OK;
    }
    return tulle__fail(TULLE_TOO_LARGE, run->function, "options", -1,
                       "C has %lld entries, which 32-bit offsets cannot count: ask for "
                       "TULLE_I64_I32, or for no index type",
                       (long long)nnz);
}

static tulle_status make_c(tulle__spgemm_task *task, int64_t nnz) {
    tulle__spgemm_run *run = run_of(task);
    TULLE__TRY(check_asked(run, nnz));
    tulle__draft draft = {.ctx = run->ctx,
                          .rows = task->a.rows,
                          .cols = task->b.cols,
                          .nnz = nnz,
                          .format = TULLE_CSR,
                          .index = index_for(run, nnz),
                          .type = task->type};
    TULLE__TRY(tulle__draft_alloc(&draft));
    task->c = (tulle__spgemm_result){.nnz = nnz,
                                     .index = draft.index,
                                     .offsets = draft.arrays.offsets,
                                     .cols_of = draft.arrays.cols_of,
                                     .values = draft.values};
    return tulle__spgemm_phase_ends(task, TULLE__SPGEMM_ALLOCATE);
}

static tulle__spgemm_operand operand_of(const tulle_mat *A) {
    const tulle__pattern *p = A->pattern;
    return (tulle__spgemm_operand){.rows = p->rows,
                                   .cols = p->cols,
                                   .nnz = p->nnz,
                                   .offsets = p->offsets.data,
                                   .cols_of = p->cols_of.data,
                                   .values = A->values.data,
                                   .stats = &p->stats};
}

static tulle_status watch_operand(const tulle__spgemm_run *run, const tulle__spgemm_operand *o) {
    tulle_ctx *ctx = run->ctx;
    const tulle_index index = run->task.index;
    const void *arrays[] = {o->offsets, o->cols_of, o->values};
    const int64_t counts[] = {o->rows + 1, o->nnz, o->nnz};
    const int64_t sizes[] = {tulle_offset_size(index), tulle_index_size(index),
                             tulle_type_size(run->task.type)};
    for (int i = 0; i < 3; i++) {
        TULLE__TRY(ctx->backend->watch(ctx->place.device, (void *)arrays[i],
                                       tulle__bytes(counts[i], sizes[i]), TULLE__WATCH_INPUT));
    }
    return TULLE_OK;
}

/* On the emulator: what the caller lends, and what no kernel may write. */
static tulle_status watch(const tulle__spgemm_run *run) {
    const tulle__spgemm_task *task = &run->task;
    const void *alpha = task->alpha.address;
    if (alpha) TULLE__TRY(tulle__lend(run->ctx, alpha, (size_t)tulle_type_size(task->type)));
    TULLE__TRY(watch_operand(run, &task->a));
    return watch_operand(run, &task->b);
}

static void unwatch(const tulle__spgemm_run *run) {
    tulle_ctx *ctx = run->ctx;
    ctx->backend->watch(ctx->place.device, NULL, 0, TULLE__WATCH_NO_INPUTS);
    if (run->task.alpha.address) tulle__give_back(ctx, run->task.alpha.address);
}

static void free_c(tulle__spgemm_run *run) {
    tulle__free(run->ctx, run->task.c.values);
    tulle__free(run->ctx, run->task.c.cols_of);
    tulle__free(run->ctx, run->task.c.offsets);
}

tulle_status tulle__spgemm_product(tulle__spgemm_run *run, const tulle__spgemm_operands *operands,
                                   tulle__spec *spec) {
    tulle__spgemm_task *task = &run->task;
    bool watched = run->ctx->kind == TULLE_EMULATED;
    task->a = operand_of(operands->a);
    task->b = operand_of(operands->b);
    task->index = operands->b->pattern->index;
    task->make_c = make_c;
    task->ends = tulle__spgemm_phase_ends;
    TULLE__TRY(tulle__spgemm_select(run->function, run, spec));
    task->params = spec->params;
    tulle_status status = watched ? watch(run) : TULLE_OK;
    if (status == TULLE_OK) {
        status = tulle__spgemm_of(spec->kernel)->run[task->type][task->index](task);
    }
    if (watched) unwatch(run);
    if (status != TULLE_OK) free_c(run);
    return status;
}
