/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of every operation that makes a sparse matrix C of others, whatever it computes. */
#ifndef TESTS_MAKING_H
#define TESTS_MAKING_H

#include "entries.h"

enum { MAKING_OPERANDS = 3 };

typedef struct making making;
struct making {
    /* Makes operands, in m; those that there are not stay NULL. */
    void (*operands)(tulle_ctx *ctx, const making *job, tulle_mat *m[MAKING_OPERANDS]);
    /* index: that is asked of C; NULL: none is. */
    tulle_status (*make)(tulle_ctx *ctx, const making *job, tulle_mat *const m[MAKING_OPERANDS],
                         const tulle_index *index, tulle_mat **C);
    tulle_trans op;     /* for make */
    const char *kernel; /* that is forced; NULL: none */
};

/* A matrix of a generator. */
tulle_mat *making_generated(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type);

/* Fails unless a call of the function failed so, for this argument, and left C NULL, which is then
 * set to what no call leaves. */
void making_assert_fails(tulle_status got, const char *function, tulle_status wanted,
                         const char *argument, tulle_mat **C);

/* Either of the first two operands lives elsewhere. */
void making_check_elsewhere(tulle_ctx *ctx, const char *where, const making *job);

/* C in each index type that is asked for, and in the wider one of its operands', which are CSR with
 * TULLE_I32, where none is. */
void making_check_indices(tulle_ctx *ctx, const making *job);

/* C is described as if it had been made from its arrays. */
void making_check_statistics(tulle_ctx *ctx, const tulle_mat *C);

/* The call is cancelled each time that it asks, at least so often: no C, and nothing stays in use;
 * what it says of its products rises. */
void making_check_cancelling(tulle_ctx *ctx, const making *job, int least);

/* Each of its allocations, at least so many, fails once: no C, no leak, operands as they were. */
void making_check_running_out(const char *where, const making *job, int64_t least);

#endif
