/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks by levels: those of a level wait for none of the same, so that who takes them in this order
 * never waits for one that nobody has taken. */
#include <string.h>

#include "batch/batch.h"

/* What each task waits for, by recorded numbers. */
static void list_waits(tulle_batch *batch) {
    int next = 0;
    for (int i = 0; i < batch->count; i++) batch->recorded[i].waits = 0;
    for (int k = 0; k < batch->orders; k++) batch->recorded[batch->order[k].task].waits++;
    for (int i = 0; i < batch->count; i++) {
        batch->recorded[i].first_wait = next;
        next += batch->recorded[i].waits;
        batch->recorded[i].waits = 0;
    }
    for (int k = 0; k < batch->orders; k++) {
        tulle__recorded *r = batch->recorded + batch->order[k].task;
        batch->wait[r->first_wait + r->waits++] = batch->order[k].earlier;
    }
}

/* A task waits only for some that were recorded before it. */
static int find_levels(tulle_batch *batch) {
    int levels = 0;
    for (int i = 0; i < batch->count; i++) {
        tulle__recorded *r = batch->recorded + i;
        r->level = 0;
        for (int w = r->first_wait; w < r->first_wait + r->waits; w++) {
            const int before = batch->recorded[batch->wait[w]].level;
            if (r->level <= before) r->level = before + 1;
        }
        if (levels <= r->level) levels = r->level + 1;
    }
    return levels;
}

static tulle_status make_lists(tulle_batch *batch) {
    tulle_ctx *ctx = batch->ctx;
    const size_t count = (size_t)batch->count;
    batch->task = tulle__host_alloc(ctx, count * sizeof *batch->task);
    batch->place_of = tulle__host_alloc(ctx, count * sizeof *batch->place_of);
    batch->level = tulle__host_alloc(ctx, (count + 1) * sizeof *batch->level);
    batch->first_item = tulle__host_alloc(ctx, (count + 1) * sizeof *batch->first_item);
    batch->wait = tulle__host_alloc(ctx, ((size_t)batch->orders + 1) * sizeof *batch->wait);
    const bool all =
        batch->task && batch->place_of && batch->level && batch->first_item && batch->wait;
    return all ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

/* Within a level in the order of recording. */
static tulle_status place_by_level(tulle_batch *batch, int levels) {
    for (int i = 0; i < batch->count; i++) batch->level[batch->recorded[i].level + 1]++;
    for (int l = 0; l < levels; l++) batch->level[l + 1] += batch->level[l];
    for (int i = 0; i < batch->count; i++) {
        batch->place_of[i] = batch->level[batch->recorded[i].level]++;
    }
    for (int l = levels; l > 0; l--) batch->level[l] = batch->level[l - 1];
    batch->level[0] = 0;
    for (int i = 0; i < batch->count; i++) {
        TULLE__TRY(
            tulle__batch_task(batch->ctx, batch->recorded + i, batch->task + batch->place_of[i]));
    }
    for (int k = 0; k < batch->orders; k++) batch->wait[k] = batch->place_of[batch->wait[k]];
    return TULLE_OK;
}

/* Returns how many numbers the partial results are. */
static int64_t number_items(tulle_batch *batch) {
    int64_t partials = 0;
    for (int p = 0; p < batch->count; p++) {
        tulle__task *t = batch->task + p;
        batch->first_item[p + 1] = batch->first_item[p] + t->pieces;
        t->first_partial = partials;
        if (t->kind == TULLE__TASK_DOT && t->pieces > 1) partials += t->pieces * t->k1 * t->k2;
    }
    return partials;
}

/* Arrays of a plan, one behind the other, each at a multiple of 16 bytes. */
static size_t put(char *plan, size_t at, const void *from, size_t bytes) {
    if (plan && bytes > 0) memcpy(plan + at, from, bytes);
    return (at + bytes + 15) / 16 * 16;
}

static size_t write_plan(const tulle_batch *batch, char *to, size_t *items, size_t *waits) {
    const size_t count = (size_t)batch->count;
    *items = put(to, 0, batch->task, count * sizeof *batch->task);
    *waits = put(to, *items, batch->first_item, (count + 1) * sizeof *batch->first_item);
    return put(to, *waits, batch->wait, ((size_t)batch->orders + 1) * sizeof *batch->wait);
}

/* A CPU reads the lists where they are. */
static tulle_status copy_plan(tulle_batch *batch) {
    tulle_ctx *ctx = batch->ctx;
    size_t items, waits;
    const size_t bytes = write_plan(batch, NULL, &items, &waits);
    char *all = tulle__host_alloc(ctx, bytes);
    if (!all) return TULLE_OUT_OF_MEMORY;
    write_plan(batch, all, &items, &waits);
    tulle_status status = tulle__alloc(ctx, bytes, &batch->plan);
    if (status == TULLE_OK) status = tulle__copy_wait(ctx, batch->plan, all, bytes);
    tulle__host_free(ctx, all);
    const char *plan = batch->plan;
    batch->job.task = (const tulle__task *)plan;
    batch->job.first_item = (const int64_t *)(plan + items);
    batch->job.wait = (const int *)(plan + waits);
    return status;
}

static tulle_status make_queue(tulle_batch *batch, int64_t partials) {
    tulle_ctx *ctx = batch->ctx;
    const size_t count = (size_t)batch->count;
    tulle__batch_job *job = &batch->job;
    job->queue_bytes = sizeof *job->ticket + count * (sizeof *job->done + sizeof *job->ended);
    TULLE__TRY(tulle__alloc(ctx, job->queue_bytes, &batch->queue));
    TULLE__TRY(tulle__alloc(ctx, (size_t)partials * sizeof *job->partials, &batch->partials));
    job->ticket = batch->queue;
    job->done = (uint32_t *)(job->ticket + 1);
    job->ended = job->done + count;
    job->partials = batch->partials;
    return TULLE_OK;
}

static tulle_status schedule(tulle_batch *batch) {
    TULLE__TRY(make_lists(batch));
    list_waits(batch);
    const int levels = find_levels(batch);
    TULLE__TRY(place_by_level(batch, levels));
    const int64_t partials = number_items(batch);
    batch->job = (tulle__batch_job){.tasks = batch->count,
                                    .task = batch->task,
                                    .first_item = batch->first_item,
                                    .wait = batch->wait,
                                    .level = batch->level,
                                    .levels = levels,
                                    .host_task = batch->task};
    if (batch->ctx->kind == TULLE_CPU) return TULLE_OK;
    TULLE__TRY(copy_plan(batch));
    return make_queue(batch, partials);
}

tulle_status tulle__batch_schedule(tulle_batch *batch) {
    if (batch->scheduled) return TULLE_OK;
    tulle__batch_forget(batch);
    const tulle_status status = schedule(batch);
    if (status != TULLE_OK) tulle__batch_forget(batch);
    batch->scheduled = status == TULLE_OK;
    return status;
}
