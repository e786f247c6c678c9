/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts rows into stretches. By level, neighbouring rows of memory come far apart in time, and
 * threads wait for one another after each level. A stretch is a number of neighbouring rows, in the
 * order in which one thread would solve them: its thread reads memory in that order, and waits
 * once, for the last of the stretches that have unknowns of its rows. Stretches are ordered by
 * their own levels. The time of the threads is foreseen by a simulation. Source of joining rows to
 * larger tasks: Park, Smelyanskiy, Sundaram and Dubey, ISC 2014. */
#include "trisolve/stretches.h"

#include <string.h>

#include "core/access.h"
#include "core/context.h"

/* Times, in multiplications of a nanosecond or so: ROW_WORK of a row beside its multiplications;
 * TURN_WORK of a turn, and LOOK_WORK for each thread that a turn looks at; LEAST_WORK is the least
 * that a stretch should have. */
enum { ROW_WORK = 2, TURN_WORK = 300, LOOK_WORK = 50, LEAST_WORK = 1024 };

/* Wanted numbers of stretches: LEVEL_SHARES for each level of rows and thread, and LEAST_SHARES for
 * each thread at least. */
enum { LEVEL_SHARES = 2, LEAST_SHARES = 16 };

/* A way to cut; the ways are tried in turn. It makes stretches with so many times less work than
 * the numbers above ask for; and a stretch may end for the sake of the next one once it has one
 * part in so many of its work. */
typedef struct way {
    int64_t smaller, part;
} way;
static const way ways[] = {{1, 8}, {1, 1}, {4, 8}};
enum { WAYS = sizeof ways / sizeof *ways, MOST_PART = 8 };

/* LEAST_GAIN: speed relative to one thread, below which stretches are not kept. The other number,
 * per thread, is a gain that is good enough. */
#define LEAST_GAIN 1.2
#define ENOUGH_GAIN 0.8

typedef struct cutter {
    const tulle__schedule *schedule;
    const tulle__pattern_view *pattern;
    int64_t rows, offset_size, col_size, count, levels;
    bool upper;
    int32_t *stretch_of; /* [rows] stretch of each row, in the order of solving */
    int64_t *first;      /* [count + 1] first row of each stretch */
    int64_t *level;      /* [count] level of each stretch, from 0 on */
    int64_t *position;   /* [count] position of each stretch in the order of levels */
    int64_t *work;       /* [count] work of each stretch, by position */
    /* [count + 1] time at which the first so many stretches are finished */
    double *finished;
    double *free;             /* [threads] time at which each thread is free */
    tulle__row_stretch *made; /* [count] the stretches, by position */
} cutter;

/* The range of the entries of T beside the diagonal of row number t in the order of solving. */
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

/* Returns the last row for which a row waits, or -1. */
static int64_t nearest(const cutter *c, range r) {
    if (r.begin == r.end) return -1;
    const int64_t j = tulle__get(c->pattern->cols_of, c->col_size, c->upper ? r.begin : r.end - 1);
    return c->upper ? c->rows - 1 - j : j;
}

/* Cuts rows into stretches. A row that waits for no row of its stretch begins a new one, because a
 * line of a grid or another part of the matrix begins there; the new stretch then need not wait for
 * the one before. */
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

/* Orders stretches by level, then by number. `work` is scratch for the begins of levels. */
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

/* Returns the gain of a simulation, in which the thread that is free first takes the next stretch,
 * and waits until it may begin. */
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

/* Tries the ways, and keeps the best one, or the first one that is good enough for all threads. */
static tulle_status try_ways(const tulle__place *place, cutter *c, int64_t each,
                             tulle__schedule *s) {
    double best = LEAST_GAIN;
    for (int i = 0; i < WAYS && best < ENOUGH_GAIN * place->threads; i++) {
        const int64_t work = each / ways[i].smaller;
        if (ways[i].smaller > 1 && each <= LEAST_WORK) break;
        cut(c, work > LEAST_WORK ? work : LEAST_WORK, ways[i].part);
        find_levels(c);
        /* the stretches are nearly a chain */
        if ((double)c->count < LEAST_GAIN * (double)c->levels) continue;
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

/* Divides memory into arrays, those with items of 8 bytes first. most: most stretches, each of
 * which but the last has at least LEAST_WORK / MOST_PART work. */
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

/* Without memory for stretches none are made. */
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
