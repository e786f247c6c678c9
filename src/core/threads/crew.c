/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "core/threads/crew.h"

#include <signal.h>
#include <stdlib.h>

#include "core/threads/count.h"

/* Time in milliseconds after which idle workers beyond the number of cores end. */
enum { IDLE_MS = 1000 };

static struct {
    pthread_mutex_t lock;
    tulle__worker *idle; /* idle workers; the one that was busy last is first: caches may still
                            hold its data */
    int idle_count;
    atomic_int count; /* number of all workers */
    int cores;
} crew = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t exclusive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void before_fork(void) {
    pthread_mutex_lock(&exclusive);
    pthread_mutex_lock(&crew.lock);
}

static void after_fork_in_parent(void) {
    pthread_mutex_unlock(&crew.lock);
    pthread_mutex_unlock(&exclusive);
}

/* Sets the crew up in a forked child, where only the thread that forked is. Locks are made anew:
 * a recursive one knows its owner by a number that the child's thread does not have. */
static void after_fork_in_child(void) {
    static const pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER,
                                 recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    while (crew.idle) {
        tulle__worker *gone = crew.idle;
        crew.idle = gone->next;
        free(gone);
    }
    crew.idle_count = 0;
    atomic_store(&crew.count, 0);
    tulle__forget_counts();
    crew.lock = plain;
    exclusive = recursive;
}

static void begin(void) {
    crew.cores = tulle__cores();
    tulle__bell_cores(crew.cores);
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

static void begin_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
}

void tulle__exclusive_start(void) {
    begin_once();
    pthread_mutex_lock(&exclusive);
}

void tulle__exclusive_end(void) {
    pthread_mutex_unlock(&exclusive);
}

/* Takes a worker that is idle, and one too many, off the list; false: it is not idle, or not too
 * many. */
static bool leave(const tulle__worker *w) {
    pthread_mutex_lock(&crew.lock);
    tulle__worker **at = &crew.idle;
    while (*at && *at != w) at = &(*at)->next;
    const bool leaves = *at && crew.idle_count > crew.cores;
    if (leaves) {
        *at = w->next;
        crew.idle_count--;
        atomic_fetch_sub(&crew.count, 1);
        tulle__count_worker(-1);
    }
    pthread_mutex_unlock(&crew.lock);
    return leaves;
}

static void call(tulle__worker *w, tulle__team *team, int number) {
    w->team = team;
    w->number = number;
    tulle__bell_ring(&w->called);
}

/* Calls the workers behind one that was called, up to the next one that the caller itself calls. */
static void call_followers(const tulle__worker *leader) {
    tulle__worker *w = leader->next;
    for (int k = 1; k < TULLE__CALLED_BY_ONE && w; k++, w = w->next) {
        call(w, leader->team, leader->number + k);
    }
}

void tulle__crew_call(const tulle__workers *workers, tulle__team *team) {
    int number = 1;
    for (tulle__worker *w = workers->first; w; w = w->next, number++) {
        if (number % TULLE__CALLED_BY_ONE == 1) call(w, team, number);
    }
}

static void *live(void *user) {
    tulle__worker *w = user;
    tulle__bell_of_worker();
    for (unsigned seen = 0;; seen += 2) {
        const bool many = atomic_load(&crew.count) > crew.cores;
        while (!tulle__bell_await(&w->called, seen, many ? IDLE_MS : 0)) {
            if (leave(w)) {
                free(w);
                return NULL;
            }
        }
        tulle__team *team = w->team;
        if (w->number % TULLE__CALLED_BY_ONE == 1) call_followers(w);
        tulle__be_member(team, w->number, team->function, team->data);
        const bool last = atomic_fetch_sub_explicit(&team->working, 1, memory_order_acq_rel) == 1;
        if (last) tulle__bell_ring(&team->done);
    }
}

/* Starts a thread in which no signal handler of the caller's runs, but for faults of the thread
 * itself. */
static int start_thread(tulle__worker *w) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF};
    sigset_t blocked, before;
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) return -1;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    const int failed = pthread_create(&thread, &attributes, live, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed;
}

/* Makes a worker. It belongs to no context, so its struct comes from the C library. */
static tulle__worker *hire(void) {
    void *memory = NULL;
    if (posix_memalign(&memory, TULLE__LINE, sizeof(tulle__worker)) != 0) return NULL;
    tulle__worker *w = memory;
    *w = (tulle__worker){.number = 0};
    atomic_fetch_add(&crew.count, 1);
    tulle__count_worker(1);
    if (start_thread(w) == 0) return w;
    atomic_fetch_sub(&crew.count, 1);
    tulle__count_worker(-1);
    free(w);
    return NULL;
}

/* Links a worker to the next one, unless it is linked so already: a store to a line that others
 * read takes it from them. */
static void link_to(tulle__worker *w, tulle__worker *next) {
    if (w->next != next) w->next = next;
}

static void append(tulle__workers *to, tulle__worker *w) {
    if (to->last) link_to(to->last, w);
    if (!to->first) to->first = w;
    to->last = w;
    to->count++;
}

tulle__workers tulle__crew_take(int wanted) {
    tulle__workers taken = {.count = 0};
    begin_once();
    pthread_mutex_lock(&crew.lock);
    while (taken.count < wanted && crew.idle) {
        tulle__worker *w = crew.idle;
        crew.idle = w->next;
        crew.idle_count--;
        append(&taken, w);
    }
    pthread_mutex_unlock(&crew.lock);
    while (taken.count < wanted) {
        tulle__worker *w = hire();
        if (!w) break;
        append(&taken, w);
    }
    if (taken.last) link_to(taken.last, NULL);
    return taken;
}

void tulle__crew_return(const tulle__workers *workers) {
    if (workers->count == 0) return;
    pthread_mutex_lock(&crew.lock);
    link_to(workers->last, crew.idle);
    crew.idle = workers->first;
    crew.idle_count += workers->count;
    pthread_mutex_unlock(&crew.lock);
}
