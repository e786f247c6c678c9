/* SPDX-License-Identifier: Apache-2.0 */
/* Factorises row by row, with an array that has the place of each column in the row. Threads share
 * stretches of rows, or the rows of a level of the schedule, of which thin ones go to one thread.
 * The array is never cleared: a place outside the row is left from an earlier row. Blocks are
 * multiplied by rows that are as wide as vectors (blocks.h). A number has the same bits for any
 * number of threads and any vectors of the processor. Memory, in the workspace: such an array for
 * each thread. Source: Saad, "Iterative Methods for Sparse Linear Systems", 10.3 (IKJ). */
#ifndef VALUE
#define TULLE__PARTS 6

#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/context.h"
#include "factor/cpu/row.h"
#include "factor/cpu/shared_rows.h"
#include "factor/cpu/telling.h"
#include "trisolve/cpu/cells.h"

#define INLINED static inline __attribute__((always_inline))

/* Largest size of the arrays of all threads, relative to the numbers of the factors. */
enum { MOST_SCRATCH = 2 };

static int threads_of(const tulle__factor_task *task) {
    const int threads = tulle__factor_threads(task);
    const int64_t numbers = task->entries * task->block * task->block;
    const int64_t most = MOST_SCRATCH * numbers / task->rows;
    return threads < most ? threads : (int)most;
}

static size_t places_bytes(const tulle__factor_task *task) {
    return (size_t)task->rows * sizeof(int64_t);
}

/* Returns true when blocks of A' without padding are blocks of A, as they are or transposed. */
static bool is_copied(const tulle__factor_task *t) {
    return t->from.type == t->type && !t->from.row_scale && !t->from.col_scale &&
           t->from.shift == 0;
}

/* Returns true when block (i, j), from a slot of A, is inside the matrix and has no padding. */
static inline bool is_full(const tulle__factor_task *t, int64_t slot, int64_t i, int64_t j) {
    const int b = t->block;
    const int64_t last = i > j ? i : j;
    if ((last + 1) * b > t->n) return false;
    return !t->from.mask || tulle__all_cells(t->from.mask + slot * tulle__mask_words(b * b), b * b);
}

#define TULLE__SELF "factor/cpu/rows.c"
#include "core/each_type.h"

#if TULLE__IN_PART(1)

/* Returns the bytes of the workspace: for each thread the places of columns, and the places of all
 * rows' diagonals. */
static size_t workspace(const tulle__factor_task *task) {
    return tulle__factor_queue_bytes(task) + (size_t)(threads_of(task) + 1) * places_bytes(task);
}

static void defaults(const tulle__factor_task *task, int *params) {
    (void)task;
    params[0] = TULLE__BITS_OF_AVX2;
}

TULLE__DECLARE_RUN(tulle__cpu_factor_rows, const tulle__factor_task *);

extern const tulle__factor_kernel tulle__cpu_factor_rows;
const tulle__factor_kernel tulle__cpu_factor_rows = {
    .head = {.name = "factor_rows",
             .also = "factor_bsr_lu",
             .summary = "row by row, stretches or levels of rows shared by threads",
             .source = "Saad, Iterative Methods for Sparse Linear Systems, 10.3 (IKJ)",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__DEFAULT | TULLE__REFERENCE,
             .param_count = 1,
             .params = tulle__bits_params},
    .defaults = defaults,
    .workspace = workspace,
    .run = TULLE__RUN_ALL(tulle__cpu_factor_rows),
};

#endif
#else /* once for each type combination */

#include "factor/cpu/blocks.h"

/* The arrays of a call, in their types, and the row that is being worked on. */
typedef struct NAME(work) {
    const tulle__factor_task *task;
    const OFFSET *offsets;
    const INDEX *cols;
    VALUE *values;
    OFFSET *places;    /* place of each column in the row, or in an earlier row, or -1 */
    OFFSET *diagonals; /* places of the diagonals of rows that are done */
    bool copied;       /* result of is_copied */
    tulle__pivots_seen seen;
    tulle__telling *telling;
    int thread;
    bool in_order; /* true when rows go in their own order, not by places of the schedule */
} NAME(work);

/* Loads the numbers of block e, in block row i and block column j, from wherever they come. */
static __attribute__((noinline)) void NAME(load_numbers)(const NAME(work) * w, int64_t e, int64_t i,
                                                         int64_t j) {
    const int b = w->task->block;
    VALUE *to = w->values + e * b * b;
    for (int q = 0; q < b * b; q++) {
        to[q] = (VALUE)tulle__number_of(w->task, e, i, j, q / b, q % b);
    }
}

