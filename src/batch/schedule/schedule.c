/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks by levels. The tasks of a level do not wait for each other, so a thread that takes tasks in
 * this order never waits for a task that nobody has taken. */
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "batch/shared.h"
#include "batch/supported.h"
#include "factor/object.h"

/* A task on its way to its place. */
typedef struct placed_task {
    tulle__task task;
    int level;
    bool on_host;
    int alike;
} placed_task;

/* Lists the tasks that each task waits for, by recorded numbers. */
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
    batch->first_tile = tulle__host_alloc(ctx, (count + 1) * sizeof *batch->first_tile);
    batch->wait = tulle__host_alloc(ctx, ((size_t)batch->orders + 1) * sizeof *batch->wait);
    batch->host = tulle__host_alloc(ctx, count * sizeof *batch->host);
    const bool all = batch->task && batch->place_of && batch->level && batch->first_item &&
                     batch->first_tile && batch->wait && batch->host;
    return all ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

/* Compares tasks by level; then tasks that threads of a CPU may do come last; then tasks that are
 * alike come together; then in the order of recording. */
static int compare(const void *left, const void *right) {
    const placed_task *a = left, *b = right;
    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    if (a->on_host != b->on_host) return a->on_host ? 1 : -1;
    if (a->alike != b->alike) return a->alike < b->alike ? -1 : 1;
    return a->task.number < b->task.number ? -1 : 1;
}

static tulle_status describe_all(tulle_batch *batch, placed_task *placed) {
    enum { VARIANTS = 16 };
    for (int i = 0; i < batch->count; i++) {
        tulle__task *t = &placed[i].task;
        TULLE__TRY(tulle__batch_task(batch->ctx, batch->recorded + i, batch->host + i, t));
        if (t->kind == TULLE__TASK_FACTOR) {
            TULLE__TRY(tulle__batch_list_steps(batch, batch->recorded[i].F, t));
        }
#if TULLE__PUBLISHED
        if (batch->published) {
            TULLE__TRY(tulle__batch_published_lines(batch->ctx, batch->recorded + i, t));
        }
#endif
        t->number = i;
        if (batch->shares.wanted) {
            TULLE__TRY(tulle__batch_task_on_host(batch->ctx, t, &t->on_host));
        }
        placed[i].level = batch->recorded[i].level;
        placed[i].on_host = t->on_host;
        placed[i].alike = ((int)t->family * VARIANTS + t->variant) * TULLE__TYPE_COUNT +
                          tulle__type_index(t->type);
    }
    return TULLE_OK;
}

static tulle_status place_by_level(tulle_batch *batch) {
    tulle_ctx *ctx = batch->ctx;
    placed_task *placed = tulle__host_alloc(ctx, (size_t)batch->count * sizeof *placed);
    if (!placed) return TULLE_OUT_OF_MEMORY;
    const tulle_status status = describe_all(batch, placed);
    if (status == TULLE_OK) qsort(placed, (size_t)batch->count, sizeof *placed, compare);
    for (int p = 0; p < batch->count && status == TULLE_OK; p++) {
        batch->task[p] = placed[p].task;
        batch->place_of[placed[p].task.number] = p;
        batch->level[placed[p].level + 1] = p + 1;
    }
    tulle__host_free(ctx, placed);
    for (int k = 0; k < batch->orders; k++) batch->wait[k] = batch->place_of[batch->wait[k]];
    return status;
}

/* Returns the first of the tasks at the end of the list that a CPU's threads may do; these wait for
 * no task. */
static int first_on_host(const tulle_batch *batch) {
    int first = batch->count;
    while (first > 0 && batch->task[first - 1].on_host) first--;
    return first;
}

static int64_t tiles_of(const tulle__task *t) {
    if (t->family != TULLE__FAMILY_PRODUCTS) return 0;
    return tulle__ceil_div(t->units, tulle__lines_of_tile(t->A.block));
}

/* Returns how many numbers of scratch there are. */
static int64_t number_items(tulle_batch *batch) {
    int64_t scratch = 0;
    for (int p = 0; p < batch->count; p++) {
        tulle__task *t = batch->task + p;
        batch->first_item[p + 1] = batch->first_item[p] + t->pieces;
        batch->first_tile[p + 1] = batch->first_tile[p] + tiles_of(t);
        t->first_scratch = scratch;
        scratch += t->scratch;
    }
    return scratch;
}

/* Returns the block size of factors or of a triangle; 0: the task is on neither. */
static int block_of(const tulle__recorded *r) {
    if (r->F) return r->F->symbolic->block;
    return r->kind == TULLE__TASK_SOLVE ? tulle__block_of(r->A->pattern) : 0;
}

