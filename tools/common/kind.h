/* SPDX-License-Identifier: Apache-2.0 */
/* Before a path is written, its present file is checked for its kind, so that no file of another
 * kind is lost. */
#ifndef TOOL_KIND_H
#define TOOL_KIND_H

#include "tulle/status.h"

typedef struct tool_file_kind {
    const char *name;         /* "SVG picture" */
    const char *const *begin; /* texts, then NULL: a file of the kind begins with one of them */
} tool_file_kind;

extern const tool_file_kind tool_file_matrix, tool_file_array, tool_file_mesh, tool_file_svg,
    tool_file_rows, tool_file_json;

/* Fails with TULLE_INVALID_ARGUMENT where a file of another kind is at the path. A path without a
 * file, an empty file and anything but a regular file are fine. */
tulle_status tool_check_kind(const char *path, const tool_file_kind *kind);

#endif
