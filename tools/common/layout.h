/* SPDX-License-Identifier: Apache-2.0 */
/* Reads formats as people name them on the command line: NAME or NAME:option=value,... */
#ifndef TOOL_LAYOUT_H
#define TOOL_LAYOUT_H

#include <stdbool.h>

#include "tulle/tulle.h"

/* These are the value's name and the help texts of an option that takes a layout. */
#define TOOL_LAYOUT_VALUE "FORMAT"
#define TOOL_LAYOUT_HELP "as coo, ell, sell:slice=32,window=64, hyb:width=4, bsr:block=3, ..."

typedef struct tool_layout {
    bool given;
    tulle_format format;
    tulle_convert_options options;
} tool_layout;

/* Reads a layout. Returns an exit code: TOOL_OK, or TOOL_MISUSE with its message printed. text
 * NULL: the option was not given. */
int tool_layout_parse(const char *command, const char *text, tool_layout *layout);

/* Returns TOOL_OK, or TOOL_MISUSE with its message printed where a format other than CSR or BSR was
 * given. */
int tool_layout_csr_or_bsr(const char *command, const tool_layout *layout);

/* Returns the layout that was given, or CSR. */
static inline tool_layout tool_layout_or_csr(tool_layout layout) {
    return layout.given ? layout : (tool_layout){.given = true, .format = TULLE_CSR};
}

/* Finds the layout that a kernel needs, where the user gave none; false where there is no such
 * kernel. */
bool tool_layout_of_kernel(tulle_backend backend, const char *kernel, tool_layout *layout);

/* Converts A to the layout: a new matrix, or one more owner of A where A needs no change. ms: the
 * time of the conversion, 0 where nothing was done. */
tulle_status tool_layout_apply(tulle_ctx *ctx, tulle_mat *A, const tool_layout *layout,
                               tulle_mat **B, double *ms);

#endif
