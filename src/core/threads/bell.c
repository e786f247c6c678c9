/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that looks at a bell has a core to itself, which another thread may need. So it looks
 * for a limited time and then sleeps: who looks for as long as sleeping and waking take loses at
 * most as much again as the best choice would have lost (Karlin, Li, Manasse and Owicki, SOSP
 * 1991). Looking in vain halves the time of the next look. A sleep so short that a full look would
 * have met the ring restores the full time; but where the thread that rang had the core of the one
 * that looked, looking was what kept it from ringing, and is given up.
 *
 * The full time is SPIN_CROWDED, a few times what sleeping and waking take, where others want the
 * cores, and SPIN_IDLE where nobody does, since looking takes nothing from anybody there. Cores
 * count as wanted for CROWDED nanoseconds once the kernel took them from threads that wait here,
 * twice in that time: an idle machine has single interruptions, too. (Measured: docs/lab-notes.md,
 * "CPU: threads".) */
#define _GNU_SOURCE
#include "core/threads/bell.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* SPIN_IDLE, SPIN_CROWDED, SPIN_LEAST: times of looking in nanoseconds, as above; LOOKS: number
 * of looks between two readings of the clock. */
enum { SPIN_IDLE = 5000000, SPIN_CROWDED = 50000, SPIN_LEAST = 1000, LOOKS = 16 };
enum { CROWDED = 20000000 };

/* Time of looking in nanoseconds up to which the kernel is not asked, since asking takes no
 * less. */
enum { SPIN_UNASKED = 20000 };

static atomic_int workers, callers, cores = 1;

static _Thread_local bool is_worker;

/* The core of the last thread that woke another one: only a hint. */
static atomic_int waker_core = -1;

static _Thread_local int64_t spin = SPIN_IDLE; /* time that this thread looks next, in
                                                  nanoseconds */

/* Number of times that the kernel had given this thread's core to another one when it was last
 * asked; -1: it was never asked. */
static _Thread_local long interruptions = -1;

/* Time, in nanoseconds, until which threads assume that other programs want the cores, too. */
static atomic_int_least64_t crowded_until;

/* The time at which a thread last learned of an interruption. */
static atomic_int_least64_t interrupted_at = -CROWDED;

void tulle__count_worker(int more) {
    atomic_fetch_add_explicit(&workers, more, memory_order_relaxed);
}

void tulle__count_caller(int more) {
    atomic_fetch_add_explicit(&callers, more, memory_order_relaxed);
}

void tulle__bell_of_worker(void) {
    is_worker = true;
}

void tulle__forget_counts(void) {
    atomic_store_explicit(&workers, 0, memory_order_relaxed);
    atomic_store_explicit(&callers, 0, memory_order_relaxed);
}

static void count_me(int more) {
    if (is_worker) {
        tulle__count_worker(more);
    } else {
        tulle__count_caller(more);
    }
}

void tulle__bell_cores(int count) {
    atomic_store_explicit(&cores, count, memory_order_relaxed);
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pause_a_little(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool is_rung(tulle__bell *bell, unsigned seen) {
    return tulle__bell_count(bell) != seen;
}

void tulle__bell_ring(tulle__bell *bell) {
    unsigned old = atomic_load_explicit(bell, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(bell, &old, (old | 1) + 1, memory_order_acq_rel,
                                                  memory_order_relaxed)) {
    }
    if (!(old & 1)) return;
    atomic_store_explicit(&waker_core, sched_getcpu(), memory_order_relaxed);
    syscall(SYS_futex, bell, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* True when every thread that may run has a core. */
static bool is_room(void) {
    const int own = atomic_load_explicit(&workers, memory_order_relaxed);
    const int others = atomic_load_explicit(&callers, memory_order_relaxed);
    return own + (others > 1 ? others : 1) <= atomic_load_explicit(&cores, memory_order_relaxed);
}

static int64_t full_spin(int64_t at) {
    return at < atomic_load_explicit(&crowded_until, memory_order_relaxed) ? SPIN_CROWDED
                                                                           : SPIN_IDLE;
}

static void ask_for_interruptions(int64_t at) {
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0) return;
    if (interruptions >= 0 && usage.ru_nivcsw > interruptions) {
        const int64_t last = atomic_exchange_explicit(&interrupted_at, at, memory_order_relaxed);
        if (at - last < CROWDED)
            atomic_store_explicit(&crowded_until, at + CROWDED, memory_order_relaxed);
    }
    interruptions = usage.ru_nivcsw;
}

static bool look(tulle__bell *bell, unsigned seen, int64_t start) {
    bool asked = false;
    while (is_room()) {
        for (int i = 0; i < LOOKS; i++) {
            if (is_rung(bell, seen)) return true;
            pause_a_little();
        }
        const int64_t at = now();
        if (at - start >= spin || at - start >= full_spin(at)) break;
        if (asked || at - start < SPIN_UNASKED) continue;
        ask_for_interruptions(at);
        asked = true;
    }
    return is_rung(bell, seen);
}

static bool sleep_for(tulle__bell *bell, unsigned seen, int ms) {
    const struct timespec limit = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    for (;;) {
        unsigned old = seen;
        if (!atomic_compare_exchange_strong_explicit(bell, &old, seen | 1, memory_order_acquire,
                                                     memory_order_acquire) &&
            old != (seen | 1)) {
            return true;
        }
        const long said =
            syscall(SYS_futex, bell, FUTEX_WAIT_PRIVATE, seen | 1, ms > 0 ? &limit : NULL, NULL, 0);
        const bool late = said != 0 && errno == ETIMEDOUT;
        if (is_rung(bell, seen)) return true;
        if (late) return false;
    }
}

bool tulle__bell_await(tulle__bell *bell, unsigned seen, int ms) {
    if (is_rung(bell, seen)) return true;
    const int64_t start = now();
    if (look(bell, seen, start)) {
        spin = 2 * spin < SPIN_IDLE ? 2 * spin : SPIN_IDLE;
        return true;
    }
    const int core = sched_getcpu();
    count_me(-1);
    const bool rung = sleep_for(bell, seen, ms);
    count_me(1);
    const int64_t end = now();
    if (core == atomic_load_explicit(&waker_core, memory_order_relaxed)) {
        spin = SPIN_LEAST;
    } else if (end - start < full_spin(end)) {
        spin = SPIN_IDLE;
    } else {
        spin = spin / 2 > SPIN_LEAST ? spin / 2 : SPIN_LEAST;
    }
    return rung;
}
