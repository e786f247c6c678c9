/* SPDX-License-Identifier: Apache-2.0 */
/* Preconditioners as people name them on the command line: NAME or NAME:NUMBER. */
#ifndef TOOL_PRECOND_H
#define TOOL_PRECOND_H

#include "tulle/tulle.h"

typedef enum tool_precond_kind {
    TOOL_NO_PRECOND,
    TOOL_JACOBI,
    TOOL_BLOCK_JACOBI, /* number: rows of a block */
    TOOL_ILU,          /* number: the level of fill; of blocks where the matrix is in BSR */
    TOOL_IC,           /* the same */
    TOOL_COMPLETE,     /* complete factors */
    TOOL_MILU,         /* the same as TOOL_ILU, modified */
    TOOL_POLYNOMIAL    /* Chebyshev's, on Jacobi's; number: its degree */
} tool_precond_kind;

typedef struct tool_precond {
    tool_precond_kind kind;
    int number; /* 0 where the kind has none */
} tool_precond;

#define TOOL_PRECONDS "none|jacobi|block-jacobi:B|ilu:K|ic:K|milu:K|lu|chebyshev:DEGREE"

/* An exit code: TOOL_OK, or TOOL_BAD_INPUT with its message printed. text NULL: none. */
int tool_precond_parse(const char *command, const char *text, tool_precond *precond);

/* For people, "incomplete factors L U", or NULL for none. */
const char *tool_precond_title(tool_precond_kind kind);

#endif
