/* SPDX-License-Identifier: Apache-2.0 */
/* The definition: solves row by row, directly from A's arrays, with one thread; or, for scalars,
 * with threads that share stretches of rows (stretches_cpu.c), each of which is solved in the same
 * way. For op(T) = T', a row of A subtracts its products from all unknowns that wait for its
 * unknown, once this is known. */
#ifndef STORED

#include <omp.h>

#include "trisolve/cpu/cells.h"
#include "trisolve/cpu/gather.h"
#include "trisolve/cpu/queue.h"
#include "trisolve/cpu/scalar_rows.h"

static const int threads_values[] = {0, 1};
static const tulle__param params[] = {
    TULLE__SOLVE_PARAMETERS,
    {"threads", "0: one; 1: all, where they gain by it", 2, threads_values}};
enum { ALL_THREADS = TULLE__SOLVE_PARAMS, PARAMS };

static bool can_share(const tulle__trisolve_task *task) {
    return task->op == TULLE_N && task->schedule->stretches && task->place->threads > 1;
}

/* Returns true when the kernel suits a case. Stretches that were cut for far fewer threads would
 * leave the other threads without work. */
static bool suits(const tulle__trisolve_task *task) {
    return can_share(task) && task->place->threads <= 2 * task->schedule->stretch_threads;
}

static void defaults(const tulle__trisolve_task *task, int *values) {
    tulle__solve_defaults(task->schedule, values);
    values[ALL_THREADS] = can_share(task);
}

static size_t workspace(const tulle__trisolve_task *task) {
    return tulle__queue_bytes(task->place->threads);
}

/* Shares the stretches among threads; take(system, begin, end) solves some rows. */
static void share_stretches(const tulle__trisolve_task *task, void *system,
                            void (*take)(void *system, int64_t begin, int64_t end)) {
    const tulle__schedule *s = task->schedule;
    const int threads = task->place->threads;
    tulle__queue *queue =
        tulle__queue_make(s->stretches, s->stretch_count, threads, task->workspace);
#pragma omp parallel num_threads(threads)
    tulle__queue_work(queue, omp_get_thread_num(), system, take);
}

#define TULLE__SELF "trisolve/cpu/rows.c"
#include "trisolve/cpu/each_values.h"

extern const tulle__trisolve_kernel tulle__cpu_trisolve_rows;
const tulle__trisolve_kernel tulle__cpu_trisolve_rows = {
    .head = {.name = "trisolve_rows",
             .summary = "row by row, by one thread: the definition; or stretches of rows by all",
             .source = "forward and backward substitution; larger tasks: Park, Smelyanskiy, "
                       "Sundaram and Dubey, ISC 2014",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE | TULLE__DEFAULT,
             .param_count = PARAMS,
             .params = params},
    .defaults = defaults,
    .suits = suits,
    .workspace = workspace,
    .run = TRISOLVE_RUN_ALL(run),
};

#else /* once for each pair of value types */

#include "trisolve/cpu/block_rows.h"

/* The arrays of A; the columns of TULLE_I64_I32 have 32 bits and its offsets 64. */
typedef struct NAME(rows) {
    const void *offsets, *cols;
    int64_t offset_size, col_size;
} NAME(rows);

static inline NAME(rows) NAME(rows_of)(const NAME(system) * s) {
    const tulle__pattern_view *p = s->task->pattern;
    return (NAME(rows)){.offsets = p->offsets,
                        .cols = p->cols_of,
                        .offset_size = tulle_offset_size(p->index),
                        .col_size = tulle_index_size(p->index)};
}

/* Returns row number t in the order of solving. */
static inline int64_t NAME(nth)(const NAME(system) * s, int64_t t) {
    return s->lower ? t : s->block_rows - 1 - t;
}

