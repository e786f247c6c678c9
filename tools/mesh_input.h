/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes from the command line. */
#ifndef TOOL_MESH_INPUT_H
#define TOOL_MESH_INPUT_H

#include "tulle/mesh_io.h"

/* Tells where a mesh came from. */
typedef struct tool_mesh_source {
    bool has_file;             /* else generated */
    tulle_mesh_file_info file; /* what it says of itself */
    double seconds;            /* that reading or generating took */
} tool_mesh_source;

/* The option --encoding, as TOOL_NOT_GIVEN at first, and what it says. */
#define TOOL_ENCODING(to, text)                                                                    \
    {                                                                                              \
        .name = "encoding", .kind = TOOL_CHOICE, .target = (to), .value = "raw|text|base64",       \
        .help = (text)                                                                             \
    }
tulle_mesh_encoding tool_encoding_of(int word);

/* Opens the mesh that an argument names: an existing file ("-": standard input), else a generator's
 * specification. */
tulle_status tool_open_mesh(tulle_ctx *ctx, const char *argument, tulle_mesh **mesh,
                            tool_mesh_source *source);

/* The same for a specification alone. */
tulle_status tool_open_mesh_generated(tulle_ctx *ctx, const char *spec, tulle_mesh **mesh,
                                      tool_mesh_source *source);

/* True if an argument is to be read as a mesh rather than as a matrix: the name of a file that ends
 * in .msh or .vtu, or with .gz, .xz or .zst behind it; or a generator's specification. */
bool tool_names_mesh(const char *argument);

#endif
