/* SPDX-License-Identifier: Apache-2.0 */
/* A vector made orthogonal to a basis by the classical Gram-Schmidt method. The components that
 * the first projection leaves along the basis are measured while it is made, and taken off, too,
 * where they are too large for a Krylov method: then the basis is read three times, else twice. */
#ifndef TULLE_SOLVER_ORTHOGONAL_H
#define TULLE_SOLVER_ORTHOGONAL_H

#include <stdbool.h>

#include "core/place.h"

/* The share of a vector's length that may be left along the basis. A V = V H holds to roundoff
 * however much is left, since components that stay in a vector are not in H; and the norm that
 * GMRES makes smallest, |g - H y|, is that of the residual |V (g - H y)| but for a factor of the
 * condition of V, 1 + about the root of the columns times this. That of modified Gram-Schmidt
 * loses far more, and GMRES with it is backward stable (C. C. Paige, M. Rozloznik and Z. Strakos
 * 2006). A solution that is claimed is checked by its true residual. */
#define TULLE__LEFT_F64 1e-4
#define TULLE__LEFT_F32 1e-3

typedef struct tulle__column tulle__column;

typedef struct tulle__orthogonal {
    tulle_type type;
    int64_t n, stride; /* rows, and distance of columns of the basis, a multiple of
                          TULLE__ORTHOGONAL_UNIT */
    int columns;
    /* The basis, by columns. Behind row n are zeros, as many as make whole units, which stay. */
    const void *V;
    void *w;             /* vector to be made orthogonal: comes out with length 1, or 0 */
    void *first, *again; /* V^T w, and the components that the second projection took off, or 0;
                            [columns] each, of the type */
    void *norm;          /* norm of w before it got length 1, of the type */
    double *sums;        /* sums of pieces, of two passes: [2][columns + 1][pieces] */
    double *whole;       /* whole sums, [columns + 1] */
    int64_t pieces;
    const tulle__column *column; /* column of the small problem (column.h) that is added behind,
                                    from first, again and norm; NULL: none */
} tulle__orthogonal;

enum { TULLE__ORTHOGONAL_UNIT = 16 };

/* Rows of a piece, which is the work of one block of a GPU, and the largest number of pieces. A
 * short vector has small pieces, so that many blocks read its basis, but few enough for each block
 * of the next pass to add up the sums of all of them itself. */
enum {
    TULLE__ORTHOGONAL_PIECE = 1024,
    TULLE__ORTHOGONAL_MOST_PIECES = 528,
    TULLE__ORTHOGONAL_SMALL_PIECE = 256,
    TULLE__ORTHOGONAL_FEW_PIECES = 64
};

static inline int64_t tulle__orthogonal_pieces(int64_t n) {
    const int64_t few = TULLE__ORTHOGONAL_FEW_PIECES;
    const bool is_short = n <= few * TULLE__ORTHOGONAL_PIECE;
    const int64_t rows = is_short ? TULLE__ORTHOGONAL_SMALL_PIECE : TULLE__ORTHOGONAL_PIECE;
    const int64_t most = is_short ? few : (int64_t)TULLE__ORTHOGONAL_MOST_PIECES;
    const int64_t pieces = n / rows + (n % rows != 0);
    if (pieces < 1) return 1;
    return pieces < most ? pieces : most;
}

#endif
