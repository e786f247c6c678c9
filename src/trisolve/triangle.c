/* SPDX-License-Identifier: Apache-2.0 */
/* Solves a triangular system: gets the schedule, selects the kernel, and runs it. */
#include "trisolve/triangle.h"

#include "matrix/operand.h"
#include "trisolve/select.h"
#include "vector/operands.h"

static tulle__values values_of(tulle_type stored, tulle_type computed) {
    int values = 0;
    while (tulle__stored_type((tulle__values)values) != stored ||
           tulle__computed_type((tulle__values)values) != computed) {
        values++;
    }
    return (tulle__values)values;
}

static tulle__trisolve_numbers numbers_of(const tulle_vec *X) {
    const tulle__strided s = tulle__strided_of(X);
    return (tulle__trisolve_numbers){.data = s.data, .row = s.row, .col = s.col};
}

static tulle_status check_diagonal(const char *function, const tulle__triangle *T,
                                   const tulle__schedule *schedule) {
    const bool unit =
        T->diagonal == TULLE__DIAGONAL_UNIT || T->diagonal == TULLE__DIAGONAL_UNIT_TRIANGLE;
    if (unit || schedule->faulty_row < 0) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, function, "A", schedule->faulty_row,
                       "the diagonal entry of row %lld is missing or repeated",
                       (long long)schedule->faulty_row);
}

static tulle_status watch_schedule(tulle_ctx *ctx, const tulle__trisolve_task *task) {
    const tulle__schedule *s = task->schedule;
    const size_t size = (size_t)tulle_offset_size(task->index);
    const size_t rows = (size_t)s->rows * size, entries = (size_t)s->entries * size;
    void *const arrays[] = {s->order, s->begins, s->places, s->slots, s->diagonal};
    const size_t bytes[] = {rows, rows + size, entries, entries, rows};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        TULLE__TRY(ctx->backend->watch(ctx->place.device, arrays[i], bytes[i], TULLE__WATCH_INPUT));
    }
    return TULLE_OK;
}

/* On the emulator: lends the caller's scalar, and watches the arrays that no kernel may write. */
static tulle_status watch(tulle_ctx *ctx, const tulle__trisolve_task *task, const tulle_mat *A,
                          const tulle_vec *B, const tulle_vec *X) {
    if (ctx->kind != TULLE_EMULATED) return TULLE_OK;
    TULLE__TRY(tulle__scalar_lend(ctx, task->alpha, X->type));
    TULLE__TRY(tulle__operand_watch(ctx, A));
    TULLE__TRY(watch_schedule(ctx, task));
    return tulle__same_numbers(B, X) ? TULLE_OK : tulle__dense_watch(ctx, B);
}

static void unwatch(tulle_ctx *ctx, const tulle__trisolve_task *task) {
    if (ctx->kind != TULLE_EMULATED) return;
    tulle__operands_unwatch(ctx);
    tulle__scalar_give_back(ctx, task->alpha);
}

/* Gives a kernel its parameters and workspace. */
static tulle_status equip(tulle_ctx *ctx, const tulle__spec *spec, tulle__trisolve_task *task) {
    const tulle__trisolve_kernel *kernel = tulle__trisolve_of(spec->kernel);
    task->params = spec->params;
    return tulle__workspace(ctx, kernel->workspace ? kernel->workspace(task) : 0, &task->workspace);
}

static tulle_status run(tulle_ctx *ctx, const tulle__spec *spec, tulle__trisolve_task *task) {
    TULLE__TRY(equip(ctx, spec, task));
    return tulle__trisolve_of(spec->kernel)->run[task->values][task->index](task);
}

static tulle_status try_kernels(const char *function, tulle_ctx *ctx, tulle__trisolve_task *task) {
    tulle__spec spec = {0};
    tulle_status status = TULLE_UNSUPPORTED;
    for (int i = 0; status == TULLE_UNSUPPORTED; i++) {
        TULLE__TRY(tulle__trisolve_select(function, ctx, task, i, &spec));
        if (!spec.kernel) break;
        status = run(ctx, &spec, task);
    }
    if (status != TULLE_UNSUPPORTED) return status;
    return tulle__select_none(function);
}

