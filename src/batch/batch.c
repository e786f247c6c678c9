/* SPDX-License-Identifier: Apache-2.0 */
/* Making, ordering and running batches. */
#include "batch/batch.h"

#include <string.h>

#include "batch/shared.h"
#include "batch/supported.h"
#include "factor/object.h"

/* Default number of streams: a device has as many queues (CUDA_DEVICE_MAX_CONNECTIONS). */
enum { DEFAULT_STREAMS = 32 };

tulle_status tulle_batch_create(tulle_ctx *ctx, tulle_batch **batch) {
    TULLE__NEED(batch);
    *batch = NULL;
    TULLE__NEED(ctx);
    tulle_batch *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    tulle__ctx_retain(ctx);
    made->ctx = ctx;
    made->streams = DEFAULT_STREAMS;
    *batch = made;
    return TULLE_OK;
}

/* Keeps the arrays that a graph has captured; note_capture has made room in the list. */
static void keep_captured(tulle_batch *batch) {
    if (!batch->captured) return;
    batch->kept[batch->kept_count++] = (tulle__captured){
        batch->device_copy, batch->queue, batch->scratch, batch->reports, batch->host_reports};
    batch->device_copy = batch->queue = batch->scratch = NULL;
    batch->reports = batch->host_reports = NULL;
    batch->host_room = 0;
    batch->captured = false;
}

static void free_kept(tulle_batch *batch) {
    tulle_ctx *ctx = batch->ctx;
    for (int i = 0; i < batch->kept_count; i++) {
        const tulle__captured *one = batch->kept + i;
        tulle__free(ctx, one->device_copy);
        tulle__free(ctx, one->queue);
        tulle__free(ctx, one->scratch);
        tulle__free(ctx, one->reports);
        ctx->backend->host_release(ctx->place.device, one->host_reports);
    }
    tulle__host_free(ctx, batch->kept);
}

void tulle__batch_forget(tulle_batch *batch) {
    tulle_ctx *ctx = batch->ctx;
    keep_captured(batch);
    tulle__batch_forget_shares(batch);
    tulle__host_free(ctx, batch->task);
    tulle__host_free(ctx, batch->place_of);
    tulle__host_free(ctx, batch->level);
    tulle__host_free(ctx, batch->first_item);
    tulle__host_free(ctx, batch->first_tile);
    tulle__host_free(ctx, batch->wait);
    tulle__host_free(ctx, batch->host);
    tulle__free(ctx, batch->device_copy);
    tulle__free(ctx, batch->queue);
    tulle__free(ctx, batch->scratch);
    tulle__host_free(ctx, batch->for_threads);
    tulle__free(ctx, batch->reports);
    batch->task = NULL;
    batch->place_of = batch->level = batch->wait = NULL;
    batch->first_item = batch->first_tile = NULL;
    batch->host = NULL;
    batch->device_copy = batch->queue = batch->scratch = batch->for_threads = NULL;
    batch->reports = NULL;
    batch->renewed[0] = batch->renewed[1] = 0;
    batch->scheduled = false;
}

void tulle__recorded_retain(const tulle__recorded *task) {
    (void)tulle_mat_retain((tulle_mat *)task->A);
    if (task->F) (void)tulle__factor_retain(task->F);
}

void tulle__recorded_release(const tulle__recorded *task) {
    tulle_mat_destroy((tulle_mat *)task->A);
    tulle_factor_destroy(task->F);
}

void tulle_batch_destroy(tulle_batch *batch) {
    if (!batch) return;
    tulle_ctx *ctx = batch->ctx;
    ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
    tulle__batch_forget(batch);
    free_kept(batch);
    tulle__batch_free_steps(batch);
    ctx->backend->host_release(ctx->place.device, batch->host_reports);
    for (int i = 0; i < batch->count; i++) tulle__recorded_release(batch->recorded + i);
    tulle__host_free(ctx, batch->recorded);
    tulle__host_free(ctx, batch->order);
    tulle__host_free(ctx, batch);
    tulle__ctx_release(ctx);
}

tulle_status tulle__batch_more(tulle_ctx *ctx, void **array, int count, int *room, size_t size) {
    if (count < *room) return TULLE_OK;
    const int wider = *room > 0 ? 2 * *room : 64;
    char *made = tulle__host_alloc(ctx, (size_t)wider * size);
    if (!made) return TULLE_OUT_OF_MEMORY;
    if (count > 0) memcpy(made, *array, (size_t)count * size);
    tulle__host_free(ctx, *array);
    *array = made;
    *room = wider;
    return TULLE_OK;
}

tulle_status tulle_batch_after(tulle_batch *batch, int task, int earlier) {
    TULLE__NEED(batch);
    if (task < 0 || task >= batch->count) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, __func__, "task", -1,
                           "task is %d; %d are recorded", task, batch->count);
    }
    if (earlier < 0 || earlier >= task) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, __func__, "earlier", -1,
                           "earlier is %d; it must be recorded before task %d", earlier, task);
    }
    TULLE__TRY(tulle__batch_more(batch->ctx, (void **)&batch->order, batch->orders,
                                 &batch->order_room, sizeof *batch->order));
    batch->order[batch->orders++] = (tulle__order){task, earlier};
    batch->scheduled = false;
    return TULLE_OK;
}

tulle_status tulle_batch_set_streams(tulle_batch *batch, int streams) {
    TULLE__NEED(batch);
    if (streams < 1 || streams > TULLE__MOST_STREAMS) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, __func__, "streams", -1,
                           "streams is %d; it is 1 to %d", streams, TULLE__MOST_STREAMS);
    }
    batch->streams = batch->job.streams = streams;
    return TULLE_OK;
}

