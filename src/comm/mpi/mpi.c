/* SPDX-License-Identifier: Apache-2.0 */
/* A communicator's functions over MPI. Nothing waits in MPI itself, where no timeout would end it:
 * requests are started, and asked until they are done. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/error.h"
#include "tulle/comm_mpi.h"

enum { PATIENCE = 300, TAG = 1, MOST_BYTES = 1 << 30 };

/* Time in seconds during which a waiting process asks again and again, before it sleeps between
 * two questions; and that sleep in nanoseconds. */
static const double eager = 1e-4;
enum { NAP = 20000 };

typedef struct member {
    MPI_Comm comm;
    int ranks;
    double timeout; /* in seconds */
    bool failed;    /* true when requests may be under way for good */
    char *sent;     /* copies of what is sent, so that the caller's memory may go after a failure */
    size_t sent_bytes;
    char *gathered; /* room for what all processes give */
    size_t gathered_bytes;
    MPI_Request *requests; /* requests under way; those of receives come first */
    int request_room, requests_started, receives_started;
} member;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tulle_status no_memory(void) {
    return tulle__fail(TULLE_OUT_OF_MEMORY, NULL, NULL, -1, "no memory is left for messages");
}

static tulle_status told(int code) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (code == MPI_SUCCESS) return TULLE_OK;
    MPI_Error_string(code, text, &length);
    return tulle__fail(TULLE_PEER_FAILED, NULL, NULL, -1, "MPI: %.*s", length, text);
}

static tulle_status take(char **room, size_t *have, size_t bytes) {
    if (*have >= bytes) return TULLE_OK;
    free(*room);
    *room = malloc(bytes);
    *have = *room ? bytes : 0;
    return *room ? TULLE_OK : no_memory();
}

/* Gives up the requests: what is to be received is received no more. MPI need not be able to take
 * back what was sent, whose memory therefore stays. */
static void abandon(member *m) {
    m->failed = true;
    for (int i = 0; i < m->receives_started; i++) {
        if (m->requests[i] == MPI_REQUEST_NULL) continue;
        MPI_Cancel(m->requests + i);
        MPI_Wait(m->requests + i, MPI_STATUS_IGNORE);
    }
    m->requests_started = m->receives_started = 0;
}

/* Waits until all requests are done. */
static tulle_status await(member *m) {
    const double begun = now();
    for (int done = 0; !done;) {
        const tulle_status status =
            told(MPI_Testall(m->requests_started, m->requests, &done, MPI_STATUSES_IGNORE));
        const double waited = now() - begun;
        if (status != TULLE_OK || (!done && waited > m->timeout)) {
            abandon(m);
            return status != TULLE_OK
                       ? status
                       : tulle__fail(TULLE_PEER_FAILED, NULL, NULL, -1,
                                     "another process did not answer within the communicator's "
                                     "timeout of %g seconds",
                                     m->timeout);
        }
        if (waited > eager && !done) {
            nanosleep(&(struct timespec){0, NAP}, NULL);
        } else if (!done) {
            sched_yield();
        }
    }
    m->requests_started = m->receives_started = 0;
    return TULLE_OK;
}

static tulle_status take_requests(member *m, int count) {
    if (m->request_room >= count) return TULLE_OK;
    free(m->requests);
    m->requests = malloc((size_t)count * sizeof *m->requests);
    m->request_room = m->requests ? count : 0;
    return m->requests ? TULLE_OK : no_memory();
}

/* Gathers by way of own memory, which stays if the gathering never ends. */
static tulle_status gather_part(member *m, const void *from, int bytes) {
    TULLE__TRY(take_requests(m, 1));
    memcpy(m->sent, from, (size_t)bytes);
    TULLE__TRY(told(MPI_Iallgather(m->sent, bytes, MPI_BYTE, m->gathered, bytes, MPI_BYTE, m->comm,
                                   m->requests)));
    m->requests_started = 1;
    return await(m);
}

static tulle_status gather(void *user, const void *from, size_t bytes, void *to) {
    member *m = user;
    const size_t ranks = (size_t)m->ranks;
    const size_t most = MOST_BYTES / ranks, each = bytes < most ? bytes : most;
    TULLE__TRY(take(&m->sent, &m->sent_bytes, each));
    TULLE__TRY(take(&m->gathered, &m->gathered_bytes, each * ranks));
    for (size_t done = 0; done < bytes; done += each) {
        const size_t part = bytes - done < each ? bytes - done : each;
        TULLE__TRY(gather_part(m, (const char *)from + done, (int)part));
        for (size_t r = 0; r < ranks; r++) {
            memcpy((char *)to + r * bytes + done, m->gathered + r * part, part);
        }
    }
    return TULLE_OK;
}

