/* SPDX-License-Identifier: Apache-2.0 */
/* Exchanges. A communicator may want its pieces in the memory of a GPU, so pieces of host memory
 * are copied there on both ways. */
#include <string.h>

#include "dist/dist.h"

static size_t bytes_of(const tulle_comm_piece *pieces, int count) {
    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += pieces[i].bytes;
    return bytes;
}

/* The pieces on their way: those that are sent, and then those that are received, without this
 * process's own. */
typedef struct transfer {
    tulle_comm_piece *pieces;
    int sends, receives;
    void *data; /* memory of the place for all of them; NULL: they travel from where they are */
} transfer;

/* Copies the pieces of other processes to `to`, with their data one after the other at `at` (NULL:
 * where it is); returns their number. */
static int list(const tulle_comm_piece *pieces, int count, int rank, char *at,
                tulle_comm_piece *to) {
    int listed = 0;
    for (int i = 0; i < count; i++) {
        if (pieces[i].rank == rank || pieces[i].bytes == 0) continue;
        to[listed] = pieces[i];
        if (at) to[listed].data = at;
        if (at) at += pieces[i].bytes;
        listed++;
    }
    return listed;
}

static tulle_status prepare(tulle_ctx *ctx, int rank, const tulle__dist_pieces *p, transfer *t) {
    const size_t sent = bytes_of(p->sends, p->send_count);
    const size_t all = sent + bytes_of(p->receives, p->receive_count);
    const size_t count = (size_t)p->send_count + (size_t)p->receive_count + 1;
    t->pieces = tulle__host_alloc(ctx, count * sizeof *t->pieces);
    if (!t->pieces) return TULLE_OUT_OF_MEMORY;
    if (ctx->kind != TULLE_CPU && !p->in_place) TULLE__TRY(tulle__alloc(ctx, all + 1, &t->data));
    char *at = t->data;
    t->sends = list(p->sends, p->send_count, rank, at, t->pieces);
    t->receives =
        list(p->receives, p->receive_count, rank, at ? at + sent : NULL, t->pieces + t->sends);
    int k = 0;
    for (int i = 0; i < p->send_count && at; i++) {
        if (p->sends[i].rank == rank || p->sends[i].bytes == 0) continue;
        TULLE__TRY(tulle__copy_wait(ctx, t->pieces[k++].data, p->sends[i].data, p->sends[i].bytes));
    }
    return TULLE_OK;
}

/* Copies this process's own piece. */
static tulle_status copy_own(tulle_ctx *ctx, const tulle__dist_pieces *p, int rank) {
    for (int i = 0; i < p->receive_count; i++) {
        for (int j = 0; j < p->send_count && p->receives[i].rank == rank; j++) {
            const tulle_comm_piece *from = p->sends + j;
            void *const to = p->receives[i].data;
            if (from->rank != rank || from->bytes == 0) continue;
            if (!p->in_place) memcpy(to, from->data, from->bytes);
            if (!p->in_place) continue;
            TULLE__TRY(ctx->backend->copy(&ctx->place, to, from->data, from->bytes));
        }
    }
    return TULLE_OK;
}

/* Puts the pieces that came into host memory, and copies this process's own piece. */
static tulle_status unpack(tulle_ctx *ctx, int rank, const tulle__dist_pieces *p,
                           const transfer *t) {
    int k = t->sends;
    for (int i = 0; i < p->receive_count && t->data; i++) {
        const tulle_comm_piece *to = p->receives + i;
        if (to->rank == rank || to->bytes == 0) continue;
        TULLE__TRY(tulle__copy_wait(ctx, to->data, t->pieces[k++].data, to->bytes));
    }
    return copy_own(ctx, p, rank);
}

tulle_status tulle__dist_exchange(tulle_ctx *ctx, tulle_comm *comm, tulle_status here,
                                  const tulle__dist_pieces *pieces) {
    const int rank = comm->functions.rank;
    transfer t = {.pieces = NULL};
    if (here == TULLE_OK) here = prepare(ctx, rank, pieces, &t);
    const tulle_status agreed = tulle__comm_agree(comm, NULL, here, NULL, 0);
    tulle_status status = agreed;
    if (status == TULLE_OK) {
        status = tulle__comm_exchange_start(comm, ctx, t.pieces, t.sends, t.pieces + t.sends,
                                            t.receives);
    }
    if (status == TULLE_OK) status = tulle__comm_exchange_finish(comm, ctx);
    if (status == TULLE_OK) status = unpack(ctx, rank, pieces, &t);
    tulle__free(ctx, t.data);
    tulle__host_free(ctx, t.pieces);
    return agreed == TULLE_OK ? tulle__comm_spoil(comm, status) : status;
}
