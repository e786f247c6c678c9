/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "ranks.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "core/error.h"
#include "places.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *run(void *user) {
    process *p = user;
    const double begun = now();
    p->status = tulle_ctx_create(p->where, NULL, &p->ctx);
    if (p->status == TULLE_OK) p->status = p->body(p);
    if (p->status != TULLE_OK) {
        snprintf(p->words, sizeof p->words, "%s", tulle_last_error()->message);
        snprintf(p->argument, sizeof p->argument, "%s", tulle_last_error()->argument);
    }
    tulle_comm_destroy(p->comm);
    tulle_ctx_destroy(p->ctx);
    p->seconds = now() - begun;
    return NULL;
}

void run_ranks(int ranks, double timeout, const char *where, tulle_status (*body)(process *p),
               void *data, process p[MOST_RANKS]) {
    tulle_comm *comms[MOST_RANKS];
    pthread_t threads[MOST_RANKS];
    assert_true(ranks <= MOST_RANKS);
    must(tulle_comm_create_threads(ranks, timeout, comms));
    for (int r = 0; r < ranks; r++) {
        p[r] = (process){.rank = r,
                         .ranks = ranks,
                         .comm = comms[r],
                         .data = data,
                         .where = where,
                         .body = body};
        assert_int_equal(pthread_create(threads + r, NULL, run, p + r), 0);
    }
    for (int r = 0; r < ranks; r++) pthread_join(threads[r], NULL);
}

void must_all_of(const process *p, const char *format, ...) {
    char what[RANK_WORDS];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const process *first = NULL; /* to fail, rather than one that heard of it */
    for (int r = 0; r < p->ranks; r++) {
        if (p[r].status == TULLE_OK) continue;
        if (!first || first->status == TULLE_PEER_FAILED) first = p + r;
    }
    if (!first) return;
    fail_msg("%srank %d of %d on %s: %s: %s", what, first->rank, p->ranks, p->where,
             tulle_status_name(first->status), first->words);
}

void must_all(const process *p) {
    must_all_of(p, "%s", "");
}

tulle_status wrong(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const tulle_status status =
        tulle__fail_v(TULLE_INVALID_ARGUMENT, NULL, NULL, -1, format, arguments);
    va_end(arguments);
    return status;
}

void *ranks_numbers(const double *numbers, int64_t count, tulle_type type) {
    void *to = calloc((size_t)count + 1, sizeof(double));
    for (int64_t i = 0; i < count; i++) {
        if (type == TULLE_F32) {
            ((float *)to)[i] = (float)numbers[i];
        } else {
            ((double *)to)[i] = numbers[i];
        }
    }
    return to;
}
