/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/cap/cap.h"

#include "spgemm/cap/pacing.h"
#include "spgemm/cap/parts.h"

/* A piece: some rows of A with all columns of B, or one row with some columns. */
typedef struct piece {
    int64_t row, rows;
    int64_t low, high; /* range of columns of B, [low, high) */
    bool narrow;       /* true: the piece has only some columns */
} piece;

struct tulle__spgemm_pieces {
    tulle__spgemm_operand a, b, mask; /* whole operands; c is whole, too */
    tulle__spgemm_result c;
    bool counting;           /* true: pieces are only counted, before C is made */
    int64_t at;              /* number of entries of the pieces that are done in this pass */
    int64_t multiplications; /* number of multiplications of the pieces done */
    int64_t count;           /* number of pieces that are done in this pass */
    int64_t found;           /* number of entries of the current piece of C; -1: not counted yet */
    double from, to; /* progress at the begin and the end of the pass, in phases of the call */
    bool least;      /* true when the piece can be no smaller */
    void *offsets;   /* offsets of the piece's A */
    tulle__spgemm_strip strip;
};
typedef struct tulle__spgemm_pieces pieces;

/* Largest numbers of columns and of multiplications of a strip that is not cut further: a kernel
 * takes as much memory for it as for any smaller one. */
enum { LEAST_STRIP = 1 << 10 };

/* Makes the piece's rows an A of their own. */
static tulle_status cut_rows(tulle__spgemm_run *run, const piece *part) {
    pieces *p = run->split;
    if (p->mask.offsets) {
        TULLE__TRY(tulle__spgemm_cut_mask(run, &p->mask, part->row, part->rows, &run->task.mask));
        run->task.mask_low = part->low;
    }
    return tulle__spgemm_cut_rows(run, &p->a, part->row, part->rows, &p->strip.begin, &p->strip.end,
                                  &p->offsets, &run->task.a);
}

/* Makes, for a piece of one row, the rows of B that the row meets, in its order and between two
 * columns, a B of their own. */
static tulle_status cut_columns(tulle__spgemm_run *run, const piece *part) {
    pieces *p = run->split;
    tulle__spgemm_strip *s = &p->strip;
    int64_t nnz = 0;
    s->low = part->low;
    s->high = part->high;
    TULLE__TRY(tulle__spgemm_count_strip(run, &p->a, &p->b, s, &nnz));
    if (part->high - part->low <= LEAST_STRIP && nnz <= LEAST_STRIP) p->least = true;
    TULLE__TRY(tulle__spgemm_fill_strip(run, &p->a, &p->b, s, nnz, &run->task.b));
    run->task.a.cols = s->end - s->begin;
    run->task.a.cols_of = s->numbers;
    return TULLE_OK;
}

/* Leaves B out of a piece without rows, which then takes no more memory than with no column,
 * however wide B is. */
static void leave_b_out(tulle__spgemm_run *run) {
    tulle__spgemm_operand *a = &run->task.a, *b = &run->task.b;
    a->cols = 0;
    *b = (tulle__spgemm_operand){.offsets = a->offsets, .stats = b->stats};
}

static void free_cut(tulle__spgemm_run *run) {
    pieces *p = run->split;
    tulle__spgemm_free_strip(run, &p->strip);
    tulle__free(run->ctx, p->offsets);
    p->offsets = NULL;
    run->task.a = p->a;
    run->task.b = p->b;
    run->task.mask = p->mask;
    run->task.mask_low = 0;
}

/* Serves as make_c of a kernel that works on a piece. While pieces are counted, it stops the
 * kernel; else it gives the kernel the place of the piece's entries in C. */
static tulle_status make_part(tulle__spgemm_task *task, int64_t nnz) {
    tulle__spgemm_run *run = (tulle__spgemm_run *)task;
    pieces *p = run->split;
    p->found = nnz;
    tulle__spgemm_budget_piece_counted(run);
    if (p->counting) return TULLE_CANCELLED;
    task->c.nnz = nnz;
    task->c.cols_of = tulle__spgemm_beyond(p->c.cols_of, p->at, tulle_index_size(task->index));
    task->c.values = tulle__spgemm_beyond(p->c.values, p->at, tulle_type_size(task->type));
    return task->ends(task, TULLE__SPGEMM_ALLOCATE);
}

/* Fits a computed piece into C: the kernel's offsets count from the first entry of the piece,
 * and its columns from the first column of the piece. first: number of entries of C before the
 * row, for a piece with only some columns. */
static tulle_status join(tulle__spgemm_run *run, const piece *part, int64_t first) {
    pieces *p = run->split;
    const int64_t offset = tulle_offset_size(p->c.index), index = tulle_index_size(run->task.index);
    if (!part->narrow)
        return tulle__spgemm_raise(run, part->rows + 1, p->at, offset, run->task.c.offsets);
    TULLE__TRY(tulle__spgemm_raise(run, 1, first, offset, run->task.c.offsets));
    TULLE__TRY(tulle__spgemm_raise(run, 1, p->at, offset,
                                   tulle__spgemm_beyond(run->task.c.offsets, 1, offset)));
    return tulle__spgemm_raise(run, p->found, part->low, index, run->task.c.cols_of);
}

