/* SPDX-License-Identifier: Apache-2.0 */
/* A session is the state that a run keeps from matrix to matrix. */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include "bench/row.h"
#include "bench/seen.h"
#include "bench/settings.h"
#include "bench/standing.h"
#include "trials/limit.h"

typedef struct bench_session {
    const bench_settings *settings;
    tulle_ctx *ctx;
    bench_place place;
    bench_peer_set peers;
    char own[64]; /* kernel that settings->op takes by itself; "": not known */
    bench_seen *seen;
    bench_standing standing;
    FILE *json;        /* NULL: no rows are written */
    bool table;        /* tables are printed for people */
    double deadline;   /* on the clock of tulle__seconds; 0: none */
    trial_limit limit; /* time limit of a call that makes a matrix */
    int64_t measured, wrong, failed;
    int64_t known;    /* measurements that an earlier run had made of matrices begun here */
    int64_t complete; /* matrices of which an earlier run had made all measurements */
    int64_t unread;   /* matrices that could not be opened */
    bool cut;         /* the last matrix begun was not finished */
    int code;         /* exit code with which the run must end at once, or TOOL_OK */
} bench_session;

/* Opens the file for JSON lines: *json is that file, standard output, or NULL; *table is false
 * where standard output has the lines. Returns an exit code of the tool. */
int bench_json_open(const char *path, FILE **json, bool *table);

/* Opens the place, the output and the peers; returns an exit code of the tool. */
int bench_session_open(const bench_settings *settings, bench_session *session);

/* Measures, the first time, how fast the place copies, which takes seconds. To be called when a
 * matrix is there, so that a matrix that has no room is refused before. */
tulle_status bench_session_measure_place(bench_session *session);

void bench_session_close(bench_session *session);

/* Returns whether to stop here: no time is left, the user has interrupted the run, or the run must
 * end at once. */
bool bench_session_over(const bench_session *session);

/* Counts a measured row and writes it; says on standard error when its result is wrong. */
void bench_session_keep(bench_session *session, const bench_row *row);

/* Writes that a row was refused, and why. */
void bench_session_refuse(bench_session *session, bench_row *row, const char *reason);

/* Takes note of a call that failed. A call that ran out of memory (where may_lack_memory) or of the
 * session's time limit is refused as by bench_session_refuse; a variant that does not fit the
 * problem is passed over; any other failure goes to bench_session_failed. */
void bench_session_give_up(bench_session *session, bench_row *row, tulle_status status,
                           bool may_lack_memory);

/* Notes a failure on standard error; a lost device ends the run. */
void bench_session_failed(bench_session *session, const char *what, tulle_status status);

/* Says that a row could not be written (errno has the reason), and ends the run. */
void bench_session_unwritten(bench_session *session);

#endif