TRISOLVE_INLINE void NAME(solve_rows)(const NAME(system) * s, int64_t begin, int64_t end,
                                      tulle__strip strip, int b, int w, bool turned) {
    const NAME(rows) a = NAME(rows_of)(s);
    COMPUTED sum[TRISOLVE_ROOM], x[TRISOLVE_ROOM];
    (void)turned;
    for (int64_t t = begin; t < end; t++) {
        const int64_t i = NAME(nth)(s, t), last = tulle__get(a.offsets, a.offset_size, i + 1);
        int64_t diagonal = -1;
        NAME(load_b)(s, i, strip, b, w, sum);
        for (int64_t e = tulle__get(a.offsets, a.offset_size, i); e < last; e++) {
            const int64_t j = tulle__get(a.cols, a.col_size, e);
            if (s->lower ? j < i : j > i) {
                NAME(load_x)(s, j, strip, b, w, x);
                NAME(subtract)(s, e, strip, b, w, false, x, sum);
            } else if (j == i && diagonal < 0) {
                diagonal = e;
            }
        }
        NAME(meet_diagonal)(s, i, diagonal, b, w, sum);
        NAME(store_x)(s, i, strip, b, w, sum);
    }
}

/* Returns the first diagonal block of row i, or -1. */
static inline int64_t NAME(diagonal)(const NAME(rows) * a, int64_t i) {
    const int64_t end = tulle__get(a->offsets, a->offset_size, i + 1);
    for (int64_t e = tulle__get(a->offsets, a->offset_size, i); e < end; e++) {
        if (tulle__get(a->cols, a->col_size, e) == i) return e;
    }
    return -1;
}

TRISOLVE_INLINE void NAME(spread_rows)(const NAME(system) * s, int64_t begin, int64_t end,
                                       tulle__strip strip, int b, int w, bool turned) {
    const NAME(rows) a = NAME(rows_of)(s);
    COMPUTED own[TRISOLVE_ROOM], x[TRISOLVE_ROOM];
    for (int64_t t = begin; t < end; t++) {
        const int64_t i = NAME(nth)(s, t), first = tulle__get(a.offsets, a.offset_size, i);
        const int64_t count = tulle__get(a.offsets, a.offset_size, i + 1) - first;
        NAME(load_x)(s, i, strip, b, w, own);
        NAME(meet_diagonal)(s, i, NAME(diagonal)(&a, i), b, w, own);
        NAME(store_x)(s, i, strip, b, w, own);
        for (int64_t k = 0; k < count; k++) {
            const int64_t e = s->lower ? first + k : first + count - 1 - k;
            const int64_t j = tulle__get(a.cols, a.col_size, e);
            if (s->lower ? j <= i : j >= i) continue;
            NAME(load_x)(s, j, strip, b, w, x);
            NAME(subtract)(s, e, strip, b, w, turned, own, x);
            NAME(store_x)(s, j, strip, b, w, x);
        }
    }
}

TRISOLVE_INLINE void NAME(some)(const NAME(system) * s, int64_t begin, int64_t end,
                                tulle__strip strip, int b, int w, bool turned) {
    if (turned) {
        NAME(spread_rows)(s, begin, end, strip, b, w, turned);
    } else {
        NAME(solve_rows)(s, begin, end, strip, b, w, turned);
    }
}

#define SOME_ROWS NAME(some)
#define SIZES(S) S(1)
#include "trisolve/cpu/by_size.h"

/* Computes X := alpha B. */
static void NAME(start)(const NAME(system) * s) {
    COMPUTED own[1];
    for (int64_t v = 0; v < s->task->vectors; v++) {
        for (int64_t i = 0; i < s->n; i++) {
            NAME(load_b)(s, i, (tulle__strip){v, 1, false}, 1, 1, own);
            NAME(store_x)(s, i, (tulle__strip){v, 1, false}, 1, 1, own);
        }
    }
}

static void NAME(take)(void *system, int64_t begin, int64_t end) {
    const NAME(system) *s = system;
    if (tulle__is_scalar(s->task)) {
        tulle__solve_scalars(s->task, NULL, begin, end);
    } else {
        NAME(all_columns)(s, begin, end);
    }
}

static tulle_status NAME(run)(const tulle__trisolve_task *task) {
    NAME(system) s = NAME(system_of)(task);
    if (s.turned) NAME(start)(&s);
    if (can_share(task) && task->params[ALL_THREADS]) {
        share_stretches(task, &s, NAME(take));
    } else {
        NAME(take)(&s, 0, s.block_rows);
    }
    return TULLE_OK;
}

#endif
