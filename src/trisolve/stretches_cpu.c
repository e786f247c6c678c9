/* SPDX-License-Identifier: Apache-2.0 */
/* By level, neighbouring rows of memory come far apart in time, and threads wait for one another
 * after each level. A stretch is some neighbouring rows, in the order in which one thread would
 * solve them: it reads memory as that would, and waits once, for the last of the stretches that
 * have unknowns of its rows. Stretches are ordered by their own levels; how long threads take for
 * them is foreseen by playing it. Joining rows to larger tasks: Park, Smelyanskiy, Sundaram and
 * Dubey, ISC 2014. */
#include "trisolve/stretches.h"

#include <string.h>

#include "core/access.h"
#include "core/context.h"

/* In multiplications, of which one takes a nanosecond or so: what a row takes beside them; what a
 * turn takes, and for each thread that it looks at; and what a stretch should have at least. */
enum { ROW_WORK = 2, TURN_WORK = 300, LOOK_WORK = 50, LEAST_WORK = 1024 };

/* How many stretches there should be: for each level of rows and thread, and for each thread at
 * least. */
enum { LEVEL_SHARES = 2, LEAST_SHARES = 16 };

/* Ways to cut, which are tried in turn: stretches have so many times less work than by these
 * numbers; and one may end for the next one's sake once it has one part in so many of its work. */
typedef struct way {
    int64_t smaller, part;
} way;
static const way ways[] = {{1, 8}, {1, 1}, {4, 8}};
enum { WAYS = sizeof ways / sizeof *ways, MOST_PART = 8 };

/* Times as fast as one thread: stretches that gain less are not kept; and, for each thread, those
 * that gain as much are good enough. */
#define LEAST_GAIN 1.2
#define ENOUGH_GAIN 0.8

typedef struct cutter {
    const tulle__schedule *schedule;
    const tulle__pattern_view *pattern;
    int64_t rows, offset_size, col_size, count, levels;
    bool upper;
    int32_t *stretch_of;      /* [rows] in the order of solving */
    int64_t *first;           /* [count + 1] */
    int64_t *level;           /* [count]; from 0 */
    int64_t *position;        /* [count] */
    int64_t *work;            /* [count] by position */
    double *finished;         /* [count + 1] when the first so many are */
    double *free;             /* [threads] */
    tulle__row_stretch *made; /* [count] by position */
} cutter;

/* Entries of T beside the diagonal of the t-th row, in the order of solving. */
typedef struct range {
    int64_t begin, end;
} range;

static range entries_of(const cutter *c, int64_t t) {
    const int64_t i = c->upper ? c->rows - 1 - t : t;
    const int64_t bound = tulle__get(c->schedule->bounds, c->offset_size, i);
    return c->upper ? (range){bound, tulle__get(c->pattern->offsets, c->offset_size, i + 1)}
                    : (range){tulle__get(c->pattern->offsets, c->offset_size, i), bound};
}

static int32_t stretch_at(const cutter *c, int64_t entry) {
    const int64_t j = tulle__get(c->pattern->cols_of, c->col_size, entry);
    return c->stretch_of[c->upper ? c->rows - 1 - j : j];
}

/* The last row that the t-th waits for, or -1. */
static int64_t nearest(const cutter *c, range r) {
    if (r.begin == r.end) return -1;
    const int64_t j = tulle__get(c->pattern->cols_of, c->col_size, c->upper ? r.begin : r.end - 1);
    return c->upper ? c->rows - 1 - j : j;
}

/* Where a row waits for none of its stretch, a grid's line begins, or another part of the matrix:
 * the row begins a stretch, so that this one need not wait for the one before it. */
static void cut(cutter *c, int64_t each, int64_t part) {
    int64_t work = 0;
    c->count = 0;
    c->first[0] = 0;
    for (int64_t t = 0; t < c->rows; t++) {
        const range r = entries_of(c, t);
        const bool apart = work >= each / part && nearest(c, r) < c->first[c->count];
        if (work >= each || apart) {
            c->first[++c->count] = t;
            work = 0;
        }
        c->stretch_of[t] = (int32_t)c->count;
        work += ROW_WORK + r.end - r.begin;
    }
    c->first[++c->count] = c->rows;
}

static void find_levels(cutter *c) {
    c->levels = 0;
    for (int32_t k = 0; k < c->count; k++) {
        int64_t level = 0;
        for (int64_t t = c->first[k]; t < c->first[k + 1]; t++) {
            const range r = entries_of(c, t);
            for (int64_t e = r.begin; e < r.end; e++) {
                const int32_t other = stretch_at(c, e);
                if (other != k && c->level[other] >= level) level = c->level[other] + 1;
            }
        }
        c->level[k] = level;
        if (level >= c->levels) c->levels = level + 1;
    }
}

/* By level, then by number. `work` is scratch for where levels begin. */
static void order(cutter *c) {
    int64_t *next = c->work;
    memset(next, 0, (size_t)c->count * sizeof *next);
    for (int64_t k = 0; k < c->count; k++) {
        if (c->level[k] + 1 < c->levels) next[c->level[k] + 1]++;
    }
    for (int64_t l = 1; l < c->levels; l++) next[l] += next[l - 1];
    for (int64_t k = 0; k < c->count; k++) c->position[k] = next[c->level[k]]++;
}

