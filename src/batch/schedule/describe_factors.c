/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks on factors: first as the kernels of a CPU are given them, and from that, for a GPU, what
 * one block of threads needs to know. */
#include "batch/batch.h"
#include "factor/object.h"
#include "trisolve/select.h"
#include "vector/operands.h"

static const char *const function = "tulle_batch_run";

/* One thread has a task. */
static tulle__place alone_of(const tulle_ctx *ctx) {
    tulle__place place = ctx->place;
    place.threads = 1;
    return place;
}

static tulle_status select_factor(tulle_ctx *ctx, tulle__task_host *host) {
    const tulle__place alone = alone_of(ctx);
    tulle__factor_task task = host->factor;
    task.place = &alone;
    TULLE__TRY(tulle__factor_select(function, ctx, &task, 0, host->spec));
    const tulle__factor_kernel *kernel = tulle__factor_of(host->spec[0].kernel);
    host->room = kernel->workspace ? kernel->workspace(&task) : 0;
    return TULLE_OK;
}

tulle_status tulle__batch_factor_task(tulle_ctx *ctx, const tulle__recorded *r,
                                      tulle__task_host *host, tulle__task *task) {
    const tulle_factor *F = r->F;
    *host = (tulle__task_host){.factor = tulle__factor_task_of(ctx, F, r->A),
                               .order = F->symbolic->order,
                               .seen = F->seen};
    if (host->factor.rows > 0) {
        TULLE__TRY(
            tulle__schedule_of(function, ctx, F->LU, TULLE_LOWER, TULLE_N, &host->factor.schedule));
        task->factor.schedule = *host->factor.schedule;
    }
    task->factor.whole = host->factor;
    task->factor.order = host->order;
    task->family = TULLE__FAMILY_FACTORS;
    task->variant = host->factor.kind == TULLE_CHOLESKY ? TULLE__ROOTS
                                                        : tulle__width_variant(host->factor.block);
    task->host = host;
    if (ctx->kind != TULLE_CPU || host->factor.rows == 0) return TULLE_OK;
    return select_factor(ctx, host);
}

static tulle_status select_solve(tulle_ctx *ctx, tulle__task_host *host, int i) {
    const tulle__place alone = alone_of(ctx);
    tulle__trisolve_task task = host->part[i];
    task.place = &alone;
    TULLE__TRY(tulle__trisolve_select(function, ctx, &task, 0, host->spec + i));
    const tulle__trisolve_kernel *kernel = tulle__trisolve_of(host->spec[i].kernel);
    const size_t room = kernel->workspace ? kernel->workspace(&task) : 0;
    if (host->room < room) host->room = room;
    return TULLE_OK;
}

static tulle__triangle triangle_in(const tulle__recorded *r, tulle_part part, tulle_trans *op) {
    if (r->F) return tulle__factor_triangle(r->F, part, op);
    return (tulle__triangle){.A = r->A, .part = part, .diagonal = r->diagonal};
}

/* The next part, from B or from where the part before left its unknowns. */
static tulle_status add_part(tulle_ctx *ctx, const tulle__recorded *r, tulle_part part,
                             tulle__task_host *host) {
    const int i = host->parts++;
    tulle_trans op = r->op;
    const tulle__triangle T = triangle_in(r, part, &op);
    tulle_vec *X = (tulle_vec *)r->operand[TULLE_BATCH_Y];
    const tulle_vec *B = i == 0 ? r->operand[TULLE_BATCH_X] : X;
    const tulle_scalar alpha = tulle_num(i == 0 ? r->alpha : 1);
    tulle__trisolve_task *t = host->part + i;
    TULLE__TRY(tulle__triangle_task(function, ctx, &T, op, alpha, B, X, &host->pattern, t));
    return ctx->kind == TULLE_CPU ? select_solve(ctx, host, i) : TULLE_OK;
}