/* The widest block of factors, and the most that a CPU's kernel asks for. */
static void see_tasks(tulle_batch *batch) {
    for (int i = 0; i < batch->count; i++) {
        const int block = block_of(batch->recorded + i);
        if (batch->job.widest < block) batch->job.widest = block;
        const size_t room = batch->host[i].room;
        if (batch->job.room_bytes < room) batch->job.room_bytes = room;
    }
}

/* Makes room for each thread that takes tasks, of a CPU, or beside a GPU (shared.c). The room of a
 * thread begins at a line of the cache. */
static tulle_status make_room(tulle_batch *batch) {
    tulle__batch_job *job = &batch->job;
    const bool is_cpu = batch->ctx->kind == TULLE_CPU;
    if (!is_cpu && !batch->shares.wanted) return TULLE_OK;
    job->threads = is_cpu ? batch->ctx->place.threads : omp_get_max_threads() + 1;
    job->room_bytes = (job->room_bytes + 63) / 64 * 64;
    batch->for_threads = tulle__host_alloc(batch->ctx, job->room_bytes * (size_t)job->threads + 64);
    if (!batch->for_threads) return TULLE_OUT_OF_MEMORY;
    job->room = (void *)(((uintptr_t)batch->for_threads + 63) / 64 * 64);
    return TULLE_OK;
}

/* A task that has nothing to tell leaves its report as it is here. */
static tulle_status make_reports(tulle_batch *batch) {
    tulle_ctx *ctx = batch->ctx;
    const size_t bytes = (size_t)batch->count * sizeof *batch->reports;
    tulle_batch_report *fine = tulle__host_alloc(ctx, bytes);
    if (!fine) return TULLE_OUT_OF_MEMORY;
    for (int i = 0; i < batch->count; i++) fine[i] = (tulle_batch_report){TULLE_OK, -1};
    tulle_status status = tulle__alloc(ctx, bytes, (void **)&batch->reports);
    if (status == TULLE_OK) status = tulle__copy_wait(ctx, batch->reports, fine, bytes);
    tulle__host_free(ctx, fine);
    batch->job.reports = batch->reports;
    return status;
}

static tulle_status make_queue(tulle_batch *batch) {
    tulle_ctx *ctx = batch->ctx;
    const size_t count = (size_t)batch->count;
    tulle__batch_job *job = &batch->job;
    job->queue_bytes = sizeof *job->ticket + count * (sizeof *job->done + sizeof *job->ended);
    TULLE__TRY(tulle__alloc(ctx, job->queue_bytes, &batch->queue));
    job->ticket = batch->queue;
    job->done = (uint32_t *)(job->ticket + 1);
    job->ended = job->done + count;
    return ctx->backend->set_bytes(&ctx->place, batch->queue, 0, job->queue_bytes);
}

static tulle_status schedule(tulle_batch *batch) {
    TULLE__TRY(make_lists(batch));
    list_waits(batch);
    const int levels = find_levels(batch);
    TULLE__TRY(place_by_level(batch));
    batch->shares.first = first_on_host(batch);
    const int64_t scratch = number_items(batch);
    batch->job = (tulle__batch_job){.tasks = batch->count,
                                    .task = batch->task,
                                    .first_item = batch->first_item,
                                    .first_tile = batch->first_tile,
                                    .wait = batch->wait,
                                    .ordered = batch->orders > 0,
                                    .streams = batch->streams,
                                    .level = batch->level,
                                    .levels = levels,
                                    .host_task = batch->task,
                                    .host_item = batch->first_item,
                                    .host_tile = batch->first_tile};
    see_tasks(batch);
    TULLE__TRY(
        tulle__alloc(batch->ctx, (size_t)scratch * sizeof *batch->job.scratch, &batch->scratch));
    batch->job.scratch = batch->scratch;
    TULLE__TRY(make_reports(batch));
    TULLE__TRY(make_room(batch));
    if (batch->ctx->kind == TULLE_CPU) return TULLE_OK;
    TULLE__TRY(tulle__batch_copy_schedule(batch));
    return make_queue(batch);
}

tulle_status tulle__batch_schedule(tulle_batch *batch) {
    TULLE__TRY(tulle__batch_renew_moved(batch));
    if (batch->scheduled) return tulle__batch_copy_renewed(batch);
    tulle__batch_forget(batch);
    const tulle_status status = schedule(batch);
    if (status != TULLE_OK) tulle__batch_forget(batch);
    batch->scheduled = status == TULLE_OK;
    return status;
}
