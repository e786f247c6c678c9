/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators as objects, and the calls of their functions. */
#include "comm/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/functions.h"
#include "core/options.h"

tulle_comm *tulle__comm_retain(tulle_comm *comm) {
    if (comm) atomic_fetch_add(&comm->owners, 1);
    return comm;
}

/* Waits before page-locked memory goes, as copies may be under way, and releases it in any case. */
static tulle_status release_room(tulle__comm_room *room) {
    tulle_ctx *ctx = room->ctx;
    if (!ctx) return TULLE_OK;
    const tulle_status status = ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
    if (room->on_host) {
        ctx->backend->host_release(ctx->place.device, room->data);
    } else {
        tulle__free(ctx, room->data);
    }
    tulle__ctx_release(ctx);
    *room = (tulle__comm_room){.on_host = room->on_host};
    return status;
}

static tulle_status take_room(tulle__comm_room *room, tulle_ctx *ctx, size_t bytes, void **data) {
    if (room->ctx != ctx || room->bytes < bytes) {
        TULLE__TRY(release_room(room));
        TULLE__TRY(room->on_host
                       ? ctx->backend->host_allocate(ctx->place.device, bytes, &room->data)
                       : tulle__alloc(ctx, bytes, &room->data));
        tulle__ctx_retain(ctx);
        room->ctx = ctx;
        room->bytes = bytes;
    }
    *data = room->data;
    return TULLE_OK;
}

static tulle_status check(const tulle_comm_functions *f) {
    static const char *const function = "tulle_comm_create";
    const bool whole = f->gather && f->exchange_start && f->exchange_finish &&
                       (!f->on_stream || f->gather_on_stream);
    if (f->ranks < 1 || f->rank < 0 || f->rank >= f->ranks) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "functions", -1,
                           "functions: rank %d of %d; ranks count from 0 on", f->rank, f->ranks);
    }
    if (f->capturable && !f->on_stream) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "functions", -1,
                           "functions: capturable is true and on_stream is not: only work in a "
                           "stream is captured");
    }
    if (whole) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "functions", -1,
                       "functions: gather, exchange_start, exchange_finish and, with on_stream, "
                       "gather_on_stream must not be NULL");
}

tulle_status tulle_comm_create(const tulle_comm_functions *functions, void *user,
                               tulle_comm **comm) {
    tulle_comm_functions own;
    TULLE__NEED(comm);
    *comm = NULL;
    TULLE__NEED(functions);
    TULLE__TRY(tulle__options_take(__func__, functions, functions->size, &own, sizeof own));
    TULLE__TRY(check(&own));
    tulle_comm *made = calloc(1, sizeof *made);
    if (!made) return tulle__fail(TULLE_OUT_OF_MEMORY, __func__, NULL, -1, "no memory is left");
    atomic_init(&made->owners, 1);
    made->functions = own;
    made->user = user;
    made->both.on_host = made->sent.on_host = true;
    *comm = made;
    return TULLE_OK;
}

void tulle_comm_destroy(tulle_comm *comm) {
    if (!comm || atomic_fetch_sub(&comm->owners, 1) > 1) return;
    release_room(&comm->all);
    release_room(&comm->both);
    release_room(&comm->sent);
    free(comm->copy);
    if (comm->functions.destroy) comm->functions.destroy(comm->user);
    free(comm);
}

int tulle_comm_rank(const tulle_comm *comm) {
    return comm->functions.rank;
}

int tulle_comm_ranks(const tulle_comm *comm) {
    return comm->functions.ranks;
}

tulle_status tulle_comm_set_checking(tulle_comm *comm, bool on) {
    TULLE__NEED(comm);
    comm->checking = on;
    return TULLE_OK;
}

/* Number of characters of an error message by which a new message is told from an old one. */
enum { REMEMBERED = 160 };

typedef struct record {
    char text[REMEMBERED];
} record;

