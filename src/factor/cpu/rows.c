/* SPDX-License-Identifier: Apache-2.0 */
/* Row by row, each with a table of where its columns stand; rows of a level of the schedule are
 * shared by threads, and thin levels are one thread's. A number has the same bits whoever computes
 * it. */
#ifndef VALUE

#include <math.h>
#include <omp.h>

#include "core/context.h"
#include "factor/cpu/by_level.h"
#include "factor/cpu/row.h"
#include "factor/cpu/table.h"
#include "factor/cpu/telling.h"

static size_t table_bytes(const tulle__factor_task *task) {
    return (size_t)tulle__table_slots(task->longest) * sizeof(tulle__place_of_column);
}

static size_t workspace(const tulle__factor_task *task) {
    return tulle__factor_queue_bytes(task) + (size_t)task->place->threads * table_bytes(task);
}

#define TULLE__SELF "factor/cpu/rows.c"
#include "core/each_type.h"

extern const tulle__factor_kernel tulle__cpu_factor_rows;
const tulle__factor_kernel tulle__cpu_factor_rows = {
    .head = {.name = "factor_rows",
             .also = "factor_bsr_lu",
             .summary = "row by row, levels of rows shared by threads",
             .source = "Saad, Iterative Methods for Sparse Linear Systems, 10.3 (IKJ)",
             .format = TULLE_CSR,
             .flags =
                 TULLE__FORWARD | TULLE__REPEATABLE | TULLE__FACTOR_DEFAULT | TULLE__REFERENCE},
    .workspace = workspace,
    .run = {{rows_f32_i32, rows_f32_i64_i32, rows_f32_i64},
            {rows_f64_i32, rows_f64_i64_i32, rows_f64_i64}}};

#else

#include "factor/cpu/blocks.h"

/* The arrays of a call, in their types, and the row that is worked on. */
typedef struct NAME(work) {
    const tulle__factor_task *task;
    const OFFSET *offsets;
    const INDEX *cols;
    VALUE *values;
    tulle__table where;
    tulle__pivots_seen seen;
    tulle__telling *telling;
    int thread;
} NAME(work);

/* Fills row i, notes where its columns stand, and gives the largest number's size. */
static inline __attribute__((always_inline)) double NAME(load_row)(int b, NAME(work) * w,
                                                                   int64_t i) {
    double most = 0;
    w->where.row = i;
    for (int64_t e = w->offsets[i]; e < w->offsets[i + 1]; e++) {
        tulle__table_put(&w->where, w->cols[e], e);
        for (int q = 0; q < b * b; q++) {
            const double number = tulle__number_of(w->task, e, i, w->cols[e], q / b, q % b);
            w->values[e * b * b + q] = (VALUE)number;
            if (fabs(number) > most) most = fabs(number);
        }
    }
    return most;
}

