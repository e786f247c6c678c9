/* SPDX-License-Identifier: Apache-2.0 */
/* Opens matrices that the command line names: a file, a generator's specification, or a name in the
 * folder that the environment variable TULLE_MATRICES names. */
#ifndef TOOL_INPUT_H
#define TOOL_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "tulle/io.h"

/* Tells the source of a matrix. */
typedef struct tool_source {
    const char *kind;     /* "real" (a file), "generated", "like" or "tile" */
    bool has_file;        /* the matrix was read from a file: the next two members are filled */
    char path[4096];      /* path of that file */
    tulle_file_info file; /* description that the file gives of itself */
    double seconds;       /* seconds that reading or generating took */
} tool_source;

/* Returns true if a path ends as a file of a mesh does: in .msh or .vtu, or with .gz, .xz or .zst
 * behind. */
bool tool_names_mesh_file(const char *path);

/* Opens the matrix that an argument names: an existing file ("-": standard input), else
 * "tile:FILE:k", else a generator's specification, else NAME for
 * TULLE_MATRICES/NAME.mtx[.gz|.xz|.zst], NAME.tar.gz or NAME.tulle. source may be NULL. After a
 * failure tool_fail or tool_error_line say which of these ways failed and which names would be
 * close. */
tulle_status tool_open_matrix(tulle_ctx *ctx, const char *argument, tulle_type type, uint64_t seed,
                              tulle_mat **A, tool_source *source);

/* Reads the file of that path ("-": standard input), and reports numbers that the type cannot
 * hold. */
tulle_status tool_open_file(tulle_ctx *ctx, const char *path, tulle_type type, tulle_mat **A,
                            tulle_file_info *file);

/* Finds the file that a name means in the folder that TULLE_MATRICES names; returns whether there
 * is one. */
bool tool_find_matrix(const char *name, char path[4096]);

/* Opens the matrix that an argument names, of which each process of the communicator keeps its own
 * rows (tulle_dist_mat_load, tulle_dist_generate). All processes fail where one does. */
tulle_status tool_open_shared(tulle_ctx *ctx, tulle_comm *comm, const char *argument,
                              tulle_type type, uint64_t seed, tulle_dist_mat **A,
                              tool_source *source);

/* Puts the CSR form of a matrix that a file holds in BSR in its place, for callers whose report is
 * about rows or who choose formats themselves. Leaves other matrices as they are. */
tulle_status tool_unfold_blocks(tulle_ctx *ctx, tulle_mat **A);

/* Does the same as tool_open_matrix for a generator's specification alone. */
tulle_status tool_open_generated(tulle_ctx *ctx, const char *spec, tulle_type type, uint64_t seed,
                                 tulle_mat **A, tool_source *source);

#endif
