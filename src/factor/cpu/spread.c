/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar L U, row by row. The row is spread over an array as long as a row of the matrix, so that
 * no search is needed: L_ik times row k is subtracted at all columns of row k. Results at columns
 * outside the pattern are never read: a row that has the column puts its own number there first.
 * Where rows are long, successive rows of U with the same columns, such as those of a node's
 * unknowns, are subtracted together, with four neighbours in a vector. Threads share stretches or
 * levels of rows (shared_rows.h). Memory, in the workspace: an array for each thread, and the
 * places of the rows' diagonals. Numbers have the same bits as those of factor_rows, whatever
 * vectors the processor has. Source: Saad, "Iterative Methods for Sparse Linear Systems", 10.3
 * (IKJ). */
#ifndef VALUE

#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/context.h"
#include "factor/cpu/row.h"
#include "factor/cpu/shared_rows.h"
#include "factor/cpu/telling.h"
#include "trisolve/cpu/bits.h"

#define INLINED static inline __attribute__((always_inline))

/* Largest size of the scratch of all threads, relative to the numbers of the factors. */
enum { MOST_SCRATCH = 2 };

/* Most rows of U that are subtracted together: for nodes with three unknowns, all of a node. */
enum { MOST_ALIKE = 3 };

/* Returns true when rows are so long that looking for rows of U with the same columns pays. */
static bool are_long(const tulle__factor_task *task) {
    enum { LONG_ROW = 16 };
    return task->entries / task->rows >= LONG_ROW;
}

static bool eligible(const tulle__factor_task *task) {
    return task->block == 1 && task->kind == TULLE_LU && task->modified == 0;
}

static int threads_of(const tulle__factor_task *task) {
    const int threads = tulle__factor_threads(task);
    const int64_t most = MOST_SCRATCH * task->entries / task->rows;
    return threads < most ? threads : (int)most;
}

static size_t row_bytes(const tulle__factor_task *task) {
    return (size_t)(task->rows * tulle_type_size(task->type));
}

static size_t diagonal_bytes(const tulle__factor_task *task) {
    return (size_t)task->rows * sizeof(int64_t);
}

static size_t workspace(const tulle__factor_task *task) {
    return tulle__factor_queue_bytes(task) + diagonal_bytes(task) +
           (size_t)threads_of(task) * row_bytes(task) + (size_t)task->rows * sizeof(bool);
}

static void defaults(const tulle__factor_task *task, int *params) {
    (void)task;
    params[0] = TULLE__BITS_OF_AVX2;
}

#define TULLE__SELF "factor/cpu/spread.c"
#include "core/each_type.h"

extern const tulle__factor_kernel tulle__cpu_factor_spread;
const tulle__factor_kernel tulle__cpu_factor_spread = {
    .head = {.name = "factor_spread",
             .summary =
                 "scalar L U: a row is spread over an array; stretches or levels shared by threads",
             .source = "Saad, Iterative Methods for Sparse Linear Systems, 10.3 (IKJ)",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__DEFAULT,
             .param_count = 1,
             .params = tulle__bits_params},
    .defaults = defaults,
    .eligible = eligible,
    .workspace = workspace,
    .run = {{rows_f32_i32, rows_f32_i64_i32, rows_f32_i64},
            {rows_f64_i32, rows_f64_i64_i32, rows_f64_i64}}};

#else

typedef struct NAME(work) {
    const tulle__factor_task *task;
    const OFFSET *offsets;
    const INDEX *cols;
    const VALUE *plain; /* numbers of A if A' is A, else NULL */
    VALUE *values;
    VALUE *row;        /* numbers of the row, by column */
    OFFSET *diagonals; /* places of the diagonals of rows that are done */
    /* for rows that are done: result of NAME(is_alike); NULL if rows are short */
    bool *alike;
    tulle__pivots_seen seen;
    tulle__telling *telling;
    int thread;
    bool in_order; /* true when rows go in their own order, not by places of the schedule */
} NAME(work);

/* Returns true when row i of U has the same columns as the row before, which is done, apart from
 * that row's diagonal. */
