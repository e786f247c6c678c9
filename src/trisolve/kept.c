/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules that are kept: a schedule is made once for each pattern, triangle and op, and lives as
 * long as the pattern. */
#include "trisolve/kept.h"

#include "core/stopwatch.h"
#include "matrix/build.h"
#include "matrix/derived.h"
#include "trisolve/functions.h"
#include "trisolve/triangle.h"

typedef struct kept_schedule {
    tulle__derived base;
    tulle_part part;
    tulle_trans op;
    tulle__schedule schedule;
} kept_schedule;

static void free_schedule(tulle__derived *derived) {
    const tulle__schedule *s = &((kept_schedule *)derived)->schedule;
    void *const arrays[] = {s->order, s->begins, s->places, s->slots, s->diagonal, s->bounds};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        tulle__free(derived->ctx, arrays[i]);
    }
    tulle__host_free(derived->ctx, s->level_begins);
    tulle__host_free(derived->ctx, s->stretches);
}

static int64_t schedule_bytes(const tulle__derived *derived) {
    return ((const kept_schedule *)derived)->schedule.bytes;
}

tulle_status tulle__triangle_check(const char *function, const tulle_mat *A) {
    const tulle__pattern *p = A->pattern;
    if (p->format != TULLE_CSR && p->format != TULLE_BSR) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                           "A is in format %s: convert it to CSR or BSR",
                           tulle_format_name(p->format));
    }
    if (p->rows == p->cols) return tulle__check_square_blocks(function, p);
    return tulle__fail(TULLE_SHAPE_MISMATCH, function, "A", -1, "A is %lld x %lld, not square",
                       (long long)p->rows, (long long)p->cols);
}

static const tulle__owner schedules = {.free = free_schedule, .bytes = schedule_bytes};

static tulle_status make_arrays(const tulle__place *place, const tulle__schedule_task *task,
                                tulle__schedule *s) {
    struct {
        void **array;
        int64_t count;
    } const arrays[] = {{&s->order, s->rows},
                        {&s->begins, s->rows + 1},
                        {&s->places, s->entries},
                        {&s->slots, s->entries},
                        {&s->diagonal, s->rows}};
    size_t bytes = 0;
    TULLE__TRY(tulle__size(s->levels + 1, sizeof *s->level_begins, 0, &bytes));
    s->level_begins = tulle__host_alloc(place->ctx, bytes);
    if (!s->level_begins) return TULLE_OUT_OF_MEMORY;
    s->bytes = (int64_t)bytes;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        TULLE__TRY(tulle__size(arrays[i].count, tulle_offset_size(task->pattern.index), 0, &bytes));
        TULLE__TRY(tulle__alloc(place->ctx, bytes, arrays[i].array));
        s->bytes += (int64_t)bytes;
    }
    return TULLE_OK;
}

static kept_schedule *find(tulle__pattern *pattern, tulle_part part, tulle_trans op) {
    if (!tulle__derived_ever(pattern, &schedules)) return NULL;
    pthread_mutex_lock(&pattern->lock);
    tulle__derived *d = tulle__derived_first(pattern, &schedules);
    while (d && (((kept_schedule *)d)->part != part || ((kept_schedule *)d)->op != op)) {
        d = tulle__derived_next(d);
    }
    pthread_mutex_unlock(&pattern->lock);
    return (kept_schedule *)d;
}

static int64_t rows_of(const tulle__pattern *p) {
    const int64_t block = p->format == TULLE_BSR ? p->storage.block : 1;
    return p->rows / block + (p->rows % block != 0);
}

/* Makes a schedule; the caller holds the lock `building`. */
static tulle_status make(tulle_ctx *ctx, tulle__pattern *pattern, tulle_part part, tulle_trans op,
                         kept_schedule **kept) {
    kept_schedule *made = tulle__derived_new(ctx, sizeof *made, &schedules);
    if (!made) return TULLE_OUT_OF_MEMORY;
    made->part = part;
    made->op = op;
    const tulle__schedule_task task = {
        .pattern = tulle__view_of(pattern),
        .rows = rows_of(pattern),
        .rising = pattern->format == TULLE_CSR && pattern->stats.rising,
        .upper = part == TULLE_UPPER,
        .op = op,
        .make = make_arrays};
    tulle_status status =
        ctx->backend->trisolve->make_schedule(&ctx->place, &task, &made->schedule);
    if (status != TULLE_OK) {
        tulle__derived_release(&made->base);
        return status;
    }
    pthread_mutex_lock(&pattern->lock);
    tulle__derived_put(pattern, &made->base);
    pthread_mutex_unlock(&pattern->lock);
    *kept = made;
    return TULLE_OK;
}

tulle_status tulle__schedule_timed(tulle_ctx *ctx, const tulle_mat *A, tulle_part part,
                                   tulle_trans op, const tulle__schedule **schedule, double *ms) {
    tulle__pattern *pattern = A->pattern;
    const double start = tulle__seconds();
    tulle_status status = TULLE_OK;
    *ms = 0;
    kept_schedule *found = find(pattern, part, op);
    if (!found) {
        pthread_mutex_lock(&pattern->building);
        found = find(pattern, part, op);
        if (!found) {
            status = make(ctx, pattern, part, op, &found);
            *ms = 1e3 * (tulle__seconds() - start);
        }
        pthread_mutex_unlock(&pattern->building);
    }
    if (status == TULLE_OK) *schedule = &found->schedule;
    return status;
}

tulle_status tulle__schedule_of(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                                tulle_part part, tulle_trans op, const tulle__schedule **schedule) {
    double ms = 0;
    TULLE__TRY(tulle__triangle_check(function, A));
    return tulle__schedule_timed(ctx, A, part, op, schedule, &ms);
}
