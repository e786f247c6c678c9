/* SPDX-License-Identifier: Apache-2.0 */
/* Level by level: the rows of a level wait for none of each other and are shared out among the
 * threads, which wait for each other after it. Neighbouring levels that are too thin for that are
 * one thread's, without waiting in between. */
#ifndef STORED

#include <omp.h>

#include "trisolve/cpu/cells.h"

/* Multiplications of a level that are worth waiting for all threads, a microsecond or two. */
enum { THIN = 4096 };

static int64_t work(const tulle__trisolve_task *task, int64_t rows, int64_t entries) {
    return (rows + entries) * task->block * task->block * task->vectors;
}

static bool is_thin(const tulle__trisolve_task *task, int64_t level) {
    const tulle__schedule *s = task->schedule;
    const int64_t size = tulle_offset_size(task->index);
    const int64_t begin = s->level_begins[level], end = s->level_begins[level + 1];
    const int64_t entries = tulle__get(s->begins, size, end) - tulle__get(s->begins, size, begin);
    return work(task, end - begin, entries) < THIN;
}

/* The end of the stretch of levels that starts with a thin one. */
static int64_t stretch_end(const tulle__trisolve_task *task, int64_t level) {
    while (level < task->schedule->levels && is_thin(task, level)) level++;
    return level;
}

/* Blocks have loops of their own here, which the other kernel has not. */
static bool suits(const tulle__trisolve_task *task) {
    const tulle__schedule *s = task->schedule;
    if (task->block > 1) return true;
    return task->place->threads > 1 && work(task, s->rows, s->entries) / s->levels >= THIN;
}

#define TULLE__SELF "trisolve/cpu/levels.c"
#include "trisolve/cpu/each_values.h"

extern const tulle__trisolve_kernel tulle__cpu_trisolve_levels;
const tulle__trisolve_kernel tulle__cpu_trisolve_levels = {
    .head = {.name = "trisolve_levels",
             .summary = "all threads, level by level; several thin levels by one thread",
             .source = "Anderson and Saad 1989, level scheduling",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      (unsigned)TULLE__TRISOLVE_DEFAULT},
    .suits = suits,
    .run = TRISOLVE_RUN_ALL(run),
};

#else /* once for each pair of value types */

#include "trisolve/cpu/block_rows.h"

TRISOLVE_INLINE void NAME(solve_places)(const NAME(system) * s, int64_t begin, int64_t end,
                                        tulle__strip strip, int b, int w, bool turned) {
    const tulle__schedule *schedule = s->task->schedule;
    COMPUTED sum[TRISOLVE_ROOM], x[TRISOLVE_ROOM];
    for (int64_t p = begin; p < end; p++) {
        const int64_t i = tulle__get(schedule->order, s->size, p);
        const int64_t last = tulle__get(schedule->begins, s->size, p + 1);
        NAME(load_b)(s, i, strip, b, w, sum);
        for (int64_t e = tulle__get(schedule->begins, s->size, p); e < last; e++) {
            const int64_t place = tulle__get(schedule->places, s->size, e);
            const int64_t slot = tulle__get(schedule->slots, s->size, e);
            NAME(load_x)(s, tulle__get(schedule->order, s->size, place), strip, b, w, x);
            NAME(subtract)(s, slot, b, w, turned, x, sum);
        }
        NAME(meet_diagonal)(s, i, tulle__get(schedule->diagonal, s->size, p), b, w, sum);
        NAME(store_x)(s, i, strip, b, w, sum);
    }
}

#define SOME_ROWS NAME(solve_places)
#define SIZES(S) S(1) S(2) S(3) S(4) S(5) S(8) S(16)
#include "trisolve/cpu/by_size.h"

static tulle_status NAME(run)(const tulle__trisolve_task *task) {
    const NAME(system) s = NAME(system_of)(task);
    const int64_t levels = task->schedule->levels, *begins = task->schedule->level_begins;
#pragma omp parallel num_threads(task->place->threads)
    {
        const int me = omp_get_thread_num(), threads = omp_get_num_threads();
        int64_t level = 0;
        while (level < levels) {
            const int64_t end = stretch_end(task, level), begin = begins[level];
            if (end > level) {
                if (me == 0) NAME(all_columns)(&s, begin, begins[end]);
                level = end;
            } else {
                const int64_t wide = begins[++level] - begin;
                NAME(all_columns)
                (&s, begin + wide * me / threads, begin + wide * (me + 1) / threads);
            }
#pragma omp barrier
        }
    }
    return TULLE_OK;
}

#endif