static record remember(void) {
    record now;
    snprintf(now.text, sizeof now.text, "%s", tulle_last_error()->message);
    return now;
}

/* Returns a failure of one of the functions, after which the communicator is of no use; records it
 * if the function has not done so. */
static tulle_status told(tulle_comm *comm, tulle_status status, const char *what, record before) {
    if (status == TULLE_OK) return TULLE_OK;
    comm->failed = true;
    const record now = remember();
    const bool recorded =
        tulle_last_error()->status == status && strcmp(before.text, now.text) != 0;
    if (recorded) return status;
    return tulle__fail(status, NULL, NULL, -1, "the communicator of rank %d failed in %s: %s",
                       comm->functions.rank, what, tulle_status_text(status));
}

static tulle_status gather(tulle_comm *comm, const void *from, size_t bytes, void *to) {
    const record before = remember();
    return told(comm, comm->functions.gather(comm->user, from, bytes, to), "gather", before);
}

static tulle_status refuse(const tulle_comm *comm) {
    if (!comm->failed) return TULLE_OK;
    return tulle__fail(TULLE_PEER_FAILED, NULL, NULL, -1,
                       "the communicator of rank %d has failed before: make another one in all "
                       "processes",
                       comm->functions.rank);
}

/* The next call of a process. A process that does not check gathers other bytes in its place, so
 * kinds are numbers that data seldom hold. */
typedef struct intent {
    uint64_t kind, bytes;
} intent;
enum { GATHERS = 'g', EXCHANGES = 'e', INTENT_WORDS = 64 };

static const char *words_of(const intent *call, char words[INTENT_WORDS]) {
    if (call->kind == GATHERS) {
        snprintf(words, INTENT_WORDS, "gathers %llu bytes", (unsigned long long)call->bytes);
    } else {
        snprintf(words, INTENT_WORDS, "%s",
                 call->kind == EXCHANGES ? "exchanges" : "does something else, or does not check");
    }
    return words;
}

static tulle_status mismatch(tulle_comm *comm, int rank, const intent *of) {
    char first[INTENT_WORDS], other[INTENT_WORDS];
    comm->failed = true;
    return tulle__fail(TULLE_PEER_FAILED, NULL, NULL, -1,
                       "calls do not match: rank 0 %s, rank %d %s", words_of(of, first), rank,
                       words_of(of + rank, other));
}

/* Compares what processes are about to do, if that is to be checked. */
static tulle_status compare(tulle_comm *comm, uint64_t kind, uint64_t bytes) {
    const tulle_comm_functions *f = &comm->functions;
    const intent own = {kind, bytes};
    if (!comm->checking) return TULLE_OK;
    intent *all = calloc((size_t)f->ranks, sizeof *all);
    if (!all) return tulle__fail(TULLE_OUT_OF_MEMORY, NULL, NULL, -1, "no memory is left");
    tulle_status status = gather(comm, &own, sizeof own, all);
    for (int r = 1; r < f->ranks && status == TULLE_OK; r++) {
        if (all[r].kind != all[0].kind || all[r].bytes != all[0].bytes) {
            status = mismatch(comm, r, all);
        }
    }
    free(all);
    return status;
}

/* Compares the bytes that each rank sends to each other one, sizes[from][0][to], with those that
 * this one expects, sizes[to][1][from]. */
static tulle_status compare_sizes(tulle_comm *comm, const uint64_t *sizes) {
    const size_t ranks = (size_t)comm->functions.ranks;
    for (size_t from = 0; from < ranks; from++) {
        for (size_t to = 0; to < ranks; to++) {
            const uint64_t sent = sizes[2 * ranks * from + to];
            const uint64_t expected = sizes[2 * ranks * to + ranks + from];
            if (sent == expected) continue;
            comm->failed = true;
            return tulle__fail(TULLE_PEER_FAILED, NULL, NULL, -1,
                               "calls do not match: rank %d sends %llu bytes to rank %d, which "
                               "expects %llu",
                               (int)from, (unsigned long long)sent, (int)to,
                               (unsigned long long)expected);
        }
    }
    return TULLE_OK;
}

