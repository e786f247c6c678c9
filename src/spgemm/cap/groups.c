/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/cap/cap.h"

#include "algebra/functions.h"
#include "core/stopwatch.h"
#include "matrix/operand.h"
#include "spgemm/cap/pacing.h"
#include "spgemm/cap/parts.h"

/* Operands that groups are cut from, and the C that they go to. */
typedef struct groups {
    tulle__spgemm_run *run;
    bool triple;
    /* Owned: left is op(A), or P^T; middle is A of a triple product; right is op(B), or P; D and
     * the mask may be NULL. They are CSR of one index type; the columns of the last three rise. */
    tulle_mat *left, *middle, *mask, *right, *D;
    bool counting; /* true: groups are only counted; else C is there */
    int64_t at;    /* number of entries of the groups that are done in this pass */
    tulle__draft c;
} groups;

/* The arrays of a group's operands. */
typedef struct parts {
    int64_t row, rows;
    int64_t begin, end; /* entries of left in the group's rows */
    void *offsets;
    tulle__spgemm_strip strip;
    tulle__spgemm_result right; /* product of A's rows and P, of a triple product */
} parts;

static tulle__asked of_index(const groups *g) {
    return (tulle__asked){true, g->run->task.index};
}

/* Checks that 32-bit offsets count the entries of A that the group gathers. */
static tulle_status check_gathered(const groups *g, const parts *p) {
    const double most = (double)g->middle->pattern->stats.max_row * (double)(p->end - p->begin);
    if (g->run->task.index == TULLE_I64 || most < INT32_MAX) return TULLE_OK;
    return tulle__fail(TULLE_TOO_LARGE, g->run->function, "A", -1,
                       "row %lld of C, and as many as have to be made at once, meet too many "
                       "entries of A for 32 bits: convert A to TULLE_I64",
                       (long long)p->row);
}

/* Multiplies the rows of A that the group meets, one for each entry of P^T, by P; the product
 * takes P's place. */
static tulle_status make_right(groups *g, parts *p, tulle__spgemm_operand *left,
                               tulle__spgemm_operand *right) {
    tulle__spgemm_run *run = g->run;
    tulle__spgemm_task *task = &run->task;
    const tulle__spgemm_task last = *task;
    const tulle__spgemm_operand whole = tulle__spgemm_operand_of(g->left);
    const tulle__spgemm_operand a = tulle__spgemm_operand_of(g->middle);
    int64_t nnz = 0;
    p->strip.begin = p->begin;
    p->strip.end = p->end;
    p->strip.high = a.cols;
    TULLE__TRY(check_gathered(g, p));
    TULLE__TRY(tulle__spgemm_count_strip(run, &whole, &a, &p->strip, &nnz));
    TULLE__TRY(tulle__spgemm_fill_strip(run, &whole, &a, &p->strip, nnz, &task->a));
    task->b = *right;
    task->alpha = tulle_num(1);
    task->unsorted = false;
    tulle_status status = tulle__spgemm_run_kernel(run);
    p->right = task->c;
    run->multiplications += task->multiplications;
    *task = last;
    TULLE__TRY(status);
    left->cols = p->end - p->begin;
    left->cols_of = p->strip.numbers;
    *right = (tulle__spgemm_operand){.rows = left->cols,
                                     .cols = right->cols,
                                     .nnz = p->right.nnz,
                                     .offsets = p->right.offsets,
                                     .cols_of = p->right.cols_of,
                                     .values = p->right.values,
                                     .stats = right->stats};
    tulle__free(run->ctx, p->strip.cols_of);
    tulle__free(run->ctx, p->strip.values);
    p->strip.cols_of = p->strip.values = NULL;
    run->stage++;
    return tulle__spgemm_phase_ends(task, TULLE__SPGEMM_FINISH);
}

static tulle_status make_group(groups *g, parts *p) {
    tulle__spgemm_run *run = g->run;
    tulle__spgemm_operand whole = tulle__spgemm_operand_of(g->left), left;
    tulle__spgemm_operand right = tulle__spgemm_operand_of(g->right);
    run->stage = 0;
    tulle__spgemm_begin_stage(run);
    TULLE__TRY(tulle__spgemm_cut_rows(run, &whole, p->row, p->rows, &p->begin, &p->end, &p->offsets,
                                      &left));
    TULLE__TRY(tulle__spgemm_phase_ends(&run->task, TULLE__SPGEMM_OPERANDS));
    if (g->triple) TULLE__TRY(make_right(g, p, &left, &right));
    tulle__spgemm_begin_stage(run);
    run->task.a = left;
    run->task.b = right;
    if (g->mask) {
        const tulle__spgemm_operand mask = tulle__spgemm_operand_of(g->mask);
        TULLE__TRY(tulle__spgemm_cut_mask(run, &mask, p->row, p->rows, &run->task.mask));
    }
    TULLE__TRY(tulle__spgemm_run_kernel(run));
    run->multiplications += run->task.multiplications;
    return TULLE_OK;
}

