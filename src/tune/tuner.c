/* SPDX-License-Identifier: Apache-2.0 */
/* The tuner: one tuning for each structure and op that the tuner meets. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/options.h"
#include "core/stopwatch.h"
#include "spmv/dispatch.h"
#include "spmv/plan/plan.h"
#include "spmv/select.h"
#include "tulle/spmv.h"
#include "tune/fingerprint.h"
#include "tune/tuner.h"
#include "tune/tuning.h"

enum { DEFAULT_CALLS = 15, MOST_CALLS = 1000 };

/* Time of a launch, in seconds, above which the driver has loaded the kernel's code; other launches
 * take a few microseconds. */
static const double slow_launch = 50e-6;

struct tulle_tuner {
    atomic_int owners;
    tulle_ctx *ctx; /* context of the tuner; owned */
    tulle__manner manner;
    tulle__cache cache;
    tulle__tuning *tunings;
};

tulle_status tulle_tuner_create_sized(tulle_ctx *ctx, const tulle_tuner_options *options,
                                      size_t options_size, tulle_tuner **tuner) {
    TULLE__NEED(tuner);
    *tuner = NULL;
    TULLE__NEED(ctx);
    tulle_tuner_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    options = &own;
    if (options->mode != TULLE_TUNE_ONLINE && options->mode != TULLE_TUNE_EXHAUSTIVE) {
        return TULLE__BAD("options", "mode is TULLE_TUNE_ONLINE or TULLE_TUNE_EXHAUSTIVE");
    }
    if (options->max_calls < 0 || options->max_calls > MOST_CALLS) {
        return TULLE__BAD("options", "max_calls is 0 to %d, not %d", MOST_CALLS,
                          options->max_calls);
    }
    tulle__manner manner = {.exhaustive = options->mode == TULLE_TUNE_EXHAUSTIVE,
                            .most = options->max_calls ? options->max_calls : DEFAULT_CALLS};
    TULLE__TRY(tulle__domain_parse(ctx->backend, __func__, options->spec, &manner.domain));
    tulle_tuner *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    /* other users of the cache do not want the best point of a restricted domain */
    const char *file = manner.domain.kernel ? "" : options->cache;
    tulle_status status = tulle__cache_open(ctx, file, &made->cache);
    if (status != TULLE_OK) {
        tulle__host_free(ctx, made);
        return status;
    }
    atomic_init(&made->owners, 1);
    made->manner = manner;
    made->ctx = ctx;
    tulle__ctx_retain(ctx);
    *tuner = made;
    return TULLE_OK;
}

tulle_tuner *tulle__tuner_retain(tulle_tuner *tuner) {
    if (tuner) atomic_fetch_add(&tuner->owners, 1);
    return tuner;
}

void tulle_tuner_destroy(tulle_tuner *tuner) {
    if (!tuner) return;
    tulle_tuner_save(tuner);
    if (atomic_fetch_sub(&tuner->owners, 1) > 1) return;
    tulle_ctx *ctx = tuner->ctx;
    while (tuner->tunings) {
        tulle__tuning *next = tuner->tunings->next;
        tulle__tuning_destroy(ctx, tuner->tunings);
        tuner->tunings = next;
    }
    tulle__cache_close(ctx, &tuner->cache);
    tulle__host_free(ctx, tuner);
    tulle__ctx_release(ctx);
}

static tulle__tuning *find(const tulle_tuner *tuner, const tulle_mat *A, tulle_trans op,
                           uint64_t *fingerprint) {
    tulle__spmv_call call = tulle__one_vector(op);
    tulle__spmv_shape shape = tulle__spmv_shape_now(tuner->ctx, A, &call);
    *fingerprint = tulle__fingerprint(&shape);
    tulle__tuning *t = tuner->tunings;
    while (t && t->fingerprint != *fingerprint) t = t->next;
    return t;
}