static void make(cutter *c) {
    for (int32_t k = 0; k < c->count; k++) {
        int64_t after = 0, work = 0;
        for (int64_t t = c->first[k]; t < c->first[k + 1]; t++) {
            const range r = entries_of(c, t);
            work += ROW_WORK + r.end - r.begin;
            for (int64_t e = r.begin; e < r.end; e++) {
                const int32_t other = stretch_at(c, e);
                if (other != k && c->position[other] >= after) after = c->position[other] + 1;
            }
        }
        c->work[c->position[k]] = work;
        c->made[c->position[k]] = (tulle__row_stretch){c->first[k], c->first[k + 1], after};
    }
}

/* Whoever is free first takes the next stretch, and waits until it may begin. */
static double foreseen_gain(cutter *c, int threads) {
    const double turn = TURN_WORK + (double)LOOK_WORK * threads;
    double total = 0;
    for (int u = 0; u < threads; u++) c->free[u] = 0;
    c->finished[0] = 0;
    for (int64_t p = 0; p < c->count; p++) {
        int u = 0;
        for (int v = 1; v < threads; v++) {
            if (c->free[v] < c->free[u]) u = v;
        }
        const double may_begin = c->finished[c->made[p].after], work = (double)c->work[p];
        const double begin = c->free[u] > may_begin ? c->free[u] : may_begin;
        c->free[u] = begin + work + turn;
        c->finished[p + 1] = c->finished[p] > c->free[u] ? c->finished[p] : c->free[u];
        total += work;
    }
    return total / c->finished[c->count];
}

static tulle_status keep(const tulle__place *place, const cutter *c, tulle__schedule *s) {
    const size_t bytes = (size_t)c->count * sizeof *c->made;
    tulle__row_stretch *stretches = tulle__host_alloc(place->ctx, bytes);
    if (!stretches) return TULLE_OUT_OF_MEMORY;
    memcpy(stretches, c->made, bytes);
    tulle__host_free(place->ctx, s->stretches);
    s->stretches = stretches;
    s->stretch_count = c->count;
    s->stretch_threads = place->threads;
    return TULLE_OK;
}

/* The best way, or the first one that is enough for all threads. */
static tulle_status try_ways(const tulle__place *place, cutter *c, int64_t each,
                             tulle__schedule *s) {
    double best = LEAST_GAIN;
    for (int i = 0; i < WAYS && best < ENOUGH_GAIN * place->threads; i++) {
        const int64_t work = each / ways[i].smaller;
        if (ways[i].smaller > 1 && each <= LEAST_WORK) break;
        cut(c, work > LEAST_WORK ? work : LEAST_WORK, ways[i].part);
        find_levels(c);
        if ((double)c->count < LEAST_GAIN * (double)c->levels) continue; /* a chain, nearly */
        order(c);
        make(c);
        const double gain = foreseen_gain(c, place->threads);
        if (gain <= best) continue;
        TULLE__TRY(keep(place, c, s));
        best = gain;
    }
    s->bytes += s->stretch_count * (int64_t)sizeof *s->stretches;
    return TULLE_OK;
}

/* Arrays one after the other, those of 8 bytes first; most: stretches, of which each but the last
 * one has LEAST_WORK / MOST_PART or more. */
static void take_arrays(cutter *c, int64_t most, int threads, void *memory) {
    c->made = memory;
    c->first = (int64_t *)(void *)(c->made + most);
    c->level = c->first + most + 1;
    c->position = c->level + most;
    c->work = c->position + most;
    c->finished = (double *)(void *)(c->work + most);
    c->free = c->finished + most + 1;
    c->stretch_of = (int32_t *)(void *)(c->free + threads);
}

static size_t array_bytes(int64_t rows, int64_t most, int threads) {
    return (size_t)most * sizeof(tulle__row_stretch) + (5 * (size_t)most + 2) * sizeof(int64_t) +
           (size_t)threads * sizeof(double) + (size_t)rows * sizeof(int32_t);
}

static tulle_status cut_stretches(const tulle__place *place, const tulle__schedule_task *task,
                                  int64_t work, int64_t most, tulle__schedule *schedule) {
    const int threads = place->threads;
    const int64_t by_level = LEVEL_SHARES * threads * schedule->levels;
    const int64_t by_thread = (int64_t)LEAST_SHARES * threads;
    cutter c = {.schedule = schedule,
                .pattern = &task->pattern,
                .rows = task->rows,
                .offset_size = tulle_offset_size(task->pattern.index),
                .col_size = tulle_index_size(task->pattern.index),
                .upper = task->upper};
    void *memory = NULL;
    TULLE__TRY(tulle__alloc(place->ctx, array_bytes(task->rows, most, threads), &memory));
    take_arrays(&c, most, threads, memory);
    tulle_status status =
        try_ways(place, &c, work / (by_level > by_thread ? by_level : by_thread), schedule);
    tulle__free(place->ctx, memory);
    return status;
}

/* Where there is no memory for them, there are none. */
tulle_status tulle__cut_stretches(const tulle__place *place, const tulle__schedule_task *task,
                                  tulle__schedule *schedule) {
    const int64_t work = schedule->entries + ROW_WORK * schedule->rows;
    const int64_t most = work / (LEAST_WORK / MOST_PART) + 1;
    if (place->threads < 2 || work < 2 * place->threads * LEAST_WORK || most > INT32_MAX) {
        return TULLE_OK;
    }
    tulle_status status = cut_stretches(place, task, work, most, schedule);
    return status == TULLE_OUT_OF_MEMORY ? TULLE_OK : status;
}
