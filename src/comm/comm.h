/* SPDX-License-Identifier: Apache-2.0 */
/* A communicator with the memory through which it copies, and what the library does with it. */
#ifndef TULLE_COMM_COMM_H
#define TULLE_COMM_COMM_H

#include <stdatomic.h>

#include "core/context.h"
#include "tulle/comm.h"

/* Memory that a communicator keeps from call to call. */
typedef struct tulle__comm_room {
    tulle_ctx *ctx; /* context of the memory; owned while there is memory */
    void *data;
    size_t bytes;
    bool on_host; /* true: page-locked host memory; false: memory of the place */
} tulle__comm_room;

struct tulle_comm {
    atomic_int owners;
    tulle_comm_functions functions;
    void *user;
    bool checking;
    bool fetches;     /* true: exchanges take addresses in the memory of contexts of one kind, whose
                         streams have been waited for; pieces are there at the end */
    bool failed;      /* true after a failure: other processes may be anywhere */
    bool in_exchange; /* true between the start and the end of an exchange */
    tulle__comm_room all;   /* numbers of all ranks */
    tulle__comm_room both;  /* copies of what is gathered, and of all that came */
    tulle__comm_room sent;  /* copies of pieces of an exchange */
    tulle_comm_piece *copy; /* the pieces in `sent`: those to be sent, then those to be received */
    int copies, sends;      /* number of pieces that there is room for, and of those to be sent */
    const tulle_comm_piece *receives; /* pieces of the exchange that are received */
    int receive_count;
};

/* One fact that all processes must agree on. */
typedef struct tulle__agreement {
    const char *name;
    uint64_t value;
} tulle__agreement;

enum { TULLE__MOST_AGREEMENTS = 24 };

/* Declarations with TULLE_API are for libtulle-nccl, too. */
TULLE_API tulle_comm *tulle__comm_retain(tulle_comm *comm);

/* Gathers blocks of host memory from all processes. Waits. */
TULLE_API tulle_status tulle__comm_gather(tulle_comm *comm, const void *from, size_t bytes,
                                          void *to);

/* Computes numbers[i] := sum over ranks of numbers[i], in host memory. Waits. */
tulle_status tulle__comm_sum_host(tulle_comm *comm, double *numbers, int count);

/* Gathers blocks of the memory of ctx from all processes, in the order of the stream. */
tulle_status tulle__comm_gather_there(tulle_comm *comm, tulle_ctx *ctx, const void *from,
                                      size_t bytes, void *to);

/* Computes to[i] := sum over ranks of from[i] in the memory of ctx, for numbers of a type, in the
 * order of the stream; `to` may be `from`. */
tulle_status tulle__comm_sum(tulle_comm *comm, tulle_ctx *ctx, tulle_type type, const void *from,
                             void *to, int64_t count);

/* Start and end an exchange of pieces in the memory of ctx; receives stay until the end. The end
 * is due after each start, also after a failure in between. */
tulle_status tulle__comm_exchange_start(tulle_comm *comm, tulle_ctx *ctx,
                                        const tulle_comm_piece *sends, int send_count,
                                        const tulle_comm_piece *receives, int receive_count);
tulle_status tulle__comm_exchange_finish(tulle_comm *comm, tulle_ctx *ctx);

/* Tells all processes how a public function went here so far, and compares facts: returns the
 * status of this process where that is a failure, TULLE_PEER_FAILED where another one has failed,
 * and TULLE_INVALID_ARGUMENT, in all processes, where a fact differs. All may go on after that. */
TULLE_API tulle_status tulle__comm_agree(tulle_comm *comm, const char *function, tulle_status here,
                                         const tulle__agreement *facts, int count);

/* Returns the status. After a failure the communicator is of no use: for failures that other
 * processes do not hear of, and so may be waiting in a call that this process has left. comm NULL
 * is fine. */
tulle_status tulle__comm_spoil(tulle_comm *comm, tulle_status status);

#endif