static bool NAME(is_alike)(const NAME(work) * w, int64_t i, OFFSET d) {
    if (d == w->offsets[i] || w->cols[d - 1] != i - 1) return false;
    const OFFSET before = w->diagonals[i - 1] + 1, end = w->offsets[i];
    const OFFSET count = w->offsets[i + 1] - d;
    return end - before == count &&
           memcmp(w->cols + before, w->cols + d, (size_t)count * sizeof *w->cols) == 0;
}

/* Spreads row i of A'; returns the end of its lower part, which is the place of its diagonal. */
INLINED OFFSET NAME(load_row)(const NAME(work) * w, int64_t i, bool alike) {
    const OFFSET begin = w->offsets[i], end = w->offsets[i + 1];
    OFFSET d = begin;
    for (OFFSET e = begin; e < end; e++) {
        const INDEX j = w->cols[e];
        d += j < i;
        w->row[j] = w->plain ? w->plain[e] : (VALUE)tulle__number_of(w->task, e, i, j, 0, 0);
    }
    w->diagonals[i] = d;
    if (alike) w->alike[i] = NAME(is_alike)(w, i, d);
    return d;
}

/* Returns the size of the row's largest number, if the caller asks for tiny pivots. */
static double NAME(most)(const NAME(work) * w, int64_t i) {
    double most = 0;
    if (w->task->tiny == 0) return most;
    for (OFFSET e = w->offsets[i]; e < w->offsets[i + 1]; e++) {
        const double size = fabs((double)w->row[w->cols[e]]);
        if (size > most) most = size;
    }
    return most;
}

INLINED void NAME(eliminate)(const NAME(work) * w, int64_t i, OFFSET d) {
    VALUE *restrict row = w->row;
    for (OFFSET e = w->offsets[i]; e < d; e++) {
        const INDEX k = w->cols[e];
        const OFFSET dk = w->diagonals[k], end = w->offsets[k + 1];
        const VALUE l = row[k] / w->values[dk];
        w->values[e] = l;
        for (OFFSET f = dk + 1; f < end; f++) row[w->cols[f]] -= l * w->values[f];
    }
}

/* Four numbers that follow each other. */
typedef VALUE NAME(four)
    __attribute__((vector_size(4 * sizeof(VALUE)), aligned(sizeof(VALUE)), may_alias));

/* Subtracts l[0] u[0] from the row, then l[1] u[1] and so on, for rows of U that have the same
 * columns, each column once. Four columns are handled at a time, which often are neighbours in
 * factors with much fill. */
INLINED void NAME(take_off)(int rows, const VALUE *l, const VALUE *const *u, const INDEX *cols,
                            OFFSET count, VALUE *restrict row) {
    OFFSET f = 0;
    for (; count - f >= 4; f += 4) {
        if (cols[f + 3] - cols[f] == 3) {
            NAME(four) *to = (NAME(four) *)(row + cols[f]), sum = *to;
            for (int m = 0; m < rows; m++) sum -= l[m] * *(const NAME(four) *)(u[m] + f);
            *to = sum;
            continue;
        }
        VALUE less[4];
        for (int k = 0; k < 4; k++) {
            less[k] = row[cols[f + k]];
            for (int m = 0; m < rows; m++) less[k] -= l[m] * u[m][f + k];
        }
        for (int k = 0; k < 4; k++) row[cols[f + k]] = less[k];
    }
    for (; f < count; f++) {
        VALUE less = row[cols[f]];
        for (int m = 0; m < rows; m++) less -= l[m] * u[m][f];
        row[cols[f]] = less;
    }
}

/* Returns the number of entries from e on in columns whose rows of U have the same columns. */
INLINED int NAME(alike)(const NAME(work) * w, OFFSET e, OFFSET d) {
    int count = 1;
    while (count < MOST_ALIKE && e + count < d && w->cols[e + count] == w->cols[e] + count &&
           w->alike[w->cols[e + count]]) {
        count++;
    }
    return count;
}

