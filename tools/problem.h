/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion problems as people describe them on the command line: numbers for all cells or for a
 * group of cells, and conditions on parts of the boundary. */
#ifndef TOOL_PROBLEM_H
#define TOOL_PROBLEM_H

#include "tools/common/args.h"
#include "tulle/tulle.h"

typedef struct tool_problem {
    tool_list k, c, f;                   /* "NUMBER" or "GROUP=NUMBER" */
    tool_list dirichlet, neumann, robin; /* "NUMBER" or "GROUP=NUMBER"; "FACTOR:NUMBER" of robin */
    tool_list periodic;                  /* "FROM=TO" */
} tool_problem;

/* Rows of an option table. */
#define TOOL_PROBLEM_LIST(called, list, words, what)                                               \
    { .name = (called), .kind = TOOL_LIST, .target = (list), .value = (words), .help = (what) }
#define TOOL_PROBLEM_OPTIONS(p)                                                                    \
    TOOL_PROBLEM_LIST("conductivity", &(p)->k, "[GROUP=]NUMBER",                                   \
                      "k, in all cells or those of a group (default 1)"),                          \
        TOOL_PROBLEM_LIST("reaction", &(p)->c, "[GROUP=]NUMBER",                                   \
                          "c, in all cells or those of a group (default 0)"),                      \
        TOOL_PROBLEM_LIST("source", &(p)->f, "[GROUP=]NUMBER",                                     \
                          "f, in all cells or those of a group (default 1)"),                      \
        TOOL_PROBLEM_LIST("dirichlet", &(p)->dirichlet, "[GROUP=]NUMBER",                          \
                          "u on the boundary or a part of it (default 0 on all)"),                 \
        TOOL_PROBLEM_LIST("neumann", &(p)->neumann, "[GROUP=]NUMBER",                              \
                          "the flux k grad u . n that comes in there"),                            \
        TOOL_PROBLEM_LIST("robin", &(p)->robin, "[GROUP=]H:U", "the flux is H (U - u) there"),     \
        TOOL_PROBLEM_LIST("periodic", &(p)->periodic, "FROM=TO",                                   \
                          "u on one part of the boundary is that on another, moved")

/* True if any option of a problem was given. */
bool tool_problem_given(const tool_problem *p);

/* A problem of the library's, with the arrays that it refers to; freed by tool_problem_free. */
typedef struct tool_problem_made {
    tulle_diffusion_problem problem;
    tulle_quantity k;
    tulle_condition *conditions;
    char **names; /* names of the conditions' groups, one for each condition */
    tulle_period *periods;
    char **ends;         /* names of the periods' groups, two for each period */
    double *of_cells[3]; /* k, c and f of each cell; NULL: one number for all cells */
} tool_problem_made;

/* Makes the library's problem on a mesh. Fails with TULLE_INVALID_ARGUMENT (text that is no number)
 * or TULLE_NOT_FOUND (no group of cells has a name, or no group of facets has the name of a period;
 * the library itself looks for the groups of conditions). */
tulle_status tool_problem_make(const tool_problem *p, const tulle_mesh *mesh,
                               tool_problem_made *made);
void tool_problem_free(tool_problem_made *made);

#endif
