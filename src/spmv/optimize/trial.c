/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates are built and timed, because models are not exact. */
#include <math.h>

#include "format/limits.h"
#include "spmv/optimize/contest.h"
#include "spmv/product.h"

/* Numbers of timing. Products are timed in batches of about BATCH_US microseconds, back to back
 * as in a solver, after a first one. One batch tells candidates apart that differ by more than
 * `clear`; else there are more. The product without a plan and the plan that wins have more in any
 * case, in turns: a batch of either that something held up must not decide what is kept. */
enum { MORE_SAMPLES = 2, LEAST_BATCH = 2, MOST_BATCH = 20, BATCH_US = 150 };
static const double clear = 1.15;

/* Number of products of a batch: as many as make it longer than the error of its events. */
static int batch_of(const tulle__contest *c, double cost) {
    double wanted = BATCH_US / tulle__contest_us(c, cost);
    return wanted < LEAST_BATCH ? LEAST_BATCH : wanted > MOST_BATCH ? MOST_BATCH : (int)wanted;
}

/* Cost of timing a product in a number of batches. */
static double price_of_timing(const tulle__contest *c, double cost, int samples) {
    return (1 + samples * batch_of(c, cost)) * cost;
}

/* Cost of trying: building the second and further candidates counts, since only one is kept. */
double tulle__price_of_trying(const tulle__contest *c, int most) {
    double price = price_of_timing(c, c->now_cost, 1 + MORE_SAMPLES);
    for (int i = 0; i < c->count && i < most; i++) {
        const tulle__candidate *item = &c->item[i];
        price += price_of_timing(c, item->cost, 1 + MORE_SAMPLES) + (i > 0 ? item->prepare : 0);
    }
    return price;
}

/* Place of a trial: vectors, whose numbers do not matter, and events. */
typedef struct stand {
    tulle__contest *contest;
    tulle_vec *x, *y;
    void *event[2];
} stand;

static void close_stand(stand *s) {
    tulle_ctx *ctx = s->contest->ctx;
    for (int i = 0; i < 2; i++) {
        if (s->event[i]) ctx->backend->event_destroy(ctx->place.device, s->event[i]);
    }
    tulle_vec_destroy(s->x);
    tulle_vec_destroy(s->y);
}

static tulle_status multivector(const tulle__contest *c, int64_t rows, tulle_layout layout,
                                tulle_vec **v) {
    int64_t ld = layout == TULLE_COLUMN_MAJOR ? rows : c->call.vectors;
    TULLE__TRY(tulle_vec_create_columns(c->ctx, c->A->type, rows, c->call.vectors, layout, ld, v));
    return tulle_vec_fill(c->ctx, *v, 0);
}

static tulle_status open_stand(tulle__contest *c, stand *s) {
    *s = (stand){.contest = c};
    const tulle__pattern *p = c->A->pattern;
    bool forward = c->call.op == TULLE_N;
    tulle_status status = multivector(c, forward ? p->cols : p->rows, c->call.x_layout, &s->x);
    if (status == TULLE_OK) {
        status = multivector(c, forward ? p->rows : p->cols, c->call.y_layout, &s->y);
    }
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        status = c->ctx->backend->event_create(c->ctx->place.device, &s->event[i]);
    }
    if (status != TULLE_OK) close_stand(s);
    return status;
}

/* Multiplies by the plan or, while there is no plan, by the kernel that serves without one. */
static tulle_status multiply(const stand *s, tulle__plan *plan) {
    tulle__contest *c = s->contest;
    tulle__operands o = {.function = c->function,
                         .ctx = c->ctx,
                         .op = c->call.op,
                         .A = c->A,
                         .alpha = tulle_num(1),
                         .beta = tulle_num(0),
                         .x = s->x,
                         .y = s->y,
                         .x_name = "x",
                         .y_name = "y"};
    if (!plan) return tulle__spmv_product(&o, &c->call);
    tulle__spmv_selection selection = {0};
    tulle__plan_found found = tulle__plan_hold(c->A, plan);
    TULLE__TRY(tulle__spmv_use_plan(c->ctx, c->A, &c->call, &found, &selection));
    tulle_status status = tulle__run_selection(&o, &selection);
    tulle__spmv_unselect(&selection);
    return status;
}

/* A runner: a plan, or the kernel that serves without one, with the cost by its model. us: time
 * of a call, in microseconds; 0: there is none. */
