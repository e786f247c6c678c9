/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/pieces.h"

#include "spgemm/functions.h"
#include "spgemm/pacing.h"

/* Some rows of A with all columns of B, or one row with some. */
typedef struct piece {
    int64_t row, rows;
    int64_t low, high; /* columns */
    bool narrow;       /* with some */
} piece;

struct tulle__spgemm_pieces {
    tulle__spgemm_operand a, b; /* whole, as C is */
    tulle__spgemm_result c;
    bool counting;    /* and nothing else; then C is made */
    int64_t at;       /* entries of the pieces that are done in this pass, */
    int64_t products; /* and their products */
    int64_t count;    /* how many these are */
    int64_t found;    /* entries of the piece at hand; -1: not counted yet */
    double from, to;  /* of the pass, in phases of the call */
    bool least;       /* it can be no smaller */
    void *offsets;    /* of the piece's A */
    tulle__spgemm_strip strip;
};
typedef struct tulle__spgemm_pieces pieces;

/* A strip of no more columns and products is not cut further: what a kernel takes for it is what it
 * takes for any. */
enum { LEAST_STRIP = 1 << 10 };

static void *beyond(const void *array, int64_t count, int64_t size) {
    return (char *)(uintptr_t)array + count * size;
}

static tulle_status read_offset(tulle__spgemm_run *run, int64_t row, int64_t *offset) {
    const int64_t size = tulle_offset_size(run->task.index);
    int32_t narrow = 0;
    void *to = size == 4 ? (void *)&narrow : (void *)offset;
    TULLE__TRY(
        tulle__copy_wait(run->ctx, to, beyond(run->split->a.offsets, row, size), (size_t)size));
    if (size == 4) *offset = narrow;
    return TULLE_OK;
}

static tulle_status get(tulle__spgemm_run *run, int64_t count, int64_t size, void **array) {
    return tulle__alloc(run->ctx, (size_t)(count * size), array);
}

static tulle_status add_to(tulle__spgemm_run *run, int64_t count, int64_t by, int64_t size,
                           void *numbers) {
    if (by == 0) return TULLE_OK;
    return run->ctx->backend->spgemm->raise_numbers(&run->ctx->place, count, by, size, numbers);
}

/* The rows as an A of their own, whose offsets begin with 0. */
static tulle_status cut_rows(tulle__spgemm_run *run, const piece *part) {
    pieces *p = run->split;
    tulle__spgemm_task *task = &run->task;
    const int64_t size = tulle_offset_size(task->index);
    int64_t begin = 0, end = 0;
    TULLE__TRY(read_offset(run, part->row, &begin));
    TULLE__TRY(read_offset(run, part->row + part->rows, &end));
    TULLE__TRY(get(run, part->rows + 1, size, &p->offsets));
    TULLE__TRY(run->ctx->backend->copy(&run->ctx->place, p->offsets,
                                       beyond(p->a.offsets, part->row, size),
                                       (size_t)((part->rows + 1) * size)));
    TULLE__TRY(add_to(run, part->rows + 1, -begin, size, p->offsets));
    task->a.rows = part->rows;
    task->a.nnz = end - begin;
    task->a.offsets = p->offsets;
    task->a.cols_of = beyond(p->a.cols_of, begin, tulle_index_size(task->index));
    task->a.values = beyond(p->a.values, begin, tulle_type_size(task->type));
    p->strip.begin = begin;
    p->strip.end = end;
    return TULLE_OK;
}

/* Of the one row, the rows of B that it meets, in its order, between two columns. */
static tulle_status cut_columns(tulle__spgemm_run *run, const piece *part) {
    pieces *p = run->split;
    tulle__spgemm_task *task = &run->task;
    tulle__spgemm_strip *s = &p->strip;
    const tulle__spgemm_functions *f = run->ctx->backend->spgemm;
    const tulle__spgemm_task whole = {
        .place = task->place, .a = p->a, .b = p->b, .type = task->type, .index = task->index};
    const int64_t entries = s->end - s->begin, index = tulle_index_size(task->index);
    const int64_t cols = part->high - part->low;
    int64_t nnz = 0;
    s->low = part->low;
    s->high = part->high;
    TULLE__TRY(get(run, entries + 1, tulle_offset_size(task->index), &s->offsets));
    TULLE__TRY(get(run, entries, index, &s->numbers));
    TULLE__TRY(f->count_strip(&whole, s, &nnz));
    if (cols <= LEAST_STRIP && nnz <= LEAST_STRIP) p->least = true;
    TULLE__TRY(get(run, nnz, index, &s->cols_of));
    TULLE__TRY(get(run, nnz, tulle_type_size(task->type), &s->values));
    TULLE__TRY(f->fill_strip(&whole, s));
    task->a.cols = entries;
    task->a.cols_of = s->numbers;
    task->b = (tulle__spgemm_operand){.rows = entries,
                                      .cols = cols,
                                      .nnz = nnz,
                                      .offsets = s->offsets,
                                      .cols_of = s->cols_of,
                                      .values = s->values,
                                      .stats = p->b.stats};
    return TULLE_OK;
}

