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

/* Number of bytes of the largest message, which MPI counts by an int. Tests have a smaller one. */
#ifndef TULLE__MPI_MOST_BYTES
#define TULLE__MPI_MOST_BYTES (1 << 30)
#endif

enum { PATIENCE = 300, TAG = 1, MOST_BYTES = TULLE__MPI_MOST_BYTES };

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
    char *came; /* room for what comes, for the same reason */
    size_t came_bytes;
    MPI_Request *requests; /* requests under way; those of receives come first */
    MPI_Status *statuses;  /* statuses of requests that ended */
    int request_room, requests_started, receives_started;
    const tulle_comm_piece *receives; /* pieces of the exchange that are received */
    int receive_count;
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

/* Gives up the requests, and never waits for them: MPI need not be able to take back what is on its
 * way, such as a message whose first part has come. It may still read and write the memory of the
 * requests, which therefore stays. */
static void abandon(member *m) {
    m->failed = true;
    for (int i = 0; i < m->receives_started; i++) {
        if (m->requests[i] == MPI_REQUEST_NULL) continue;
        MPI_Cancel(m->requests + i);
        MPI_Request_free(m->requests + i);
    }
    m->requests_started = m->receives_started = 0;
}

/* Returns the status, after a failure with all requests given up. */
static tulle_status ended(member *m, tulle_status status) {
    if (status != TULLE_OK) abandon(m);
    return status;
}

static tulle_status no_match(void) {
    return tulle__fail(TULLE_PEER_FAILED, NULL, NULL, -1,
                       "calls do not match: a piece of another size than was expected came: find "
                       "the call with tulle_comm_set_checking");
}

/* Returns the failure of one of the requests that MPI_Testall has tested. */
static tulle_status first_failure(const member *m, int code) {
    int class = code;
    MPI_Error_class(code, &class);
    for (int i = 0; i < m->requests_started && class == MPI_ERR_IN_STATUS; i++) {
        const int error = m->statuses[i].MPI_ERROR;
        if (error == MPI_SUCCESS || error == MPI_ERR_PENDING) continue;
        code = error;
        MPI_Error_class(code, &class);
    }
    return class == MPI_ERR_TRUNCATE ? no_match() : told(code);
}

static tulle_status too_late(const member *m) {
    return tulle__fail(TULLE_PEER_FAILED, NULL, NULL, -1,
                       "another process did not answer within the communicator's timeout of %g "
                       "seconds: let all processes make the same calls, or give a longer timeout",
                       m->timeout);
}