tulle_status tulle__triangle_ready(const char *function, tulle_ctx *ctx, const tulle__triangle *T,
                                   tulle_trans op, const tulle__schedule **schedule) {
    TULLE__TRY(tulle__schedule_of(function, ctx, T->A, T->part, op, schedule));
    return check_diagonal(function, T, *schedule);
}

tulle_status tulle__triangle_task(const char *function, tulle_ctx *ctx, const tulle__triangle *T,
                                  tulle_trans op, tulle_scalar alpha, const tulle_vec *B,
                                  tulle_vec *X, const tulle__pattern_view *view,
                                  tulle__trisolve_task *task) {
    const tulle_mat *A = T->A;
    const tulle__pattern *p = A->pattern;
    const tulle__schedule *schedule = NULL;
    TULLE__TRY(tulle__triangle_ready(function, ctx, T, op, &schedule));
    *task = (tulle__trisolve_task){.place = &ctx->place,
                                   .device = &ctx->info,
                                   .schedule = schedule,
                                   .pattern = view,
                                   .values = values_of(A->type, X->type),
                                   .index = p->index,
                                   .block = p->format == TULLE_BSR ? (int)p->storage.block : 1,
                                   .n = X->rows,
                                   .vectors = X->cols,
                                   .upper = T->part == TULLE_UPPER,
                                   .op = op,
                                   .diagonal = T->diagonal,
                                   .blocks = A->values.data,
                                   .pivots = T->pivots,
                                   .alpha = alpha,
                                   .b = numbers_of(B),
                                   .x = numbers_of(X)};
    return TULLE_OK;
}

tulle_status tulle__triangle_solve(const char *function, tulle_ctx *ctx, const tulle__triangle *T,
                                   tulle_trans op, tulle_scalar alpha, const tulle_vec *B,
                                   tulle_vec *X) {
    const tulle_mat *A = T->A;
    const tulle__pattern_view view = tulle__view_of(A->pattern);
    tulle__trisolve_task task;
    TULLE__TRY(tulle__triangle_task(function, ctx, T, op, alpha, B, X, &view, &task));
    if (X->rows == 0 || X->cols == 0) return TULLE_OK;
    tulle_status status = watch(ctx, &task, A, B, X);
    if (status == TULLE_OK) status = try_kernels(function, ctx, &task);
    unwatch(ctx, &task);
    return status;
}

/* Runs the conversion of the kernel that is tried first. */
static tulle_status convert(const char *function, tulle_ctx *ctx, tulle__trisolve_task *task,
                            bool *converts) {
    tulle__spec spec = {0};
    TULLE__TRY(tulle__trisolve_select(function, ctx, task, 0, &spec));
    if (!spec.kernel) return TULLE_OK;
    const tulle__trisolve_run first =
        tulle__trisolve_of(spec.kernel)->convert[task->values][task->index];
    *converts = first != NULL;
    if (!first) return TULLE_OK;
    TULLE__TRY(equip(ctx, &spec, task));
    return first(task);
}

tulle_status tulle__triangle_convert(const char *function, tulle_ctx *ctx, const tulle__triangle *T,
                                     tulle_trans op, const tulle_vec *B, tulle_vec *X,
                                     bool *converts) {
    const tulle__pattern_view view = tulle__view_of(T->A->pattern);
    const tulle_scalar one = tulle_num(1);
    tulle__trisolve_task task;
    *converts = false;
    TULLE__TRY(tulle__triangle_task(function, ctx, T, op, one, B, X, &view, &task));
    if (X->rows == 0 || X->cols == 0) return TULLE_OK;
    tulle_status status = watch(ctx, &task, T->A, B, X);
    if (status == TULLE_OK) status = convert(function, ctx, &task, converts);
    unwatch(ctx, &task);
    return status;
}
