/* SPDX-License-Identifier: Apache-2.0 */
/* A communicator for threads of one process: what one thread gives lies in memory until all that
 * want it have copied it. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "comm/comm.h"
#include "comm/functions.h"

enum { MOST_RANKS = 1024, PATIENCE = 60, WORDS = 256 };

/* A piece on its way from one thread to another: full from when the sender has put it there until
 * the receiver has copied it. */
typedef struct box {
    const void *data;
    size_t bytes;
    bool full;
    const tulle_ctx *ctx; /* the sender's context, in whose memory the piece is */
} box;

/* State that the threads share. The lock protects all but the numbers at addresses. */
typedef struct group {
    atomic_int owners;
    int ranks;
    double timeout; /* in seconds */
    pthread_mutex_t lock;
    pthread_cond_t news;
    char failure[WORDS];    /* the first failure, in words; "": none */
    int copying;            /* number of threads that copy what others have given */
    int here;               /* number of threads that have come to the meeting */
    unsigned long meetings; /* number of meetings so far */
    bool *left;             /* threads whose communicators are gone, [ranks] */
    const void **given;     /* addresses of blocks that are gathered, [ranks] */
    size_t *given_bytes;    /* their sizes, [ranks] */
    box *boxes;             /* boxes by sender and receiver, [ranks][ranks] */
} group;

/* One thread. */
typedef struct member {
    group *all;
    int rank;
    const tulle_comm_piece *sends, *receives;
    int send_count, receive_count;
} member;

static box *box_of(const group *g, int from, int to) {
    return g->boxes + (size_t)from * (size_t)g->ranks + (size_t)to;
}

/* Makes all threads fail, those that wait and those that come later. */
static void spoil(group *g, const char *words, int rank) {
    if (g->failure[0] == '\0') snprintf(g->failure, sizeof g->failure, words, rank);
    pthread_cond_broadcast(&g->news);
}

/* Returns the failure, with the lock held, once nobody copies what a failing thread may free. */
static tulle_status failure_of(group *g) {
    while (g->copying > 0) pthread_cond_wait(&g->news, &g->lock);
    return tulle__fail(TULLE_PEER_FAILED, NULL, NULL, -1, "%s", g->failure);
}

/* Copy without the lock, which is held before and after. */
static void begin_copying(group *g) {
    g->copying++;
    pthread_mutex_unlock(&g->lock);
}
static void end_copying(group *g) {
    pthread_mutex_lock(&g->lock);
    g->copying--;
    pthread_cond_broadcast(&g->news);
}

/* The time until which a thread waits. */
typedef struct patience {
    struct timespec deadline;
    bool over;
} patience;

static patience patience_of(const group *g) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    const double seconds = g->timeout < 1e9 ? g->timeout : 1e9;
    at.tv_sec += (time_t)seconds;
    at.tv_nsec += (long)(1e9 * (seconds - (double)(time_t)seconds));
    if (at.tv_nsec >= 1000000000) {
        at.tv_nsec -= 1000000000;
        at.tv_sec++;
    }
    return (patience){.deadline = at};
}

/* Waits for news with the lock held. Past the deadline the caller looks once more, and the group
 * fails if it comes back, since what it waits for may have come while it got the lock. */
static void await_news(group *g, patience *p, int rank) {
    if (p->over) {
        spoil(g,
              "rank %d has waited for another one until the communicator's timeout: let all ranks "
              "make the same calls, or give a longer timeout",
              rank);
        return;
    }
    p->over = pthread_cond_timedwait(&g->news, &g->lock, &p->deadline) != 0;
}

static const char has_left[] =
    "rank %d has given its communicator up while others wait for it: destroy communicators after "
    "the last call of all ranks";

static int first_gone(const group *g) {
    for (int r = 0; r < g->ranks; r++) {
        if (g->left[r]) return r;
    }
    return -1;
}

