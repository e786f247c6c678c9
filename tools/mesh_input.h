/* SPDX-License-Identifier: Apache-2.0 */
/* Meshes from the command line. */
#ifndef TOOL_MESH_INPUT_H
#define TOOL_MESH_INPUT_H

#include "tulle/mesh_io.h"

/* Origin of a mesh. */
typedef struct tool_mesh_source {
    bool has_file;             /* true: the mesh is from a file; false: it was generated */
    tulle_mesh_file_info file; /* properties of the file */
    double seconds;            /* time of reading or generating, in seconds */
} tool_mesh_source;

/* The option --encoding, whose target is TOOL_NOT_GIVEN at first, and the encoding of its choice.
 */
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

/* Opens the mesh of a generator's specification. */
tulle_status tool_open_mesh_generated(tulle_ctx *ctx, const char *spec, tulle_mesh **mesh,
                                      tool_mesh_source *source);

/* True if an argument is to be read as a mesh rather than as a matrix: the name of a file that ends
 * in .msh or .vtu, or with .gz, .xz or .zst behind it; or a generator's specification. */
bool tool_names_mesh(const char *argument);

#endif
