/* SPDX-License-Identifier: Apache-2.0 */
/* One triangular system op(T) X = alpha B: set up, solved, checked and timed. */
#ifndef TOOL_TRISOLVE_SYSTEM_H
#define TOOL_TRISOLVE_SYSTEM_H

#include "operand.h"
#include "tools/common/layout.h"
#include "tools/common/verify.h"
#include "tulle/tulle.h"

/* Says which system to solve, and how. */
typedef struct tool_system {
    tulle_part part;
    tulle_diag diag;
    tulle_trans op;
    double alpha;
    int64_t vectors;
    tulle_layout layout; /* of B and X */
    tool_layout format;  /* of A */
    bool dominant, check;
    const char *kernel; /* specification, or NULL */
    const char *b;      /* "ones", "random" or a file */
    uint64_t seed;
    int64_t repeat;     /* timed calls; 0: none */
    const char *output; /* file for X, or NULL */
} tool_system;

/* Holds what came out of solving. */
typedef struct tool_system_result {
    tulle_mat_info info; /* of the matrix that was solved with */
    double convert_ms;   /* that its format took */
    tulle_trisolve_info analysis;
    tool_error_found error;
    int64_t infinite;          /* numbers of X that are not finite, where all of B's are */
    double first_ms;           /* the first call, after the analysis */
    double ms, ms_q10, ms_q90; /* median and deciles of the calls; 0: not timed */
    double conversion_ms;      /* median of what calls begin with, bringing T into another form; 0:
                                  they do not, or it was not timed */
    int64_t minimal_bytes;     /* T, B and X, each read or written once */
} tool_system_result;

tulle_status tool_trisolve(tulle_ctx *ctx, const tool_operand *A, const tool_system *system,
                           tool_system_result *result);

#endif
