/* SPDX-License-Identifier: Apache-2.0 */
/* The tool chooses the method and the preconditioner that a matrix is solved with, and says why. */
#ifndef TOOL_SOLVE_CHOICE_H
#define TOOL_SOLVE_CHOICE_H

#include "solve_parts.h"

enum { TOOL_WHY = 256 };

/* Says what to solve with, chosen or given; why is empty where it was given. */
typedef struct tool_choice {
    tulle_method method;
    tool_precond precond;
    tool_layout format;
    bool dear; /* factors can be made, and were left out for the time that they take */
    char method_why[TOOL_WHY], precond_why[TOOL_WHY], format_why[TOOL_WHY];
} tool_choice;

/* Says what may be chosen, and under which circumstances. */
typedef struct tool_latitude {
    bool method, precond, format; /* is to be chosen */
    bool at_any_price;            /* factors are taken however long they take to solve with */
    double shift;
    tulle_linop
        *instead; /* what is iterated with for the matrix, which it is to rounding; or NULL */
} tool_latitude;

/* Says how an attempt ended. */
typedef struct tool_attempt {
    tool_choice choice;
    tulle_outcome outcome; /* TULLE_CONVERGED: there was none */
    int64_t iterations;
    double ms;
} tool_attempt;

/* Chooses for a square matrix, which is CSR or DCSR, what is open, and makes it. */
tulle_status tool_choose(tulle_ctx *ctx, tulle_mat *csr, const tool_latitude *latitude,
                         tool_choice *choice, tool_parts *parts);

/* Says whether factors that were left out, or else another method, may do better where one has
 * ended so; then the choice and the parts are anew. */
tulle_status tool_choose_again(tulle_ctx *ctx, tulle_mat *csr, const tool_latitude *latitude,
                               const tool_attempt *before, bool *again, tool_choice *choice,
                               tool_parts *parts);

#endif