static tulle_status run_kernel(tulle__spgemm_run *run, const piece *part) {
    pieces *p = run->split;
    tulle__spgemm_task *task = &run->task;
    p->found = -1;
    if (!p->counting) {
        task->c = p->c;
        task->c.offsets =
            tulle__spgemm_beyond(p->c.offsets, part->row, tulle_offset_size(p->c.index));
    }
    tulle_status status =
        tulle__spgemm_of(run->spec.kernel)->run[tulle__values_of(task->type)][task->index](task);
    bool counted = p->counting && p->found >= 0;
    return status == TULLE_CANCELLED && counted ? TULLE_OK : status;
}

/* Sets the progress of the call at the beginning and at the end of the piece. */
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

/* Tries one piece, counted or computed. */
static tulle_status attempt(tulle__spgemm_run *run, const piece *part, int64_t first) {
    pieces *p = run->split;
    p->least = part->narrow && part->high - part->low == 1;
    say_where(run, part);
    tulle_status status = cut_rows(run, part);
    if (status == TULLE_OK && part->narrow) status = cut_columns(run, part);
    if (status == TULLE_OK && part->rows == 0) leave_b_out(run);
    if (status == TULLE_OK) status = run_kernel(run, part);
    if (status == TULLE_OK && !p->counting) status = join(run, part, first);
    free_cut(run);
    if (status != TULLE_OK) return status;
    p->at += p->found;
    p->multiplications += run->task.multiplications;
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
        const bool again = refused && run->split->least && tulle__spgemm_pace_had_kept(&pace);
        if (refused && run->split->least && !again) {
            return tulle__spgemm_piece_too_large(run, "some columns of C's row", row);
        }
        if (refused) pace.size = (part.high - low) * (again ? 2 : 1);
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
    p->at = p->multiplications = p->count = 0;
    do {
        piece part = {row, rows - row, 0, p->b.cols, false};
        if (part.rows > pace.size) part.rows = pace.size;
        tulle__spgemm_pace_start(run, &pace);
        tulle_status status = attempt(run, &part, 0);
        bool refused = tulle__spgemm_was_refused(run, &status);
        if (refused) pace.size = part.rows;
        tulle__spgemm_pace_stop(run, &pace, refused);
        if (refused && pace.size > 0) continue;
        if (refused && rows == 0) {
            return tulle__spgemm_piece_too_large(run, "the rows of C are", rows);
        }
        if (refused) {
            pace.size = 1;
            status = row_by_columns(run, row);
        }
        TULLE__TRY(status);
        row += part.rows;
    } while (row < rows);
    return TULLE_OK;
}

/* Makes C for all entries. */
static tulle_status make_c(tulle__spgemm_run *run, int64_t nnz) {
    tulle__spgemm_task *task = &run->task;
    tulle__spgemm_watch_cap(run);
    tulle_status status = tulle__spgemm_make_c(task, nnz);
    run->split->c = task->c;
    if (!tulle__spgemm_was_refused(run, &status)) return status;
    return tulle__spgemm_piece_too_large(run, "the entries of C are", nnz);
}

static tulle_status count_and_compute(tulle__spgemm_run *run) {
    pieces *p = run->split;
    const double phases = (run->to - run->from) / TULLE__SPGEMM_PHASES;
    const double stop = run->from + phases * TULLE__SPGEMM_FINISH;
    p->from = (double)run->done / TULLE__SPGEMM_STEPS;
    p->to = stop;
    if (run->counted >= 0) {
        tulle__spgemm_budget_whole_counted(run, run->counted);
    } else {
        p->to = (p->from + stop) / 2;
        p->counting = true;
        TULLE__TRY(pass(run));
        run->counted = p->at;
        p->counting = false;
        p->from = p->to;
        p->to = stop;
        tulle__spgemm_budget_pieces_counted(run, run->counted);
    }
    TULLE__TRY(make_c(run, run->counted));
    run->task.make_c = make_part;
    return pass(run);
}

tulle_status tulle__spgemm_in_pieces(tulle__spgemm_run *run) {
    tulle__spgemm_task *task = &run->task;
    pieces p = {.a = task->a, .b = task->b, .mask = task->mask};
    const double from = run->from, to = run->to;
    run->split = &p;
    task->make_c = make_part;
    tulle__spgemm_budget_begin_pieces(run);
    tulle_status status = tulle__spgemm_drop_kept(run);
    if (status == TULLE_OK) status = count_and_compute(run);
    run->split = NULL;
    task->a = p.a;
    task->b = p.b;
    task->mask = p.mask;
    task->c = p.c;
    task->multiplications = p.multiplications;
    run->from = from;
    run->to = to;
    tulle__spgemm_budget_end_pieces(run);
    run->pieces += p.count;
    return status;
}
