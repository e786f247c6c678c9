/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as people name them on the command line: the operation's name may be left out. */
#ifndef TOOL_KERNEL_NAME_H
#define TOOL_KERNEL_NAME_H

#include <stdbool.h>

#include "tulle/advanced.h"
#include "tulle/tulle.h"

enum { TOOL_KERNEL_SPEC = 160 };

/* True if NAME or NAME:param=value,... means this kernel: "spmv_csr", or "csr" for short. */
bool tool_kernel_means(const char *spec, const char *name);

/* The same of either of its names. */
bool tool_kernel_is(const char *spec, const tulle_kernel_info *info);

/* The specification with the kernel's whole name, one of the operation's before others ("csr" for
 * "spmm"); as it is when the back end has no such kernel, and then false. */
bool tool_kernel_spec(tulle_backend backend, const char *operation, const char *asked,
                      char spec[TOOL_KERNEL_SPEC]);

/* Forces a kernel of the operation, as it is asked for; NULL: none. One of another operation could
 * be forced and still not run: that fails, in words that say what the operation does. */
tulle_status tool_kernel_force(tulle_ctx *ctx, const char *operation, const char *does,
                               const char *asked);

#endif
