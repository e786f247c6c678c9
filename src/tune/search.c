/* SPDX-License-Identifier: Apache-2.0 */
/* Blind search on a non-convex domain during the calls of a solver, after Reguly and Giles,
 * "Efficient sparse matrix-vector multiplication on cache-based GPUs" (InPar 2012; slides,
 * "Dynamic run-time tuning"): no statistics, few calls, and no bad call. The moves are tulle's
 * own. First come the best kernel's parameters in turn, the one that matters most first: on its
 * axis once a long step down, over the hollow in which short steps stop, and a longer one if the
 * long step lost little; on every axis short steps, down and up, and on in a direction as long
 * as they gain. After the first axis comes a kernel whose model is near that of the rule's
 * choice, and when no axis has a move left, the other kernels. At the end the start and its
 * rival are measured again, in turns, both warm. The rival is the best point or, where no gain
 * was large enough to be followed, the point with the least time. The rival wins only if it is
 * faster there too, in the calls of the solver, so that a search seldom ends slower than it began.
 * A start that takes so little time that single calls tell nothing is kept. A point that was slower
 * is never the base of a move, so a call is at most a step away from the best point so far. The
 * first measurement does not count, because caches and code were cold. */
#include "tune/search.h"

#include <math.h>
#include <string.h>

/* Largest model of a kernel that is tried early, relative to the rule's choice. */
static const double near = 1.25;
enum { EARLY = 1 };

/* Least gain, relative to the best time; a smaller one is noise. A gain below the terrain's blur is
 * not followed either, because it is the difference of two single calls; turns at the end can tell
 * it from luck. */
static const double least_gain = 0.01;

/* A gain on the start above this makes the search measure the start again first. */
static const double doubtful_gain = 0.1;

/* REPEATS: number of measurements at the end, half of them of the start, which are reserved.
 * MOST_REPEATS: most of them, if the search has calls left and the rival is ahead by less than the
 * blur. */
enum { REPEATS = 4, MOST_REPEATS = 6 };

static const int first_steps[] = {-2, -3, -1, 1, 0}, later_steps[] = {-1, 1, 0};

/* Largest loss of a step of two, relative to the best time, after which a step of three is worth a
 * call. */
static const double shallow = 1.2;

bool tulle__same_point(const tulle__point *a, const tulle__point *b) {
    return a->kernel == b->kernel && memcmp(a->at, b->at, sizeof a->at) == 0;
}

static const tulle__sample *find(const tulle__search *s, const tulle__point *point) {
    for (int i = 0; i < s->count; i++) {
        if (tulle__same_point(&s->tried[i].point, point)) return &s->tried[i];
    }
    return NULL;
}

/* Makes the point the next one, and returns true, unless the terrain lacks it or it is known. */
static bool try_point(tulle__search *s, const tulle__terrain *terrain, const tulle__point *point) {
    bool room = s->count < TULLE__MOST_TRIED;
    if (!room || find(s, point) || !terrain->allowed(terrain->user, point)) return false;
    s->now = s->count;
    s->tried[s->count++] = (tulle__sample){.point = *point};
    return true;
}

/* Tries the home of the next kernel, if its model is within the limit. */
static bool try_kernel(tulle__search *s, const tulle__terrain *terrain, double limit) {
    while (s->kernels + 1 < terrain->count) {
        const tulle__search_kernel *kernel = &terrain->candidate[s->kernels + 1];
        if (kernel->model > limit * terrain->candidate[0].model) return false;
        s->kernels++;
        if (try_point(s, terrain, &kernel->home)) return true;
    }
    return false;
}

static bool lost_little(const tulle__sample *trial, const tulle__sample *best) {
    return trial && trial->samples > 0 && trial->ms <= shallow * best->ms;
}

static bool try_axis(tulle__search *s, const tulle__terrain *terrain, int axis) {
    const tulle__sample *best = &s->tried[s->best];
    const tulle__search_kernel *kernel = &terrain->candidate[best->point.kernel];
    bool leap = axis == 0 && best->point.at[axis] == kernel->home.at[axis];
    for (const int *step = leap ? first_steps : later_steps; *step; step++) {
        tulle__point point = best->point, before = best->point;
        point.at[axis] += *step;
        before.at[axis] -= 2;
        if (*step < -2 && !lost_little(find(s, &before), best)) continue;
        bool there = point.at[axis] >= 0 && point.at[axis] < kernel->values[axis];
        if (there && try_point(s, terrain, &point)) return true;
    }
    return false;
}

/* Tries axis after axis, until each has had no move since the last gain, or `most` of them have. */
static bool try_axes(tulle__search *s, const tulle__terrain *terrain, int most) {
    int axes = terrain->candidate[s->tried[s->best].point.kernel].axes;
    for (; s->idle < axes && s->idle < most; s->idle++) {
        if (try_axis(s, terrain, s->axis)) return true;
        s->axis = (s->axis + 1) % axes;
    }
    return false;
}