static void free_cut(tulle__spgemm_run *run) {
    pieces *p = run->split;
    tulle__free(run->ctx, p->strip.values);
    tulle__free(run->ctx, p->strip.cols_of);
    tulle__free(run->ctx, p->strip.numbers);
    tulle__free(run->ctx, p->strip.offsets);
    tulle__free(run->ctx, p->offsets);
    p->strip = (tulle__spgemm_strip){.offsets = NULL};
    p->offsets = NULL;
    run->task.a = p->a;
    run->task.b = p->b;
}

/* What a kernel asks for when it has counted a piece: to go no further, or where its entries go. */
static tulle_status make_part(tulle__spgemm_task *task, int64_t nnz) {
    tulle__spgemm_run *run = (tulle__spgemm_run *)task;
    pieces *p = run->split;
    p->found = nnz;
    if (p->counting) return TULLE_CANCELLED;
    task->c.nnz = nnz;
    task->c.cols_of = beyond(p->c.cols_of, p->at, tulle_index_size(task->index));
    task->c.values = beyond(p->c.values, p->at, tulle_type_size(task->type));
    return task->ends(task, TULLE__SPGEMM_ALLOCATE);
}

/* Offsets, and of some columns these, count from the piece's beginning. first: entries of the
 * pieces before the first one of this row. */
static tulle_status join(tulle__spgemm_run *run, const piece *part, int64_t first) {
    pieces *p = run->split;
    const int64_t offset = tulle_offset_size(p->c.index), index = tulle_index_size(run->task.index);
    if (!part->narrow) return add_to(run, part->rows + 1, p->at, offset, run->task.c.offsets);
    TULLE__TRY(add_to(run, 1, first, offset, run->task.c.offsets));
    TULLE__TRY(add_to(run, 1, p->at, offset, beyond(run->task.c.offsets, 1, offset)));
    return add_to(run, p->found, part->low, index, run->task.c.cols_of);
}

static tulle_status run_kernel(tulle__spgemm_run *run, const piece *part) {
    pieces *p = run->split;
    tulle__spgemm_task *task = &run->task;
    p->found = -1;
    if (!p->counting) {
        task->c = p->c;
        task->c.offsets = beyond(p->c.offsets, part->row, tulle_offset_size(p->c.index));
    }
    tulle_status status = tulle__spgemm_of(run->spec.kernel)->run[task->type][task->index](task);
    bool counted = p->counting && p->found >= 0;
    return status == TULLE_CANCELLED && counted ? TULLE_OK : status;
}

/* How far the call is when the piece begins, and when it has ended. */
static void say_where(tulle__spgemm_run *run, const piece *part) {
    const pieces *p = run->split;
    const double rows = (double)p->a.rows, cols = (double)p->b.cols;
    double begin = (double)part->row, end = begin + (double)part->rows;
    if (part->narrow) {
        end = begin + (double)part->high / cols;
        begin += (double)part->low / cols;
    }
    if (rows == 0) end = 1;
    run->from = p->from + (p->to - p->from) * (rows > 0 ? begin / rows : 0);
    run->to = p->from + (p->to - p->from) * (rows > 0 ? end / rows : 1);
}

/* One piece, counted or computed. */
static tulle_status attempt(tulle__spgemm_run *run, const piece *part, int64_t first) {
    pieces *p = run->split;
    p->least = part->narrow && part->high - part->low == 1;
    say_where(run, part);
    tulle_status status = cut_rows(run, part);
    if (status == TULLE_OK && part->narrow) status = cut_columns(run, part);
    if (status == TULLE_OK) status = run_kernel(run, part);
    if (status == TULLE_OK && !p->counting) status = join(run, part, first);
    free_cut(run);
    if (status != TULLE_OK) return status;
    p->at += p->found;
    p->products += run->task.products;
    p->count++;
    return TULLE_OK;
}

