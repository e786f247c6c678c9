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
    tulle_solve_options options; /* options; A's format, guess and monitor are not set */
    tulle__precond precond;      /* preconditioner in options; none where it is chosen */
    tool_layout format;          /* format that is given for A */
    tulle_trans op;
    int64_t vectors;        /* number of right-hand sides, columns of b and x */
    const char *b;          /* "ones", "random" or a file */
    const void *loads;      /* b in host memory, of A's type, in place of `b`; or NULL */
    const char *minus_y;    /* file of -b, or NULL */
    const char *guess;      /* file of the first x, or NULL */
    const void *held;       /* values in host memory, of A's type, that x keeps in some rows */
    const uint8_t *is_held; /* for each row 1 where x keeps a value, else 0; NULL: nowhere */
    uint64_t seed;
    const char *output; /* file for x, or NULL */
    bool levels;        /* true when multigrid's levels are wanted */
} tool_solve_task;

/* Results of solving. */
typedef struct tool_solve_result {
    tulle_solve_report report;
    tulle__precond precond;  /* preconditioner that the report names */
    tool_history history;    /* norms of the last attempt */
    double convert_ms;       /* time of converting A, here and in the library, in milliseconds */
    double b_norm, residual; /* |b| and |b - op(A) x|, in long double, of the right-hand side that
                                is farthest from its limit */
    int64_t column;          /* number of that right-hand side */
    bool judged;             /* true when the solver converged in the norm of that residual */
    bool right;              /* true when the residual is judged and as small as the report says */
    tool_causes causes;      /* causes why the solver did not converge */
    tool_solve_levels levels;
    void *x; /* solution in host memory, of A's type; owned */
} tool_solve_result;

/* Solves a system. Fails also with TULLE_CANCELLED, where the user asked to stop. The result is to
 * be freed. */
tulle_status tool_solve(tulle_ctx *ctx, const tool_operand *A, const tool_solve_task *task,
                        tool_solve_result *result);
void tool_solve_free(tool_solve_result *result);

#endif
