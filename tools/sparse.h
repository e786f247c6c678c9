/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one trial of an operation that makes a matrix of one or two (trials/making.h), for its
 * command: computes, checks, writes and times the result. */
#ifndef TOOL_SPARSE_H
#define TOOL_SPARSE_H

#include "operand.h"
#include "tools/common/verify_rows.h"
#include "trials/making.h"
#include "written.h"

/* Defines a command's operation and its operands. */
typedef struct tool_sparse {
    const trial_operation *operation; /* operation that makes a matrix */
    const void *options;              /* the operation's own options (trial_given.options) */
    char result;                      /* letter of the result, 'C' */
    bool exact;                /* true: numbers are only moved, so no bound allows an error */
    bool unsorted;             /* true: the columns of a row of C may stand in any order */
    tool_operand A, B;         /* operands; a B that does not exist has no name */
    bool alone;                /* true when B was not given */
    const tool_operand *added; /* D; NULL: nothing is added */
    const tool_operand *mask;  /* M; NULL: there is no mask */
    bool index_given;          /* true when --index named an index type of C */
    tulle_index index;         /* index type that --index named */
    bool check;
    int64_t repeat;     /* number of timed calls */
    const char *output; /* file for C, or NULL */
} tool_sparse;

/* Results of an operation. */
typedef struct tool_sparse_result {
    tulle_mat_info info;    /* properties of C */
    double first_ms;        /* time of the first call, in milliseconds */
    tool_entry_error error; /* error, if C was checked */
    tool_written written;   /* file of C, if C was written */
    tool_timing timing;     /* timing of the calls; ms 0: not timed */
} tool_sparse_result;

/* Opens A and B; without a name for B, B is A. */
tulle_status tool_sparse_open(tulle_ctx *ctx, const tool_common *common, char **operand, int count,
                              tool_sparse *s);
void tool_sparse_close(tool_sparse *s);

/* Runs the trial. report: report of the operation, filled by the last call that is not timed; NULL:
 * the operation has none. */
tulle_status tool_sparse_run(tulle_ctx *ctx, const tool_sparse *s, void *report,
                             tool_sparse_result *result);

/* Checks that this machine has room for the check, which takes `bytes` beside the bytes for the
 * operands. what: noun of the error line, such as "a product with 5 columns". */
tulle_status tool_sparse_check_room(const tool_sparse *s, int64_t bytes, const char *what);

/* Checks that a result of this shape has room in the index type of --index. */
tulle_status tool_sparse_check_index(const tool_sparse *s, int64_t rows, int64_t cols);

/* Returns the bytes that a check needs of an operand: its rows, and its arrays where they are not
 * the host's. */
int64_t tool_sparse_operand_bytes(const tool_sparse *s, const tool_operand *operand);

/* Returns the entries of all operands, D and M, by which rows and columns are few
 * (tools/common/few.h). */
int64_t tool_sparse_entries(const tool_sparse *s);

/* Returns the bytes of A, B and C, each counted once. */
int64_t tool_sparse_bytes(const tool_sparse *s, const tool_sparse_result *result);

#endif
