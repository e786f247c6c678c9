/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_PACKERS_H
#define TOOL_PACKERS_H

#include <stdbool.h>

#include "tulle/status.h"

/* A way to compress files: whether a small matrix comes back whole through it. */
typedef struct tool_packer {
    const char *ending; /* ".xz" */
    bool works;
    char problem[512]; /* or "" */
} tool_packer;

enum { TOOL_PACKERS = 4 };

/* Writes and reads files in a folder of its own under TMPDIR or /tmp, which is removed again.
 * Fails with TULLE_CANCELLED alone. */
tulle_status tool_check_packers(tool_packer packers[TOOL_PACKERS]);

#endif
