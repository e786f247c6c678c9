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
enum { FIRST_BATCH = 4, MOST_BATCH = 64 };

/* A norm that has grown to this many times the least leaves no digit of x that was right. */
static const double beyond_return = 1e16;

typedef struct course {
    tulle_solver *S;
    int phases, phase;
    int64_t launched, most; /* number of iterations launched in this run of the method, and the
                               largest number that any member may have */
    int batch, slot;        /* size of the next batch; slot of `back` for the next readback */
    int after[2];           /* for each slot, the number of the state that has the scalars
                               between iterations */
    bool waits, lagging;    /* waits: a readback is on its way; lagging: the device goes on by
                               itself */
    double looked;          /* time when the host looked last, in seconds */
    int64_t told;           /* number of iterations of this run that the monitor knows */
    double left; /* number of iterations that are expected after the last known norm, until the last
                    member ends */
} course;

/* True when the member is among those that iterate. */
static bool runs(const tulle_solver *m) {
    return m->ended == TULLE__GOES_ON && m->stop != TULLE__NOT_BEGUN;
}

static bool member_goes_on(const tulle_solver *m) {
    return runs(m) && m->now.outcome == TULLE__GOES_ON && m->stop == TULLE__GOES_ON;
}

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

/* Returns the index of the state that holds the scalars between iterations. */
static int state_after(const course *c) {
    return c->phases > 0 ? c->phase % 2 : 0;
}

static tulle__scalars *back_of(const course *c, int slot) {
    return c->S->back + (size_t)slot * (size_t)c->S->most_columns;
}

static tulle_status read_back(course *c) {
    tulle_solver *S = c->S;
    const tulle__place *place = &S->ctx->place;
    c->after[c->slot] = state_after(c);
    TULLE__TRY(S->ctx->backend->copy(place, back_of(c, c->slot), S->scalars,
                                     (size_t)S->columns * sizeof *S->scalars));
    return S->ctx->backend->event_record(place, S->event[c->slot]);
}

static tulle_status await(const tulle_solver *S, int slot) {
    bool done = false;
    while (!done) {
        TULLE__TRY(S->ctx->backend->event_done(S->ctx->place.device, S->event[slot], &done));
    }
    return TULLE_OK;
}

/* Takes the norms of a member that the host did not know yet. */
static void learn(tulle_solver *m, const double *history) {
    for (int64_t i = m->began + m->told + 1; i <= m->now.iterations; i++) {
        const double norm = history[i % TULLE__HISTORY];
        if (norm < m->best) {
            m->best = norm;
            m->best_at = i;
        }
    }
    if (m->now.iterations - m->began > m->told) m->told = m->now.iterations - m->began;
    const bool out_of_patience = m->now.iterations - m->best_at >= m->options.patience;
    const bool diverges = m->now.norm > beyond_return * m->best;
    if (m->stop == TULLE__GOES_ON && (out_of_patience || diverges)) m->stop = TULLE_STAGNATED;
}

/* Returns the norm of a member after iteration i of this run, or at its end before that. */
static double norm_after(const tulle_solver *m, const double *history, int64_t i) {
    if (!runs(m) || m->told == 0) return m->tested;
    return history[(m->began + (i < m->told ? i : m->told)) % TULLE__HISTORY];
}

/* Tells the monitor the norms of all iterations that it did not know yet: of several members, the
 * norm that is the largest multiple of its limit. A monitor that says stop is not asked again. */
static void tell(course *c, const tulle__scalars *back) {
    tulle_solver *S = c->S;
    const tulle_solver_options *o = &S->options;
    int64_t last = 0;
    for (int j = 0; j < S->columns; j++) {
        const tulle_solver *m = tulle__member(S, j);
        if (runs(m) && m->told > last) last = m->told;
    }
    for (; c->told < last; c->told++) {
        double worst = -1, told = 0;
        for (int j = 0; j < S->columns && o->monitor && !S->stopped; j++) {
            const tulle_solver *m = tulle__member(S, j);
            const double norm = norm_after(m, back[j].history, c->told + 1);
            const double excess = tulle__excess(norm, m->report.limit);
            if (excess <= worst) continue;
            worst = excess;
            told = tulle__told_norm(m, norm);
        }
        const int64_t iteration = S->began + c->told + 1;
        if (worst >= 0 && o->monitor(o->monitor_user, iteration, told) != 0) S->stopped = true;
    }
}

/* Doubles the batch while it takes too little time. With a communicator time does not count, as all
 * processes launch the same iterations. */
static void adapt(course *c) {
    const bool emulated = c->S->ctx->kind == TULLE_EMULATED, shared = c->S->options.comm;
    const double most = shared ? INFINITY : emulated ? emulated_seconds : batch_seconds;
    const double now = tulle__seconds();
    if (now - c->looked < most && c->batch < MOST_BATCH && c->lagging) c->batch *= 2;
    c->looked = now;
}

/* Finds out whether the time of any process is over, or a monitor of any process has said stop. The
 * clocks and monitors of processes differ, but all must end in the same iteration, so they add up
 * their answers. */
