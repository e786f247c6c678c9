/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the values of factors: selects a kernel and runs it. */
#include "core/select.h"
#include "factor/object.h"
#include "trisolve/triangle.h"

static bool takes(const tulle__kernel *head, const void *user) {
    const tulle__factor_kernel *kernel = tulle__factor_of(head);
    const tulle__factor_task *task = user;
    return kernel->run[tulle__type_index(task->type)][task->index] &&
           (!kernel->eligible || kernel->eligible(task));
}

static void defaults(const tulle__kernel *head, const void *task, int *params) {
    const tulle__factor_kernel *kernel = tulle__factor_of(head);
    if (kernel->defaults) kernel->defaults(task, params);
}

tulle_status tulle__factor_select(const char *function, const tulle_ctx *ctx,
                                  const tulle__factor_task *task, int i, tulle__spec *spec) {
    const tulle__selector selector = {.operation = TULLE__OP_FACTOR,
                                      .repeats = TULLE__REPEATABLE,
                                      .task = task,
                                      .takes = takes,
                                      .defaults = defaults};
    return tulle__select(function, ctx, &selector, i, spec);
}

tulle__factor_task tulle__factor_task_of(tulle_ctx *ctx, const tulle_factor *F,
                                         const tulle_mat *A) {
    const tulle__symbolic *s = F->symbolic;
    const tulle__pattern *p = s->pattern;
    const bool plain = s->block == 1 && !s->source && !F->row_scale && !F->col_scale &&
                       F->options.shift == 0 && A->type == F->LU->type;
    return (tulle__factor_task){.place = &ctx->place,
                                .device = &ctx->info,
                                .steps = s->steps.begins ? &s->steps : NULL,
                                .type = F->LU->type,
                                .index = p->index,
                                .kind = s->kind,
                                .block = s->block,
                                .rows = s->rows,
                                .n = s->n,
                                .entries = s->entries,
                                .longest = p->stats.max_row / s->block,
                                .symmetric = F->options.fill == TULLE_FILL_ALL,
                                .offsets = p->offsets.data,
                                .cols_of = p->cols_of.data,
                                .from = {.type = A->type,
                                         .values = A->values.data,
                                         .mask = A->pattern->mask.data,
                                         .source = s->source,
                                         .row_scale = F->row_scale,
                                         .col_scale = F->col_scale,
                                         .shift = F->options.shift,
                                         .plain = plain},
                                .modified = F->options.modified,
                                .tiny = F->options.tiny,
                                .boost = F->options.boost,
                                .inverted = F->options.inverted && s->block > 1,
                                .values = F->LU->values.data,
                                .pivots = F->pivots,
                                .seen = F->seen};
}

static tulle_status forget_pivots(tulle_ctx *ctx, const tulle_factor *F) {
    return ctx->backend->set_bytes(&ctx->place, F->seen, TULLE__NONE_SEEN_BYTE, sizeof *F->seen);
}

static tulle_status run(tulle_ctx *ctx, const tulle__spec *spec, tulle__factor_task *task) {
    const tulle__factor_kernel *kernel = tulle__factor_of(spec->kernel);
    task->params = spec->params;
    TULLE__TRY(
        tulle__workspace(ctx, kernel->workspace ? kernel->workspace(task) : 0, &task->workspace));
    return kernel->run[tulle__type_index(task->type)][task->index](task);
}

tulle_status tulle__factor_compute(const char *function, tulle_ctx *ctx, tulle_factor *F,
                                   const tulle_mat *A) {
    tulle__factor_task task = tulle__factor_task_of(ctx, F, A);
    TULLE__TRY(forget_pivots(ctx, F));
    if (task.rows == 0) return TULLE_OK;
    TULLE__TRY(tulle__schedule_of(function, ctx, F->LU, TULLE_LOWER, TULLE_N, &task.schedule));
    task.tells = true;
    tulle_status status = TULLE_UNSUPPORTED;
    for (int i = 0; status == TULLE_UNSUPPORTED; i++) {
        tulle__spec spec;
        TULLE__TRY(tulle__factor_select(function, ctx, &task, i, &spec));
        if (!spec.kernel) return tulle__select_none(function);
        status = run(ctx, &spec, &task);
    }
    return status;
}