INLINED void NAME(load_block)(int b, const NAME(work) * w, int64_t e, int64_t i, int64_t j) {
    const int64_t *source = w->task->from.source, slot = source ? source[e] : e;
    const int64_t from = slot >= 0 ? slot : -2 - slot;
    const VALUE *own = (const VALUE *)w->task->from.values + from * b * b;
    VALUE *to = w->values + e * b * b;
    if (!w->copied || slot == -1 || !is_full(w->task, from, i, j)) {
        NAME(load_numbers)(w, e, i, j);
        return;
    }
    for (int q = 0; slot >= 0 && q < b * b; q++) to[q] = own[q];
    for (int q = 0; slot < 0 && q < b * b; q++) to[q] = own[q % b * b + q / b];
}

/* Fills row i, and notes the places of its columns; returns the end of its lower part, which is the
 * place of its diagonal. */
INLINED OFFSET NAME(load_row)(int b, const NAME(work) * w, int64_t i) {
    const OFFSET begin = w->offsets[i], end = w->offsets[i + 1];
    OFFSET d = begin;
    for (OFFSET e = begin; e < end; e++) {
        const INDEX j = w->cols[e];
        d += j < i;
        w->places[j] = e;
        NAME(load_block)(b, w, e, i, j);
    }
    w->diagonals[i] = d;
    return d;
}

/* Returns the size of a row's largest number, if the caller asks for tiny pivots. */
static double NAME(most)(const NAME(work) * w, int64_t i) {
    const int64_t cells = (int64_t)w->task->block * w->task->block;
    double most = 0;
    if (w->task->tiny == 0) return most;
    for (int64_t q = w->offsets[i] * cells; q < w->offsets[i + 1] * cells; q++) {
        const double size = fabs((double)w->values[q]);
        if (size > most) most = size;
    }
    return most;
}

/* Returns the place of column j in row i, or -1; places left from other rows are recognised. */
INLINED int64_t NAME(place_in_row)(const NAME(work) * w, int64_t i, INDEX j) {
    const int64_t at = w->places[j];
    return at >= w->offsets[i] && at < w->offsets[i + 1] ? at : -1;
}

/* Handles a product that has no place in the pattern, if such products count. This is rare enough
 * to be kept out of line. */
static __attribute__((noinline)) void NAME(drop)(int b, const VALUE *L, const VALUE *U,
                                                 VALUE *dropped) {
    NAME(less_product)(b, L, U, dropped);
}

INLINED void NAME(eliminate)(int b, NAME(work) * w, int64_t i, OFFSET d, double most) {
    const tulle__factor_task *t = w->task;
    const int64_t cells = (int64_t)b * b;
    VALUE dropped[TULLE__MOST_BLOCK * TULLE__MOST_BLOCK];
    VALUE *values = w->values, *D = values + d * cells;
    for (int q = 0; q < b * b; q++) dropped[q] = 0;
    for (OFFSET e = w->offsets[i]; e < d; e++) {
        const int64_t k = w->cols[e];
        const OFFSET dk = w->diagonals[k], end = w->offsets[k + 1];
        VALUE *L = values + e * cells;
        const VALUE *Dk = values + dk * cells;
        if (b == 1) {
            L[0] /= Dk[0];
        } else if (t->inverted) {
            NAME(times)(b, Dk, L);
        } else {
            NAME(over)(b, Dk, t->pivots + k * b, L);
        }
        for (OFFSET f = dk + 1; f < end; f++) {
            const int64_t at = NAME(place_in_row)(w, i, w->cols[f]);
            if (at >= 0) {
                NAME(less_product)(b, L, values + f * cells, values + at * cells);
            } else if (t->modified > 0) {
                NAME(drop)(b, L, values + f * cells, dropped);
            }
        }
    }
    for (int q = 0; t->modified > 0 && q < b * b; q++) D[q] += (VALUE)t->modified * dropped[q];
    const tulle__row_judge judge = {t, i * b, most, &w->seen};
    if (b == 1) {
        D[0] = (VALUE)tulle__judge_pivot(&judge, (double)D[0], 0);
        return;
    }
    uint8_t own[TULLE__MOST_BLOCK];
    uint8_t *pivots = t->inverted ? own : t->pivots + i * b;
    NAME(factorise)(b, D, pivots, &judge);
    if (t->inverted) NAME(invert)(b, D, pivots);
}

/* Computes the numbers L_ik of row i of L L^T one after the other: subtracts the products of the
 * columns before k that rows i and k have in common. */