/* Waits, with the lock held, until all threads are here. */
static tulle_status meet(group *g, int rank) {
    patience p = patience_of(g);
    const unsigned long meeting = g->meetings;
    if (g->failure[0] != '\0') return failure_of(g);
    if (++g->here == g->ranks) {
        g->here = 0;
        g->meetings++;
        pthread_cond_broadcast(&g->news);
    }
    while (g->meetings == meeting && g->failure[0] == '\0') {
        const int gone = first_gone(g);
        if (gone >= 0) {
            spoil(g, has_left, gone);
        } else {
            await_news(g, &p, rank);
        }
    }
    return g->meetings == meeting ? failure_of(g) : TULLE_OK;
}

/* Lets all threads meet, and makes all of them fail where the sizes of their blocks differ. A
 * thread that wakes up late finds the others gone, if they have failed meanwhile, and their blocks
 * with them. */
static tulle_status meet_with(group *g, int rank, const void *from, size_t bytes) {
    g->given[rank] = from;
    g->given_bytes[rank] = bytes;
    TULLE__TRY(meet(g, rank));
    if (g->failure[0] != '\0') return failure_of(g);
    for (int r = 0; r < g->ranks; r++) {
        if (g->given_bytes[r] == g->given_bytes[0]) continue;
        spoil(g,
              "calls do not match: rank %d gathers another number of bytes than rank 0: find the "
              "call with tulle_comm_set_checking",
              r);
        return failure_of(g);
    }
    return TULLE_OK;
}

static tulle_status gather(void *user, const void *from, size_t bytes, void *to) {
    const member *m = user;
    group *g = m->all;
    pthread_mutex_lock(&g->lock);
    tulle_status status = meet_with(g, m->rank, from, bytes);
    if (status == TULLE_OK) {
        begin_copying(g);
        for (int r = 0; r < g->ranks; r++) {
            memcpy((char *)to + (size_t)r * bytes, g->given[r], bytes);
        }
        end_copying(g);
        status = meet(g, m->rank);
    }
    pthread_mutex_unlock(&g->lock);
    return status;
}

static tulle_status exchange_start(void *user, tulle_ctx *ctx, const tulle_comm_piece *sends,
                                   int send_count, const tulle_comm_piece *receives,
                                   int receive_count) {
    member *m = user;
    group *g = m->all;
    m->sends = sends;
    m->send_count = send_count;
    m->receives = receives;
    m->receive_count = receive_count;
    pthread_mutex_lock(&g->lock);
    for (int i = 0; i < send_count; i++) {
        *box_of(g, m->rank, sends[i].rank) = (box){sends[i].data, sends[i].bytes, true, ctx};
    }
    pthread_cond_broadcast(&g->news);
    const tulle_status status = g->failure[0] != '\0' ? failure_of(g) : TULLE_OK;
    pthread_mutex_unlock(&g->lock);
    return status;
}

/* Waits, with the lock held, until the box is full or empty. `other` is the thread at its other
 * end. */
static tulle_status await_box(group *g, const box *b, bool full, int rank, int other) {
    patience p = patience_of(g);
    while (b->full != full || g->failure[0] != '\0') {
        if (g->failure[0] != '\0') return failure_of(g);
        if (g->left[other]) {
            spoil(g, has_left, other);
        } else {
            await_news(g, &p, rank);
        }
    }
    return TULLE_OK;
}

static tulle_status receive(const member *m, const tulle_ctx *ctx, const tulle_comm_piece *piece) {
    group *g = m->all;
    box *b = box_of(g, piece->rank, m->rank);
    TULLE__TRY(await_box(g, b, true, m->rank, piece->rank));
    if (b->bytes != piece->bytes) {
        spoil(g,
              "calls do not match: rank %d expects a piece of another size than is sent to it: "
              "find the call with tulle_comm_set_checking",
              m->rank);
        return failure_of(g);
    }
    if (b->ctx->kind != ctx->kind) {
        spoil(g,
              "rank %d has a context of another kind than its neighbour: give all ranks CPUs, or "
              "all of them GPUs",
              m->rank);
        return failure_of(g);
    }
    begin_copying(g);
    const tulle_status status = ctx->backend->comm->fetch(&ctx->place, piece->data,
                                                          b->ctx->place.device, b->data, b->bytes);
    end_copying(g);
    if (status != TULLE_OK) {
        spoil(g, "rank %d cannot copy a piece from the memory of another rank", m->rank);
        return status;
    }
    b->full = false;
    return TULLE_OK;
}

