/* SPDX-License-Identifier: Apache-2.0 */
/* Preconditioners as people name them on the command line: NAME or NAME:NUMBER. */
#ifndef TOOL_PRECOND_H
#define TOOL_PRECOND_H

#include "solve/precond.h"

#define TOOL_PRECONDS                                                                              \
    "none|jacobi|block-jacobi:B|ilu:K|ic:K|milu:K|lu|chebyshev:DEGREE|amg:DEGREE|amg-plain:"       \
    "DEGREE|"                                                                                      \
    "amg-smoothed:DEGREE"

/* Reads a preconditioner; text NULL: none. Returns TOOL_OK, or prints a message and returns
 * TOOL_BAD_INPUT. */
int tool_precond_parse(const char *command, const char *text, tulle__precond *precond);

/* Returns the name for people, as "incomplete factors L U", or NULL for none. */
const char *tool_precond_title(tulle__precond_kind kind);

#endif