/* Compares pieces that are sent with those that are expected, if that is to be checked. */
static tulle_status compare_pieces(tulle_comm *comm, const tulle_comm_piece *sends, int send_count,
                                   const tulle_comm_piece *receives, int receive_count) {
    const size_t ranks = (size_t)comm->functions.ranks;
    if (!comm->checking) return TULLE_OK;
    uint64_t *own = calloc(2 * ranks * (1 + ranks), sizeof *own);
    if (!own) return tulle__fail(TULLE_OUT_OF_MEMORY, NULL, NULL, -1, "no memory is left");
    for (int i = 0; i < send_count; i++) own[sends[i].rank] = sends[i].bytes;
    for (int i = 0; i < receive_count; i++) own[ranks + receives[i].rank] = receives[i].bytes;
    uint64_t *all = own + 2 * ranks;
    tulle_status status = gather(comm, own, 2 * ranks * sizeof *own, all);
    if (status == TULLE_OK) status = compare_sizes(comm, all);
    free(own);
    return status;
}

tulle_status tulle__comm_gather(tulle_comm *comm, const void *from, size_t bytes, void *to) {
    TULLE__TRY(refuse(comm));
    TULLE__TRY(compare(comm, GATHERS, bytes));
    return gather(comm, from, bytes, to);
}

/* Gathers blocks of a GPU's memory by way of page-locked host memory. */
static tulle_status gather_by_host(tulle_comm *comm, tulle_ctx *ctx, const void *from, size_t bytes,
                                   void *to) {
    const size_t all = bytes * (size_t)comm->functions.ranks;
    void *host;
    TULLE__TRY(take_room(&comm->both, ctx, bytes + all, &host));
    TULLE__TRY(tulle__copy_wait(ctx, host, from, bytes));
    TULLE__TRY(tulle__comm_gather(comm, host, bytes, (char *)host + bytes));
    return ctx->backend->copy(&ctx->place, to, (char *)host + bytes, all);
}

tulle_status tulle__comm_gather_there(tulle_comm *comm, tulle_ctx *ctx, const void *from,
                                      size_t bytes, void *to) {
    const tulle_comm_functions *f = &comm->functions;
    if (ctx->kind == TULLE_CPU) return tulle__comm_gather(comm, from, bytes, to);
    if (!f->on_stream) return gather_by_host(comm, ctx, from, bytes, to);
    TULLE__TRY(refuse(comm));
    TULLE__TRY(compare(comm, GATHERS, bytes));
    const record before = remember();
    return told(comm, f->gather_on_stream(comm->user, ctx, from, bytes, to), "gather_on_stream",
                before);
}

tulle_status tulle__comm_sum(tulle_comm *comm, tulle_ctx *ctx, tulle_type type, const void *from,
                             void *to, int64_t count) {
    const int ranks = comm->functions.ranks;
    const size_t bytes = (size_t)count * (size_t)tulle_type_size(type);
    void *all;
    if (count == 0) return TULLE_OK;
    TULLE__TRY(take_room(&comm->all, ctx, bytes * (size_t)ranks, &all));
    TULLE__TRY(tulle__comm_gather_there(comm, ctx, from, bytes, all));
    return ctx->backend->comm->join_parts(&ctx->place, &(tulle__join){.type = type,
                                                                      .items = count,
                                                                      .parts = ranks,
                                                                      .item_step = 1,
                                                                      .part_step = count,
                                                                      .from = all,
                                                                      .to = to});
}

tulle_status tulle__comm_sum_host(tulle_comm *comm, double *numbers, int count) {
    const int ranks = comm->functions.ranks;
    const size_t bytes = (size_t)count * sizeof *numbers;
    double *all = malloc(bytes * (size_t)ranks);
    if (!all) return tulle__fail(TULLE_OUT_OF_MEMORY, NULL, NULL, -1, "no memory is left");
    const tulle_status status = tulle__comm_gather(comm, numbers, bytes, all);
    for (int i = 0; i < count && status == TULLE_OK; i++) {
        numbers[i] = 0;
        for (int r = 0; r < ranks; r++) numbers[i] += all[r * count + i];
    }
    free(all);
    return status;
}

