/* SPDX-License-Identifier: Apache-2.0 */
/* Preconditioners by name. */
#ifndef TULLE_SOLVE_PRECOND_H
#define TULLE_SOLVE_PRECOND_H

#include "tulle/solve.h"

typedef enum tulle__precond_kind {
    TULLE__NO_PRECOND,
    TULLE__JACOBI,
    TULLE__BLOCK_JACOBI,
    TULLE__ILU,
    TULLE__IC,
    TULLE__MILU,
    TULLE__COMPLETE,
    TULLE__POLYNOMIAL
} tulle__precond_kind;

typedef struct tulle__precond {
    tulle__precond_kind kind;
    int number; /* rows of a block, level of fill, or degree of a polynomial; else 0 */
} tulle__precond;

/* Reads "NAME" or "NAME:NUMBER"; function is the public one that text was given to. Errors:
 * TULLE_INVALID_ARGUMENT. */
tulle_status tulle__precond_parse(const char *function, const char *text, tulle__precond *precond);

/* Writes the name that tulle__precond_parse reads. */
void tulle__precond_name(tulle__precond precond, char name[TULLE_PRECOND_NAME]);

static inline bool tulle__precond_is_factors(tulle__precond_kind kind) {
    return kind == TULLE__ILU || kind == TULLE__IC || kind == TULLE__MILU ||
           kind == TULLE__COMPLETE;
}

#endif
