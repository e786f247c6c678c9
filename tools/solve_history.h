/* SPDX-License-Identifier: Apache-2.0 */
/* A solver tells of its iterations, which is kept, and shown on a terminal while it runs. */
#ifndef TOOL_SOLVE_HISTORY_H
#define TOOL_SOLVE_HISTORY_H

#include <stdint.h>

typedef struct tool_history {
    double *norm; /* of iterations 0 to count - 1; owned */
    int64_t count, room;
} tool_history;

/* A tulle_monitor_fn, user being a history, which begins anew with iteration 0. Not 0: the user
 * asked to stop. */
int tool_history_add(void *user, int64_t iteration, double norm);

void tool_history_free(tool_history *history);

#endif
