/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the norms that a solver tells of, and shows them on a terminal while the solver runs. */
#ifndef TOOL_SOLVE_HISTORY_H
#define TOOL_SOLVE_HISTORY_H

#include <stdint.h>

typedef struct tool_history {
    double *norm;  /* norms of the residuals of iterations 0 to count - 1; owned */
    int64_t count; /* number of norms */
    int64_t room;  /* number of norms that there is memory for */
} tool_history;

/* Adds a norm to the history `user`, which begins anew with iteration 0; a tulle_monitor_fn.
 * Returns 1 if the user of the program asked to stop, else 0. */
int tool_history_add(void *user, int64_t iteration, double norm);

void tool_history_free(tool_history *history);

#endif