static tulle_status find_or_start(tulle_tuner *tuner, const tulle_mat *A, tulle_trans op,
                                  tulle__tuning **tuning) {
    uint64_t fingerprint = 0;
    *tuning = find(tuner, A, op, &fingerprint);
    if (*tuning) return TULLE_OK;
    TULLE__TRY(tulle__tuning_create(tuner->ctx, A, op, &tuner->cache, &tuner->manner, tuning));
    (*tuning)->fingerprint = fingerprint;
    (*tuning)->next = tuner->tunings;
    tuner->tunings = *tuning;
    return TULLE_OK;
}

/* The arguments of a product. */
typedef struct product {
    tulle_trans op;
    tulle_scalar alpha, beta;
    const tulle_mat *A;
    const tulle_vec *x;
    tulle_vec *y;
} product;

static tulle_status run(tulle_ctx *ctx, const tulle__tuning *t, const tulle__point *point,
                        const product *p) {
    tulle__spec spec = tulle__space_spec(&t->space, point);
    return tulle__spmv_with(ctx, &spec, p->op, p->alpha, p->A, p->x, p->beta, p->y);
}

static tulle_status run_untuned(tulle_ctx *ctx, const product *p) {
    return tulle_spmv(ctx, p->op, p->alpha, p->A, p->x, p->beta, p->y);
}

/* Runs a trial between two marks. If the marks fail, the product is right all the same, and the
 * point is tried again. On a CPU and on the emulator the launch is the work. */
static tulle_status run_trial(tulle_ctx *ctx, tulle__tuning *t, const product *p) {
    tulle_status marked = ctx->backend->event_record(&ctx->place, t->event[0]);
    double start = tulle__seconds();
    TULLE__TRY(run(ctx, t, tulle__tuning_trial(t), p));
    t->slow_launch = ctx->kind == TULLE_CUDA && tulle__seconds() - start > slow_launch;
    if (marked == TULLE_OK) marked = ctx->backend->event_record(&ctx->place, t->event[1]);
    t->pending = marked == TULLE_OK;
    return marked < TULLE_OK ? marked : TULLE_OK;
}

static tulle_status run_tuned(tulle_ctx *ctx, tulle__tuning *t, const product *p) {
    TULLE__TRY(tulle__tuning_harvest(ctx, t));
    if (!t->usable) return run_untuned(ctx, p);
    bool trial = !t->settled && !t->pending;
    tulle_status status = trial ? run_trial(ctx, t, p) : run(ctx, t, &t->best, p);
    if (status != TULLE_UNSUPPORTED) return status;
    if (trial) tulle__tuning_step(ctx, t, -1);
    return run_untuned(ctx, p);
}

static bool has_plan(const tulle_mat *A, tulle_trans op) {
    tulle__plan *plan = tulle__plan_there(A, op, false);
    if (plan) tulle__plan_release(plan);
    return plan;
}

tulle_status tulle_tuner_spmv(tulle_tuner *tuner, tulle_trans op, tulle_scalar alpha,
                              const tulle_mat *A, const tulle_vec *x, tulle_scalar beta,
                              tulle_vec *y) {
    TULLE__NEED(tuner);
    TULLE__NEED(A);
    TULLE__NEED(x);
    TULLE__NEED(y);
    if (op != TULLE_N && op != TULLE_T) return TULLE__BAD("op", "op is TULLE_N or TULLE_T");
    tulle_ctx *ctx = tuner->ctx;
    product p = {.op = op, .alpha = alpha, .beta = beta, .A = A, .x = x, .y = y};
    bool decided = ctx->repeatable || ctx->forced[TULLE__OP_SPMV].kernel || has_plan(A, op);
    if (decided || !tulle__same_space(ctx, A->ctx)) return run_untuned(ctx, &p);
    tulle__tuning *tuning = NULL;
    TULLE__TRY(find_or_start(tuner, A, op, &tuning));
    return run_tuned(ctx, tuning, &p);
}

