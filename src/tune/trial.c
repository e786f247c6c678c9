/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates are built and timed, because models are not exact. */
#include <math.h>

#include "spmv/product.h"
#include "tune/contest.h"

/* Products are timed in batches, back to back as in a solver, after a first one. */
enum { SAMPLES = 3, LEAST_BATCH = 2, MOST_BATCH = 20, BATCH_US = 150 };

/* A plan must save as much as two measurements of the same may differ. */
static const double worth = 0.98;

/* As many as make a batch longer than what its events may be wrong. */
static int batch_of(const tulle__contest *c, double cost) {
    double wanted = BATCH_US / tulle__contest_us(c, cost);
    return wanted < LEAST_BATCH ? LEAST_BATCH : wanted > MOST_BATCH ? MOST_BATCH : (int)wanted;
}

static double price_of_timing(const tulle__contest *c, double cost) {
    return (1 + SAMPLES * batch_of(c, cost)) * cost;
}

/* What the second and further ones take to build counts, since only one is kept. */
double tulle__price_of_trying(const tulle__contest *c, int most) {
    double price = price_of_timing(c, c->now_cost);
    for (int i = 0; i < c->count && i < most; i++) {
        price += price_of_timing(c, c->item[i].cost) + (i > 0 ? c->item[i].prepare : 0);
    }
    return price;
}

/* Vectors, whose numbers do not matter, and events. */
typedef struct stand {
    tulle__contest *contest;
    tulle_dense *x, *y;
    void *event[2];
} stand;

static void close_stand(stand *s) {
    tulle_ctx *ctx = s->contest->ctx;
    for (int i = 0; i < 2; i++) {
        if (s->event[i]) ctx->backend->event_destroy(ctx->place.device, s->event[i]);
    }
    tulle_dense_destroy(s->x);
    tulle_dense_destroy(s->y);
}

static tulle_status block(const tulle__contest *c, int64_t rows, tulle_layout layout,
                          tulle_dense **v) {
    int64_t ld = layout == TULLE_COLUMN_MAJOR ? rows : c->call.vectors;
    TULLE__TRY(tulle_dense_create(c->ctx, c->A->type, rows, c->call.vectors, layout, ld, v));
    return tulle_dense_fill(c->ctx, *v, 0);
}

static tulle_status open_stand(tulle__contest *c, stand *s) {
    *s = (stand){.contest = c};
    const tulle__pattern *p = c->A->pattern;
    bool forward = c->call.op == TULLE_N;
    tulle_status status = block(c, forward ? p->cols : p->rows, c->call.x_layout, &s->x);
    if (status == TULLE_OK) {
        status = block(c, forward ? p->rows : p->cols, c->call.y_layout, &s->y);
    }
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        status = c->ctx->backend->event_create(c->ctx->place.device, &s->event[i]);
    }
    if (status != TULLE_OK) close_stand(s);
    return status;
}

/* A product on the plan, or, while there is no plan, on what serves without one. */
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

/* The fastest batch: what disturbs a batch makes it slower. */
static tulle_status time_product(const stand *s, tulle__plan *plan, double cost, double *us) {
    tulle_ctx *ctx = s->contest->ctx;
    const tulle__backend *backend = ctx->backend;
    int batch = batch_of(s->contest, cost);
    double least = INFINITY;
    TULLE__TRY(multiply(s, plan));
    for (int i = 0; i < SAMPLES; i++) {
        double ms = 0;
        TULLE__TRY(backend->event_record(&ctx->place, s->event[0]));
        for (int k = 0; k < batch; k++) TULLE__TRY(multiply(s, plan));
        TULLE__TRY(backend->event_record(&ctx->place, s->event[1]));
        TULLE__TRY(backend->event_between(ctx->place.device, s->event[0], s->event[1], &ms));
        if (ms < least) least = ms;
    }
    *us = 1e3 * least / batch;
    return TULLE_OK;
}

/* Takes the candidate's plan where it is the fastest so far. */
static tulle_status try_one(const stand *s, const tulle__candidate *candidate,
                            tulle__trial *trial) {
    tulle__contest *c = s->contest;
    tulle__plan *plan = NULL;
    double us = 0;
    TULLE__TRY(tulle__plan_make(c->ctx, c->A, &candidate->order, &plan));
    tulle_status status = time_product(s, plan, candidate->cost, &us);
    bool better = status == TULLE_OK && (!trial->plan || us < trial->us);
    trial->tried += status == TULLE_OK;
    tulle__plan *loser = better ? trial->plan : plan;
    if (better) {
        trial->plan = plan;
        trial->chosen = candidate;
        trial->us = us;
    }
    if (loser) tulle__plan_release(loser);
    tulle__copies_prune(c->A, trial->plan);
    return status;
}

static tulle_status try_all(const stand *s, int most, tulle__trial *trial) {
    tulle__contest *c = s->contest;
    tulle_status now =
        c->now.kernel ? time_product(s, NULL, c->now_cost, &trial->now_us) : TULLE_OK;
    if (now != TULLE_OK && !tulle__no_way(now)) return now;
    for (int i = 0; i < c->count && i < most; i++) {
        tulle_status status = try_one(s, &c->item[i], trial);
        if (status != TULLE_OK && !tulle__no_way(status)) return status;
    }
    return TULLE_OK;
}

tulle_status tulle__contest_try(tulle__contest *c, int most, tulle__trial *trial) {
    stand s;
    *trial = (tulle__trial){0};
    TULLE__TRY(open_stand(c, &s));
    tulle_status status = try_all(&s, most, trial);
    close_stand(&s);
    bool slower = trial->now_us > 0 && trial->us > worth * trial->now_us && !c->must;
    if (trial->plan && (slower || status != TULLE_OK)) {
        tulle__plan_release(trial->plan);
        trial->plan = NULL;
        trial->chosen = NULL;
    }
    return status;
}
