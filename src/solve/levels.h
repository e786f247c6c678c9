/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of what incomplete factors with A's pattern take, without making them. */
#ifndef TULLE_SOLVE_LEVELS_H
#define TULLE_SOLVE_LEVELS_H

#include "tulle/matrix.h"

typedef struct tulle__levels {
    int64_t levels;  /* rows of the longest chain of rows that wait for one another, in the lower
                        triangle */
    double products; /* multiplications of computing the factors: for each entry (i, k) below the
                        diagonal, the entries of row k */
} tulle__levels;

/* Counts for a square A in CSR whose arrays the host can read, in one pass over the entries. */
tulle_status tulle__levels_count(tulle_ctx *ctx, const tulle_mat *A, tulle__levels *count);

#endif
