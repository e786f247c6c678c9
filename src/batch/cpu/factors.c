/* SPDX-License-Identifier: Apache-2.0 */
#include "batch/cpu/factors.h"

#include <omp.h>
#include <string.h>

#include "core/context.h"
#include "factor/functions.h"

static void *room_of(const tulle__batch_job *job) {
    return (char *)job->room + (size_t)omp_get_thread_num() * job->room_bytes;
}

static void tell(const tulle__batch_job *job, const tulle__task *t) {
    const tulle__task_host *host = t->host;
    tulle_batch_report *report = job->reports + t->number;
    *report = (tulle_batch_report){TULLE_OK, -1};
    if (!host->seen || host->seen->bad == TULLE__NONE_SEEN) return;
    const int64_t row = host->seen->bad_first;
    *report = (tulle_batch_report){TULLE_ZERO_PIVOT, host->order ? host->order[row] : row};
}

tulle_status tulle__batch_factor_by_one(const tulle__place *alone, const tulle__batch_job *job,
                                        const tulle__task *t) {
    const tulle__task_host *host = t->host;
    tulle__factor_task task = host->factor;
    tulle_status status = TULLE_OK;
    memset(host->seen, TULLE__NONE_SEEN_BYTE, sizeof *host->seen);
    if (task.rows > 0) {
        task.place = alone;
        task.params = host->spec[0].params;
        task.workspace = room_of(job);
        status = tulle__factor_of(host->spec[0].kernel)
                     ->run[tulle__type_index(task.type)][task.index](&task);
    }
    tell(job, t);
    return status;
}

static tulle_status solve_part(const tulle__place *alone, const tulle__batch_job *job,
                               const tulle__task *t, int i, void *moved) {
    const tulle__task_host *host = t->host;
    tulle__trisolve_task task = host->part[i];
    task.place = alone;
    task.params = host->spec[i].params;
    task.workspace = room_of(job);
    if (host->moved) task.b = task.x = (tulle__trisolve_numbers){moved, t->k2, 1};
    return tulle__trisolve_of(host->spec[i].kernel)->run[task.values][task.index](&task);
}

tulle_status tulle__batch_solve_by_one(const tulle__place *alone, const tulle__batch_job *job,
                                       const tulle__task *t) {
    const tulle__task_host *host = t->host;
    void *moved = job->scratch + t->first_scratch;
    tulle__move there = host->there, back = host->back;
    tell(job, t);
    there.ordered.data = back.ordered.data = moved;
    if (host->moved) TULLE__TRY(tulle__cpu_move_rows(alone, &there));
    for (int i = 0; i < host->parts; i++) TULLE__TRY(solve_part(alone, job, t, i, moved));
    return host->moved ? tulle__cpu_move_rows(alone, &back) : TULLE_OK;
}