static tulle_status add_parts(tulle_ctx *ctx, const tulle__recorded *r, tulle__task_host *host) {
    const bool lower = r->parts & 1 << TULLE_LOWER, upper = r->parts & 1 << TULLE_UPPER;
    const tulle_part first = r->op == TULLE_N ? TULLE_LOWER : TULLE_UPPER;
    if (!lower || !upper) return add_part(ctx, r, lower ? TULLE_LOWER : TULLE_UPPER, host);
    TULLE__TRY(add_part(ctx, r, first, host));
    return add_part(ctx, r, first == TULLE_LOWER ? TULLE_UPPER : TULLE_LOWER, host);
}

/* Between a multivector and the order of the factors, where scratch has row after row. */
static tulle__move move_of(const tulle__recorded *r, const tulle__task *task, bool back) {
    const tulle__strided *natural = back ? &task->y : &task->x;
    tulle__move m = tulle__factor_move(r->F, r->op, back);
    m.type = task->type;
    m.cols = task->k2;
    m.natural = (tulle__move_end){natural->data, natural->row, natural->col};
    m.ordered = (tulle__move_end){NULL, task->k2, 1};
    return m;
}

static tulle__task_triangle task_triangle_of(const tulle__trisolve_task *t) {
    return (tulle__task_triangle){
        .schedule = *t->schedule,
        .shape = tulle__row_shape_of(tulle__row_coop(t->schedule), t->block, t->vectors),
        .diagonal = t->diagonal,
        .lower = t->upper == (t->op == TULLE_T),
        .turned = t->op == TULLE_T};
}

static tulle__task_solve solve_of(const tulle__recorded *r, const tulle__task_host *host) {
    const tulle__trisolve_task *t = host->part;
    const bool some = host->pattern.format == TULLE_BSR && !host->pattern.storage.full;
    tulle__task_solve s = {.parts = host->parts,
                           .block = t->block,
                           .index = t->index,
                           .n = t->n,
                           .stored = tulle__stored_type(t->values),
                           .values = t->blocks,
                           .mask = some ? host->pattern.mask : NULL,
                           .pivots = t->pivots,
                           .seen = host->seen,
                           .moved = host->moved,
                           .order = host->order,
                           .scale = {host->there.scale, host->back.scale},
                           .scale_type = r->F ? r->F->a_type : tulle__stored_type(t->values)};
    for (int i = 0; i < s.parts; i++) s.part[i] = task_triangle_of(host->part + i);
    return s;
}

/* The triangles of factors, or that of A alone. */
static tulle__task_host host_of(const tulle__recorded *r, const tulle__task *task) {
    if (!r->F) return (tulle__task_host){.pattern = tulle__view_of(r->A->pattern)};
    const tulle_factor *F = r->F;
    const tulle__symbolic *s = F->symbolic;
    const bool both = r->parts == (1 << TULLE_LOWER | 1 << TULLE_UPPER);
    return (tulle__task_host){.pattern = tulle__view_of(F->LU->pattern),
                              .moved = both && (s->order || F->row_scale || F->col_scale),
                              .there = move_of(r, task, false),
                              .back = move_of(r, task, true),
                              .order = s->order,
                              .seen = F->seen};
}

tulle_status tulle__batch_solve_task(tulle_ctx *ctx, const tulle__recorded *r,
                                     tulle__task_host *host, tulle__task *task) {
    const tulle_mat *of = r->F ? r->F->LU : r->A;
    const int block = tulle__block_of(of->pattern);
    const int64_t n = r->operand[TULLE_BATCH_Y]->rows;
    *host = host_of(r, task);
    task->host = host;
    task->family = TULLE__FAMILY_SOLVES;
    task->variant = tulle__width_variant(block) + (of->type == task->type ? 0 : TULLE__WIDTHS);
    task->solve = (tulle__task_solve){
        .block = block, .stored = of->type, .seen = host->seen, .order = host->order};
    if (n == 0 || task->k2 == 0) return TULLE_OK;
    TULLE__TRY(add_parts(ctx, r, host));
    task->solve = solve_of(r, host);
    const int64_t known =
        ctx->kind == TULLE_CPU ? 0 : host->part[0].schedule->rows * block * task->k2;
    task->scratch = known + (host->moved ? n * task->k2 : 0);
    return TULLE_OK;
}
