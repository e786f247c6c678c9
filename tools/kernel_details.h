/* SPDX-License-Identifier: Apache-2.0 */
/* All about one kernel, for people and for programs. */
#ifndef TOOL_KERNEL_DETAILS_H
#define TOOL_KERNEL_DETAILS_H

#include "tools/common/json.h"
#include "tulle/advanced.h"

/* A kernel and how to ask the registry about it. */
typedef struct tool_kernel {
    tulle_backend backend;
    int number;
    tulle_kernel_info info;
} tool_kernel;

void tool_kernel_print(const tool_kernel *kernel);

/* Adds a kernel to a JSON array. */
void tool_kernel_add_json(void *list, const tool_kernel *kernel);

#endif
