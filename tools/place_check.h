/* SPDX-License-Identifier: Apache-2.0 */
/* Tests a place: its device, its speed, and whether it computes right. */
#ifndef TOOL_PLACE_CHECK_H
#define TOOL_PLACE_CHECK_H

#include <stdbool.h>

#include "tools/common/timing.h"
#include "tulle/tulle.h"

typedef struct tool_place_check {
    char where[32]; /* name of the place, such as "cuda:0" */
    bool works;
    tulle_device_info device;
    double copy_gbs;    /* bandwidth of a copy, in GB/s; 0: not measured */
    tool_timing timing; /* timing of calls of one product; no samples: not measured */
    double error;       /* worst error of the products, in units of the bound */
    char problem[512];  /* reason why the place does not work, or "" */
} tool_place_check;

/* Multiplies a small model matrix at a place, plain and transposed, in both types. Fails with
 * TULLE_CANCELLED alone; any other failure is reported in *check. */
tulle_status tool_check_place(const char *where, bool measure, tool_place_check *check);

#endif
