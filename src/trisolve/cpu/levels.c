/* SPDX-License-Identifier: Apache-2.0 */
/* Solves level by level: the rows of a level do not wait for each other, and threads take stretches
 * of them. Successive levels that are too thin for that go to one thread. */
#ifndef STORED

#include <omp.h>

#include "core/threads/sizes.h"
#include "trisolve/cpu/by_level.h"
#include "trisolve/cpu/cells.h"
#include "trisolve/cpu/gather.h"
#include "trisolve/cpu/scalar_rows.h"

/* Number of multiplications that is worth a turn of its own: half a microsecond or so. */
enum { WORTH_A_TURN = 1024 };

/* Returns the multiplications of a row of mean length. */
static int64_t work_of_row(const tulle__trisolve_task *task) {
    const tulle__schedule *s = task->schedule;
    return (1 + s->entries / s->rows) * task->block * task->block * task->vectors;
}

static int64_t least_rows(const tulle__trisolve_task *task) {
    const int64_t work = work_of_row(task);
    return work < WORTH_A_TURN ? WORTH_A_TURN / work : 1;
}

static size_t workspace(const tulle__trisolve_task *task) {
    return tulle__level_queue_bytes(task->schedule, least_rows(task), task->place->threads);
}

/* FEW_THREADS, LITTLE_WORK: so few threads do not suit rows with so few multiplications. By level
 * such rows cost up to four times as much as in their own order, in which memory is read as a
 * stream. */
enum { FEW_THREADS = 4, LITTLE_WORK = 64 };

/* Returns true when the kernel suits a case. Blocks have loops of their own here, which the other
 * kernel lacks. */
static bool suits(const tulle__trisolve_task *task) {
    const tulle__schedule *s = task->schedule;
    if (task->block > 1) return true;
    const int least = work_of_row(task) < LITTLE_WORK ? FEW_THREADS : 2;
    return task->place->threads >= least && s->rows / s->levels >= 2 * least_rows(task);
}

static void defaults(const tulle__trisolve_task *task, int *params) {
    tulle__solve_defaults(task->schedule, params);
}

#define TULLE__SELF "trisolve/cpu/levels.c"
#include "trisolve/cpu/each_values.h"

extern const tulle__trisolve_kernel tulle__cpu_trisolve_levels;
const tulle__trisolve_kernel tulle__cpu_trisolve_levels = {
    .head = {.name = "trisolve_levels",
             .also = "factor_bsr_solve",
             .summary = "all threads, level by level; several thin levels by one thread",
             .source = "Anderson and Saad 1989, level scheduling",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__DEFAULT,
             .param_count = TULLE__SOLVE_PARAMS,
             .params = tulle__solve_params},
    .defaults = defaults,
    .suits = suits,
    .workspace = workspace,
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
            NAME(subtract)(s, slot, strip, b, w, turned, x, sum);
        }
        NAME(meet_diagonal)(s, i, tulle__get(schedule->diagonal, s->size, p), b, w, sum);
        NAME(store_x)(s, i, strip, b, w, sum);
    }
}

#define SOME_ROWS NAME(solve_places)
#define SIZES(S) S(1) S(2) S(3) S(4) S(5) S(8) S(16)
#include "trisolve/cpu/by_size.h"

static void NAME(take)(void *system, int64_t begin, int64_t end) {
    const NAME(system) *s = system;
    if (s->task->op == TULLE_N && tulle__is_scalar(s->task)) {
        tulle__solve_scalars(s->task, s->task->schedule->order, begin, end);
    } else {
        NAME(all_columns)(s, begin, end);
    }
}

static tulle_status NAME(run)(const tulle__trisolve_task *task) {
    NAME(system) s = NAME(system_of)(task);
    const int64_t entries = s.task->schedule->entries * task->block * task->block;
    const int threads =
        tulle__threads_for(task->place, TULLE__WORK_ENTRIES, entries * task->vectors);
    tulle__queue *queue =
        tulle__level_queue(task->schedule, least_rows(task), threads, task->workspace);
#pragma omp parallel num_threads(threads)
    tulle__queue_work(queue, omp_get_thread_num(), &s, NAME(take));
    return TULLE_OK;
}

#endif