static void free_parts(groups *g, parts *p) {
    tulle_ctx *ctx = g->run->ctx;
    tulle__spgemm_free_strip(g->run, &p->strip);
    tulle__free(ctx, p->offsets);
    tulle__free(ctx, p->right.offsets);
    tulle__free(ctx, p->right.cols_of);
    tulle__free(ctx, p->right.values);
}

/* A task of adding D, with the groups that it belongs to. */
typedef struct sum {
    tulle__add_task task; /* first: back ends are given its address */
    groups *g;
} sum;

static tulle_status make_sum(tulle__add_task *task, int64_t nnz) {
    groups *g = ((sum *)task)->g;
    tulle__draft draft = {.ctx = g->run->ctx,
                          .rows = task->rows,
                          .cols = g->c.cols,
                          .nnz = nnz,
                          .index = task->index,
                          .type = task->type};
    TULLE__TRY(tulle__result_make(g->run->function, of_index(g), &draft));
    task->c = (tulle__sum){.nnz = nnz,
                           .index = draft.index,
                           .offsets = draft.arrays.offsets,
                           .cols_of = draft.arrays.cols_of,
                           .values = draft.values};
    return TULLE_OK;
}

static tulle_status goes_on(tulle__add_task *task, tulle__add_phase phase) {
    (void)task;
    (void)phase;
    return TULLE_OK;
}

/* Finds the group's rows of D, in place: offsets may begin at any number. */
static tulle_status addend_of_d(groups *g, const parts *p, tulle__addend *addend) {
    tulle__spgemm_run *run = g->run;
    const tulle__spgemm_operand d = tulle__spgemm_operand_of(g->D);
    int64_t begin = 0, end = 0;
    TULLE__TRY(tulle__spgemm_read_offset(run, d.offsets, p->row, &begin));
    TULLE__TRY(tulle__spgemm_read_offset(run, d.offsets, p->row + p->rows, &end));
    *addend = (tulle__addend){
        .nnz = end - begin,
        .longest = d.stats->max_row,
        .offsets = tulle__spgemm_beyond(d.offsets, p->row, tulle_offset_size(run->task.index)),
        .cols_of = d.cols_of,
        .values = d.values,
        .factor = run->beta};
    return TULLE_OK;
}

/* Adds D to the product in the run's task, which becomes the sum. */
static tulle_status add_d(groups *g, const parts *p) {
    tulle__spgemm_run *run = g->run;
    const tulle__spgemm_result *c = &run->task.c;
    sum s = {.task = {.rows = p->rows,
                      .type = run->task.type,
                      .index = run->task.index,
                      .a = {.nnz = c->nnz,
                            .offsets = c->offsets,
                            .cols_of = c->cols_of,
                            .values = c->values,
                            .factor = tulle_num(1)},
                      .make_c = make_sum,
                      .ends = goes_on},
             .g = g};
    const double start = tulle__seconds();
    tulle_status status = addend_of_d(g, p, &s.task.b);
    if (status == TULLE_OK) status = run->ctx->backend->algebra->add(&run->ctx->place, &s.task);
    tulle__spgemm_free_c(run);
    run->task.c = (tulle__spgemm_result){.nnz = s.task.c.nnz,
                                         .index = s.task.c.index,
                                         .offsets = s.task.c.offsets,
                                         .cols_of = s.task.c.cols_of,
                                         .values = s.task.c.values};
    if (run->phase_ms && status == TULLE_OK) {
        status = run->ctx->backend->stream_wait(run->ctx->place.device, run->ctx->place.stream);
        run->since = tulle__seconds();
        run->add_ms += (run->since - start) * 1e3;
    }
    return status;
}