static tulle_status row_by_columns(tulle__spgemm_run *run, int64_t row) {
    const int64_t cols = run->split->b.cols, first = run->split->at;
    tulle__spgemm_pacing pace = {.size = cols};
    for (int64_t low = 0; low < cols;) {
        piece part = {row, 1, low, cols, true};
        if (cols - low > pace.size) part.high = low + pace.size;
        tulle__spgemm_pace_start(run, &pace);
        tulle_status status = attempt(run, &part, first);
        bool refused = tulle__spgemm_was_refused(run, &status);
        if (refused && run->split->least) {
            return tulle__spgemm_too_small(run, run->wanted, "some columns of C's row", row);
        }
        if (refused) pace.size = part.high - low;
        tulle__spgemm_pace_stop(run, &pace, refused);
        if (refused) continue;
        TULLE__TRY(status);
        low = part.high;
    }
    return TULLE_OK;
}

static tulle_status pass(tulle__spgemm_run *run) {
    pieces *p = run->split;
    const int64_t rows = p->a.rows;
    tulle__spgemm_pacing pace = {.size = rows > 1 ? rows : 1};
    int64_t row = 0;
    p->at = p->products = p->count = 0;
    do {
        piece part = {row, rows - row, 0, p->b.cols, false};
        if (part.rows > pace.size) part.rows = pace.size;
        tulle__spgemm_pace_start(run, &pace);
        tulle_status status = attempt(run, &part, 0);
        bool refused = tulle__spgemm_was_refused(run, &status);
        if (refused) pace.size = part.rows;
        tulle__spgemm_pace_stop(run, &pace, refused);
        if (refused && pace.size > 0) continue;
        if (refused) {
            pace.size = 1;
            status = row_by_columns(run, row);
        }
        TULLE__TRY(status);
        row += part.rows;
    } while (row < rows);
    return TULLE_OK;
}

/* C for all entries. */
static tulle_status make_c(tulle__spgemm_run *run, int64_t nnz) {
    tulle__spgemm_task *task = &run->task;
    const size_t held = tulle__pool_usage(&run->ctx->pool).in_use;
    tulle__pool_refusal(&run->ctx->pool);
    tulle_status status = tulle__spgemm_make_c(task, nnz);
    run->split->c = task->c;
    if (!tulle__spgemm_was_refused(run, &status)) return status;
    const size_t wanted = held + (size_t)tulle__spgemm_c_bytes(task, nnz);
    return tulle__spgemm_too_small(run, wanted, "the entries of C are", nnz);
}

static tulle_status count_and_compute(tulle__spgemm_run *run) {
    pieces *p = run->split;
    const double phases = (run->to - run->from) / TULLE__SPGEMM_PHASES;
    const double stop = run->from + phases * TULLE__SPGEMM_FINISH;
    p->from = (double)run->done / (double)run->unit;
    p->to = stop;
    if (run->counted < 0) {
        p->to = (p->from + stop) / 2;
        p->counting = true;
        TULLE__TRY(pass(run));
        run->counted = p->at;
        p->counting = false;
        p->from = p->to;
        p->to = stop;
    }
    TULLE__TRY(make_c(run, run->counted));
    run->task.make_c = make_part;
    return pass(run);
}

tulle_status tulle__spgemm_in_pieces(tulle__spgemm_run *run) {
    tulle__spgemm_task *task = &run->task;
    pieces p = {.a = task->a, .b = task->b};
    const double from = run->from, to = run->to;
    run->split = &p;
    run->refused = false;
    tulle__spgemm_fine_steps(run);
    task->make_c = make_part;
    task->lean = true;
    tulle_status status = tulle__spgemm_drop_kept(run);
    if (status == TULLE_OK) status = count_and_compute(run);
    run->split = NULL;
    task->a = p.a;
    task->b = p.b;
    task->c = p.c;
    task->products = p.products;
    task->bound_bytes = INT64_MAX; /* the cap is the bound */
    run->from = from;
    run->to = to;
    run->at_counted = run->ctx->pool.cap;
    run->pieces += p.count;
    return status;
}
