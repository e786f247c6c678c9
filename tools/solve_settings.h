/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of `tulle solve`: the options as the command line gives them, and the checks that
 * they go together and with the operand. */
#ifndef TOOL_SOLVE_SETTINGS_H
#define TOOL_SOLVE_SETTINGS_H

#include "crew.h"
#include "solve_task.h"
#include "tools/common/args.h"

/* The forms in which a mesh's matrix comes, as --operator names them; the first three are formats
 * of an assembled matrix. */
typedef enum tool_solve_way {
    TOOL_SOLVE_CSR,
    TOOL_SOLVE_ELL,
    TOOL_SOLVE_HYB,
    TOOL_SOLVE_LOCAL,
    TOOL_SOLVE_MATRIX_FREE,
    TOOL_SOLVE_WAYS
} tool_solve_way;

typedef struct tool_solve_settings {
    tool_common common;
    tool_crew crew;
    tool_solve_summary summary;
    int64_t restart;
    bool repeatable, choose, amg;
    bool nodes; /* true where multigrid of nodes may come */
    int norm, op;
    double lowest, highest;
    double shift;
    const char *b, *format, *method, *plot, *precond;
    bool is_mesh;
    const char *element;
    const char *operator_name;
    int way; /* a tool_solve_way, or TOOL_NOT_GIVEN */
    tool_mesh_problem problem;
    int encoding; /* encoding of the numbers of a .vtu file, or TOOL_NOT_GIVEN */
} tool_solve_settings;

/* Completes the settings from the options that were given, an operand's name, and the name of a
 * vector or NULL. Returns TOOL_OK, or reports the first option that is wrong or does not go with
 * the rest. */
int tool_solve_take(tool_solve_settings *s, const char *name, const char *vector);

/* Refuses settings that need the whole system in one process, where several share the rows. */
int tool_solve_check_shared(const tool_solve_settings *s);

/* Returns whether the iteration works with the matrix itself. */
bool tool_solve_assembled(const tool_solve_settings *s);

#endif
