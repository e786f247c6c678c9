/* SPDX-License-Identifier: Apache-2.0 */
/* One system op(A) x = b: set up, solved by an iterative method, and verified. */
#ifndef TOOL_SOLVE_TASK_H
#define TOOL_SOLVE_TASK_H

#include "operand.h"
#include "solve_advice.h"
#include "solve_choice.h"
#include "solve_history.h"
#include "tulle/tulle.h"

/* Says what to solve, and how. */
typedef struct tool_solve_task {
    tulle_solver_options options; /* without method, operators and vectors */
    tool_choice given;
    tool_latitude latitude; /* what is not given */
    tulle_trans op;
    bool mixed;             /* f32 inside */
    const char *b;          /* "ones", "random" or a file */
    const void *loads;      /* instead of these, b on the host, of A's type; or NULL */
    const char *minus_y;    /* file of -b, or NULL */
    const char *guess;      /* file, or NULL */
    const void *held;       /* on the host, of A's type: what x has from the start to the end, */
    const uint8_t *is_held; /* in these of its rows, which A leaves to themselves; NULL: none */
    uint64_t seed;
    const char *output; /* file for x, or NULL */
} tool_solve_task;

/* Holds what came out of solving. */
typedef struct tool_solve_result {
    tool_choice choice;
    tool_attempt before;       /* another method that was tried */
    tulle_mat_info info;       /* of op(A) in its format, as it is iterated with */
    tulle_factor_info factors; /* rows 0: there are none */
    tulle_solver_report report;
    tool_history history;
    double choose_ms;                         /* all but the next two */
    double convert_ms, precond_ms, create_ms; /* the format, the preconditioner, the solver */
    double b_norm, residual;                  /* |b| and |b - op(A) x|, in long double */
    int restart;                              /* GMRES': 0: the library's own */
    bool judged;                              /* it converged in the norm of that residual */
    bool right;                               /* and the residual is what the report says */
    tool_causes causes;                       /* where it did not converge */
    void *x;                                  /* on the host, of A's type */
} tool_solve_result;

/* Fails also as tool_history_add says, with TULLE_CANCELLED. The result is to be freed. */
tulle_status tool_solve(tulle_ctx *ctx, const tool_operand *A, const tool_solve_task *task,
                        tool_solve_result *result);
void tool_solve_free(tool_solve_result *result);

#endif
