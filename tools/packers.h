/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_PACKERS_H
#define TOOL_PACKERS_H

#include <stdbool.h>

#include "tulle/status.h"

/* A way to compress files, and whether a small matrix was written and read back whole by it. */
typedef struct tool_packer {
    const char *ending; /* ending of compressed files, such as ".xz"; "": plain files */
    bool works;
    char problem[512]; /* reason why the way does not work, or "" */
} tool_packer;

enum { TOOL_PACKERS = 4 };

/* Writes and reads files in a folder of its own under TMPDIR or /tmp, which is removed again.
 * Fails with TULLE_CANCELLED alone. */
tulle_status tool_check_packers(tool_packer packers[TOOL_PACKERS]);

#endif