/* A graph will use what there is now. Room in the list is made where it can be refused. */
static tulle_status note_capture(tulle_batch *batch) {
    tulle_ctx *ctx = batch->ctx;
    bool captured = false;
    if (batch->captured) return TULLE_OK;
    TULLE__TRY(ctx->backend->batch->batch_captured(&ctx->place, &captured));
    if (!captured) return TULLE_OK;
    TULLE__TRY(tulle__batch_more(ctx, (void **)&batch->kept, batch->kept_count, &batch->kept_room,
                                 sizeof *batch->kept));
    batch->captured = true;
    return TULLE_OK;
}

static tulle_status refuse_context(const char *function) {
    return tulle__fail(TULLE_SPACE_MISMATCH, function, "ctx", -1,
                       "a batch runs in the context that it was made in");
}

/* Tasks get other places in the first such run. */
static void want_shares(tulle_batch *batch) {
    if (batch->shares.wanted) return;
    batch->shares.wanted = true;
    batch->scheduled = false;
}

/* The ways of published kernels, which a GPU has for some tasks alone. */
static bool is_published(tulle_batch_way way) {
    return way == TULLE_BATCH_TASKS || way == TULLE_BATCH_SHUFFLES || way == TULLE_BATCH_GRID;
}

#if TULLE__PUBLISHED
/* Tasks are described anew in the first such run. */
static tulle_status want_published(tulle_batch *batch) {
    if (batch->ctx->kind == TULLE_CPU) return TULLE_OK;
    TULLE__TRY(tulle__batch_published_supports(batch));
    if (batch->published) return TULLE_OK;
    batch->published = true;
    batch->scheduled = false;
    return TULLE_OK;
}
#else
static tulle_status want_published(const tulle_batch *batch) {
    (void)batch;
    return tulle__fail(TULLE_UNSUPPORTED, "tulle_batch_run", "way", -1,
                       "this build of tulle leaves out TULLE_BATCH_TASKS, TULLE_BATCH_SHUFFLES and "
                       "TULLE_BATCH_GRID, the published ways of a block a task; configure it with "
                       "-DTULLE_PUBLISHED=ON");
}
#endif

int tulle_batch_by_cpu(const tulle_batch *batch) {
    return batch ? batch->shares.by_cpu : 0;
}

tulle_status tulle_batch_run(tulle_ctx *ctx, tulle_batch *batch, tulle_batch_way way) {
    TULLE__NEED(ctx);
    TULLE__NEED(batch);
    if (ctx != batch->ctx) return refuse_context(__func__);
    if ((int)way < TULLE_BATCH_GROUPED || (int)way > TULLE_BATCH_GRID) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, __func__, "way", -1, "there is no way %d",
                           (int)way);
    }
    if (is_published(way)) TULLE__TRY(want_published(batch));
    if (batch->count == 0) return TULLE_OK;
    if (way == TULLE_BATCH_SHARED && ctx->kind != TULLE_CPU) want_shares(batch);
    TULLE__TRY(tulle__batch_schedule(batch));
    TULLE__TRY(note_capture(batch));
    batch->shares.by_cpu = 0;
    const tulle__batch_functions *functions = ctx->backend->batch;
    switch (way) {
        case TULLE_BATCH_STREAMS:
            return functions->batch_streams(&ctx->place, &batch->job);
#if TULLE__PUBLISHED
        case TULLE_BATCH_TASKS:
        case TULLE_BATCH_SHUFFLES:
        case TULLE_BATCH_GRID:
            return functions->batch_tasks(&ctx->place, &batch->job, way);
#endif
        case TULLE_BATCH_SHARED:
            if (ctx->kind != TULLE_CPU) return tulle__batch_run_shared(batch);
            return functions->batch_grouped(&ctx->place, &batch->job);
        default:
            return functions->batch_grouped(&ctx->place, &batch->job);
    }
}

/* Room in host memory for the reports of all tasks; what is there may still be written. */
static tulle_status make_host_reports(tulle_batch *batch) {
    tulle_ctx *ctx = batch->ctx;
    const tulle__backend *backend = ctx->backend;
    void *made = NULL;
    if (batch->count <= batch->host_room) return TULLE_OK;
    TULLE__TRY(backend->stream_wait(ctx->place.device, ctx->place.stream));
    TULLE__TRY(backend->host_allocate(ctx->place.device,
                                      (size_t)batch->count * sizeof *batch->host_reports, &made));
    backend->host_release(ctx->place.device, batch->host_reports);
    batch->host_reports = made;
    batch->host_room = batch->count;
    return TULLE_OK;
}

tulle_status tulle_batch_reports(tulle_ctx *ctx, tulle_batch *batch,
                                 const tulle_batch_report **reports) {
    TULLE__NEED(reports);
    *reports = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(batch);
    if (ctx != batch->ctx) return refuse_context(__func__);
    if (batch->count == 0) return TULLE_OK;
    if (!batch->scheduled || batch->renewed[0] < batch->renewed[1]) {
        return TULLE__BAD("batch", "the batch has not run since a task was recorded or replaced");
    }
    if (ctx->kind == TULLE_CPU) {
        *reports = batch->reports;
        return TULLE_OK;
    }
    TULLE__TRY(make_host_reports(batch));
    TULLE__TRY(note_capture(batch));
    *reports = batch->host_reports;
    return ctx->backend->copy(&ctx->place, batch->host_reports, batch->reports,
                              (size_t)batch->count * sizeof *batch->reports);
}
