/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * A communicator: the way by which the processes that share a system (dist.h) reach each other. A
 * process here is whoever has a context and some of the rows: an operating system's process, or a
 * thread. Processes have ranks, 0, 1, ..., and each has a communicator of its own.
 *
 * A communicator is a table of functions. tulle_comm_create_threads fills one for threads of one
 * process, tulle_comm_create_mpi (comm_mpi.h) one for MPI, tulle_comm_create_nccl (comm_nccl.h) one
 * for NCCL; tulle_comm_create takes any other.
 *
 *     tulle_comm *comms[4];
 *     tulle_comm_create_threads(4, 0, comms);         thread r works with comms[r]
 *     tulle_dist_mat_create(ctx, comms[r], ...);
 *
 * A call that communicates is made by all processes, in the same order. If one of them fails or
 * stays away, the calls of the others return TULLE_PEER_FAILED, at the latest after the
 * communicator's timeout; the communicator then fails each further call, and only remains to be
 * destroyed. No timeout ends a wait within MPI_Comm_free, within NCCL, or for a GPU's stream in
 * which NCCL waits. One thread at a time uses a communicator.
 *
 * Calls that make objects, and sums and gatherings of dist.h, first compare how all processes fare:
 * an error that they find then leaves the communicator fit for use. Products, solutions
 * (tulle_solver_run), tulle_linop_apply and tulle_linop_renew do not, as that would cost a message
 * more: after any error of theirs the communicator of that process has failed.
 *
 * Sums over processes are added up in an order that depends on the number of processes alone, so
 * that all processes get the same bits, and the same ones in every run: in the order of ranks, but
 * for sums of more than 128 processes in the memory of a GPU, where 32 sums of every 32nd rank are
 * added in pairs.
 */
#ifndef TULLE_COMM_H
#define TULLE_COMM_H

#include <stdbool.h>
#include <stddef.h>

#include "context.h"
#include "export.h"
#include "status.h"

/** A communicator of one process; see the head of this file. */
typedef struct tulle_comm tulle_comm;

/** A piece of memory that an exchange sends or receives. */
typedef struct tulle_comm_piece {
    int rank;     /**< rank of the other process */
    size_t bytes; /**< number of bytes, not 0 */
    void *data;   /**< first byte; read where the piece is sent, written where it is received */
} tulle_comm_piece;

/**
 * The functions of a communicator. A function that fails returns a positive tulle_status,
 * TULLE_PEER_FAILED where another process did not answer in time; tulle's call that needed the
 * function then fails with that status. Functions never end the process. All addresses are in host
 * memory, but for those that `on_stream` speaks of.
 */
typedef struct tulle_comm_functions {
    size_t size;    /**< sizeof(tulle_comm_functions): a later release may add fields at the end */
    int rank;       /**< rank of this process, from 0 on */
    int ranks;      /**< number of processes */
    bool on_stream; /**< true: gather_on_stream and exchanges take addresses in the memory of a GPU,
                         and queue their work in the context's stream. false: tulle copies by way of
                         host memory, and waits for the stream before it sends */
    bool capturable; /**< true: what is queued in a stream may be captured in a CUDA graph; only
                          with on_stream */
    /** Gathers blocks of the same size: copies the `bytes` bytes at `from` of rank r to `to` + r *
     * bytes, in all processes. Waits. */
    tulle_status (*gather)(void *user, const void *from, size_t bytes, void *to);
    /** Does what gather does, in the memory of ctx and in the order of its stream, without waiting.
     * NULL where on_stream is false. */
    tulle_status (*gather_on_stream)(void *user, tulle_ctx *ctx, const void *from, size_t bytes,
                                     void *to);
    /**
     * Starts an exchange between neighbours. A process sends at most one piece to another one,
     * which receives a piece of that size from it. All processes call, also those without pieces.
     * The arrays of pieces and the memory of pieces stay until exchange_finish.
     */
    tulle_status (*exchange_start)(void *user, tulle_ctx *ctx, const tulle_comm_piece *sends,
                                   int send_count, const tulle_comm_piece *receives,
                                   int receive_count);
    /** Ends the exchange: all pieces have come, and those that were sent may be overwritten. */
    tulle_status (*exchange_finish)(void *user, tulle_ctx *ctx);
    /** Frees user; called once, when the communicator's last owner gives it up. NULL: nothing is to
     * be freed. */
    void (*destroy)(void *user);
} tulle_comm_functions;

TULLE_BEGIN

/**
 * Makes a communicator of the caller's functions, which are copied; user is handed to them.
 *
 * Does not communicate, and does not synchronise. Errors: TULLE_INVALID_ARGUMENT (a NULL; ranks
 * below 1; a rank that is not below ranks; a function that is missing; capturable without
 * on_stream), TULLE_UNSUPPORTED (a larger size with fields that are not 0), TULLE_OUT_OF_MEMORY;
 * after them destroy was not called.
 */
TULLE_API tulle_status tulle_comm_create(const tulle_comm_functions *functions, void *user,
                                         tulle_comm **comm);

/**
 * Makes communicators for threads of one process: comms[r] for the thread of rank r, each thread
 * with a context of its own, all of one kind. Pieces of exchanges go from memory to memory, also
 * between GPUs, which copy without the host's memory where they reach each other's (NVLink, or PCI
 * Express between peers; access is switched on for both). Sums and gatherings of GPUs' numbers go
 * by way of host memory.
 *
 * @param ranks   number of threads, 1 to 1024
 * @param timeout time in seconds after which a thread that waits for another one gives up; 0: 60
 * @param comms   array of `ranks` communicators, each the caller's (tulle_comm_destroy); NULLs
 *                after a failure. A thread whose communicator is destroyed has left: others that
 *                wait for it fail at once
 *
 * Does not synchronise. Errors: TULLE_INVALID_ARGUMENT, TULLE_OUT_OF_MEMORY.
 */
TULLE_API tulle_status tulle_comm_create_threads(int ranks, double timeout, tulle_comm **comms);

/** Returns the rank of this process. comm must not be NULL. */
TULLE_API int tulle_comm_rank(const tulle_comm *comm);

/** Returns the number of processes. comm must not be NULL. */
TULLE_API int tulle_comm_ranks(const tulle_comm *comm);

/**
 * With @a on, processes first tell each other what they are about to do, before each gathering and
 * each exchange, and calls that do not match fail in all of them with a message that names two of
 * them; so do pieces of an exchange whose sizes differ from what is expected. For finding mistakes,
 * as it costs one or two more gatherings each time. Off at first; all processes must say the same.
 * Errors: TULLE_INVALID_ARGUMENT.
 */
TULLE_API tulle_status tulle_comm_set_checking(tulle_comm *comm, bool on);

/** Gives up a communicator; NULL is fine. Objects that were made with it hold it: it goes with the
 * last of them, in all processes in the same order, as over MPI and NCCL this communicates and may
 * wait for the others, without a timeout (MPI_Comm_free, ncclCommDestroy); over threads it does
 * not. Waits for the streams of contexts with which it was used. */
TULLE_API void tulle_comm_destroy(tulle_comm *comm);

TULLE_END
#endif
