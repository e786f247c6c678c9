/* SPDX-License-Identifier: Apache-2.0 */
/* One system op(A) x = b: set up, solved by an iterative method, and verified. */
#ifndef TOOL_SOLVE_TASK_H
#define TOOL_SOLVE_TASK_H

#include "operand.h"
#include "precond.h"
#include "solve_advice.h"
#include "solve_history.h"
#include "solve_levels.h"
#include "tools/common/layout.h"
#include "tulle/tulle.h"

/* Says what to solve, and how. */
typedef struct tool_solve_task {
    tulle_solve_options options; /* without A's format, guess and monitor */
    tulle__precond precond;      /* the one in options; none where it is chosen */
    tool_layout format;          /* format that is given for A */
    tulle_trans op;
    int64_t vectors;        /* number of right-hand sides, columns of b and x */
    const char *b;          /* "ones", "random" or a file */
    const void *loads;      /* instead of these, b on the host, of A's type; or NULL */
    const char *minus_y;    /* file of -b, or NULL */
    const char *guess;      /* file, or NULL */
    const void *held;       /* on the host, of A's type: what x has from the start to the end, */
    const uint8_t *is_held; /* in these of its rows, which A leaves to themselves; NULL: none */
    uint64_t seed;
    const char *output; /* file for x, or NULL */
    bool levels;        /* true when multigrid's levels are wanted */
} tool_solve_task;

/* Holds what came out of solving. */
typedef struct tool_solve_result {
    tulle_solve_report report;
    tulle__precond precond;  /* the report's */
    tool_history history;    /* of the last attempt */
    double convert_ms;       /* the format, by the tool and by the library */
    double b_norm, residual; /* |b| and |b - op(A) x|, in long double, of the right-hand side that
                                is farthest from its limit */
    int64_t column;          /* number of that right-hand side */
    bool judged;             /* it converged in the norm of that residual */
    bool right;              /* and the residual is what the report says */
    tool_causes causes;      /* where it did not converge */
    tool_solve_levels levels;
    void *x; /* on the host, of A's type */
} tool_solve_result;

/* Fails also as tool_history_add says, with TULLE_CANCELLED. The result is to be freed. */
tulle_status tool_solve(tulle_ctx *ctx, const tool_operand *A, const tool_solve_task *task,
                        tool_solve_result *result);
void tool_solve_free(tool_solve_result *result);

#endif