/* Finds the tuning of a product, and takes its last measurement. */
static tulle_status look(tulle_tuner *tuner, const char *function, tulle_trans op,
                         const tulle_mat *A, tulle__tuning **tuning) {
    uint64_t fingerprint = 0;
    if (op != TULLE_N && op != TULLE_T) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "op", -1, "op is TULLE_N or TULLE_T");
    }
    if (!tulle__same_space(tuner->ctx, A->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, function, "A", -1,
                           "A lives on another device than the tuner's context");
    }
    *tuning = find(tuner, A, op, &fingerprint);
    if (!*tuning || !(*tuning)->usable) {
        return tulle__fail(TULLE_NOT_FOUND, function, "A", -1,
                           "the tuner has not tuned this product: call tulle_tuner_spmv first");
    }
    return tulle__tuning_harvest(tuner->ctx, *tuning);
}

tulle_status tulle_tuner_describe(tulle_tuner *tuner, tulle_trans op, const tulle_mat *A,
                                  tulle_tuner_info *info) {
    TULLE__NEED(tuner);
    TULLE__NEED(A);
    TULLE__NEED(info);
    tulle__tuning *t = NULL;
    TULLE__TRY(look(tuner, __func__, op, A, &t));
    const tulle__point *start = &t->space.terrain.candidate[0].home;
    *info = (tulle_tuner_info){.start_ms = tulle__tuning_ms(t, start),
                               .best_ms = tulle__tuning_ms(t, &t->best),
                               .steps = tulle__tuning_steps(t),
                               .settled = t->settled,
                               .from_cache = t->from_cache};
    tulle__space_text(&t->space, start, info->start);
    tulle__space_text(&t->space, &t->best, info->best);
    return TULLE_OK;
}

tulle_status tulle_tuner_path(tulle_tuner *tuner, tulle_trans op, const tulle_mat *A, int i,
                              tulle_tuner_step *step) {
    TULLE__NEED(tuner);
    TULLE__NEED(A);
    TULLE__NEED(step);
    tulle__tuning *t = NULL;
    TULLE__TRY(look(tuner, __func__, op, A, &t));
    if (i < 0 || i >= tulle__tuning_steps(t)) {
        return tulle__fail(TULLE_NOT_FOUND, __func__, "i", -1, "the path has %d steps, none is %d",
                           tulle__tuning_steps(t), i);
    }
    tulle__step made = tulle__tuning_path(t, i);
    *step = (tulle_tuner_step){.ms = made.ms, .counts = made.counts, .best = made.best};
    tulle__space_text(&t->space, &made.point, step->spec);
    return TULLE_OK;
}

static bool is_news(const tulle__tuning *t) {
    return t->usable && t->settled && !t->saved;
}

static tulle_status save(tulle_tuner *tuner, int count) {
    size_t bytes = 0;
    TULLE__TRY(tulle__size(count, sizeof(tulle__cache_entry), 0, &bytes));
    tulle__cache_entry *entries = tulle__host_alloc(tuner->ctx, bytes);
    if (!entries) return TULLE_OUT_OF_MEMORY;
    int next = 0;
    for (tulle__tuning *t = tuner->tunings; t; t = t->next) {
        if (is_news(t)) entries[next++] = t->entry;
    }
    tulle_status status = tulle__cache_write(tuner->ctx, &tuner->cache, entries, count);
    tulle__host_free(tuner->ctx, entries);
    TULLE__TRY(status);
    for (tulle__tuning *t = tuner->tunings; t; t = t->next) t->saved |= is_news(t);
    return TULLE_OK;
}

tulle_status tulle_tuner_save(tulle_tuner *tuner) {
    TULLE__NEED(tuner);
    int count = 0;
    for (tulle__tuning *t = tuner->tunings; t; t = t->next) {
        TULLE__TRY(tulle__tuning_harvest(tuner->ctx, t));
        count += is_news(t);
    }
    return count && tuner->cache.path[0] ? save(tuner, count) : TULLE_OK;
}

tulle_status tulle_tuner_cache(const tulle_tuner *tuner, tulle_tuner_cache_info *info) {
    TULLE__NEED(tuner);
    TULLE__NEED(info);
    *info = (tulle_tuner_cache_info){.path = tuner->cache.path,
                                     .entries = tuner->cache.entries,
                                     .ignored_lines = tuner->cache.ignored};
    return TULLE_OK;
}