/* The end of the lower part of row i, where its diagonal stands. */
static int64_t NAME(diagonal_of)(const NAME(work) * w, int64_t i) {
    int64_t low = w->offsets[i], high = w->offsets[i + 1] - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (w->cols[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static inline __attribute__((always_inline)) void NAME(eliminate)(int b, NAME(work) * w, int64_t i,
                                                                  double most) {
    const tulle__factor_task *t = w->task;
    const int64_t cells = (int64_t)b * b, d = NAME(diagonal_of)(w, i);
    VALUE dropped[TULLE__MOST_BLOCK * TULLE__MOST_BLOCK] = {0};
    VALUE *values = w->values, *D = values + d * cells;
    for (int64_t e = w->offsets[i]; e < d; e++) {
        const int64_t k = w->cols[e], dk = NAME(diagonal_of)(w, k);
        VALUE *L = values + e * cells;
        const VALUE *Dk = values + dk * cells;
        if (b == 1) {
            L[0] /= Dk[0];
        } else if (t->inverted) {
            NAME(times)(b, Dk, L);
        } else {
            NAME(over)(b, Dk, t->pivots + k * b, L);
        }
        for (int64_t f = dk + 1; f < w->offsets[k + 1]; f++) {
            const int64_t at = tulle__table_at(&w->where, w->cols[f]);
            if (at >= 0) {
                NAME(less_product)(b, L, values + f * cells, values + at * cells);
            } else if (t->modified > 0) {
                NAME(less_product)(b, L, values + f * cells, dropped);
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

/* L_ik in turn: what rows i and k have in common before k is taken off. */
static void NAME(root_row)(NAME(work) * w, int64_t i, double most) {
    const int64_t begin = w->offsets[i], d = NAME(diagonal_of)(w, i);
    VALUE *values = w->values, pivot = values[d];
    for (int64_t e = begin; e < d; e++) {
        const int64_t k = w->cols[e], dk = (int64_t)w->offsets[k + 1] - 1;
        VALUE sum = values[e];
        for (int64_t f = w->offsets[k]; f < dk; f++) {
            const int64_t at = tulle__table_at(&w->where, w->cols[f]);
            if (at >= 0) sum -= values[at] * values[f];
        }
        values[e] = sum / values[dk];
        pivot -= values[e] * values[e];
    }
    const tulle__row_judge judge = {w->task, i, most, &w->seen};
    values[d] = (VALUE)sqrt(tulle__judge_pivot(&judge, (double)pivot, 0));
}

static inline __attribute__((always_inline)) void NAME(row)(int b, NAME(work) * w, int64_t i) {
    const double most = NAME(load_row)(b, w, i);
    if (w->task->kind == TULLE_CHOLESKY) {
        NAME(root_row)(w, i, most);
    } else {
        NAME(eliminate)(b, w, i, most);
    }
}

/* Loops over blocks of the sizes that codes have are compiled for these. */
static void NAME(any_row)(NAME(work) * w, int64_t i) {
    switch (w->task->block) {
        case 1:
            NAME(row)(1, w, i);
            return;
        case 2:
            NAME(row)(2, w, i);
            return;
        case 3:
            NAME(row)(3, w, i);
            return;
        case 4:
            NAME(row)(4, w, i);
            return;
        case 5:
            NAME(row)(5, w, i);
            return;
        case 8:
            NAME(row)(8, w, i);
            return;
        case 16:
            NAME(row)(16, w, i);
            return;
        default:
            NAME(row)(w->task->block, w, i);
            return;
    }
}

static void NAME(take)(void *work, int64_t begin, int64_t end) {
    NAME(work) *w = work;
    for (int64_t p = begin; p < end && tulle__goes_on(w->telling, w->thread, p); p++) {
        NAME(any_row)(w, tulle__factor_row_at(w->task, p));
    }
}

static tulle_status NAME(rows)(const tulle__factor_task *task) {
    const int threads = tulle__factor_threads(task);
    tulle__queue *queue = threads > 1 ? tulle__factor_queue(task) : NULL;
    char *tables = (char *)task->workspace + tulle__factor_queue_bytes(task);
    tulle__telling telling = tulle__telling_of(task);
#pragma omp parallel num_threads(threads)
    {
        const int thread = omp_get_thread_num();
        NAME(work)
        w = {.task = task,
             .offsets = task->offsets,
             .cols = task->cols_of,
             .values = task->values,
             .where = tulle__table_in(tables + (size_t)thread * table_bytes(task), task->longest),
             .seen = tulle__no_pivots_seen,
             .telling = &telling,
             .thread = thread};
        if (threads == 1) {
            for (int64_t i = 0; i < task->rows && tulle__goes_on(&telling, 0, i); i++) {
                NAME(any_row)(&w, i);
            }
        } else {
            tulle__queue_work(queue, &w, NAME(take));
        }
#pragma omp critical(tulle__factor_seen)
        tulle__add_seen(task->seen, &w.seen);
    }
    return (tulle_status)atomic_load(&telling.said);
}

#endif
