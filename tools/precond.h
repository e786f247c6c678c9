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
    TOOL_POLYNOMIAL    /* Chebyshev's, on Jacobi's; number: its degree */
} tool_precond_kind;

typedef struct tool_precond {
    tool_precond_kind kind;
    int number;             /* 0 where the kind has none */
    double lowest, highest; /* of a polynomial: bounds of eigenvalues; both 0: they are estimated */
} tool_precond;

#define TOOL_PRECONDS "none|jacobi|block-jacobi:B|ilu:K|ic:K|chebyshev:DEGREE"

/* An exit code: TOOL_OK, or TOOL_BAD_INPUT with its message printed. text NULL: none. */
int tool_precond_parse(const char *command, const char *text, tool_precond *precond);

enum { TOOL_PRECOND_NAME = 32 };

/* "jacobi", "ilu:1"; and for people, "incomplete factors L U", or NULL for none. */
const char *tool_precond_name(tool_precond precond, char name[TOOL_PRECOND_NAME]);
const char *tool_precond_title(tool_precond_kind kind);

/* Holds what a system is preconditioned with. */
typedef struct tool_preconditioner {
    tulle_linop *M;  /* owned; NULL: nothing */
    tulle_factor *F; /* owned; NULL: none */
    tulle_factor_info factors;
} tool_preconditioner;

/* Makes the preconditioner of the matrix A, which is L as an operator; the diagonal counts 1 +
 * shift times in factors. Fails as what it is made by; there is something to free even then. */
tulle_status tool_precond_make(tulle_ctx *ctx, tool_precond precond, double shift, tulle_mat *A,
                               tulle_linop *L, tool_preconditioner *made);
void tool_precond_free(tool_preconditioner *made);

#endif
