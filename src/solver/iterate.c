/* SPDX-License-Identifier: Apache-2.0 */
/* Iterations are launched ahead, before the host knows the norms of earlier ones: on a GPU
 * batches of them are on their way while the scalars of the batch before come back. Stages of
 * iterations after the last one do nothing. */
#include <math.h>

#include "core/stopwatch.h"
#include "solver/foresee.h"
#include "solver/solver.h"

/* Time in seconds that a batch should take: long enough that looking costs little, short enough
 * that few iterations are launched in vain; the emulator is a thousand times slower, so that
 * batches there are as large as on a device. A first batch has so many iterations that a look
 * costs less than they do, even if each is a single short launch. */
static const double batch_seconds = 1e-3, emulated_seconds = 1;
enum { FIRST_BATCH = 8, MOST_BATCH = 64 };

/* A norm that has grown to this many times the least leaves no digit of x that was right. */
static const double beyond_return = 1e16;

typedef struct course {
    tulle_solver *S;
    int phases, phase;
    int64_t launched, most; /* number of iterations launched, and the largest number; all rounds
                               counted */
    int batch, slot;        /* size of the next batch; slot of `back` for the next readback */
    int after[2];           /* for each slot, the number of the state that has the scalars
                               between iterations */
    bool waits, lagging;    /* waits: a readback is on its way; lagging: the device goes on by
                               itself */
    double looked;          /* time when the host looked last, in seconds */
    int64_t began, told;    /* number of iterations before the first of this round; number of the
                               last iteration that the monitor knows */
    double left;            /* forecast of the number of iterations from the last that is told to
                               the end */
    int stop;               /* outcome that the host found, or TULLE__GOES_ON */
} course;

static void count_work(tulle_solver *S, int products) {
    S->report.products += products;
    if (S->M) S->report.preconditions += products;
}

static void begin_round(course *c) {
    c->phase = 0;
    count_work(c->S, c->S->method->products_anew);
}

static void count_iteration(course *c) {
    count_work(c->S, c->S->method->products);
    if (c->phases > 0) c->phase++;
    if (c->S->method->goes_round && c->phase == c->phases) begin_round(c);
}

static tulle_status launch_batch(course *c, int count) {
    tulle_solver *S = c->S;
    for (int done = 0, now = 0; done < count; done += now) {
        TULLE__TRY(tulle__solver_launch(S, c->phase, count - done, &now));
        for (int i = 0; i < now; i++) count_iteration(c);
    }
    c->launched += count;
    return TULLE_OK;
}

static tulle_status read_back(course *c) {
    tulle_solver *S = c->S;
    const tulle__place *place = &S->ctx->place;
    c->after[c->slot] = c->phases > 0 ? c->phase % 2 : 0;
    TULLE__TRY(S->ctx->backend->copy(place, S->back + c->slot, S->scalars, sizeof *S->scalars));
    return S->ctx->backend->event_record(place, S->event[c->slot]);
}

static tulle_status await(const tulle_solver *S, int slot) {
    bool done = false;
    while (!done) {
        TULLE__TRY(S->ctx->backend->event_done(S->ctx->place.device, S->event[slot], &done));
    }
    return TULLE_OK;
}

/* Tells the monitor all norms that the host did not know yet. */
static void tell(course *c, const double *history) {
    const tulle_solver_options *o = &c->S->options;
    for (int64_t i = c->told + 1; i <= c->S->now.iterations; i++) {
        const double norm = history[i % TULLE__HISTORY];
        if (norm < c->S->best) {
            c->S->best = norm;
            c->S->best_at = i;
        }
        const bool tells = o->monitor && c->stop != TULLE_STOPPED;
        if (tells && o->monitor(o->monitor_user, i, tulle__told_norm(c->S, norm)) != 0) {
            c->stop = TULLE_STOPPED;
        }
    }
    c->told = c->S->now.iterations;
    const bool out_of_patience = c->told - c->S->best_at >= o->patience;
    const bool diverges = c->S->now.norm > beyond_return * c->S->best;
    if (c->stop == TULLE__GOES_ON && (out_of_patience || diverges)) c->stop = TULLE_STAGNATED;
}

