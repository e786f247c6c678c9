/* SPDX-License-Identifier: Apache-2.0 */
/* A task whose operand was replaced. As a rule pointers are all that is new: then the schedule
 * stays, and the next run copies the task alone. */
#include "batch/shared.h"

/* The schedule would be the same: one kernel takes both, in as many pieces, with as much scratch,
 * and the CPU may do both or none. */
static bool fits(const tulle__task *old, const tulle__task *now) {
    return tulle__tasks_alike(old, now) && now->on_host == old->on_host &&
           now->units == old->units && now->unit_piece == old->unit_piece &&
           now->pieces == old->pieces && now->scratch == old->scratch;
}

/* Takes over the numbers that the schedule has given the task. Schedules of factors follow from
 * their pattern, which is the same; a device has their lists of levels in its
 * copy of the schedule. */
static void take_over(const tulle_batch *batch, const tulle__task *old, tulle__task *now) {
    now->number = old->number;
    now->first_scratch = old->first_scratch;
    now->lines = old->lines;
    if (batch->ctx->kind == TULLE_CPU) return;
    if (now->kind == TULLE__TASK_FACTOR) now->factor.schedule = old->factor.schedule;
    if (now->kind != TULLE__TASK_SOLVE) return;
    for (int k = 0; k < now->solve.parts; k++) {
        now->solve.part[k].schedule = old->solve.part[k].schedule;
    }
}

static tulle_status describe(tulle_batch *batch, int number, tulle__task *now) {
    const tulle__recorded *r = batch->recorded + number;
    TULLE__TRY(tulle__batch_task(batch->ctx, r, batch->host + number, now));
    if (now->kind == TULLE__TASK_FACTOR) TULLE__TRY(tulle__batch_list_steps(batch, r->F, now));
    if (!batch->shares.wanted) return TULLE_OK;
    return tulle__batch_task_on_host(batch->ctx, now, &now->on_host);
}

static void widen(int renewed[2], int place) {
    const bool none = renewed[0] == renewed[1];
    if (none || place < renewed[0]) renewed[0] = place;
    if (none || place >= renewed[1]) renewed[1] = place + 1;
}

tulle_status tulle__batch_renew(tulle_batch *batch, int number) {
    if (!batch->scheduled) return TULLE_OK;
    const int place = batch->place_of[number];
    const tulle__task_host before = batch->host[number];
    tulle__task *old = batch->task + place, now;
    batch->scheduled = !batch->captured;
    if (batch->captured) return TULLE_OK;
    const tulle_status status = describe(batch, number, &now);
    if (status != TULLE_OK) {
        batch->host[number] = before;
        return status;
    }
    batch->scheduled = fits(old, &now) && batch->host[number].room <= batch->job.room_bytes;
    if (!batch->scheduled) return TULLE_OK;
    take_over(batch, old, &now);
    *old = now;
    widen(batch->renewed, place);
    return TULLE_OK;
}

tulle_status tulle__batch_renew_moved(tulle_batch *batch) {
    for (int i = 0; i < batch->count && batch->scheduled; i++) {
        const tulle_mat *A = batch->recorded[i].A;
        if (!A || A->values.data == batch->host[i].values) continue;
        TULLE__TRY(tulle__batch_renew(batch, i));
    }
    return TULLE_OK;
}

tulle_status tulle__batch_copy_renewed(tulle_batch *batch) {
    int *renewed = batch->renewed;
    const int begin = renewed[0], count = renewed[1] - begin;
    if (count > 0 && batch->device_copy) {
        tulle__task *of_device = batch->device_copy; /* the copy begins with tasks */
        TULLE__TRY(tulle__copy_wait(batch->ctx, of_device + begin, batch->task + begin,
                                    (size_t)count * sizeof *of_device));
    }
    renewed[0] = renewed[1] = 0;
    return TULLE_OK;
}
