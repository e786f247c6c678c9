/* SPDX-License-Identifier: Apache-2.0 */
/* Preconditioners by name. */
#ifndef TULLE_SOLVE_PRECOND_H
#define TULLE_SOLVE_PRECOND_H

#include "amg/amg.h"
#include "tulle/solve.h"

enum { TULLE__MOST_FILL = 1000000, TULLE__MOST_JACOBI_BLOCK = 16, TULLE__MOST_DEGREE = 100 };

/* Preconditioners, for the library and for the program: kind, name, meaning of the number (NULL:
 * the kind has none), and the number that is taken where none is given, the least and the greatest.
 */
#define TULLE__PRECONDS(X)                                                                         \
    X(NO_PRECOND, "none", NULL, 0, 0, 0)                                                           \
    X(JACOBI, "jacobi", NULL, 0, 0, 0)                                                             \
    X(BLOCK_JACOBI, "block-jacobi", "the rows of a block", 4, 1, TULLE__MOST_JACOBI_BLOCK)         \
    X(ILU, "ilu", "the level of fill", 0, 0, TULLE__MOST_FILL)                                     \
    X(IC, "ic", "the level of fill", 0, 0, TULLE__MOST_FILL)                                       \
    X(MILU, "milu", "the level of fill", 0, 0, TULLE__MOST_FILL)                                   \
    X(COMPLETE, "lu", NULL, 0, 0, 0)                                                               \
    X(POLYNOMIAL, "chebyshev", "its degree", 4, 1, TULLE__MOST_DEGREE)                             \
    X(MULTIGRID, "amg", "the degree of its smoother", 2, 1, TULLE__AMG_MOST_DEGREE)                \
    X(PLAIN_AMG, "amg-plain", "the degree of its smoother", 2, 1, TULLE__AMG_MOST_DEGREE)          \
    X(SMOOTHED_AMG, "amg-smoothed", "the degree of its smoother", 2, 1, TULLE__AMG_MOST_DEGREE)

typedef enum tulle__precond_kind {
#define X(kind, name, number, usual, min, max) TULLE__##kind,
    TULLE__PRECONDS(X)
#undef X
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
