/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/tuning.h"

#include <string.h>

#include "tune/fingerprint.h"

static void destroy_events(tulle_ctx *ctx, tulle__tuning *t) {
    for (int i = 0; i < 2; i++) {
        if (t->event[i]) ctx->backend->event_destroy(ctx->place.device, t->event[i]);
        t->event[i] = NULL;
    }
}

/* Starts from the result of an earlier run, if it is still valid: the kernel and its parameters may
 * have changed. Returns true if so. */
static bool start_from_cache(const tulle__cache *cache, tulle__tuning *t) {
    if (!tulle__cache_find(cache, &t->entry)) return false;
    if (!tulle__space_read(&t->space, t->entry.spec, &t->best)) return false;
    return t->settled = t->from_cache = t->saved = true;
}

/* Allocates all memory that the search will use, so that later calls allocate nothing. */
static tulle_status start_search(tulle_ctx *ctx, tulle__tuning *t, int most) {
    size_t bytes = 0;
    void *workspace = NULL;
    t->best = t->space.terrain.candidate[0].home;
    TULLE__TRY(tulle__workspace(ctx, tulle__space_workspace(&t->space), &workspace));
    for (int i = 0; i < 2; i++) {
        TULLE__TRY(ctx->backend->event_create(ctx->place.device, &t->event[i]));
    }
    if (t->exhaustive) return tulle__sweep_start(ctx, &t->space, &t->sweep);
    tulle__search_start(&t->search, &t->space.terrain, most);
    t->room = 2 * most; /* each measurement may be made a second time */
    TULLE__TRY(tulle__size(t->room, sizeof *t->path, 0, &bytes));
    t->path = tulle__host_alloc(ctx, bytes);
    return t->path ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

tulle_status tulle__tuning_create(tulle_ctx *ctx, const tulle_mat *A, tulle_trans op,
                                  const tulle__cache *cache, const tulle__manner *manner,
                                  tulle__tuning **tuning) {
    *tuning = NULL;
    tulle__tuning *t = tulle__host_alloc(ctx, sizeof *t);
    if (!t) return TULLE_OUT_OF_MEMORY;
    t->exhaustive = manner->exhaustive;
    tulle_status status = tulle__space_make(ctx, A, op, &manner->domain, t->exhaustive, &t->space);
    t->usable = status == TULLE_OK;
    if (status == TULLE_UNSUPPORTED) status = TULLE_OK;
    if (t->usable) {
        tulle__cache_key(ctx, &t->space.shape, t->entry.key);
        bool known = !t->exhaustive && start_from_cache(cache, t);
        if (!known) status = start_search(ctx, t, manner->most);
    }
    if (status != TULLE_OK) {
        tulle__tuning_destroy(ctx, t);
        return status;
    }
    *tuning = t;
    return TULLE_OK;
}

void tulle__tuning_destroy(tulle_ctx *ctx, tulle__tuning *t) {
    destroy_events(ctx, t);
    tulle__host_free(ctx, t->sweep.point);
    tulle__host_free(ctx, t->path);
    tulle__host_free(ctx, t);
}

static const tulle__sample *trial_of(const tulle__tuning *t) {
    return t->exhaustive ? &t->sweep.point[t->sweep.now] : &t->search.tried[t->search.now];
}

static const tulle__sample *best_of(const tulle__tuning *t) {
    return t->exhaustive ? &t->sweep.point[t->sweep.best] : &t->search.tried[t->search.best];
}

const tulle__point *tulle__tuning_trial(const tulle__tuning *t) {
    return &trial_of(t)->point;
}

static void add_to_path(tulle__tuning *t, const tulle__point *point, double ms, bool counts) {
    if (t->steps == t->room) return;
    bool best = counts && tulle__same_point(point, &t->best);
    t->path[t->steps++] = (tulle__step){.point = *point, .ms = ms, .counts = counts, .best = best};
}

/* Ends the measuring. */
static void settle(tulle_ctx *ctx, tulle__tuning *t) {
    t->settled = true;
    t->usable = best_of(t)->samples > 0;
    t->entry.ms = best_of(t)->ms;
    tulle__space_text(&t->space, &t->best, t->entry.spec);
    destroy_events(ctx, t);
}

void tulle__tuning_step(tulle_ctx *ctx, tulle__tuning *t, double ms) {
    tulle__point point = *tulle__tuning_trial(t);
    bool counts = t->exhaustive || t->search.warm;
    if (t->exhaustive) {
        tulle__sweep_step(&t->sweep, ms);
    } else {
        tulle__search_step(&t->search, &t->space.terrain, ms);
    }
    t->best = best_of(t)->point;
    if (ms >= 0) add_to_path(t, &point, ms, counts);
    if (t->exhaustive ? t->sweep.over : t->search.over) settle(ctx, t);
}

/* Takes the measurement if it is done. A trial is repeated if its event was captured into a graph,
 * and so has no time; and once if its launch took long, because the driver then loaded the kernel's
 * code. */
tulle_status tulle__tuning_harvest(tulle_ctx *ctx, tulle__tuning *t) {
    bool done = false;
    double ms = 0;
    if (!t->pending) return TULLE_OK;
    tulle_status status = ctx->backend->event_done(ctx->place.device, t->event[1], &done);
    if (status == TULLE_OK && !done) return TULLE_OK;
    t->pending = false;
    if (status == TULLE_UNSUPPORTED) return TULLE_OK;
    TULLE__TRY(status);
    TULLE__TRY(ctx->backend->event_between(ctx->place.device, t->event[0], t->event[1], &ms));
    bool repeat = t->slow_launch && !t->again && (t->exhaustive || t->search.warm);
    t->again = repeat;
    if (repeat) {
        add_to_path(t, tulle__tuning_trial(t), ms, false);
    } else {
        tulle__tuning_step(ctx, t, ms);
    }
    return TULLE_OK;
}

int tulle__tuning_steps(const tulle__tuning *t) {
    return t->exhaustive ? t->sweep.count : t->steps;
}

tulle__step tulle__tuning_path(const tulle__tuning *t, int i) {
    if (!t->exhaustive) return t->path[i];
    const tulle__sample *trial = &t->sweep.point[i];
    return (tulle__step){.point = trial->point,
                         .ms = trial->ms,
                         .counts = trial->samples > 0,
                         .best = i == t->sweep.best};
}

double tulle__tuning_ms(const tulle__tuning *t, const tulle__point *point) {
    const tulle__sample *trials = t->exhaustive ? t->sweep.point : t->search.tried;
    int count = t->exhaustive ? t->sweep.count : t->search.count;
    for (int i = 0; i < count; i++) {
        if (tulle__same_point(&trials[i].point, point)) return trials[i].ms;
    }
    return t->from_cache && tulle__same_point(point, &t->best) ? t->entry.ms : 0;
}