/* Copies the rows in the run's task to their place in C. */
static tulle_status copy_into_c(groups *g, const parts *p) {
    const tulle__spgemm_result *from = &g->run->task.c;
    const tulle__backend *backend = g->run->ctx->backend;
    const tulle__place *place = &g->run->ctx->place;
    const int64_t size = tulle_offset_size(g->c.index), index = tulle_index_size(g->c.index);
    const int64_t value = tulle_type_size(g->c.type);
    TULLE__TRY(backend->format->convert_indices(
        place, p->rows + 1, tulle_offset_size(from->index), from->offsets, size,
        tulle__spgemm_beyond(g->c.arrays.offsets, p->row, size), g->at));
    if (from->nnz == 0) return TULLE_OK;
    TULLE__TRY(backend->copy(place, tulle__spgemm_beyond(g->c.arrays.cols_of, g->at, index),
                             from->cols_of, tulle__bytes(from->nnz, index)));
    return backend->copy(place, tulle__spgemm_beyond(g->c.values, g->at, value), from->values,
                         tulle__bytes(from->nnz, value));
}

/* Tries one group, counted or computed. */
static tulle_status attempt(groups *g, int64_t row, int64_t rows) {
    tulle__spgemm_run *run = g->run;
    const tulle__asked asked = run->asked;
    parts p = {.row = row, .rows = rows};
    tulle__spgemm_set_refused(run, false);
    run->asked = of_index(g);
    tulle_status status = make_group(g, &p);
    free_parts(g, &p);
    if (status == TULLE_OK && g->D) status = add_d(g, &p);
    if (status == TULLE_OK && !g->counting) status = copy_into_c(g, &p);
    const int64_t found = run->task.c.nnz;
    run->asked = asked;
    tulle__spgemm_free_c(run);
    if (status == TULLE_OK) status = tulle__spgemm_phase_ends(&run->task, TULLE__SPGEMM_FINISH);
    if (status == TULLE_OK) g->at += found;
    return status;
}

/* Clears up after an attempt, and returns true when a smaller one may do; *status is the status
 * of clearing up. */
static bool was_too_large(groups *g, int64_t rows, tulle_status *status) {
    tulle__spgemm_run *run = g->run;
    bool refused = tulle__spgemm_was_refused(run, status);
    if (!refused && tulle__spgemm_is_refused(run) && *status == TULLE_OUT_OF_MEMORY) refused = true;
    if (!refused && *status == TULLE_TOO_LARGE && rows > 1) refused = true;
    if (refused) *status = tulle__spgemm_drop_kept(run);
    return refused && *status == TULLE_OK;
}

/* Goes through all groups; from, to: progress before and after, in phases of the call. */
static tulle_status pass(groups *g, double from, double to) {
    tulle__spgemm_run *run = g->run;
    const int64_t rows = g->left->pattern->rows;
    const double row_phases = (to - from) / (double)(rows > 0 ? rows : 1);
    tulle__spgemm_pacing pace = {.size = rows > 1 ? (rows + 1) / 2 : 1};
    int64_t row = 0;
    g->at = run->multiplications = run->pieces = 0;
    do {
        int64_t count = rows - row < pace.size ? rows - row : pace.size;
        run->begin = from + row_phases * (double)row;
        run->end = run->begin + row_phases * (double)count;
        run->no_pieces = count > 1;
        tulle__spgemm_pace_start(run, &pace);
        tulle_status status = attempt(g, row, count);
        const bool refused = was_too_large(g, count, &status);
        if (refused) pace.size = count * (tulle__spgemm_pace_had_kept(&pace) && count == 1 ? 2 : 1);
        tulle__spgemm_pace_stop(run, &pace, refused);
        if (refused && pace.size > 0) continue;
        if (refused) {
            return tulle__spgemm_group_too_large(run, "what is needed for C's row", row);
        }
        TULLE__TRY(status);
        row += count;
    } while (row < rows);
    return TULLE_OK;
}

static tulle_status make_c(groups *g) {
    tulle__spgemm_run *run = g->run;
    tulle__spgemm_budget_groups_counted(run, g->c.rows, g->at);
    g->c.nnz = g->at;
    g->c.index = run->task.index;
    tulle_status status = tulle__result_make(run->function, run->asked, &g->c);
    if (!tulle__spgemm_was_refused(run, &status)) return status;
    return tulle__spgemm_group_too_large(run, "the entries of C are", g->at);
}

static tulle_status count_and_compute(groups *g) {
    const double phases = (double)g->run->stages * TULLE__SPGEMM_PHASES;
    g->counting = true;
    TULLE__TRY(pass(g, 0, 0.5 * phases));
    TULLE__TRY(make_c(g));
    g->counting = false;
    return pass(g, 0.5 * phases, 0.99 * phases);
}

