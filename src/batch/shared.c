/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU takes tasks from the front of the queue, a third of what is left at a time, so that two
 * launches are on their way while there is something left; threads of the CPU take single tasks
 * from the back, each only as long as it would be done before the GPU could have done all that is
 * left. Both are as fast as they were with what they took before. Where they are in each other's
 * way, as at one memory, a run of both can take longer than the GPU alone would have: after two
 * such runs the GPU is alone for a while. */
#include "batch/shared.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include "core/stopwatch.h"

/* Below this the host takes longer to share than to wait, in seconds; and what is gained at least,
 * of the time. */
static const double short_run = 2e-4, least_gain = 0.02;

/* Rate assumed for a thread of the CPU before it has done a task: few bytes a second. */
static const double cautious = 1e9;

/* Runs of both in a row that may lose; runs after these in which the GPU is alone. */
enum { MOST_LOSSES = 2, RUNS_ALONE = 32 };

/* A guess of when a task ends may be too early by so much. */
static const double margin = 1.2;

typedef struct queue {
    tulle_batch *batch;
    const tulle__task *task;
    pthread_mutex_t lock;
    int front, back; /* tasks that nobody has taken */
    double bytes;    /* bytes of these tasks */
    double gpu_end;  /* time at which the GPU will have done the tasks that it has taken */
    tulle_status status;
} queue;

static double bytes_of(const tulle__task *t) {
    return (double)t->units * t->unit_bytes;
}

static double all_bytes(const tulle_batch *batch) {
    double bytes = 0;
    for (int i = 0; i < batch->count; i++) bytes += bytes_of(batch->task + i);
    return bytes;
}

static void note_rate(double *rate, double bytes, double seconds) {
    if (bytes <= 0 || seconds <= 0) return;
    const double now = bytes / seconds;
    *rate = *rate > 0 ? 0.5 * (*rate + now) : now;
}

/* Takes a task at the back and returns its number; AGAIN: not as things are now; NONE: never. */
enum { AGAIN = -1, NONE = -2 };
static int take_at_back(queue *q) {
    const tulle__shares *s = &q->batch->shares;
    int taken = AGAIN;
    pthread_mutex_lock(&q->lock);
    const int least = q->front > s->first ? q->front : s->first;
    if (q->status != TULLE_OK || q->back <= least) {
        taken = NONE;
    } else {
        const double now = tulle__seconds(), own = bytes_of(q->task + q->back - 1);
        const double end = fmax(q->gpu_end, now) + q->bytes / s->gpu_rate;
        if (now + margin * own / s->cpu_rate <= end) {
            taken = --q->back;
            q->bytes -= own;
        }
    }
    pthread_mutex_unlock(&q->lock);
    return taken;
}

static void do_task(queue *q, int number) {
    tulle_ctx *ctx = q->batch->ctx;
    const tulle__place alone = {.threads = 1, .ctx = ctx};
    const double start = tulle__seconds();
    const tulle_status status = tulle__batch_run_by_one(&alone, &q->batch->job, q->task + number);
    const double seconds = tulle__seconds() - start;
    pthread_mutex_lock(&q->lock);
    if (status > q->status) q->status = status;
    note_rate(&q->batch->shares.cpu_rate, bytes_of(q->task + number), seconds);
    q->batch->shares.by_cpu++;
    pthread_mutex_unlock(&q->lock);
}

static void work(queue *q) {
    for (int taken; (taken = take_at_back(q)) != NONE;) {
        if (taken == AGAIN) {
            sched_yield();
        } else {
            do_task(q, taken);
        }
    }
}

static tulle_status make_events(tulle_batch *batch) {
    const tulle_ctx *ctx = batch->ctx;
    void **of[] = {batch->shares.mark, batch->shares.event};
    for (int i = 0; i < 4; i++) {
        void **event = of[i / 2] + i % 2;
        if (!*event) TULLE__TRY(ctx->backend->event_create(ctx->place.device, event));
    }
    return TULLE_OK;
}

/* A launch on its way. */
typedef struct flight {
    int begin, end;
    double bytes, start;
} flight;