/* Returns the number of messages of pieces: each of at most MOST_BYTES bytes. */
static int messages_of(const tulle_comm_piece *pieces, int count) {
    size_t messages = 0;
    for (int i = 0; i < count; i++) messages += (pieces[i].bytes - 1) / MOST_BYTES + 1;
    return (int)messages;
}

static int part_of(size_t bytes, size_t done) {
    return (int)(bytes - done < MOST_BYTES ? bytes - done : MOST_BYTES);
}

static tulle_status start_receives(member *m, const tulle_comm_piece *pieces, int count) {
    for (int i = 0; i < count; i++) {
        for (size_t done = 0; done < pieces[i].bytes; done += MOST_BYTES) {
            TULLE__TRY(told(MPI_Irecv((char *)pieces[i].data + done, part_of(pieces[i].bytes, done),
                                      MPI_BYTE, pieces[i].rank, TAG, m->comm,
                                      m->requests + m->requests_started)));
            m->receives_started = ++m->requests_started;
        }
    }
    return TULLE_OK;
}

static tulle_status start_sends(member *m, const tulle_comm_piece *pieces, int count) {
    char *copy = m->sent;
    for (int i = 0; i < count; i++) {
        memcpy(copy, pieces[i].data, pieces[i].bytes);
        for (size_t done = 0; done < pieces[i].bytes; done += MOST_BYTES) {
            TULLE__TRY(
                told(MPI_Isend(copy + done, part_of(pieces[i].bytes, done), MPI_BYTE,
                               pieces[i].rank, TAG, m->comm, m->requests + m->requests_started)));
            m->requests_started++;
        }
        copy += pieces[i].bytes;
    }
    return TULLE_OK;
}

static tulle_status exchange_start(void *user, tulle_ctx *ctx, const tulle_comm_piece *sends,
                                   int send_count, const tulle_comm_piece *receives,
                                   int receive_count) {
    member *m = user;
    size_t bytes = 0;
    (void)ctx;
    for (int i = 0; i < send_count; i++) bytes += sends[i].bytes;
    TULLE__TRY(take(&m->sent, &m->sent_bytes, bytes));
    TULLE__TRY(
        take_requests(m, messages_of(sends, send_count) + messages_of(receives, receive_count)));
    tulle_status status = start_receives(m, receives, receive_count);
    if (status == TULLE_OK) status = start_sends(m, sends, send_count);
    if (status != TULLE_OK) abandon(m);
    return status;
}

static tulle_status exchange_finish(void *user, tulle_ctx *ctx) {
    (void)ctx;
    return await(user);
}

static void destroy(void *user) {
    member *m = user;
    int finalized = 0;
    if (m->failed) return; /* messages may still be on their way from and to its memory */
    MPI_Finalized(&finalized);
    if (!finalized) MPI_Comm_free(&m->comm);
    free(m->sent);
    free(m->gathered);
    free(m->requests);
    free(m);
}

static tulle_status check(const void *mpi_comm, double timeout) {
    static const char *const function = "tulle_comm_create_mpi";
    int initialized = 0, finalized = 0, inter = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (!initialized || finalized) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "mpi_comm", -1,
                           "call between MPI_Init and MPI_Finalize");
    }
    if (!(timeout >= 0)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "timeout", -1, "timeout is %g",
                           timeout);
    }
    const MPI_Comm given = *(const MPI_Comm *)mpi_comm;
    if (given == MPI_COMM_NULL || MPI_Comm_test_inter(given, &inter) != MPI_SUCCESS || inter) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "mpi_comm", -1,
                           "mpi_comm is MPI_COMM_NULL or an intercommunicator: give the address of "
                           "an MPI_Comm such as MPI_COMM_WORLD");
    }
    return TULLE_OK;
}

static tulle_status make(member *m, MPI_Comm given, tulle_comm **comm) {
    tulle_comm_functions functions = {.size = sizeof functions,
                                      .gather = gather,
                                      .exchange_start = exchange_start,
                                      .exchange_finish = exchange_finish,
                                      .destroy = destroy};
    TULLE__TRY(told(MPI_Comm_dup(given, &m->comm)));
    MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(m->comm, &functions.rank);
    MPI_Comm_size(m->comm, &functions.ranks);
    m->ranks = functions.ranks;
    const tulle_status status = tulle_comm_create(&functions, m, comm);
    if (status != TULLE_OK) MPI_Comm_free(&m->comm);
    return status;
}

tulle_status tulle_comm_create_mpi(const void *mpi_comm, double timeout, tulle_comm **comm) {
    TULLE__NEED(comm);
    *comm = NULL;
    TULLE__NEED(mpi_comm);
    TULLE__TRY(check(mpi_comm, timeout));
    member *m = calloc(1, sizeof *m);
    if (!m) return no_memory();
    m->timeout = timeout > 0 ? timeout : PATIENCE;
    const tulle_status status = make(m, *(const MPI_Comm *)mpi_comm, comm);
    if (status != TULLE_OK) free(m);
    return status;
}