static bool propose(tulle__search *s, const tulle__terrain *terrain) {
    if (s->calls + REPEATS >= s->most) return false;
    if (try_axes(s, terrain, 1)) return true;
    if (s->kernels < EARLY && try_kernel(s, terrain, near)) return true;
    return try_axes(s, terrain, TULLE__MAX_PARAMS) || try_kernel(s, terrain, INFINITY);
}

void tulle__sample_add(tulle__sample *trial, double ms) {
    if (trial->samples == 0 || ms < trial->ms) trial->ms = ms;
    trial->samples++;
}

static int least_of(const tulle__search *s) {
    int least = s->best;
    for (int i = 0; i < s->count; i++) {
        const tulle__sample *trial = &s->tried[i];
        bool first = s->tried[least].samples == 0;
        if (trial->samples > 0 && (first || trial->ms < s->tried[least].ms)) least = i;
    }
    return least;
}

static bool gains(double ms, double before, double blur) {
    return ms < (1 - least_gain) * before - blur;
}

/* Sets the axis from which moves go on: the first axis of a new kernel, else the axis that led to
 * the new best point. */
static void settle_best(tulle__search *s, const tulle__terrain *terrain) {
    int least = least_of(s);
    const tulle__sample *best = &s->tried[s->best], *challenger = &s->tried[least];
    bool better = best->samples == 0 || gains(challenger->ms, best->ms, terrain->blur);
    if (least == s->best || !better) return;
    if (challenger->point.kernel != best->point.kernel) s->axis = 0;
    s->idle = 0;
    s->best = least;
}

/* Returns true when the gain on the start is so large that the start's one measurement may have
 * been disturbed. The last calls are not spent on this, because the turns that they are reserved
 * for answer the question too. */
static bool doubts_start(const tulle__search *s) {
    const tulle__sample *start = &s->tried[0];
    return s->calls + REPEATS < s->most && s->best == 0 && start->samples == 1 &&
           s->tried[least_of(s)].ms < (1 - doubtful_gain) * start->ms;
}

/* Chooses the rival. If the search stayed at its start, the rival is the point with the least time,
 * if that is less by enough to be no tie. */
static void choose_rival(tulle__search *s) {
    int least = least_of(s);
    bool starts = s->tried[0].samples > 0;
    if (s->best == 0 && starts && gains(s->tried[least].ms, s->tried[0].ms, 0)) s->best = least;
}

/* The verdict of the turns so far. WON: in each turn the rival took less than the start ever did,
 * which the blur of single calls gives only by luck, and the less so the more turns there are. */
typedef enum standing { LOST, AHEAD, WON } standing;

static standing judge_turns(const tulle__search *s, const tulle__terrain *terrain) {
    const tulle__turns *start = &s->again[0], *rival = &s->again[1];
    if (s->repeats < REPEATS || !gains(rival->least, start->least, 0)) return LOST;
    if (gains(rival->least, start->least, terrain->blur)) return WON;
    return rival->most < start->least ? AHEAD : LOST;
}

static bool starts_short(const tulle__search *s, const tulle__terrain *terrain) {
    return s->tried[0].samples > 0 && s->tried[0].ms < terrain->shortest;
}

/* Chooses the next repeat, of the start or of its rival; ends the search if neither is to be
 * repeated any more. */
static void repeat(tulle__search *s, const tulle__terrain *terrain) {
    bool start_runs = s->tried[0].samples > 0;
    bool turns_over =
        s->repeats >= REPEATS && (s->repeats == MOST_REPEATS || judge_turns(s, terrain) != AHEAD);
    s->over = s->best == 0 || !start_runs || turns_over || s->calls == s->most;
    if (s->over && start_runs && judge_turns(s, terrain) == LOST) s->best = 0;
    s->now = s->over || s->repeats % 2 == 1 ? s->best : 0;
    if (!s->over) s->repeats++;
}

void tulle__search_start(tulle__search *search, const tulle__terrain *terrain, int most) {
    *search = (tulle__search){.count = 1, .most = most, .again = {{INFINITY, 0}, {INFINITY, 0}}};
    search->tried[0].point = terrain->candidate[0].home;
}

void tulle__search_step(tulle__search *s, const tulle__terrain *terrain, double ms) {
    if (s->over) return;
    s->calls++;
    bool cold = !s->warm && ms >= 0;
    s->warm = true;
    if (cold && s->calls < s->most) return;
    if (ms >= 0) tulle__sample_add(&s->tried[s->now], ms);
    if (starts_short(s, terrain)) {
        s->over = true;
        s->best = s->now = 0;
        return;
    }
    if (s->repeats > 0) {
        tulle__turns *turns = &s->again[s->now != 0];
        if (ms >= 0) *turns = (tulle__turns){fmin(turns->least, ms), fmax(turns->most, ms)};
    } else {
        if (doubts_start(s)) {
            s->now = 0;
            return;
        }
        settle_best(s, terrain);
        if (propose(s, terrain)) return;
        choose_rival(s);
    }
    repeat(s, terrain);
}