/* Tasks that the CPU cannot reach are at the front, and go at once. */
static bool take_at_front(queue *q, flight *f) {
    enum { SHARE = 3 };
    const tulle__shares *s = &q->batch->shares;
    pthread_mutex_lock(&q->lock);
    const double wanted = q->bytes / SHARE;
    *f = (flight){.begin = q->front, .end = q->front, .start = tulle__seconds()};
    while (q->status == TULLE_OK && f->end < q->back &&
           (f->end == f->begin || f->end < s->first || f->bytes < wanted)) {
        f->bytes += bytes_of(q->task + f->end++);
    }
    q->front = f->end;
    q->bytes -= f->bytes;
    q->gpu_end = fmax(q->gpu_end, f->start) + f->bytes / s->gpu_rate;
    pthread_mutex_unlock(&q->lock);
    return f->end > f->begin;
}

static tulle_status await(queue *q, const flight *f, void *event, double *last_end) {
    const tulle_ctx *ctx = q->batch->ctx;
    for (bool done = false; !done;) {
        TULLE__TRY(ctx->backend->event_done(ctx->place.device, event, &done));
        if (!done) sched_yield();
    }
    const double now = tulle__seconds();
    pthread_mutex_lock(&q->lock);
    note_rate(&q->batch->shares.gpu_rate, f->bytes, now - fmax(*last_end, f->start));
    pthread_mutex_unlock(&q->lock);
    *last_end = now;
    return TULLE_OK;
}

static tulle_status mark(const tulle_batch *batch, int which) {
    const tulle_ctx *ctx = batch->ctx;
    return ctx->backend->event_record(&ctx->place, batch->shares.mark[which]);
}

/* Two launches at a time. */
static tulle_status feed(queue *q) {
    tulle_batch *batch = q->batch;
    const tulle_ctx *ctx = batch->ctx;
    flight flights[2];
    double last_end = 0;
    for (int n = 0;; n++) {
        flight *f = flights + n % 2;
        void *event = batch->shares.event[n % 2];
        if (n >= 2) TULLE__TRY(await(q, f, event, &last_end));
        if (!take_at_front(q, f)) return mark(batch, 1);
        TULLE__TRY(ctx->backend->batch->batch_stretch(&ctx->place, &batch->job, f->begin, f->end));
        TULLE__TRY(ctx->backend->event_record(&ctx->place, event));
    }
}

static void fail(queue *q, tulle_status status) {
    pthread_mutex_lock(&q->lock);
    if (status > q->status) q->status = status;
    pthread_mutex_unlock(&q->lock);
}

static tulle_status run_both(tulle_batch *batch, int threads) {
    queue q = {.batch = batch,
               .task = batch->task,
               .back = batch->count,
               .bytes = all_bytes(batch),
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .status = TULLE_OK};
    const double start = tulle__seconds();
    TULLE__TRY(make_events(batch));
    TULLE__TRY(mark(batch, 0));
#pragma omp parallel num_threads(threads + 1)
    {
        /* The only thread of a team of one does both. */
        if (omp_get_thread_num() == 0) {
            const tulle_status status = feed(&q);
            if (status != TULLE_OK) fail(&q, status);
        }
        if (omp_get_thread_num() > 0 || omp_get_num_threads() == 1) work(&q);
    }
    pthread_mutex_destroy(&q.lock);
    batch->shares.cpu_seconds = tulle__seconds() - start;
    if (q.status == TULLE_OK) batch->shares.last = TULLE__RUN_BOTH;
    return q.status;
}

/* The GPU alone, between two marks, which the next run reads. */
static tulle_status run_alone(tulle_batch *batch) {
    tulle_ctx *ctx = batch->ctx;
    TULLE__TRY(make_events(batch));
    TULLE__TRY(mark(batch, 0));
    TULLE__TRY(ctx->backend->batch->batch_grouped(&ctx->place, &batch->job));
    TULLE__TRY(mark(batch, 1));
    batch->shares.last = TULLE__RUN_ALONE;
    return TULLE_OK;
}

