/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the levels of multigrid's hierarchy that a solution used. */
#ifndef TOOL_SOLVE_LEVELS_H
#define TOOL_SOLVE_LEVELS_H

#include "tools/common/json.h"
#include "tulle/tulle.h"

/* Largest number of levels of a hierarchy. */
enum { TOOL_SOLVE_MOST_LEVELS = 64 };

/* Room of a text with a line of 100 characters for each level, and some lines more. */
enum { TOOL_SOLVE_LEVELS_TEXT = 101 * (TOOL_SOLVE_MOST_LEVELS + 8) };

/* Holds levels from A's on; there are none where the preconditioner is no hierarchy. */
typedef struct tool_solve_levels {
    bool wanted; /* true when levels are reported */
    int count;
    tulle_amg_level_info level[TOOL_SOLVE_MOST_LEVELS]; /* properties; their matrices are NULL */
    char text[TOOL_SOLVE_LEVELS_TEXT];                  /* the hierarchy in words */
} tool_solve_levels;

/* Takes the levels of a preconditioner, where they are wanted; M may be NULL. */
tulle_status tool_solve_levels_take(const tulle_linop *M, tool_solve_levels *levels);

/* Add the levels to a report, and print them as a table, where they are wanted. */
void tool_solve_levels_print(const cJSON *fields);
void tool_solve_levels_add(cJSON *json, const tool_solve_levels *levels);

#endif
