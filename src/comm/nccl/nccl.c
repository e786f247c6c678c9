/* SPDX-License-Identifier: Apache-2.0 */
/* A communicator's functions over NCCL. An exchange runs in a stream of its own, between two
 * events: it begins after what is in the context's stream when it starts, and the context's stream
 * waits for it when it ends. Both become part of a graph that captures the context's stream. */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nccl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "tulle/comm_nccl.h"

/* The functions of NCCL that are used. */
#define NAMES(F)                                                                                   \
    F(GetErrorString)                                                                              \
    F(GetUniqueId)                                                                                 \
    F(CommInitRank)                                                                                \
    F(CommDestroy)                                                                                 \
    F(CommAbort)                                                                                   \
    F(AllGather)                                                                                   \
    F(Send)                                                                                        \
    F(Recv)                                                                                        \
    F(GroupStart)                                                                                  \
    F(GroupEnd)

static struct {
    void *library;
    const char *missing; /* reason why the library cannot be used; NULL: it can */
#define F(name) __typeof__(&nccl##name) name;
    NAMES(F)
#undef F
} nccl;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_nccl(void) {
    nccl.library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!nccl.library) {
        static char reason[256]; /* dlerror's text goes with the next call or the thread */
        const char *text = dlerror();
        snprintf(reason, sizeof reason, "%s", text ? text : "libnccl.so.2 is not found");
        nccl.missing = reason;
    }
#define F(name)                                                                                    \
    if (!nccl.missing) {                                                                           \
        *(void **)&nccl.name = dlsym(nccl.library, "nccl" #name);                                  \
        if (!nccl.name) nccl.missing = "libnccl.so.2 lacks nccl" #name;                            \
    }
    NAMES(F)
#undef F
}

typedef struct member {
    tulle_comm *host; /* owned */
    ncclComm_t comm;
    cudaStream_t side; /* stream of exchanges */
    cudaEvent_t ready, finished;
    bool failed;
} member;

static tulle_status of_nccl(member *m, ncclResult_t result) {
    if (result == ncclSuccess) return TULLE_OK;
    m->failed = true;
    return tulle__fail(TULLE_PEER_FAILED, NULL, NULL, -1, "NCCL: %s", nccl.GetErrorString(result));
}

static tulle_status of_cuda(member *m, cudaError_t error) {
    if (error == cudaSuccess) return TULLE_OK;
    m->failed = true;
    return tulle__fail(TULLE_DEVICE_FAULT, NULL, NULL, -1, "CUDA: %s", cudaGetErrorString(error));
}

static tulle_status gather(void *user, const void *from, size_t bytes, void *to) {
    return tulle__comm_gather(((member *)user)->host, from, bytes, to);
}

static tulle_status gather_on_stream(void *user, tulle_ctx *ctx, const void *from, size_t bytes,
                                     void *to) {
    member *m = user;
    return of_nccl(m, nccl.AllGather(from, to, bytes, ncclInt8, m->comm, tulle_ctx_stream(ctx)));
}

/* Queues the messages of an exchange. The group is ended even if a message cannot be queued. */
static ncclResult_t queue_messages(const member *m, const tulle_comm_piece *sends, int send_count,
                                   const tulle_comm_piece *receives, int receive_count) {
    ncclResult_t result = nccl.GroupStart();
    if (result != ncclSuccess) return result;
    for (int i = 0; i < send_count && result == ncclSuccess; i++) {
        result =
            nccl.Send(sends[i].data, sends[i].bytes, ncclInt8, sends[i].rank, m->comm, m->side);
    }
    for (int i = 0; i < receive_count && result == ncclSuccess; i++) {
        result = nccl.Recv(receives[i].data, receives[i].bytes, ncclInt8, receives[i].rank, m->comm,
                           m->side);
    }
    const ncclResult_t ended = nccl.GroupEnd();
    return result == ncclSuccess ? ended : result;
}

static tulle_status exchange_start(void *user, tulle_ctx *ctx, const tulle_comm_piece *sends,
                                   int send_count, const tulle_comm_piece *receives,
                                   int receive_count) {
    member *m = user;
    TULLE__TRY(of_cuda(m, cudaEventRecord(m->ready, tulle_ctx_stream(ctx))));
    TULLE__TRY(of_cuda(m, cudaStreamWaitEvent(m->side, m->ready, 0)));
    if (send_count + receive_count > 0) {
        TULLE__TRY(of_nccl(m, queue_messages(m, sends, send_count, receives, receive_count)));
    }
    return of_cuda(m, cudaEventRecord(m->finished, m->side));
}