static tulle_status look_at_ends(course *c, bool *late) {
    tulle_solver *S = c->S;
    double ends[] = {S->deadline != 0 && c->looked > S->deadline ? 1 : 0, S->stopped ? 1 : 0};
    const bool asks = S->deadline != 0 || S->watched;
    if (asks && tulle__is_shared(S)) TULLE__TRY(tulle__solver_sum(S, ends, 2));
    *late = ends[0] > 0;
    S->stopped = ends[1] > 0;
    return TULLE_OK;
}

/* Ends what a member does on the device while others go on: its stages change nothing more. */
static tulle_status halt(const course *c, const tulle_solver *m) {
    tulle__solve_state state = m->now;
    if (!c->S->members || !runs(m) || m->stop == TULLE__GOES_ON || state.outcome != TULLE__GOES_ON)
        return TULLE_OK;
    state.outcome = m->stop;
    return m->ctx->backend->solver->put_state(&m->ctx->place, m->scalars->states + state_after(c),
                                              &state);
}

/* Takes the states and norms of all members. */
static void take_news(course *c, int slot) {
    c->left = 0;
    for (int j = 0; j < c->S->columns; j++) {
        tulle_solver *m = tulle__member(c->S, j);
        const tulle__scalars *back = back_of(c, slot) + j;
        if (!runs(m)) continue;
        m->now = back->states[c->after[slot]];
        learn(m, back->history);
        if (!member_goes_on(m)) continue;
        c->left = fmax(c->left, tulle__iterations_left(back->history, m->now.iterations, m->told,
                                                       m->now.limit));
    }
    tell(c, back_of(c, slot));
}

static tulle_status look(course *c, int slot) {
    tulle_solver *S = c->S;
    bool late;
    TULLE__TRY(await(S, slot));
    take_news(c, slot);
    adapt(c);
    TULLE__TRY(look_at_ends(c, &late));
    for (int j = 0; j < S->columns; j++) {
        tulle_solver *m = tulle__member(S, j);
        if (S->stopped && runs(m)) {
            m->stop = TULLE_STOPPED;
        } else if (late && m->stop == TULLE__GOES_ON) {
            m->stop = TULLE_MOST_TIME;
        }
        TULLE__TRY(halt(c, m));
    }
    return tulle__progress(S->ctx, "solving", S->began + c->told, 0);
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
    for (int j = 0; j < c->S->columns; j++) {
        if (member_goes_on(tulle__member(c->S, j))) return true;
    }
    return false;
}

/* True while the device changes what a member has: until the norm of its own residual ends it. */
static bool device_goes_on(const course *c) {
    for (int j = 0; j < c->S->columns; j++) {
        const tulle_solver *m = tulle__member(c->S, j);
        if (runs(m) && m->now.outcome == TULLE__GOES_ON) return true;
    }
    return false;
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

/* Begins this run of the method in all members; returns the largest number of iterations that are
 * launched. */
static int64_t begin_members(tulle_solver *S) {
    const int64_t lag = S->method->lag;
    int64_t most = 0;
    S->began = S->now.iterations;
    for (int j = 0; j < S->columns; j++) {
        tulle_solver *m = tulle__member(S, j);
        const bool begun = m->ended == TULLE__GOES_ON && m->now.outcome == TULLE__GOES_ON;
        m->stop = begun ? TULLE__GOES_ON : TULLE__NOT_BEGUN;
        m->began = m->now.iterations;
        m->told = 0;
        const int64_t rest = m->options.max_iterations - m->now.iterations;
        if (begun && rest > most) most = rest;
    }
    return most <= INT64_MAX - lag ? most + lag : INT64_MAX;
}

/* Ends this run of the method in a member. */
static tulle_status end_member(tulle_solver *m) {
    const bool numbers = m->now.outcome != TULLE_NOT_A_NUMBER;
    if (m->now.outcome == TULLE__GOES_ON || m->stop == TULLE_STOPPED) m->now.outcome = m->stop;
    return m->method->end && numbers ? m->method->end(m) : TULLE_OK;
}

tulle_status tulle__solver_iterate(tulle_solver *S) {
    if (S->report.setup_ms == 0) S->report.setup_ms = 1e3 * (tulle__seconds() - S->started);
    const bool lagging = S->ctx->kind != TULLE_CPU && !S->options.sum;
    course c = {.S = S,
                .phases = S->method->phases(S),
                .most = begin_members(S),
                .batch = lagging && S->method->goes_round ? FIRST_BATCH : 1,
                .lagging = lagging,
                .looked = tulle__seconds(),
                .left = INFINITY};
    tulle__solver_look_at_graphs(S);
    for (int count = next_count(&c); goes_on(&c) && count > 0; count = next_count(&c)) {
        TULLE__TRY(step(&c, count));
    }
    if (c.waits && device_goes_on(&c)) TULLE__TRY(look(&c, 1 - c.slot));
    if (S->members) S->now.iterations = S->began + c.told;
    for (int j = 0; j < S->columns; j++) {
        tulle_solver *m = tulle__member(S, j);
        if (runs(m)) TULLE__TRY(end_member(m));
    }
    return TULLE_OK;
}
