/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a matrix, and the closing remark about it. */
#ifndef TOOL_WRITTEN_H
#define TOOL_WRITTEN_H

#include "tools/common/args.h"
#include "tools/common/input.h"

typedef struct tool_written {
    tool_source source;
    tulle_mat_info info;
    const char *path;
    int64_t file_bytes;
    double seconds; /* that writing took */
    bool reordered; /* by the caller, who fills these two */
    int64_t bandwidth_before;
} tool_written;

/* Saves A and fills what is known then; source is the caller's. */
tulle_status tool_write_matrix(tulle_ctx *ctx, const tulle_mat *A, const char *path,
                               const tulle_save_options *options, tool_written *written);

/* One line for people, unless quiet, or an object for programs. Returns the exit code. */
int tool_print_written(const tool_written *written, const tool_common *common);

#endif