/* Eliminates row i where rows are long, by groups of rows of U with the same columns. */
INLINED void NAME(eliminate_alike)(const NAME(work) * w, int64_t i, OFFSET d) {
    int count = 0;
    for (OFFSET e = w->offsets[i]; e < d; e += count) {
        const INDEX k = w->cols[e];
        VALUE l[MOST_ALIKE];
        const VALUE *u[MOST_ALIKE];
        count = NAME(alike)(w, e, d);
        for (int m = 0; m < count; m++) {
            const VALUE *pivot = w->values + w->diagonals[k + m];
            l[m] = w->values[e + m] = w->row[k + m] / *pivot;
            u[m] = pivot + (count - m);
            for (int q = 1; q < count - m; q++) w->row[k + m + q] -= l[m] * pivot[q];
        }
        const INDEX last = k + count - 1;
        const OFFSET first = w->diagonals[last] + 1, left = w->offsets[last + 1] - first;
        if (count == 1) NAME(take_off)(1, l, u, w->cols + first, left, w->row);
        if (count == 2) NAME(take_off)(2, l, u, w->cols + first, left, w->row);
        if (count == 3) NAME(take_off)(3, l, u, w->cols + first, left, w->row);
    }
}

INLINED void NAME(row)(NAME(work) * w, int64_t i, bool alike) {
    const OFFSET d = NAME(load_row)(w, i, alike), end = w->offsets[i + 1];
    const tulle__row_judge judge = {w->task, i, NAME(most)(w, i), &w->seen};
    if (alike) {
        NAME(eliminate_alike)(w, i, d);
    } else {
        NAME(eliminate)(w, i, d);
    }
    w->values[d] = (VALUE)tulle__judge_pivot(&judge, (double)w->row[i], 0);
    for (OFFSET e = d + 1; e < end; e++) w->values[e] = w->row[w->cols[e]];
}

/* Factorises the rows at some places of the schedule or, in order, the rows themselves. */
INLINED void NAME(some_rows)(NAME(work) * w, int64_t begin, int64_t end, bool in_order,
                             bool alike) {
    for (int64_t p = begin; p < end && tulle__goes_on(w->telling, w->thread, p - begin); p++) {
        NAME(row)(w, in_order ? p : tulle__factor_row_at(w->task, p), alike);
    }
}

static void NAME(short_rows)(NAME(work) * w, int64_t begin, int64_t end, bool in_order) {
    NAME(some_rows)(w, begin, end, in_order, false);
}

static void NAME(rows_plain)(NAME(work) * w, int64_t begin, int64_t end, bool in_order) {
    NAME(some_rows)(w, begin, end, in_order, true);
}

FOR_AVX2 static void NAME(rows_avx2)(NAME(work) * w, int64_t begin, int64_t end, bool in_order) {
    NAME(some_rows)(w, begin, end, in_order, true);
}

static void NAME(take_rows)(NAME(work) * w, int64_t begin, int64_t end, bool in_order) {
    if (!w->alike) {
        NAME(short_rows)(w, begin, end, in_order);
    } else if (tulle__takes_avx2(w->task->params)) {
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

static tulle_status NAME(rows)(const tulle__factor_task *task) {
    const int threads = threads_of(task);
    tulle__queue *queue = threads > 1 ? tulle__factor_queue(task) : NULL;
    char *diagonals = (char *)task->workspace + tulle__factor_queue_bytes(task);
    char *rows = diagonals + diagonal_bytes(task);
    char *alike = rows + (size_t)threads * row_bytes(task);
    tulle__telling telling = tulle__telling_of(task);
#pragma omp parallel num_threads(threads)
    {
        NAME(work)
        w = {.task = task,
             .offsets = task->offsets,
             .cols = task->cols_of,
             .plain = task->from.plain ? task->from.values : NULL,
             .values = task->values,
             .row = (VALUE *)(void *)(rows + (size_t)omp_get_thread_num() * row_bytes(task)),
             .diagonals = (OFFSET *)(void *)diagonals,
             .alike = are_long(task) ? (bool *)(void *)alike : NULL,
             .seen = tulle__no_pivots_seen,
             .telling = &telling,
             .thread = omp_get_thread_num(),
             .in_order = tulle__factor_in_order(task, threads)};
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
