/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Communicators over NCCL, for processes or threads with a GPU each, in the library libtulle-nccl
 * (pkg-config: tulle-nccl; CMake: tulle::nccl). NCCL itself (libnccl.so.2) is opened when the first
 * such communicator is made.
 *
 *     tulle_comm_create_mpi(&world, 0, &host);            or tulle_comm_create_threads
 *     tulle_comm_create_nccl(ctx, host, &comm);
 *
 * What the host gathers goes by the communicator `host`; what is in the memory of GPUs by NCCL, in
 * the order of the stream, so that iterations of a solver may be captured in CUDA graphs.
 */
#ifndef TULLE_COMM_NCCL_H
#define TULLE_COMM_NCCL_H

#include "comm.h"
#include "context.h"
#include "export.h"
#include "status.h"

TULLE_BEGIN

/**
 * Makes a communicator over NCCL for the GPU of ctx, which every call with it must use; all
 * processes of host call, each with a GPU of its own. The communicator holds host.
 *
 * A process that ends leaves the others waiting in their streams, where no timeout ends them, and
 * every wait for such a stream waits with it; calls that gather on the host find out by host's
 * timeout. This call (ncclCommInitRank), once all processes have come to it, and the destruction of
 * the communicator (ncclCommDestroy) wait for the other processes without a timeout, too. Where
 * NVLink multicast is not to be used, set NCCL_NVLS_ENABLE=0 in the environment.
 *
 * Synchronises: yes. Errors, in all processes: TULLE_INVALID_ARGUMENT (a NULL), TULLE_UNSUPPORTED
 * (ctx is not on a GPU), TULLE_NO_DEVICE (libnccl.so.2 cannot be opened), TULLE_DEVICE_FAULT (an
 * error of CUDA; the message has its text), TULLE_PEER_FAILED (an error of NCCL, or of another
 * process), TULLE_OUT_OF_MEMORY.
 */
TULLE_API tulle_status tulle_comm_create_nccl(tulle_ctx *ctx, tulle_comm *host, tulle_comm **comm);

TULLE_END
#endif