typedef struct runner {
    tulle__plan *plan;
    double cost, us;
} runner;

/* Times a batch more; the fastest counts, since disturbances make a batch slower. */
static tulle_status time_batch(const stand *s, runner *r) {
    tulle_ctx *ctx = s->contest->ctx;
    const tulle__backend *backend = ctx->backend;
    int batch = batch_of(s->contest, r->cost);
    double ms = 0;
    TULLE__TRY(tulle__contest_ask(s->contest));
    TULLE__TRY(backend->event_record(&ctx->place, s->event[0]));
    for (int k = 0; k < batch; k++) TULLE__TRY(multiply(s, r->plan));
    TULLE__TRY(backend->event_record(&ctx->place, s->event[1]));
    TULLE__TRY(backend->event_between(ctx->place.device, s->event[0], s->event[1], &ms));
    r->us = fmin(r->us, 1e3 * ms / batch);
    return TULLE_OK;
}

static tulle_status time_first(const stand *s, runner *r) {
    r->us = INFINITY;
    TULLE__TRY(multiply(s, r->plan));
    return time_batch(s, r);
}

/* Times two runners until the first is clearly faster, or as well as they can be told apart: one
 * that a batch found slower may have been held up, although the models had hope in it. */
static tulle_status time_against(const stand *s, runner *r, runner *rival) {
    TULLE__TRY(time_first(s, r));
    for (int i = 0; i < MORE_SAMPLES && rival->us > 0 && clear * r->us >= rival->us; i++) {
        TULLE__TRY(time_batch(s, r));
        TULLE__TRY(time_batch(s, rival));
    }
    return TULLE_OK;
}

/* Takes the candidate's plan where it is the fastest so far. */
static tulle_status try_one(const stand *s, const tulle__candidate *candidate, runner *now,
                            runner *best, tulle__trial *trial) {
    tulle__contest *c = s->contest;
    runner one = {.cost = candidate->cost};
    TULLE__TRY(tulle__contest_ask(c));
    TULLE__TRY(tulle__plan_make(c->ctx, c->A, &candidate->request, &one.plan));
    bool first = !best->plan;
    runner *rival = first || (now->us > 0 && now->us < best->us) ? now : best;
    tulle_status status = time_against(s, &one, rival);
    bool better = status == TULLE_OK && (first || one.us < best->us);
    trial->tried += status == TULLE_OK;
    tulle__plan *loser = better ? best->plan : one.plan;
    if (better) {
        *best = one;
        trial->chosen = candidate;
    }
    if (loser) tulle__plan_release(loser);
    tulle__copies_prune(c->A, best->plan ? &best->plan->base : NULL);
    return status;
}

/* Times the product without a plan and the winner again, in turns; the least times count. */
static tulle_status time_again(const stand *s, runner *now, runner *best) {
    for (int i = 0; i < MORE_SAMPLES && best->plan && now->us > 0; i++) {
        TULLE__TRY(time_batch(s, now));
        TULLE__TRY(time_batch(s, best));
    }
    return TULLE_OK;
}

static tulle_status try_all(const stand *s, int most, runner *now, runner *best,
                            tulle__trial *trial) {
    tulle__contest *c = s->contest;
    tulle_status status = c->now.kernel ? time_first(s, now) : TULLE_OK;
    if (status != TULLE_OK) now->us = 0;
    for (int i = 0; i < c->count && i < most; i++) {
        if (status != TULLE_OK && !tulle__no_way(status)) return status;
        status = try_one(s, &c->item[i], now, best, trial);
    }
    if (status != TULLE_OK && !tulle__no_way(status)) return status;
    return time_again(s, now, best);
}

tulle_status tulle__contest_try(tulle__contest *c, int most, tulle__trial *trial) {
    stand s;
    *trial = (tulle__trial){0};
    TULLE__TRY(open_stand(c, &s));
    runner now = {.cost = c->now_cost}, best = {0};
    tulle_status status = try_all(&s, most, &now, &best, trial);
    close_stand(&s);
    trial->plan = best.plan;
    trial->now_us = now.us;
    trial->us = best.us;
    bool slower =
        trial->now_us > 0 && trial->us > TULLE__WORTH_MEASURED * trial->now_us && !c->must;
    if (trial->plan && (slower || status != TULLE_OK)) {
        tulle__plan_release(trial->plan);
        trial->plan = NULL;
        trial->chosen = NULL;
    }
    return status;
}