/* Waits until all requests are done, and keeps how they ended. */
static tulle_status await(member *m) {
    const double begun = now();
    for (int done = 0; !done;) {
        const int code = MPI_Testall(m->requests_started, m->requests, &done, m->statuses);
        const double waited = now() - begun;
        if (code != MPI_SUCCESS || (!done && waited > m->timeout)) {
            return code != MPI_SUCCESS ? first_failure(m, code) : too_late(m);
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
    free(m->statuses);
    m->requests = malloc((size_t)count * sizeof *m->requests);
    m->statuses = calloc((size_t)count, sizeof *m->statuses);
    m->request_room = m->requests && m->statuses ? count : 0;
    return m->request_room == count ? TULLE_OK : no_memory();
}

/* Gathers by way of own memory, which stays if the gathering never ends. */
static tulle_status gather_part(member *m, const void *from, int bytes) {
    TULLE__TRY(take_requests(m, 1));
    memcpy(m->sent, from, (size_t)bytes);
    TULLE__TRY(told(
        MPI_Iallgather(m->sent, bytes, MPI_BYTE, m->came, bytes, MPI_BYTE, m->comm, m->requests)));
    m->requests_started = 1;
    return await(m);
}

static tulle_status gather_parts(member *m, const void *from, size_t bytes, void *to) {
    const size_t ranks = (size_t)m->ranks;
    const size_t most = MOST_BYTES / ranks, each = bytes < most ? bytes : most;
    TULLE__TRY(take(&m->sent, &m->sent_bytes, each));
    TULLE__TRY(take(&m->came, &m->came_bytes, each * ranks));
    for (size_t done = 0; done < bytes; done += each) {
        const size_t part = bytes - done < each ? bytes - done : each;
        TULLE__TRY(gather_part(m, (const char *)from + done, (int)part));
        for (size_t r = 0; r < ranks; r++) {
            memcpy((char *)to + r * bytes + done, m->came + r * part, part);
        }
    }
    return TULLE_OK;
}

static tulle_status gather(void *user, const void *from, size_t bytes, void *to) {
    return ended(user, gather_parts(user, from, bytes, to));
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

static tulle_status start_receives(member *m) {
    char *room = m->came;
    for (int i = 0; i < m->receive_count; i++) {
        const tulle_comm_piece *piece = m->receives + i;
        for (size_t done = 0; done < piece->bytes; done += MOST_BYTES) {
            TULLE__TRY(
                told(MPI_Irecv(room + done, part_of(piece->bytes, done), MPI_BYTE, piece->rank, TAG,
                               m->comm, m->requests + m->requests_started)));
            m->receives_started = ++m->requests_started;
        }
        room += piece->bytes;
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

static size_t bytes_of(const tulle_comm_piece *pieces, int count) {
    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += pieces[i].bytes;
    return bytes;
}

static tulle_status start(member *m, const tulle_comm_piece *sends, int send_count) {
    TULLE__TRY(take(&m->sent, &m->sent_bytes, bytes_of(sends, send_count)));
    TULLE__TRY(take(&m->came, &m->came_bytes, bytes_of(m->receives, m->receive_count)));
    TULLE__TRY(take_requests(
        m, messages_of(sends, send_count) + messages_of(m->receives, m->receive_count)));
    TULLE__TRY(start_receives(m));
    return start_sends(m, sends, send_count);
}

static tulle_status exchange_start(void *user, tulle_ctx *ctx, const tulle_comm_piece *sends,
                                   int send_count, const tulle_comm_piece *receives,
                                   int receive_count) {
    member *m = user;
    (void)ctx;
    m->receives = receives;
    m->receive_count = receive_count;
    return ended(m, start(m, sends, send_count));
}

/* MPI takes a message that is shorter than its room for a good one. */
static tulle_status check_lengths(const member *m) {
    const MPI_Status *message = m->statuses;
    for (int i = 0; i < m->receive_count; i++) {
        for (size_t done = 0; done < m->receives[i].bytes; done += MOST_BYTES) {
            int bytes = 0;
            TULLE__TRY(told(MPI_Get_count(message++, MPI_BYTE, &bytes)));
            if (bytes != part_of(m->receives[i].bytes, done)) return no_match();
        }
    }
    return TULLE_OK;
}

static tulle_status finish(member *m) {
    const char *from = m->came;
    TULLE__TRY(await(m));
    TULLE__TRY(check_lengths(m));
    for (int i = 0; i < m->receive_count; i++) {
        memcpy(m->receives[i].data, from, m->receives[i].bytes);
        from += m->receives[i].bytes;
    }
    return TULLE_OK;
}

static tulle_status exchange_finish(void *user, tulle_ctx *ctx) {
    (void)ctx;
    return ended(user, finish(user));
}

static void destroy(void *user) {
    member *m = user;
    int finalized = 0;
    if (m->failed) return; /* messages may still be on their way from and to its memory */
    MPI_Finalized(&finalized);
    if (!finalized) MPI_Comm_free(&m->comm);
    free(m->sent);
    free(m->came);
    free(m->requests);
    free(m->statuses);
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

/* Makes the duplicate, and gives up if another process does not. */
static tulle_status duplicate(member *m, MPI_Comm given) {
    TULLE__TRY(take_requests(m, 1));
    TULLE__TRY(told(MPI_Comm_idup(given, &m->comm, m->requests)));
    m->requests_started = 1;
    return await(m);
}

static tulle_status make(member *m, MPI_Comm given, tulle_comm **comm) {
    tulle_comm_functions functions = {.size = sizeof functions,
                                      .gather = gather,
                                      .exchange_start = exchange_start,
                                      .exchange_finish = exchange_finish,
                                      .destroy = destroy};
    TULLE__TRY(duplicate(m, given));
    MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(m->comm, &functions.rank);
    MPI_Comm_size(m->comm, &functions.ranks);
    m->ranks = functions.ranks;
    return tulle_comm_create(&functions, m, comm);
}

/* After a failure the member stays, as MPI may still write the duplicate to it. */
tulle_status tulle_comm_create_mpi(const void *mpi_comm, double timeout, tulle_comm **comm) {
    TULLE__NEED(comm);
    *comm = NULL;
    TULLE__NEED(mpi_comm);
    TULLE__TRY(check(mpi_comm, timeout));
    member *m = calloc(1, sizeof *m);
    if (!m) return no_memory();
    m->timeout = timeout > 0 ? timeout : PATIENCE;
    return ended(m, make(m, *(const MPI_Comm *)mpi_comm, comm));
}

/* Before MPI_Init no communicator can be looked up; the check of the other function says so. */
tulle_status tulle_comm_create_mpi_fortran(int64_t mpi_comm, double timeout, tulle_comm **comm) {
    int initialized = 0;
    MPI_Initialized(&initialized);
    const MPI_Comm given = initialized ? MPI_Comm_f2c((MPI_Fint)mpi_comm) : MPI_COMM_NULL;
    return tulle_comm_create_mpi(&given, timeout, comm);
}