static void note_run_of_both(tulle__shares *s, double bytes, double seconds) {
    const bool lost = bytes < seconds * s->alone_rate;
    s->losses = lost ? s->losses + 1 : 0;
    if (s->losses < MOST_LOSSES) return;
    s->losses = MOST_LOSSES - 1; /* the first one that loses again is the last for a while */
    s->rest = RUNS_ALONE;
}

static tulle_status read_marks(tulle_batch *batch) {
    tulle__shares *s = &batch->shares;
    const tulle__shared_run last = s->last;
    const double bytes = all_bytes(batch);
    double ms = 0;
    s->last = TULLE__RUN_UNTIMED;
    if (last == TULLE__RUN_UNTIMED) return TULLE_OK;
    TULLE__TRY(
        batch->ctx->backend->event_between(batch->ctx->place.device, s->mark[0], s->mark[1], &ms));
    if (last == TULLE__RUN_BOTH) {
        note_run_of_both(s, bytes, fmax(1e-3 * ms, s->cpu_seconds));
        return TULLE_OK;
    }
    note_rate(&s->gpu_rate, bytes, 1e-3 * ms);
    note_rate(&s->alone_rate, bytes, 1e-3 * ms);
    return TULLE_OK;
}

/* Threads of the CPU would take some of a long time away. */
static bool is_worth_it(const tulle_batch *batch, int threads) {
    const tulle__shares *s = &batch->shares;
    const double cpu = threads * s->cpu_rate, gain = cpu / (cpu + s->gpu_rate);
    return all_bytes(batch) / s->gpu_rate > short_run && gain > least_gain;
}

tulle_status tulle__batch_run_shared(tulle_batch *batch) {
    tulle_ctx *ctx = batch->ctx;
    tulle__shares *s = &batch->shares;
    const int most = omp_get_max_threads(), room = batch->job.threads - 1;
    const int threads = most < room ? most : room; /* one more feeds the GPU */
    if (batch->job.ordered || ctx->repeatable || s->first == batch->count) {
        return ctx->backend->batch->batch_grouped(&ctx->place, &batch->job);
    }
    TULLE__TRY(ctx->backend->stream_wait(ctx->place.device, ctx->place.stream));
    TULLE__TRY(read_marks(batch));
    if (s->cpu_rate <= 0) s->cpu_rate = cautious;
    if (s->gpu_rate <= 0) return run_alone(batch);
    if (s->rest > 0) {
        s->rest--;
        return run_alone(batch);
    }
    if (is_worth_it(batch, threads)) return run_both(batch, threads);
    return ctx->backend->batch->batch_grouped(&ctx->place, &batch->job);
}

static tulle_status reads(tulle_ctx *ctx, const void *array, bool *all) {
    bool there = true;
    if (array && *all) {
        TULLE__TRY(ctx->backend->batch->batch_host_reads(ctx->place.device, array, &there));
    }
    *all = *all && there;
    return TULLE_OK;
}

tulle_status tulle__batch_task_on_host(tulle_ctx *ctx, const tulle__task *t, bool *on_host) {
    const bool sparse = t->kind == TULLE__TASK_SPMM;
    *on_host = sparse || t->kind == TULLE__TASK_AXPY || t->kind == TULLE__TASK_DOT;
    TULLE__TRY(reads(ctx, t->x.data, on_host));
    TULLE__TRY(reads(ctx, t->y.data, on_host));
    if (!sparse) return reads(ctx, t->a.data, on_host);
    const void *arrays[] = {t->A.lines.offsets, t->A.lines.cols_of, t->A.lines.mask, t->A.slots,
                            t->A.values};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        TULLE__TRY(reads(ctx, arrays[i], on_host));
    }
    return TULLE_OK;
}

void tulle__batch_forget_shares(tulle_batch *batch) {
    const tulle_ctx *ctx = batch->ctx;
    void *const *of[] = {batch->shares.mark, batch->shares.event};
    for (int i = 0; i < 4; i++) {
        void *event = of[i / 2][i % 2];
        if (event) ctx->backend->event_destroy(ctx->place.device, event);
    }
    batch->shares = (tulle__shares){.wanted = batch->shares.wanted};
}