/* Doubles the batch while it takes too little time. */
static void adapt(course *c) {
    const double most = c->S->ctx->kind == TULLE_EMULATED ? emulated_seconds : batch_seconds;
    const double now = tulle__seconds();
    if (now - c->looked < most && c->batch < MOST_BATCH && c->lagging) c->batch *= 2;
    c->looked = now;
}

/* Ends the solution where the time of any process is over. The clocks of processes differ, but all
 * must end in the same iteration, so they add up their answers. */
static tulle_status look_at_time(course *c) {
    const tulle_solver *S = c->S;
    if (S->deadline == 0) return TULLE_OK;
    double late = c->looked > S->deadline ? 1 : 0;
    if (S->options.sum) TULLE__TRY(tulle__solver_sum(S, &late, 1));
    if (late > 0 && c->stop == TULLE__GOES_ON) c->stop = TULLE_MOST_TIME;
    return TULLE_OK;
}

static tulle_status look(course *c, int slot) {
    tulle_solver *S = c->S;
    TULLE__TRY(await(S, slot));
    S->now = S->back[slot].states[c->after[slot]];
    tell(c, S->back[slot].history);
    c->left =
        tulle__iterations_left(S->back[slot].history, c->told, c->told - c->began, S->now.limit);
    adapt(c);
    TULLE__TRY(look_at_time(c));
    return tulle__progress(S->ctx, "solving", S->now.iterations, 0);
}

/* Limits count to the iterations that there are or, where rounds follow each other, to the end
 * of a round: from its beginning on a round is one graph. */
static int64_t within_round(const course *c, int64_t count) {
    const int64_t rest = c->phases - c->phase;
    if (count <= rest) return count;
    return c->S->method->goes_round ? count - (count - rest) % c->phases : rest;
}

static int next_count(const course *c) {
    int64_t count = c->most - c->launched;
    const int batch = tulle__next_batch(c->left, c->launched - c->told, c->batch);
    if (count > batch) count = batch;
    if (c->phases > 0) count = within_round(c, count);
    return count > 0 ? (int)count : 0;
}

static bool goes_on(const course *c) {
    return c->S->now.outcome == TULLE__GOES_ON && c->stop == TULLE__GOES_ON;
}

/* Launches a batch, and then looks at the readback of the batch before it. */
static tulle_status step(course *c, int count) {
    const int now = c->slot, before = 1 - c->slot;
    TULLE__TRY(launch_batch(c, count));
    TULLE__TRY(read_back(c));
    c->slot = before;
    if (!c->lagging) return look(c, now);
    if (c->waits) TULLE__TRY(look(c, before));
    c->waits = true;
    return TULLE_OK;
}

/* Largest number of iterations that are launched. */
static int64_t most_of(const tulle_solver *S) {
    const int64_t most = S->options.max_iterations, lag = S->method->lag;
    return most <= INT64_MAX - lag ? most + lag : INT64_MAX;
}

tulle_status tulle__solver_iterate(tulle_solver *S) {
    if (S->report.setup_ms == 0) S->report.setup_ms = 1e3 * (tulle__seconds() - S->started);
    const bool lagging = S->ctx->kind != TULLE_CPU && !S->options.sum;
    course c = {.S = S,
                .phases = S->method->phases(S),
                .launched = S->now.iterations,
                .most = most_of(S),
                .batch = lagging && S->method->goes_round ? FIRST_BATCH : 1,
                .lagging = lagging,
                .looked = tulle__seconds(),
                .began = S->now.iterations,
                .told = S->now.iterations,
                .left = INFINITY,
                .stop = TULLE__GOES_ON};
    tulle__solver_look_at_graphs(S);
    for (int count = next_count(&c); goes_on(&c) && count > 0; count = next_count(&c)) {
        TULLE__TRY(step(&c, count));
    }
    if (c.waits) TULLE__TRY(look(&c, 1 - c.slot));
    const bool numbers = S->now.outcome != TULLE_NOT_A_NUMBER;
    /* A monitor that says stop is not asked again. */
    if (S->now.outcome == TULLE__GOES_ON || c.stop == TULLE_STOPPED) S->now.outcome = c.stop;
    return S->method->end && numbers ? S->method->end(S) : TULLE_OK;
}