static tulle_status exchange_finish(void *user, tulle_ctx *ctx) {
    member *m = user;
    return of_cuda(m, cudaStreamWaitEvent(tulle_ctx_stream(ctx), m->finished, 0));
}

static void destroy(void *user) {
    member *m = user;
    if (m->comm && m->failed) nccl.CommAbort(m->comm);
    if (m->comm && !m->failed) nccl.CommDestroy(m->comm);
    if (m->ready) cudaEventDestroy(m->ready);
    if (m->finished) cudaEventDestroy(m->finished);
    if (m->side) cudaStreamDestroy(m->side);
    tulle_comm_destroy(m->host);
    free(m);
}

static tulle_status check(const tulle_ctx *ctx) {
    static const char *const function = "tulle_comm_create_nccl";
    if (ctx->kind != TULLE_CUDA) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "ctx", -1,
                           "NCCL is for GPUs, and ctx is on %s: use host itself", ctx->info.name);
    }
    pthread_once(&once, open_nccl);
    if (!nccl.missing) return TULLE_OK;
    return tulle__fail(TULLE_NO_DEVICE, function, NULL, -1, "NCCL cannot be opened: %s",
                       nccl.missing);
}

/* Makes the stream and the events, on the context's device. */
static tulle_status make_streams(member *m, tulle_ctx *ctx) {
    TULLE__TRY(tulle_ctx_synchronize(ctx));
    TULLE__TRY(of_cuda(m, cudaSetDevice(ctx->ordinal)));
    TULLE__TRY(of_cuda(m, cudaStreamCreateWithFlags(&m->side, cudaStreamNonBlocking)));
    TULLE__TRY(of_cuda(m, cudaEventCreateWithFlags(&m->ready, cudaEventDisableTiming)));
    return of_cuda(m, cudaEventCreateWithFlags(&m->finished, cudaEventDisableTiming));
}

/* Gets rank 0's identifier, and joins. here: status of this process so far. */
static tulle_status join(member *m, tulle_status here) {
    static const char *const function = "tulle_comm_create_nccl";
    const int rank = tulle_comm_rank(m->host), ranks = tulle_comm_ranks(m->host);
    ncclUniqueId own;
    ncclUniqueId *all = calloc((size_t)ranks, sizeof *all);
    memset(&own, 0, sizeof own);
    if (here == TULLE_OK && !all) {
        here = tulle__fail(TULLE_OUT_OF_MEMORY, function, NULL, -1, "no memory is left");
    }
    if (here == TULLE_OK && rank == 0) here = of_nccl(m, nccl.GetUniqueId(&own));
    tulle_status status = tulle__comm_agree(m->host, function, here, NULL, 0);
    if (status == TULLE_OK) status = tulle__comm_gather(m->host, &own, sizeof own, all);
    if (status == TULLE_OK) {
        here = of_nccl(m, nccl.CommInitRank(&m->comm, ranks, all[0], rank));
        status = tulle__comm_agree(m->host, function, here, NULL, 0);
    }
    free(all);
    return status;
}

static tulle_status make(member *m, tulle_ctx *ctx, tulle_comm **comm) {
    const tulle_comm_functions functions = {.size = sizeof functions,
                                            .rank = tulle_comm_rank(m->host),
                                            .ranks = tulle_comm_ranks(m->host),
                                            .on_stream = true,
                                            .capturable = true,
                                            .gather = gather,
                                            .gather_on_stream = gather_on_stream,
                                            .exchange_start = exchange_start,
                                            .exchange_finish = exchange_finish,
                                            .destroy = destroy};
    tulle_status status = check(ctx);
    if (status == TULLE_OK) status = make_streams(m, ctx);
    TULLE__TRY(join(m, status));
    return tulle_comm_create(&functions, m, comm);
}

tulle_status tulle_comm_create_nccl(tulle_ctx *ctx, tulle_comm *host, tulle_comm **comm) {
    TULLE__NEED(comm);
    *comm = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(host);
    member *m = calloc(1, sizeof *m);
    if (!m) return tulle__fail(TULLE_OUT_OF_MEMORY, __func__, NULL, -1, "no memory is left");
    m->host = tulle__comm_retain(host);
    const tulle_status status = make(m, ctx, comm);
    if (status != TULLE_OK) destroy(m);
    return status;
}
