/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/team.h"

#include "core/context.h"
#include "core/threads/count.h"
#include "core/threads/crew.h"
#include "core/threads/gomp.h"

_Thread_local tulle__member tulle__self;

void tulle__be_member(tulle__team *team, int number, void (*function)(void *), void *data) {
    const tulle__member before = tulle__self;
    tulle__share alone; /* share of a region's loop alone: written before it is read, by the
                           loop's start */
    tulle__self = (tulle__member){.team = team, .number = number, .alone = &alone};
    function(data);
    tulle__self = before;
}

void tulle__team_barrier(tulle__team *team) {
    const unsigned seen = tulle__bell_count(&team->barrier);
    if (atomic_fetch_sub_explicit(&team->missing, 1, memory_order_acq_rel) > 1) {
        tulle__bell_await(&team->barrier, seen, 0);
        return;
    }
    atomic_store_explicit(&team->missing, team->size, memory_order_relaxed);
    tulle__bell_ring(&team->barrier);
}

static void run_team(void (*function)(void *), void *data, int size) {
    const tulle__workers workers = tulle__crew_take(size - 1);
    tulle__team team = {.size = 1 + workers.count,
                        .function = function,
                        .data = data,
                        .opening = PTHREAD_MUTEX_INITIALIZER,
                        .working = workers.count,
                        .missing = 1 + workers.count};
    if (workers.count == 0) {
        tulle__be_member(NULL, 0, function, data);
        return;
    }
    tulle__count_caller(1);
    tulle__crew_call(&workers, &team);
    tulle__be_member(&team, 0, function, data);
    tulle__bell_await(&team.done, 0, 0);
    tulle__count_caller(-1);
    tulle__crew_return(&workers);
}

void tulle__gomp_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    (void)flags;
    const int size = threads > 0 ? (int)threads : tulle__cpu_threads();
    if (size == 1 || tulle__self.team) {
        tulle__be_member(NULL, 0, function, data);
    } else {
        run_team(function, data, size);
    }
}

void tulle__gomp_barrier(void) {
    if (tulle__self.team) tulle__team_barrier(tulle__self.team);
}

int tulle__omp_get_thread_num(void) {
    return tulle__self.number;
}

int tulle__omp_get_num_threads(void) {
    return tulle__self.team ? tulle__self.team->size : 1;
}

int tulle__omp_get_max_threads(void) {
    return tulle__cpu_threads();
}

int tulle__omp_get_num_procs(void) {
    return tulle__cores();
}

void tulle__gomp_exclusive_start(void) {
    tulle__exclusive_start();
}

void tulle__gomp_exclusive_end(void) {
    tulle__exclusive_end();
}
