/* SPDX-License-Identifier: Apache-2.0 */
/* Reads names of kernels as people write them on the command line: the operation's name may be left
 * out. */
#ifndef TOOL_KERNEL_NAME_H
#define TOOL_KERNEL_NAME_H

#include <stdbool.h>

#include "tulle/advanced.h"
#include "tulle/tulle.h"

enum { TOOL_KERNEL_SPEC = 160 };

/* Returns true if NAME or NAME:param=value,... means this kernel: "spmv_csr", or "csr" for
 * short. */
bool tool_kernel_means(const char *spec, const char *name);

/* Returns true if the text means this kernel by either of the kernel's names. */
bool tool_kernel_is(const char *spec, const tulle_kernel_info *info);

/* Writes the specification with the kernel's whole name, a kernel of the operation before kernels
 * of others ("csr" for "spmm"). Returns false, and leaves the text as it is, when the back end has
 * no such kernel. */
bool tool_kernel_spec(tulle_backend backend, const char *operation, const char *asked,
                      char spec[TOOL_KERNEL_SPEC]);

/* Forces a kernel of the operation by the name that the user gave; NULL: none. A kernel of another
 * operation could be forced and would still not run: that fails, and the message says with `does`
 * what the operation does. */
tulle_status tool_kernel_force(tulle_ctx *ctx, const char *operation, const char *does,
                               const char *asked);

#endif
