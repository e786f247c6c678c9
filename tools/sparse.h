/* SPDX-License-Identifier: Apache-2.0 */
/* An operation on one or two sparse matrices that makes another one: computed, checked, written
 * and timed, whichever it is. */
#ifndef TOOL_SPARSE_H
#define TOOL_SPARSE_H

#include "operand.h"
#include "tools/common/verify_rows.h"
#include "written.h"

typedef struct tool_sparse tool_sparse;

/* Defines an operation: what it makes of A and B, with its report, where one is wanted; and how
 * that is checked against A and B as they are on the host. */
typedef struct tool_sparse_operation {
    char result; /* what the result is called: 'C' */
    tulle_status (*compute)(tulle_ctx *ctx, const tool_sparse *s, void *report, tulle_mat **C);
    tulle_status (*verify)(const tool_sparse *s, const tool_csr *A, const tool_csr *B,
                           const tool_csr *C, tool_entry_error *error);
    bool exact; /* numbers are only moved, which is right or wrong without a bound */
} tool_sparse_operation;

struct tool_sparse {
    const tool_sparse_operation *operation;
    tool_operand A, B;         /* B: where there is none, without a name */
    bool alone;                /* B was not given */
    const tool_operand *added; /* D; NULL: there is none */
    bool check;
    int64_t repeat;     /* timed calls; 0: none */
    const char *output; /* file for C, or NULL */
};

/* Holds what came out of the operation. */
typedef struct tool_sparse_result {
    tulle_mat_info info;       /* of C */
    double first_ms;           /* of the first call */
    tool_entry_error error;    /* where it was checked */
    tool_written written;      /* where it was */
    double ms, ms_q10, ms_q90; /* median and deciles of the calls; 0: not timed */
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
tulle_status tool_sparse_check_index(bool given, tulle_index index, int64_t rows, int64_t cols);

/* Says what --index is to be, where a call failed as its result has too many entries for the index
 * type that was asked for. Returns the status. */
tulle_status tool_sparse_index_advice(tulle_status status, bool given, tulle_index index);

/* Returns the bytes that a check needs of an operand: its rows, and its arrays where they are not
 * the host's. */
int64_t tool_sparse_operand_bytes(const tool_sparse *s, const tool_operand *operand);

/* Entries of all operands, by which rows and columns are few (tools/common/few.h). */
int64_t tool_sparse_entries(const tool_sparse *s);

/* Bytes of A, B and C, each counted once. */
int64_t tool_sparse_bytes(const tool_sparse *s, const tool_sparse_result *result);

#endif
