/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a matrix, and reports that it was written. */
#ifndef TOOL_WRITTEN_H
#define TOOL_WRITTEN_H

#include "tools/common/args.h"
#include "tools/common/input.h"

typedef struct tool_written {
    tool_source source;
    tulle_mat_info info;
    const char *path;
    int64_t file_bytes;
    double seconds; /* time of writing, in seconds */
    bool reordered; /* true when the caller has reordered the matrix; filled by the caller */
    int64_t bandwidth_before; /* bandwidth before reordering; filled by the caller */
} tool_written;

/* Saves A and fills *written, except source, which the caller fills. */
tulle_status tool_write_matrix(tulle_ctx *ctx, const tulle_mat *A, const char *path,
                               const tulle_save_options *options, tool_written *written);

/* Prints one line for people, unless quiet, or JSON for programs. Returns the exit code. */
int tool_print_written(const tool_written *written, const tool_common *common);

#endif
