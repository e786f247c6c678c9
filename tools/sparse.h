/* SPDX-License-Identifier: Apache-2.0 */
/* One trial of an operation that makes a matrix of one or two (trials/making.h), for its command:
 * computed, checked, written and timed. */
#ifndef TOOL_SPARSE_H
#define TOOL_SPARSE_H

#include "operand.h"
#include "tools/common/verify_rows.h"
#include "trials/making.h"
#include "written.h"

/* Defines a command's operation and its operands. */
typedef struct tool_sparse {
    const trial_operation *operation; /* that makes a matrix */
    const void *options;              /* the operation's own (trial_given.options) */
    char result;                      /* the letter of the result, 'C' */
    bool exact;                /* numbers are only moved, which is right or wrong without a bound */
    bool unsorted;             /* the columns of a row of C may stand in any order */
    tool_operand A, B;         /* B: where there is none, without a name */
    bool alone;                /* B was not given */
    const tool_operand *added; /* D; NULL: there is none */
    const tool_operand *mask;  /* M; NULL: there is none */
    bool index_given;          /* whether --index named an index type of C */
    tulle_index index;         /* that type */
    bool check;
    int64_t repeat;     /* timed calls; 0: none */
    const char *output; /* file for C, or NULL */
} tool_sparse;

/* Holds what came out of the operation. */
typedef struct tool_sparse_result {
    tulle_mat_info info;    /* of C */
    double first_ms;        /* of the first call */
    tool_entry_error error; /* where it was checked */
    tool_written written;   /* where it was */
    tool_timing timing;     /* of the calls; ms 0: not timed */
} tool_sparse_result;

/* Opens A, and B, which without a name is A once more. */
tulle_status tool_sparse_open(tulle_ctx *ctx, const tool_common *common, char **operand, int count,
                              tool_sparse *s);
void tool_sparse_close(tool_sparse *s);

/* report: filled by the last call that is not timed; NULL: the operation has none. */
tulle_status tool_sparse_run(tulle_ctx *ctx, const tool_sparse *s, void *report,
                             tool_sparse_result *result);

/* Checks that this machine has room for a check that takes so much beside what it takes for the
 * operands; what: "a product with 5 columns". */
tulle_status tool_sparse_check_room(const tool_sparse *s, int64_t bytes, const char *what);

/* Checks that a result of this shape has room in the index type of --index. */
tulle_status tool_sparse_check_index(const tool_sparse *s, int64_t rows, int64_t cols);

/* Returns the bytes that a check needs of an operand: its rows, and its arrays where they are not
 * the host's. */
int64_t tool_sparse_operand_bytes(const tool_sparse *s, const tool_operand *operand);

/* Entries of all operands, D and M, by which rows and columns are few (tools/common/few.h). */
int64_t tool_sparse_entries(const tool_sparse *s);

/* Bytes of A, B and C, each counted once. */
int64_t tool_sparse_bytes(const tool_sparse *s, const tool_sparse_result *result);

#endif
