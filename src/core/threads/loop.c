/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic loops: each member of a team takes the next chunk that no other member has taken, in the
 * order of the chunks. */
#include "core/threads/gomp.h"
#include "core/threads/team.h"

/* The arguments with which a dynamic loop starts: first value, end and step of the variable, and
 * the size of a chunk. */
typedef struct loop {
    bool up;
    uint64_t start, end, step, chunk;
} loop;

/* Number of iterations. Differences are right modulo 2^64, of signed numbers too. */
static uint64_t count_of(const loop *l, bool empty) {
    if (empty) return 0;
    const uint64_t length = l->up ? l->end - l->start : l->start - l->end;
    const uint64_t step = l->up ? l->step : -l->step;
    return (length - 1) / step + 1;
}

static void fill(tulle__share *s, const loop *l, bool empty) {
    s->start = l->start;
    s->end = l->end;
    s->step = l->step;
    s->count = count_of(l, empty);
    s->chunk = l->chunk > 0 ? l->chunk : 1;
    atomic_store_explicit(&s->taken, 0, memory_order_relaxed);
    atomic_store_explicit(&s->ordered, 0, memory_order_relaxed);
}

/* True when the share is open for the loop of that number; a share that is not yet open is
 * opened once all members have left the loop that had it before. */
static bool is_open(tulle__team *team, tulle__share *s, unsigned number, const loop *l,
                    bool empty) {
    if (atomic_load_explicit(&s->open, memory_order_acquire) == number + 1) return true;
    pthread_mutex_lock(&team->opening);
    bool open = atomic_load_explicit(&s->open, memory_order_relaxed) == number + 1;
    if (!open && atomic_load_explicit(&s->inside, memory_order_acquire) == 0) {
        fill(s, l, empty);
        atomic_store_explicit(&s->inside, team->size, memory_order_relaxed);
        atomic_store_explicit(&s->open, number + 1, memory_order_release);
        open = true;
    }
    pthread_mutex_unlock(&team->opening);
    return open;
}

/* Returns the share of a loop, which the first member that comes to the loop makes. */
static tulle__share *open_share(tulle__team *team, unsigned number, const loop *l, bool empty) {
    tulle__share *s = &team->share[number % TULLE__SHARES];
    for (;;) {
        const unsigned seen = tulle__bell_count(&s->left);
        if (is_open(team, s, number, l, empty)) return s;
        tulle__bell_await(&s->left, seen, 0);
    }
}

static void enter(const loop *l, bool empty) {
    static _Thread_local tulle__share in_no_region;
    tulle__member *self = &tulle__self;
    if (self->team) {
        self->share = open_share(self->team, self->loops++, l, empty);
    } else {
        self->share = self->alone ? self->alone : &in_no_region;
        fill(self->share, l, empty);
    }
}

static bool take(uint64_t *from, uint64_t *to) {
    tulle__share *s = tulle__self.share;
    const uint64_t chunk = atomic_fetch_add_explicit(&s->taken, 1, memory_order_relaxed);
    const uint64_t chunks = s->count / s->chunk + (s->count % s->chunk > 0);
    if (chunk >= chunks) return false;
    *from = s->start + chunk * s->chunk * s->step;
    *to = chunk + 1 == chunks ? s->end : *from + s->chunk * s->step;
    tulle__self.chunk = chunk;
    return true;
}

static bool take_long(long *from, long *to) {
    uint64_t first = 0, end = 0;
    if (!take(&first, &end)) return false;
    *from = (long)first;
    *to = (long)end;
    return true;
}

static void enter_long(long start, long end, long step, long chunk) {
    const bool up = step > 0;
    const loop l = {up, (uint64_t)start, (uint64_t)end, (uint64_t)step,
                    chunk > 0 ? (uint64_t)chunk : 1};
    enter(&l, up ? start >= end : start <= end);
}

bool tulle__gomp_loop_start(long start, long end, long step, long chunk, long *from, long *to) {
    enter_long(start, end, step, chunk);
    return take_long(from, to);
}

bool tulle__gomp_loop_next(long *from, long *to) {
    return take_long(from, to);
}

static bool take_ull(tulle__ull *from, tulle__ull *to) {
    uint64_t first = 0, end = 0;
    if (!take(&first, &end)) return false;
    *from = first;
    *to = end;
    return true;
}

bool tulle__gomp_loop_ull_start(bool up, tulle__ull start, tulle__ull end, tulle__ull step,
                                tulle__ull chunk, tulle__ull *from, tulle__ull *to) {
    const loop l = {up, start, end, step, chunk};
    enter(&l, up ? start >= end : start <= end);
    return take_ull(from, to);
}

bool tulle__gomp_loop_ull_next(tulle__ull *from, tulle__ull *to) {
    return take_ull(from, to);
}

void tulle__gomp_loop_end_nowait(void) {
    tulle__share *s = tulle__self.share;
    if (!tulle__self.team) return;
    if (atomic_fetch_sub_explicit(&s->inside, 1, memory_order_acq_rel) == 1) {
        tulle__bell_ring(&s->left);
    }
}

void tulle__gomp_loop_end(void) {
    tulle__gomp_loop_end_nowait();
    tulle__gomp_barrier();
}

/* A parallel region that is nothing but a loop. */
typedef struct region {
    void (*function)(void *);
    void *data;
    long start, end, step, chunk;
} region;

static void enter_and_run(void *any) {
    const region *r = any;
    enter_long(r->start, r->end, r->step, r->chunk);
    r->function(r->data);
}

void tulle__gomp_parallel_loop(void (*function)(void *), void *data, unsigned threads, long start,
                               long end, long step, long chunk, unsigned flags) {
    region r = {function, data, start, end, step, chunk};
    tulle__gomp_parallel(enter_and_run, &r, threads, flags);
}

/* Waits for the turn of the chunk that the thread has. A bell counts by twos, modulo 2^32. */
static void await_turn(void) {
    const unsigned turn = (unsigned)tulle__self.chunk * 2;
    tulle__bell *bell = &tulle__self.share->ordered;
    for (unsigned now; (now = tulle__bell_count(bell)) != turn;) {
        tulle__bell_await(bell, now, 0);
    }
}

bool tulle__gomp_ordered_loop_start(long start, long end, long step, long chunk, long *from,
                                    long *to) {
    return tulle__gomp_loop_start(start, end, step, chunk, from, to);
}

bool tulle__gomp_ordered_loop_next(long *from, long *to) {
    if (tulle__self.team) {
        await_turn();
        tulle__bell_ring(&tulle__self.share->ordered);
    }
    return take_long(from, to);
}

void tulle__gomp_ordered_start(void) {
    if (tulle__self.team) await_turn();
}

void tulle__gomp_ordered_end(void) {}
