/* SPDX-License-Identifier: Apache-2.0 */
/* Preconditioners as people name them on the command line: NAME or NAME:NUMBER. */
#ifndef TOOL_PRECOND_H
#define TOOL_PRECOND_H

#include "solve/precond.h"

#define TOOL_PRECONDS                                                                              \
    "none|jacobi|block-jacobi:B|ilu:K|ic:K|milu:K|lu|chebyshev:DEGREE|amg:DEGREE|amg-plain:"       \
    "DEGREE|"                                                                                      \
    "amg-smoothed:DEGREE"

/* An exit code: TOOL_OK, or TOOL_BAD_INPUT with its message printed. text NULL: none. */
int tool_precond_parse(const char *command, const char *text, tulle__precond *precond);

/* For people, "incomplete factors L U", or NULL for none. */
const char *tool_precond_title(tulle__precond_kind kind);

#endif