static size_t bytes_of(const tulle_comm_piece *pieces, int count) {
    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += pieces[i].bytes;
    return bytes;
}

/* Makes copies of pieces in page-locked host memory, those that are sent with their numbers. */
static tulle_status copy_pieces(tulle_comm *comm, tulle_ctx *ctx, const tulle_comm_piece *sends,
                                int send_count, const tulle_comm_piece *receives,
                                int receive_count) {
    const int count = send_count + receive_count;
    void *host;
    if (comm->copies < count) {
        free(comm->copy);
        comm->copy = malloc((size_t)count * sizeof *comm->copy);
        comm->copies = comm->copy ? count : 0;
        if (!comm->copy) {
            return tulle__fail(TULLE_OUT_OF_MEMORY, NULL, NULL, -1, "no memory is left");
        }
    }
    TULLE__TRY(take_room(&comm->sent, ctx,
                         bytes_of(sends, send_count) + bytes_of(receives, receive_count) + 1,
                         &host));
    char *at = host;
    for (int i = 0; i < count; i++) {
        comm->copy[i] = i < send_count ? sends[i] : receives[i - send_count];
        comm->copy[i].data = at;
        at += comm->copy[i].bytes;
        if (i >= send_count) continue;
        TULLE__TRY(
            ctx->backend->copy(&ctx->place, comm->copy[i].data, sends[i].data, sends[i].bytes));
    }
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

static bool by_host(const tulle_comm *comm, const tulle_ctx *ctx) {
    return ctx->kind != TULLE_CPU && !comm->functions.on_stream && !comm->fetches;
}

tulle_status tulle__comm_exchange_start(tulle_comm *comm, tulle_ctx *ctx,
                                        const tulle_comm_piece *sends, int send_count,
                                        const tulle_comm_piece *receives, int receive_count) {
    TULLE__TRY(refuse(comm));
    TULLE__TRY(compare(comm, EXCHANGES, 0));
    TULLE__TRY(compare_pieces(comm, sends, send_count, receives, receive_count));
    comm->receives = receives;
    comm->receive_count = receive_count;
    comm->sends = send_count;
    if (by_host(comm, ctx)) {
        TULLE__TRY(copy_pieces(comm, ctx, sends, send_count, receives, receive_count));
        sends = comm->copy;
        receives = comm->copy + send_count;
    }
    if (comm->fetches) {
        TULLE__TRY(ctx->backend->stream_wait(ctx->place.device, ctx->place.stream));
    }
    const record before = remember();
    const tulle_status status =
        comm->functions.exchange_start(comm->user, ctx, sends, send_count, receives, receive_count);
    TULLE__TRY(told(comm, status, "exchange_start", before));
    comm->in_exchange = true;
    return TULLE_OK;
}

tulle_status tulle__comm_exchange_finish(tulle_comm *comm, tulle_ctx *ctx) {
    if (!comm->in_exchange) return TULLE_OK;
    comm->in_exchange = false;
    const record before = remember();
    TULLE__TRY(
        told(comm, comm->functions.exchange_finish(comm->user, ctx), "exchange_finish", before));
    for (int i = 0; by_host(comm, ctx) && i < comm->receive_count; i++) {
        const tulle_comm_piece *to = comm->receives + i;
        TULLE__TRY(
            ctx->backend->copy(&ctx->place, to->data, comm->copy[comm->sends + i].data, to->bytes));
    }
    return TULLE_OK;
}

tulle_status tulle__comm_spoil(tulle_comm *comm, tulle_status status) {
    if (comm && status != TULLE_OK) comm->failed = true;
    return status;
}
