/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes from the command line. */
#ifndef TOOL_MESH_INPUT_H
#define TOOL_MESH_INPUT_H

#include "tulle/mesh_io.h"

/* Where a mesh came from. */
typedef struct tool_mesh_source {
    bool has_file;             /* else generated */
    tulle_mesh_file_info file; /* what it says of itself */
    double seconds;            /* that reading or generating took */
} tool_mesh_source;

/* Opens the mesh that an argument names: an existing file ("-": standard input), else a generator's
 * specification. */
tulle_status tool_open_mesh(tulle_ctx *ctx, const char *argument, tulle_mesh **mesh,
                            tool_mesh_source *source);

/* The same for a specification alone. */
tulle_status tool_open_mesh_generated(tulle_ctx *ctx, const char *spec, tulle_mesh **mesh,
                                      tool_mesh_source *source);

/* Whether an argument is to be read as a mesh rather than as a matrix: the name of a file that ends
 * in .msh, or .msh.gz, .msh.xz, .msh.zst; or a generator's specification. */
bool tool_names_mesh(const char *argument);

#endif