static tulle_status exchange_finish(void *user, tulle_ctx *ctx) {
    const member *m = user;
    group *g = m->all;
    tulle_status status = TULLE_OK;
    pthread_mutex_lock(&g->lock);
    for (int i = 0; i < m->receive_count && status == TULLE_OK; i++) {
        status = receive(m, ctx, m->receives + i);
    }
    for (int i = 0; i < m->send_count && status == TULLE_OK; i++) {
        const int to = m->sends[i].rank;
        status = await_box(g, box_of(g, m->rank, to), false, m->rank, to);
    }
    pthread_mutex_unlock(&g->lock);
    return status;
}

static void give_up(group *g) {
    if (atomic_fetch_sub(&g->owners, 1) > 1) return;
    pthread_cond_destroy(&g->news);
    pthread_mutex_destroy(&g->lock);
    free(g->left);
    free(g->given);
    free(g->given_bytes);
    free(g->boxes);
    free(g);
}

static void destroy(void *user) {
    member *m = user;
    group *g = m->all;
    pthread_mutex_lock(&g->lock);
    g->left[m->rank] = true;
    pthread_cond_broadcast(&g->news);
    pthread_mutex_unlock(&g->lock);
    give_up(g);
    free(m);
}

static group *make_group(int ranks, double timeout) {
    group *g = calloc(1, sizeof *g);
    pthread_condattr_t clock;
    if (!g) return NULL;
    atomic_init(&g->owners, 1);
    g->ranks = ranks;
    g->timeout = timeout > 0 ? timeout : PATIENCE;
    pthread_mutex_init(&g->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&g->news, &clock);
    pthread_condattr_destroy(&clock);
    const size_t count = (size_t)ranks;
    g->left = calloc(count, sizeof *g->left);
    g->given = calloc(count, sizeof *g->given);
    g->given_bytes = calloc(count, sizeof *g->given_bytes);
    g->boxes = calloc(count * count, sizeof *g->boxes);
    if (g->left && g->given && g->given_bytes && g->boxes) return g;
    give_up(g);
    return NULL;
}

static tulle_status make_member(group *g, int rank, tulle_comm **comm) {
    member *m = calloc(1, sizeof *m);
    if (!m) return tulle__fail(TULLE_OUT_OF_MEMORY, NULL, NULL, -1, "no memory is left");
    m->all = g;
    m->rank = rank;
    const tulle_comm_functions functions = {.size = sizeof functions,
                                            .rank = rank,
                                            .ranks = g->ranks,
                                            .gather = gather,
                                            .exchange_start = exchange_start,
                                            .exchange_finish = exchange_finish,
                                            .destroy = destroy};
    const tulle_status status = tulle_comm_create(&functions, m, comm);
    if (status == TULLE_OK) {
        (*comm)->fetches = true;
        atomic_fetch_add(&g->owners, 1);
    } else {
        free(m);
    }
    return status;
}

tulle_status tulle_comm_create_threads(int ranks, double timeout, tulle_comm **comms) {
    TULLE__NEED(comms);
    if (ranks < 1 || ranks > MOST_RANKS) {
        return TULLE__BAD("ranks", "ranks is %d; it must be 1 to %d", ranks, (int)MOST_RANKS);
    }
    memset(comms, 0, (size_t)ranks * sizeof(tulle_comm *));
    if (!(timeout >= 0)) return TULLE__BAD("timeout", "timeout is %g", timeout);
    group *g = make_group(ranks, timeout);
    tulle_status status =
        g ? TULLE_OK : tulle__fail(TULLE_OUT_OF_MEMORY, __func__, NULL, -1, "no memory is left");
    for (int r = 0; r < ranks && status == TULLE_OK; r++) status = make_member(g, r, comms + r);
    for (int r = 0; r < ranks && status != TULLE_OK; r++) {
        tulle_comm_destroy(comms[r]);
        comms[r] = NULL;
    }
    if (g) give_up(g);
    return status;
}