static tulle_status bring_each(groups *g, const tulle__spgemm_call *c) {
    tulle__spgemm_run *run = g->run;
    tulle_ctx *ctx = run->ctx;
    const tulle_mat *left = g->triple ? c->B : c->A, *D = run->D;
    const tulle_trans op = g->triple ? TULLE_T : c->op_A;
    tulle_index index = tulle__wider(tulle__asked_least(run->asked), c->A->pattern->index);
    index = tulle__wider(index, c->B->pattern->index);
    if (D) index = tulle__wider(index, D->pattern->index);
    if (run->mask) index = tulle__wider(index, run->mask->pattern->index);
    run->task.index = index;
    TULLE__TRY(tulle__operand_bring(ctx, op, left, index, &g->left));
    if (g->triple) TULLE__TRY(tulle__operand_bring(ctx, TULLE_N, c->A, index, &g->middle));
    TULLE__TRY(tulle__operand_bring(ctx, c->op_B, c->B, index, &g->right));
    TULLE__TRY(tulle__operand_raise(ctx, &g->right));
    if (run->mask) {
        TULLE__TRY(tulle__operand_bring(ctx, TULLE_N, run->mask, index, &g->mask));
        TULLE__TRY(tulle__operand_raise(ctx, &g->mask));
    }
    if (!D) return TULLE_OK;
    TULLE__TRY(tulle__operand_bring(ctx, TULLE_N, D, index, &g->D));
    return tulle__operand_raise(ctx, &g->D);
}

/* Brings the operands into CSR, from which groups of rows are cut. */
static tulle_status bring(groups *g, const tulle__spgemm_call *c) {
    tulle_status status = bring_each(g, c);
    if (!tulle__spgemm_was_refused(g->run, &status)) return status;
    return tulle__spgemm_group_too_large(g->run, "the operands need copies; the entries of A are",
                                         c->A->pattern->nnz);
}

/* Tells the emulator the memory that the caller lends, and that no kernel may write. */
static tulle_status watch(const groups *g) {
    tulle__spgemm_run *run = g->run;
    tulle_mat *const operands[] = {g->left, g->middle, g->right, g->D, g->mask};
    if (run->ctx->kind != TULLE_EMULATED) return TULLE_OK;
    TULLE__TRY(tulle__scalar_lend(run->ctx, run->task.alpha, run->task.type));
    if (g->D) TULLE__TRY(tulle__scalar_lend(run->ctx, run->beta, run->task.type));
    for (size_t k = 0; k < sizeof operands / sizeof *operands; k++) {
        if (operands[k]) TULLE__TRY(tulle__operand_watch(run->ctx, operands[k]));
    }
    return TULLE_OK;
}

static void unwatch(const groups *g) {
    if (g->run->ctx->kind != TULLE_EMULATED) return;
    tulle__operands_unwatch(g->run->ctx);
    tulle__scalar_give_back(g->run->ctx, g->run->task.alpha);
    if (g->D) tulle__scalar_give_back(g->run->ctx, g->run->beta);
}

static void let_go(groups *g) {
    tulle_mat_destroy(g->left);
    tulle_mat_destroy(g->middle);
    tulle_mat_destroy(g->right);
    tulle_mat_destroy(g->D);
    tulle_mat_destroy(g->mask);
}

/* Ends a call whose C has memory of its own: statistics, and the last step of progress. */
static tulle_status finish(groups *g, tulle_mat **C) {
    tulle__spgemm_run *run = g->run;
    TULLE__TRY(tulle__result_finish(&g->c, run->asked, !run->task.unsorted, C));
    run->from = run->to = (double)run->stages * TULLE__SPGEMM_PHASES;
    const tulle_status status = tulle__spgemm_phase_ends(&run->task, TULLE__SPGEMM_FINISH);
    if (status == TULLE_OK) return TULLE_OK;
    tulle_mat_destroy(*C);
    *C = NULL;
    return status;
}

tulle_status tulle__spgemm_in_groups(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                     bool triple, tulle_mat **C) {
    groups g = {.run = run, .triple = triple};
    g.c = (tulle__draft){.ctx = run->ctx, .type = run->task.type};
    g.c.rows = triple ? c->B->pattern->cols : tulle__op_rows(c->op_A, c->A);
    g.c.cols = tulle__op_cols(c->op_B, c->B);
    run->what = "multiplying groups of rows";
    run->done = 0;
    tulle__spgemm_budget_begin_groups(run);
    run->add_ms = 0;
    run->task.c = (tulle__spgemm_result){.nnz = 0};
    tulle_status status = tulle__spgemm_drop_kept(run);
    if (status == TULLE_OK) status = bring(&g, c);
    if (status == TULLE_OK) status = watch(&g);
    if (status == TULLE_OK) status = count_and_compute(&g);
    unwatch(&g);
    let_go(&g);
    if (status == TULLE_OK) return finish(&g, C);
    tulle__draft_free(&g.c);
    return status;
}
