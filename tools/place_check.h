/* SPDX-License-Identifier: Apache-2.0 */
/* A place put to the test: what it is, how fast, and whether it computes right. */
#ifndef TOOL_PLACE_CHECK_H
#define TOOL_PLACE_CHECK_H

#include <stdbool.h>

#include "tools/common/timing.h"
#include "tulle/tulle.h"

typedef struct tool_place_check {
    char where[32]; /* "cuda:0" */
    bool works;
    tulle_device_info device;
    double copy_gbs;    /* 0: not measured */
    tool_timing timing; /* of calls of one product; no samples: not measured */
    double error;       /* worst of the products, in units of the bound */
    char problem[512];  /* why it does not work, or "" */
} tool_place_check;

/* Multiplies a small model matrix there, plain and transposed, in both types. Fails with
 * TULLE_CANCELLED alone; any other failure is what was found. */
tulle_status tool_check_place(const char *where, bool measure, tool_place_check *check);

#endif