INLINED void NAME(root_row)(NAME(work) * w, int64_t i, int64_t d, double most) {
    const int64_t begin = w->offsets[i];
    VALUE *values = w->values, pivot = values[d];
    for (int64_t e = begin; e < d; e++) {
        const int64_t k = w->cols[e], dk = (int64_t)w->offsets[k + 1] - 1;
        VALUE sum = values[e];
        for (int64_t f = w->offsets[k]; f < dk; f++) {
            const int64_t at = NAME(place_in_row)(w, i, w->cols[f]);
            if (at >= 0) sum -= values[at] * values[f];
        }
        values[e] = sum / values[dk];
        pivot -= values[e] * values[e];
    }
    const tulle__row_judge judge = {w->task, i, most, &w->seen};
    values[d] = (VALUE)sqrt(tulle__judge_pivot(&judge, (double)pivot, 0));
}

INLINED void NAME(row)(int b, NAME(work) * w, int64_t i) {
    const OFFSET d = NAME(load_row)(b, w, i);
    const double most = NAME(most)(w, i);
    if (w->task->kind == TULLE_CHOLESKY) {
        NAME(root_row)(w, i, d, most);
    } else {
        NAME(eliminate)(b, w, i, d, most);
    }
}

/* Factorises the rows at some places of the schedule or, in order, the rows themselves. Loops over
 * blocks of common sizes are compiled for these sizes; large blocks have long loops anyway. */
#define EACH_ROW(b)                                                                                \
    for (int64_t p = begin; p < end && tulle__goes_on(w->telling, w->thread, p - begin); p++) {    \
        NAME(row)((b), w, in_order ? p : tulle__factor_row_at(w->task, p));                        \
    }                                                                                              \
    return
INLINED void NAME(some_rows)(NAME(work) * w, int64_t begin, int64_t end, bool in_order) {
    switch (w->task->block) {
        case 1:
            EACH_ROW(1);
/* AddressSanitizer would make these cases compile for a minute */
#ifndef TULLE__ADDRESS_SANITIZER
        case 2:
            EACH_ROW(2);
        case 3:
            EACH_ROW(3);
        case 4:
            EACH_ROW(4);
        case 5:
            EACH_ROW(5);
        case 8:
            EACH_ROW(8);
        case 16:
            EACH_ROW(16);
#endif
        default:
            EACH_ROW(w->task->block);
    }
}
#undef EACH_ROW

static void NAME(rows_plain)(NAME(work) * w, int64_t begin, int64_t end, bool in_order) {
    NAME(some_rows)(w, begin, end, in_order);
}

FOR_AVX2 static void NAME(rows_avx2)(NAME(work) * w, int64_t begin, int64_t end, bool in_order) {
    NAME(some_rows)(w, begin, end, in_order);
}

static void NAME(take_rows)(NAME(work) * w, int64_t begin, int64_t end, bool in_order) {
    if (tulle__takes_avx2(w->task->params)) {
        NAME(rows_avx2)(w, begin, end, in_order);
    } else {
        NAME(rows_plain)(w, begin, end, in_order);
    }
}

static void NAME(take)(void *work, int64_t begin, int64_t end) {
    NAME(work) *w = work;
    NAME(take_rows)(w, begin, end, w->in_order);
    tulle__note_done(w->telling, end - begin);
}

tulle_status NAME(tulle__cpu_factor_rows)(const tulle__factor_task *task);
tulle_status NAME(tulle__cpu_factor_rows)(const tulle__factor_task *task) {
    const int threads = threads_of(task);
    tulle__queue *queue = threads > 1 ? tulle__factor_queue(task) : NULL;
    char *diagonals = (char *)task->workspace + tulle__factor_queue_bytes(task);
    char *places = diagonals + places_bytes(task);
    tulle__telling telling = tulle__telling_of(task);
#pragma omp parallel num_threads(threads)
    {
        const int thread = omp_get_thread_num();
        NAME(work)
        w = {.task = task,
             .offsets = task->offsets,
             .cols = task->cols_of,
             .values = task->values,
             .places = (OFFSET *)(void *)(places + (size_t)thread * places_bytes(task)),
             .diagonals = (OFFSET *)(void *)diagonals,
             .copied = is_copied(task),
             .seen = tulle__no_pivots_seen,
             .telling = &telling,
             .thread = thread,
             .in_order = tulle__factor_in_order(task, threads)};
        memset(w.places, -1, (size_t)task->rows * sizeof *w.places);
        if (threads == 1) {
            NAME(take_rows)(&w, 0, task->rows, true);
        } else {
            tulle__queue_work(queue, w.thread, &w, NAME(take));
        }
#pragma omp critical(tulle__factor_seen)
        tulle__add_seen(task->seen, &w.seen);
    }
    return (tulle_status)atomic_load(&telling.said);
}

#endif
