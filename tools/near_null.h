/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and near null spaces for multigrid of systems, as the command line names them. */
#ifndef TOOL_NEAR_NULL_H
#define TOOL_NEAR_NULL_H

#include "tools/common/args.h"
#include "tools/common/json.h"
#include "tulle/tulle.h"

typedef struct tool_near_null {
    const char *what;        /* "rigid", "constant" or a file; NULL: not given */
    const char *coordinates; /* file of the nodes' coordinates; NULL: not given */
    int64_t block;           /* unknowns of a node; 0: not given */
    tulle_vec *B;            /* the vectors; NULL: constants, or none are wanted; owned */
    int64_t vectors;         /* number of the vectors; 0: none are wanted */
} tool_near_null;

/* Rows of an option table. */
#define TOOL_NEAR_NULL_OPTIONS(n)                                                                  \
    {.name = "near-null",                                                                          \
     .kind = TOOL_TEXT,                                                                            \
     .target = &(n)->what,                                                                         \
     .value = "rigid|constant|FILE",                                                               \
     .help = "amg of nodes: what A nearly takes to 0; rigid for --elasticity"},                    \
        {.name = "block-size",                                                                     \
         .kind = TOOL_INT,                                                                         \
         .target = &(n)->block,                                                                    \
         .value = "B",                                                                             \
         .help = "amg of nodes: unknowns of a node, 1 to 16",                                      \
         .min = 1,                                                                                 \
         .max = 16},                                                                               \
    {                                                                                              \
        .name = "coordinates", .kind = TOOL_TEXT, .target = &(n)->coordinates, .value = "FILE",    \
        .help = "of the nodes, a row each, for --near-null rigid"                                  \
    }

/* True if any of these options was given. */
bool tool_near_null_given(const tool_near_null *n);

/* Checks that options which need one another are there. mesh: true where a mesh has the nodes.
 * Returns TOOL_OK, or prints a message and returns TOOL_BAD_INPUT. */
int tool_near_null_check(const char *command, const tool_near_null *n, bool mesh);

/* Makes the vectors for a matrix, and fills in the options. mesh: has the nodes, or NULL. There is
 * something to close even after a failure. Fails with TULLE_SHAPE_MISMATCH where files do not fit
 * the matrix, and as reading does. */
tulle_status tool_near_null_open(tulle_ctx *ctx, const tulle_mat_info *A, const tulle_mesh *mesh,
                                 tool_near_null *n, tulle_solve_options *options);
void tool_near_null_close(tool_near_null *n);

/* Adds the object "near_null" to a report, where vectors are wanted. */
void tool_near_null_add(cJSON *json, const tool_near_null *n);

#endif
