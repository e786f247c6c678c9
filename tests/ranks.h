/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that stand for processes: each has a rank, a context and a communicator. cmocka's checks
 * leave a test by a jump, which a thread other than the test's must not do, so what threads do
 * returns a status, and the test looks at these afterwards. */
#ifndef TESTS_RANKS_H
#define TESTS_RANKS_H

#include "tulle/tulle.h"

enum { MOST_RANKS = 4, RANK_WORDS = 256 };

typedef struct process {
    int rank, ranks;
    tulle_ctx *ctx;
    tulle_comm *comm;
    void *data; /* the test's */
    const char *where;
    tulle_status (*body)(struct process *p);
    tulle_status status;                          /* what the body returned */
    char words[RANK_WORDS], argument[RANK_WORDS]; /* of the record of its failure */
    double seconds;                               /* that the body took */
} process;

/* Runs the body in so many threads, each with a context at the place, and waits for all. p receives
 * how each went. */
void run_ranks(int ranks, double timeout, const char *where, tulle_status (*body)(process *p),
               void *data, process p[MOST_RANKS]);

/* Fail the test unless all of them succeeded; the words say which case it is. */
void must_all(const process *p);
void must_all_of(const process *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns a copy of numbers in a type, which the caller frees. */
void *ranks_numbers(const double *numbers, int64_t count, tulle_type type);

/* A status for a check within a body that has failed. */
tulle_status wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
